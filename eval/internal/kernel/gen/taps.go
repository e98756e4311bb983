package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const tapsSignature = "func(dst *float32, pix *byte, stride, bands int, off *int32, wx, wy *float32, nx, ny, n int)"

// block runs body over ny rows of nx taps, and between the rows rowDone. The
// weights of tap c and row r are at wx + c·chunkBytes and wy + r·chunkBytes,
// moved on by i, the pixel's number times four; step is from one tap to the
// next in bytes. What the inner loop does not touch is read where it is used,
// as registers are scarce.
func block(name string, i, start, step reg.GPVirtual, rowStart func(), body func(tap, weight reg.GPVirtual), rowDone func(weight reg.GPVirtual)) {
	row, r, wr := GP64(), pointer("ny"), pointer("wy")
	MOVQ(start, row)
	ADDQ(i, wr)
	Label(name + "rows")
	rowStart()
	tap, c, wc := GP64(), pointer("nx"), pointer("wx")
	MOVQ(row, tap)
	ADDQ(i, wc)
	Label(name + "taps")
	body(tap, wc)
	ADDQ(step, tap)
	ADDQ(U32(chunkBytes), wc)
	DECQ(c)
	JNE(LabelRef(name + "taps"))
	rowDone(wr)
	ADDQ(pointer("stride"), row)
	ADDQ(U32(chunkBytes), wr)
	DECQ(r)
	JNE(LabelRef(name + "rows"))
}

// accumulate is fused, into sum.
func accumulate(sum, a reg.VecVirtual, b Op) { VFMADD231PS(b, a, sum) }

// addProduct is sum += a·b, each rounded; a is lost.
func addProduct(sum, a reg.VecVirtual, b Op) {
	VMULPS(b, a, a)
	VADDPS(a, sum, sum)
}

// tapsOne is tapsGo for one band: a vector is many pixels.
func tapsOne(t sample, wide bool) {
	text("tapsOne"+t.name+suffix(wide), tapsSignature,
		"is tapsGo for one band and n pixels, a multiple of the float32 lanes. stride is in bytes. It reads 4 bytes where the taps left of a row are less.")
	dst, pix, off, n := pointer("dst"), pointer("pix"), pointer("off"), pointer("n")
	SHLQ(U8(2), n)
	low := lowMask(t, wide)
	var middle [2]reg.VecVirtual
	if t.size == 1 {
		middle = middleBytes(wide)
	}
	i := GP64()
	XORQ(i, i)
	Label("loop")
	index, sum, row := vector(wide), vector(wide), vector(wide)
	VMOVUPS(at(off, i, 0), index)
	zeroed(wide, sum)
	start, r, wr := GP64(), pointer("ny"), pointer("wy")
	MOVQ(pix, start)
	ADDQ(i, wr)
	Label("rows")
	zeroed(wide, row)
	tap, c, wc := GP64(), pointer("nx"), pointer("wx")
	MOVQ(start, tap)
	ADDQ(i, wc)
	rowOfTaps(t, wide, low, middle, index, row, tap, c, wc)
	accumulate(sum, row, Mem{Base: wr})
	ADDQ(pointer("stride"), start)
	ADDQ(U32(chunkBytes), wr)
	DECQ(r)
	JNE(LabelRef("rows"))
	VMOVUPS(sum, at(dst, i, 0))
	ADDQ(U32(4*lanesOf(wide)), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// rowOfTaps adds c weighted taps to row. Several taps come with one gather.
func rowOfTaps(t sample, wide bool, low Op, middle [2]reg.VecVirtual, index, row reg.VecVirtual, tap, c, weights reg.GPVirtual) {
	group := 2
	if t.size == 1 {
		group = 4
	}
	weight := func(k int) Op { return Mem{Base: weights, Disp: k * chunkBytes} }
	SUBQ(U8(group), c)
	JL(LabelRef("few"))
	Label("groups")
	if t.size == 1 {
		v := vector(wide)
		gather(wide, tap, index, 1, 0, v)
		for k, x := range bytesOf(wide, v, low, middle) {
			accumulate(row, x, weight(k))
		}
	} else {
		left, right := pair(t, wide, tap, index, low)
		accumulate(row, left, weight(0))
		accumulate(row, right, weight(1))
	}
	ADDQ(U8(group*t.size), tap)
	ADDQ(U32(group*chunkBytes), weights)
	SUBQ(U8(group), c)
	JGE(LabelRef("groups"))
	Label("few")
	ADDQ(U8(group), c)
	JE(LabelRef("summed"))
	v := vector(wide)
	gather(wide, tap, index, uint8(t.size), 0, v)
	Label("last")
	x := vector(wide)
	switch t.name {
	case "Uint8":
		and(wide, low, v, x)
		VPSRLD(U8(8), v, v)
	case "Uint16":
		and(wide, low, v, x)
	case "Int16":
		VPSLLD(U8(16), v, x)
		VPSRAD(U8(16), x, x)
	case "Float32":
		x = v
	}
	if t.name != "Float32" {
		VCVTDQ2PS(x, x)
	}
	accumulate(row, x, weight(0))
	if group > 2 {
		ADDQ(U32(chunkBytes), weights)
		DECQ(c)
		JNE(LabelRef("last"))
	}
	Label("summed")
}

// middleBytes bring the second and the third byte of each dword down.
func middleBytes(wide bool) (middle [2]reg.VecVirtual) {
	for k := range middle {
		middle[k] = vector(wide)
		moveDwords(wide, int32s(label("byte", k+1), 16, func(i int) int32 { return int32(-0x7f7f8000 + 4*(i%4) + k + 1) }), middle[k])
	}
	return middle
}

// bytesOf are the four bytes of each dword, as float32.
func bytesOf(wide bool, v reg.VecVirtual, low Op, middle [2]reg.VecVirtual) (x [4]reg.VecVirtual) {
	for k := range x {
		x[k] = vector(wide)
		switch k {
		case 0:
			and(wide, low, v, x[k])
		case 3:
			VPSRLD(U8(24), v, x[k])
		default:
			VPSHUFB(middle[k-1], v, x[k])
		}
		VCVTDQ2PS(x[k], x[k])
	}
	return x
}

// tapsFew is tapsGo for two to four bands: a vector is a stretch of a row of
// taps, which is summed along y first and then folded.
func tapsFew(t sample, wide bool) {
	text("tapsFew"+t.name+suffix(wide), "func(dst *float32, pix *byte, stride, bands int, off *int32, wx, wy, tmp *float32, nx, ny, n int)",
		"is tapsGo for 2 to 4 bands. stride is in bytes. It writes four samples a pixel and, with AVX2, reads up to seven beyond a row of taps; tmp holds nx·bands values and 16 more.")
	lanes := 8
	if wide {
		lanes = 16
	}
	dst, bands := pointer("dst"), pointer("bands")
	count := pointer("nx")
	IMULQ(bands, count)
	var last reg.GPVirtual
	var tail reg.OpmaskVirtual
	along := vector(wide) // brings the next pixel's bands to the front
	if wide {
		last, tail = bandTail(true, count)
		VPBROADCASTD(bands.As32(), along)
		VPADDD(int32s("count16", 16, func(i int) int32 { return int32(i) }), along, along)
	} else {
		last = count
	}
	SHLQ(U8(2), bands)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	start, off := GP64(), pointer("off")
	MOVLQSX(at(off, i, 0), start)
	LEAQ(Mem{Base: pointer("pix"), Index: start, Scale: uint8(t.size)}, start)
	tmp, b := pointer("tmp"), GP64()
	XORQ(b, b)
	// column sums a vector of taps along y.
	column := func(name string, mask ...reg.OpmaskVirtual) reg.VecVirtual {
		p, r, w, stride := GP64(), pointer("ny"), pointer("wy"), pointer("stride")
		LEAQ(Mem{Base: start, Index: b, Scale: uint8(t.size)}, p)
		ADDQ(i, w)
		sum := vector(wide)
		zeroed(wide, sum)
		Label(name)
		v, weight := vector(wide), vector(wide)
		VBROADCASTSS(Mem{Base: w}, weight)
		load(t, Mem{Base: p}, v, mask...)
		accumulate(sum, v, weight)
		ADDQ(stride, p)
		ADDQ(U32(chunkBytes), w)
		DECQ(r)
		JNE(LabelRef(name))
		return sum
	}
	keep := func(v reg.VecVirtual) { VMOVUPS(v, Mem{Base: tmp, Index: b, Scale: 4}) }
	sum, c, w, weight := XMM(), GP64(), GP64(), XMM()
	if wide {
		CMPQ(last, U8(0))
		JNE(LabelRef("columns"))
		// One vector holds the taps: fold it by moving it along.
		v := column("onlyrows", tail)
		VXORPS(sum, sum, sum)
		Load(Param("nx"), c)
		Load(Param("wx"), w)
		ADDQ(i, w)
		Label("shift")
		VBROADCASTSS(Mem{Base: w}, weight)
		VFMADD231PS(v.AsX(), weight, sum)
		VPERMPS(v, along, v)
		ADDQ(U32(chunkBytes), w)
		DECQ(c)
		JNE(LabelRef("shift"))
		JMP(LabelRef("folded"))
	}
	Label("columns")
	keep(column("rows"))
	ADDQ(U8(lanes), b)
	CMPQ(b, last)
	JL(LabelRef("columns"))
	if wide {
		keep(column("tailrows", tail))
	}
	VXORPS(sum, sum, sum)
	Load(Param("nx"), c)
	Load(Param("wx"), w)
	ADDQ(i, w)
	Label("fold")
	VBROADCASTSS(Mem{Base: w}, weight)
	VFMADD231PS(Mem{Base: tmp}, weight, sum)
	ADDQ(bands, tmp)
	ADDQ(U32(chunkBytes), w)
	DECQ(c)
	JNE(LabelRef("fold"))
	Label("folded")
	VMOVUPS(sum, Mem{Base: dst})
	ADDQ(bands, dst)
	ADDQ(U8(4), i)
	n := pointer("n")
	SHLQ(U8(2), n)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// tapsMany is tapsGo for many bands: a vector is bands of one pixel.
func tapsMany(t sample, wide bool) {
	text("tapsMany"+t.name+suffix(wide), tapsSignature,
		"is tapsGo for as many bands as float32 lanes or more (any number with AVX-512). stride is in bytes.")
	lanes := 8
	if wide {
		lanes = 16
	}
	i := GP64()
	XORQ(i, i)
	bands := pointer("bands")
	last, tail := bandTail(wide, bands)
	lastSlot := AllocLocal(8)
	MOVQ(last, lastSlot)
	step := GP64()
	MOVQ(bands, step)
	if t.size > 1 {
		SHLQ(U8(t.size/2), step)
	}
	Label("loop")
	b := GP64()
	XORQ(b, b)
	body := func(name string, mask ...reg.OpmaskVirtual) {
		start := pointer("off")
		MOVLQSX(at(start, i, 0), start)
		ADDQ(b, start)
		pix := pointer("pix")
		LEAQ(Mem{Base: pix, Index: start, Scale: uint8(t.size)}, start)
		sum, row := vector(wide), vector(wide)
		zeroed(wide, sum)
		block(name, i, start, step,
			func() { zeroed(wide, row) },
			func(tap, weight reg.GPVirtual) {
				v, w := vector(wide), vector(wide)
				load(t, Mem{Base: tap}, v, mask...)
				VBROADCASTSS(Mem{Base: weight}, w)
				accumulate(row, v, w)
			},
			func(weight reg.GPVirtual) {
				w := vector(wide)
				VBROADCASTSS(Mem{Base: weight}, w)
				accumulate(sum, row, w)
			})
		dst := pointer("dst")
		store(sum, Mem{Base: dst, Index: b, Scale: 4}, mask...)
	}
	CMPQ(lastSlot, U8(0))
	JE(LabelRef("tail"))
	Label("bands")
	body("full")
	ADDQ(U8(lanes), b)
	CMPQ(b, lastSlot)
	JL(LabelRef("bands"))
	Label("tail")
	if wide {
		body("rest", tail)
	} else {
		Load(Param("bands"), b)
		SUBQ(U8(lanes), b)
		body("rest")
	}
	dst, n := GP64(), GP64()
	Load(Param("bands"), n)
	SHLQ(U8(2), n)
	Load(Param("dst"), dst)
	ADDQ(n, dst)
	Store(dst, Param("dst"))
	Load(Param("n"), n)
	ADDQ(U8(4), i)
	SHLQ(U8(2), n)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// columns is columnsGo.
func columns(t sample, wide bool) {
	const unroll = 4
	lanes := 8
	if wide {
		lanes = 16
	}
	text("columns"+t.name+suffix(wide), "func(dst *float32, pix *byte, stride int, w *float32, rows, n int)",
		"is columnsGo for n samples, a multiple of four times the float32 lanes. stride is in bytes.")
	dst, pix, stride, w := pointer("dst"), pointer("pix"), pointer("stride"), pointer("w")
	rows, n := pointer("rows"), pointer("n")
	Label("loop")
	var sums [unroll]reg.VecVirtual
	for k := range sums {
		sums[k] = vector(wide)
		zeroed(wide, sums[k])
	}
	p, r := GP64(), GP64()
	MOVQ(pix, p)
	XORQ(r, r)
	Label("rows")
	weight := vector(wide)
	VBROADCASTSS(Mem{Base: w, Index: r, Scale: 4}, weight)
	for k := range sums {
		v := vector(wide)
		load(t, Mem{Base: p, Disp: k * lanes * t.size}, v)
		addProduct(sums[k], v, weight)
	}
	ADDQ(stride, p)
	INCQ(r)
	CMPQ(r, rows)
	JL(LabelRef("rows"))
	for k := range sums {
		VMOVUPS(sums[k], Mem{Base: dst, Disp: k * lanes * 4})
	}
	ADDQ(U32(unroll*lanes*t.size), pix)
	ADDQ(U32(unroll*lanes*4), dst)
	SUBQ(U8(unroll*lanes), n)
	JG(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
