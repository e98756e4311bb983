package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stretch is stretchGo: a vector is consecutive samples of the output, whose
// taps k lie in one vector of the row that starts at the group's base.
func stretch(wide bool) {
	text("stretch"+suffix(wide), "func(dst, row *float32, base, index *int32, w *float32, taps, bands, stride, n int)",
		"is stretchGo for n samples, a multiple of the float32 lanes, where every index is less than the lanes. It reads a vector from each base and tap.")
	stretchLoops(wide, true)
}

// stretchFar is stretchGo where the taps of a vector are further apart.
func stretchFar(wide bool) {
	text("stretchFar"+suffix(wide), "func(dst, row *float32, base, index *int32, w *float32, taps, bands, stride, n int)",
		"is stretchGo for n samples, a multiple of the float32 lanes.")
	stretchLoops(wide, false)
}

func stretchLoops(wide, near bool) {
	lanes := 8
	if wide {
		lanes = 16
	}
	dst, row, base, index := pointer("dst"), pointer("row"), pointer("base"), pointer("index")
	w, taps, bands, stride, n := pointer("w"), pointer("taps"), pointer("bands"), pointer("stride"), pointer("n")
	SHLQ(U8(2), bands)
	SHLQ(U8(2), stride)
	i := GP64()
	XORQ(i, i)
	// pick is the samples of one tap, at p.
	pick := func(p Mem, lane, v reg.VecVirtual) {
		if near {
			VPERMPS(p, lane, v)
			return
		}
		zeroed(wide, v)
		p.Index, p.Scale = lane, 4
		if wide {
			k := K()
			KXNORW(k, k, k)
			VGATHERDPS(p, k, v)
			return
		}
		mask := YMM()
		VPCMPEQD(mask, mask, mask)
		VGATHERDPS(mask, p, v)
	}
	start := func() (p reg.GPVirtual, lane, sum reg.VecVirtual) {
		p, lane, sum = GP64(), vector(wide), vector(wide)
		MOVLQSX(Mem{Base: base}, p)
		LEAQ(Mem{Base: row, Index: p, Scale: 4}, p)
		moveDwords(wide, Mem{Base: index, Index: i, Scale: 4}, lane)
		pick(Mem{Base: p}, lane, sum)
		VMULPS(Mem{Base: w, Index: i, Scale: 4}, sum, sum)
		return
	}
	next := func(sum reg.VecVirtual, loop string) {
		VMOVUPS(sum, Mem{Base: dst, Index: i, Scale: 4})
		ADDQ(U8(4), base)
		ADDQ(U8(lanes), i)
		CMPQ(i, n)
		JL(LabelRef(loop))
		VZEROUPPER()
		RET()
	}
	for _, fixed := range []int{2, 4} {
		name := label("taps", fixed)
		CMPQ(taps, U8(fixed))
		JNE(LabelRef("not" + name))
		ws := make([]reg.GPVirtual, fixed)
		for k := 1; k < fixed; k++ {
			ws[k] = GP64()
			if k == 1 {
				LEAQ(Mem{Base: w, Index: stride, Scale: 1}, ws[k])
			} else {
				LEAQ(Mem{Base: ws[k-1], Index: stride, Scale: 1}, ws[k])
			}
		}
		Label(name)
		p, lane, sum := start()
		for k := 1; k < fixed; k++ {
			v := vector(wide)
			ADDQ(bands, p)
			pick(Mem{Base: p}, lane, v)
			VFMADD231PS(Mem{Base: ws[k], Index: i, Scale: 4}, v, sum)
		}
		next(sum, name)
		Label("not" + name)
	}
	Label("loop")
	p, lane, sum := start()
	q, c := GP64(), GP64()
	LEAQ(Mem{Base: w, Index: i, Scale: 4}, q)
	MOVQ(taps, c)
	DECQ(c)
	JE(LabelRef("done"))
	Label("more")
	v := vector(wide)
	ADDQ(bands, p)
	ADDQ(stride, q)
	pick(Mem{Base: p}, lane, v)
	VFMADD231PS(Mem{Base: q}, v, sum)
	DECQ(c)
	JNE(LabelRef("more"))
	Label("done")
	next(sum, "loop")
}

// moveDwords moves a vector of dwords.
func moveDwords(wide bool, m Mem, v reg.VecVirtual) {
	if wide {
		VMOVDQU32(m, v)
	} else {
		VMOVDQU(m, v)
	}
}

const blendSignature = "rows *float32, at *int, w *float32, taps, n, step, count int)"

// blend is blendGo. As a stream it leaves the caches alone.
func blend(wide, stream bool) {
	name, doc, move := "blend", "", func(v, m Op) { VMOVUPS(v, m) }
	if stream {
		name, doc, move = "blendStream", " What it writes goes past the caches, and to multiples of a vector only.", func(v, m Op) { VMOVNTPS(v, m) }
	}
	text(name+suffix(wide), "func(dst, "+blendSignature,
		"is blendGo for n samples, a multiple of four times the float32 lanes."+doc)
	blendLoop(wide, 4, nil, func(sums []reg.VecVirtual, dst, i reg.GPVirtual) {
		for k, v := range sums {
			move(v, Mem{Base: dst, Index: i, Scale: 4, Disp: k * lanesOf(wide) * 4})
		}
	})
}

// fence is for what streams wrote.
func fence() {
	text("fence", "func()", "makes what streams wrote seen before what is written later.")
	SFENCE()
	RET()
}

// blendPack is blendUint8Go. As a stream it leaves the caches alone.
func blendPack(wide, stream bool) {
	name, doc := "blendUint8", ""
	move := func(v, m Op) {
		if wide {
			VMOVDQU32(v, m)
		} else {
			VMOVDQU(v, m)
		}
	}
	if stream {
		name, doc, move = "blendUint8Stream", " What it writes goes past the caches, and to multiples of a vector only.", func(v, m Op) { VMOVNTDQ(v, m) }
	}
	text(name+suffix(wide), "func(dst *byte, "+blendSignature,
		"is blendUint8Go for n samples, a multiple of four times the float32 lanes."+doc)
	half, order := splatFloat(wide, float32(0.5+1e-6)), order8(wide)
	// What is negative or too large saturates at the end.
	blendLoop(wide, 1, half, func(sums []reg.VecVirtual, dst, i reg.GPVirtual) {
		for _, v := range sums {
			VCVTTPS2DQ(v, v)
		}
		narrow8(wide, [4]reg.VecVirtual(sums), order)
		move(sums[0], Mem{Base: dst, Index: i, Scale: 1})
	})
}

// peak is peakGo.
func peak() {
	text("peakAVX2", "func(v *float32, n int) uint32", "is peakGo for n values, a multiple of 8.")
	v, n := pointer("v"), pointer("n")
	most, magnitude := YMM(), splat(false, 1<<31-1)
	VPXOR(most, most, most)
	Label("loop")
	x := YMM()
	VPAND(Mem{Base: v}, magnitude, x)
	VPMAXUD(x, most, most)
	ADDQ(U8(32), v)
	SUBQ(U8(8), n)
	JG(LabelRef("loop"))
	x = YMM()
	VEXTRACTI128(U8(1), most, x.AsX())
	VPMAXUD(x.AsX(), most.AsX(), most.AsX())
	for _, order := range []uint8{0x4e, 0xb1} {
		VPSHUFD(U8(order), most.AsX(), x.AsX())
		VPMAXUD(x.AsX(), most.AsX(), most.AsX())
	}
	bits := GP32()
	VMOVD(most.AsX(), bits)
	Store(bits, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

func lanesOf(wide bool) int {
	if wide {
		return 16
	}
	return 8
}

// blendLoop sums weighted rows, four vectors at a time, which keep stores. The
// samples that it stores have the given size. Sums begin with a vector, unless
// it is nil.
func blendLoop(wide bool, size int, begin reg.VecVirtual, keep func(sums []reg.VecVirtual, dst, i reg.GPVirtual)) {
	lanes := lanesOf(wide)
	dst, rows, at, w, taps, n := pointer("dst"), pointer("rows"), pointer("at"), pointer("w"), pointer("taps"), pointer("n")
	step, count := pointer("step"), pointer("count")
	if size > 1 {
		SHLQ(U8(size/2), step)
	}
	i := GP64()
	sums := make([]reg.VecVirtual, 4)
	start := func() {
		for k := range sums {
			sums[k] = vector(wide)
			if begin != nil {
				VMOVAPS(begin, sums[k])
			}
		}
	}
	add := func(row Mem, weight reg.VecVirtual, first bool) {
		for k := range sums {
			if row.Disp = k * lanes * 4; first && begin == nil {
				VMULPS(row, weight, sums[k])
			} else {
				VFMADD231PS(row, weight, sums[k])
			}
		}
	}
	next := func(loop, each string) {
		keep(sums, dst, i)
		ADDQ(U8(4*lanes), i)
		CMPQ(i, n)
		JL(LabelRef(loop))
		ADDQ(step, dst)
		LEAQ(Mem{Base: w, Index: taps, Scale: 4}, w)
		DECQ(count)
		JNE(LabelRef(each))
		VZEROUPPER()
		RET()
	}
	for _, fixed := range []int{2, 4} {
		loop, each, after := label("loop", fixed), label("each", fixed), label("not", fixed)
		CMPQ(taps, U8(fixed))
		JNE(LabelRef(after))
		p, weights := make([]reg.GPVirtual, fixed), make([]reg.VecVirtual, fixed)
		for r := range p {
			p[r] = GP64()
			MOVQ(Mem{Base: at, Disp: 8 * r}, p[r])
			LEAQ(Mem{Base: rows, Index: p[r], Scale: 4}, p[r])
		}
		Label(each)
		for r := range p {
			weights[r] = vector(wide)
			VBROADCASTSS(Mem{Base: w, Disp: 4 * r}, weights[r])
		}
		XORQ(i, i)
		Label(loop)
		start()
		for r := range p {
			add(Mem{Base: p[r], Index: i, Scale: 4}, weights[r], r == 0)
		}
		next(loop, each)
		Label(after)
	}
	Label("each")
	XORQ(i, i)
	Label("loop")
	r := GP64()
	XORQ(r, r)
	row := func(first bool) {
		p, weight := GP64(), vector(wide)
		MOVQ(Mem{Base: at, Index: r, Scale: 8}, p)
		ADDQ(i, p)
		LEAQ(Mem{Base: rows, Index: p, Scale: 4}, p)
		VBROADCASTSS(Mem{Base: w, Index: r, Scale: 4}, weight)
		add(Mem{Base: p}, weight, first)
		INCQ(r)
		CMPQ(r, taps)
	}
	start()
	row(true)
	JGE(LabelRef("done"))
	Label("rows")
	row(false)
	JL(LabelRef("rows"))
	Label("done")
	next("loop", "each")
}
