package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gather reads dwords at base + index·scale.
func gather(wide bool, base, index reg.Register, scale uint8, disp int, dst reg.VecVirtual) {
	m := Mem{Base: base, Index: index, Scale: scale, Disp: disp}
	zeroed(wide, dst)
	if wide {
		k := K()
		KXNORW(k, k, k)
		VPGATHERDD(m, k, dst)
		return
	}
	mask := YMM()
	VPCMPEQD(mask, mask, mask)
	VPGATHERDD(mask, m, dst)
}

// zeroed clears a vector, so that a gather into it waits for nothing.
func zeroed(wide bool, v reg.VecVirtual) {
	if wide {
		VPXORD(v, v, v)
	} else {
		VPXOR(v, v, v)
	}
}

// pair gathers sample and right neighbour of a single-band source, converted.
func pair(t sample, wide bool, base reg.GPVirtual, index reg.VecVirtual, ones Op) (left, right reg.VecVirtual) {
	left, right = vector(wide), vector(wide)
	switch t.name {
	case "Uint8":
		gather(wide, base, index, 1, 0, right)
		and(wide, ones, right, left)
		VPSRLD(U8(8), right, right)
		and(wide, ones, right, right)
	case "Uint16":
		gather(wide, base, index, 2, 0, right)
		and(wide, ones, right, left)
		VPSRLD(U8(16), right, right)
	case "Int16":
		gather(wide, base, index, 2, 0, right)
		VPSLLD(U8(16), right, left)
		VPSRAD(U8(16), left, left)
		VPSRAD(U8(16), right, right)
	case "Float32":
		// Eight bytes hold both. Even and odd lanes are parted afterwards.
		lo, hi := vector(wide), vector(wide)
		zeroed(wide, lo)
		zeroed(wide, hi)
		if wide {
			top := YMM()
			VEXTRACTI64X4(U8(1), index, top)
			k := K()
			KXNORW(k, k, k)
			VGATHERDPD(Mem{Base: base, Index: index.(reg.Vec).AsY(), Scale: 4}, k, lo)
			k = K()
			KXNORW(k, k, k)
			VGATHERDPD(Mem{Base: base, Index: top, Scale: 4}, k, hi)
			VMOVDQU32(int32s("even", 16, func(i int) int32 { return int32(2 * i) }), left)
			VMOVDQU32(int32s("odd", 16, func(i int) int32 { return int32(2*i + 1) }), right)
			VPERMI2PS(hi, lo, left)
			VPERMI2PS(hi, lo, right)
			return left, right
		}
		top, mask := XMM(), YMM()
		VEXTRACTI128(U8(1), index, top)
		VPCMPEQD(mask, mask, mask)
		VGATHERDPD(mask, Mem{Base: base, Index: index.(reg.Vec).AsX(), Scale: 4}, lo)
		mask = YMM()
		VPCMPEQD(mask, mask, mask)
		VGATHERDPD(mask, Mem{Base: base, Index: top, Scale: 4}, hi)
		VSHUFPS(U8(0x88), hi, lo, left)
		VSHUFPS(U8(0xdd), hi, lo, right)
		VPERMPD(U8(0xd8), left, left)
		VPERMPD(U8(0xd8), right, right)
		return left, right
	}
	VCVTDQ2PS(left, left)
	VCVTDQ2PS(right, right)
	return left, right
}

func and(wide bool, a, b Op, dst reg.VecVirtual) {
	if wide {
		VPANDD(a, b, dst)
	} else {
		VPAND(a, b, dst)
	}
}

var tables = map[string]Mem{}

func int32s(name string, n int, f func(int) int32) Mem {
	if m, ok := tables[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := range n {
		DATA(4*i, U32(uint32(f(i))))
	}
	tables[name] = m
	return m
}

// lowMask is a vector of dwords that keep the lowest sample.
func lowMask(t sample, wide bool) Op {
	v := vector(wide)
	if t.size > 2 || t.name == "Int16" {
		return nil
	}
	x := GP32()
	MOVL(U32(1<<(8*t.size)-1), x)
	low := XMM()
	VMOVD(x, low)
	VPBROADCASTD(low, v)
	return v
}

const lerpSignature = "func(dst *float32, pix *byte, stride int, off *int32, fx, fy *float32, n int)"

// lerpOne is lerpGo for one band: a vector is many pixels.
func lerpOne(t sample, wide bool) {
	text("lerpOne"+t.name+suffix(wide), lerpSignature,
		"is lerpGo for one band and n pixels, a multiple of the float32 lanes. stride is in bytes. It reads 4 bytes where two samples are less.")
	lanes := 8
	if wide {
		lanes = 16
	}
	dst, top, bottom := pointer("dst"), pointer("pix"), pointer("stride")
	off, fx, fy, n := pointer("off"), pointer("fx"), pointer("fy"), pointer("n")
	ADDQ(top, bottom)
	low := lowMask(t, wide)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	index, tx, ty := vector(wide), vector(wide), vector(wide)
	VMOVUPS(Mem{Base: off, Index: i, Scale: 4}, index)
	VMOVUPS(Mem{Base: fx, Index: i, Scale: 4}, tx)
	VMOVUPS(Mem{Base: fy, Index: i, Scale: 4}, ty)
	p0, p1 := pair(t, wide, top, index, low)
	q0, q1 := pair(t, wide, bottom, index, low)
	mix(p0, q0, ty)
	mix(p1, q1, ty)
	mix(p0, p1, tx)
	VMOVUPS(p0, Mem{Base: dst, Index: i, Scale: 4})
	ADDQ(U8(lanes), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// lerpFew is lerpGo for two to four bands: a vector is the two pixels of a
// row.
func lerpFew(t sample) {
	text("lerpFew"+t.name+"AVX2", "func(dst *float32, pix *byte, stride, bands int, off *int32, fx, fy *float32, n int)",
		"is lerpGo for 2 to 4 bands. stride is in bytes. It reads eight samples a row and writes four a pixel.")
	dst, top, bottom, bands := pointer("dst"), pointer("pix"), pointer("stride"), pointer("bands")
	off, fx, fy, n := pointer("off"), pointer("fx"), pointer("fy"), pointer("n")
	ADDQ(top, bottom)
	// right brings the second pixel's bands to the front.
	right, count := YMM(), XMM()
	VMOVQ(bands, count)
	VPBROADCASTD(count, right)
	VPADDD(int32s("count8", 8, func(i int) int32 { return int32(i) }), right, right)
	SHLQ(U8(2), bands)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	o := GP64()
	MOVLQSX(Mem{Base: off, Index: i, Scale: 4}, o)
	tx, ty := XMM(), YMM()
	VBROADCASTSS(Mem{Base: fx, Index: i, Scale: 4}, tx)
	VBROADCASTSS(Mem{Base: fy, Index: i, Scale: 4}, ty)
	p, q := YMM(), YMM()
	load(t, Mem{Base: top, Index: o, Scale: uint8(t.size)}, p)
	load(t, Mem{Base: bottom, Index: o, Scale: uint8(t.size)}, q)
	mix(p, q, ty)
	second := YMM()
	VPERMPS(p, right, second)
	mix(p.AsX(), second.AsX(), tx)
	VMOVUPS(p.AsX(), Mem{Base: dst})
	ADDQ(bands, dst)
	INCQ(i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// bandLoop runs body over the bands of a pixel, a vector at a time. body gets
// the offset of the vector's first band in samples and, on AVX-512, a mask
// for what is left. On AVX2 the last vector overlaps the one before.
func bandLoop(wide bool, name string, bands reg.GPVirtual, last reg.GPVirtual, tail reg.OpmaskVirtual, body func(b reg.GPVirtual, mask ...reg.OpmaskVirtual)) {
	lanes := 8
	if wide {
		lanes = 16
	}
	b := GP64()
	XORQ(b, b)
	CMPQ(last, U8(0))
	JE(LabelRef(name + "tail"))
	Label(name + "bands")
	body(b)
	ADDQ(U8(lanes), b)
	CMPQ(b, last)
	JL(LabelRef(name + "bands"))
	Label(name + "tail")
	if wide {
		body(b, tail)
		return
	}
	MOVQ(bands, b)
	SUBQ(U8(lanes), b)
	body(b)
}

// bandTail prepares bandLoop: where its full vectors end and the mask of what
// is left, at least one band.
func bandTail(wide bool, bands reg.GPVirtual) (last reg.GPVirtual, tail reg.OpmaskVirtual) {
	last = GP64()
	LEAQ(Mem{Base: bands, Disp: -1}, last)
	if !wide {
		ANDQ(I8(-8), last)
		return last, nil
	}
	ANDQ(I8(-16), last)
	left, ones := GP64(), GP64()
	MOVQ(bands, left)
	SUBQ(last, left)
	MOVL(U32(0xffff), ones.As32())
	BZHIQ(left, ones, ones)
	tail = K()
	KMOVW(ones.As32(), tail)
	return last, tail
}

// lerpMany is lerpGo for many bands: a vector is bands of one pixel.
func lerpMany(t sample, wide bool) {
	text("lerpMany"+t.name+suffix(wide), "func(dst *float32, pix *byte, stride, bands int, off *int32, fx, fy *float32, n int)",
		"is lerpGo for as many bands as float32 lanes or more (any number with AVX-512). stride is in bytes.")
	dst, top, bottom, bands := pointer("dst"), pointer("pix"), pointer("stride"), pointer("bands")
	last, tail := bandTail(wide, bands)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	o := pointer("off")
	MOVLQSX(Mem{Base: o, Index: i, Scale: 4}, o)
	tx, ty := vector(wide), vector(wide)
	VBROADCASTSS(Mem{Base: pointer("fx"), Index: i, Scale: 4}, tx)
	VBROADCASTSS(Mem{Base: pointer("fy"), Index: i, Scale: 4}, ty)
	topLeft, bottomLeft, topRight, bottomRight := GP64(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: top, Index: o, Scale: uint8(t.size)}, topLeft)
	LEAQ(Mem{Base: topLeft, Index: bottom, Scale: 1}, bottomLeft)
	LEAQ(Mem{Base: topLeft, Index: bands, Scale: uint8(t.size)}, topRight)
	LEAQ(Mem{Base: bottomLeft, Index: bands, Scale: uint8(t.size)}, bottomRight)
	bandLoop(wide, "", bands, last, tail, func(b reg.GPVirtual, mask ...reg.OpmaskVirtual) {
		read := func(base reg.GPVirtual) reg.VecVirtual {
			v := vector(wide)
			load(t, Mem{Base: base, Index: b, Scale: uint8(t.size)}, v, mask...)
			return v
		}
		p, q := read(topLeft), read(topRight)
		mix(p, read(bottomLeft), ty)
		mix(q, read(bottomRight), ty)
		mix(p, q, tx)
		store(p, Mem{Base: dst, Index: b, Scale: 4}, mask...)
	})
	LEAQ(Mem{Base: dst, Index: bands, Scale: 4}, dst)
	INCQ(i)
	CMPQ(i, pointer("n"))
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func store(v reg.VecVirtual, m Mem, mask ...reg.OpmaskVirtual) {
	if len(mask) > 0 {
		VMOVUPS(v, mask[0], m)
		return
	}
	VMOVUPS(v, m)
}
