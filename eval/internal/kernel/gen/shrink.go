package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// shrinkLanes is shrinkGo for four rows.
func shrinkLanes() {
	const rows, most = 4, 6
	text("shrinkAVX512", "func(dst *float32, step int, pix *byte, stride int, base *int32, table *uint32, groups, n int)",
		"is shrinkGo for four rows, n vectors of 16 samples and up to six groups of four taps. The sums of a row are step apart from those of the next.")
	dst, step, pix, stride := pointer("dst"), pointer("step"), pointer("pix"), pointer("stride")
	base, table, groups, n := pointer("base"), pointer("table"), pointer("groups"), pointer("n")
	SHLQ(U8(2), step)
	unit := splatFloat(true, fixedUnit)
	thrice, thriceStep := GP64(), GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, thrice)
	LEAQ(Mem{Base: step, Index: step, Scale: 2}, thriceStep)
	// row is where a row's sums or bytes are.
	row := func(p, stride, thrice reg.GPVirtual, r int) Mem {
		return [rows]Mem{{Base: p}, {Base: p, Index: stride, Scale: 1}, {Base: p, Index: stride, Scale: 2}, {Base: p, Index: thrice, Scale: 1}}[r]
	}
	for count := 1; count <= most; count++ {
		loop, after := label("groups", count), label("not", count)
		if count < most {
			CMPQ(groups, U8(count))
			JNE(LabelRef(after))
		}
		Label(loop)
		var taps [most][rows]reg.VecVirtual
		for g := range count {
			order, p := ZMM(), GP64()
			MOVLQSX(Mem{Base: base, Disp: 4 * g}, p)
			ADDQ(pix, p)
			VMOVDQU32(Mem{Base: table, Disp: 256 * g}, order)
			for r := range rows {
				taps[g][r] = ZMM()
				VPERMB(row(p, stride, thrice, r), order, taps[g][r])
			}
		}
		var sums [rows]reg.VecVirtual
		for d := 3; d > 0; d-- {
			for r := range sums {
				if d == 3 {
					sums[r] = ZMM()
					zeroed(true, sums[r])
				} else {
					VPSLLD(U8(8), sums[r], sums[r])
				}
			}
			for g := range count {
				digit := ZMM()
				VMOVDQU32(Mem{Base: table, Disp: 256*g + 64*d}, digit)
				for r := range sums {
					dot(digit, taps[g][r], sums[r])
				}
			}
		}
		for r, v := range sums {
			VCVTDQ2PS(v, v)
			VMULPS(unit, v, v)
			VMOVUPS(v, row(dst, step, thriceStep, r))
		}
		ADDQ(U8(64), dst)
		ADDQ(U8(4*count), base)
		ADDQ(U32(256*count), table)
		DECQ(n)
		JNE(LabelRef(loop))
		VZEROUPPER()
		RET()
		if count < most {
			Label(after)
		}
	}
}

// shrinkQuads is shrinkGo for one row.
func shrinkQuads() {
	const bits = 12 // the package's quadBits
	text("shrinkAVX2", "func(dst *float32, quad int, row *byte, base *int32, table *uint32, groups, n int)",
		"is shrinkGo for n times two quads of samples. Of each it writes four.")
	dst, quad, row := pointer("dst"), pointer("quad"), pointer("row")
	base, table, groups, n := pointer("base"), pointer("table"), pointer("groups"), pointer("n")
	SHLQ(U8(2), quad)
	unit := splatFloat(false, fixedUnit)
	Label("loop")
	low, high := YMM(), YMM()
	zeroed(false, low)
	zeroed(false, high)
	g := GP64()
	MOVQ(groups, g)
	Label("groups")
	p, q, bytes := GP64(), GP64(), YMM()
	MOVLQSX(Mem{Base: base}, p)
	MOVLQSX(Mem{Base: base, Disp: 4}, q)
	VMOVDQU(Mem{Base: row, Index: p, Scale: 1}, bytes.AsX())
	VINSERTI128(U8(1), Mem{Base: row, Index: q, Scale: 1}, bytes, bytes)
	for pair := range 2 {
		taps := YMM()
		VPSHUFB(Mem{Base: table, Disp: 32 * pair}, bytes, taps)
		for half, sum := range []reg.VecVirtual{low, high} {
			v := YMM()
			VPMADDWD(Mem{Base: table, Disp: 64 + 64*half + 32*pair}, taps, v)
			VPADDD(v, sum, sum)
		}
	}
	ADDQ(U8(8), base)
	ADDQ(U32(192), table)
	DECQ(g)
	JNE(LabelRef("groups"))
	VPSLLD(U8(bits), high, high)
	VPADDD(low, high, high)
	VCVTDQ2PS(high, high)
	VMULPS(unit, high, high)
	VMOVUPS(high.AsX(), Mem{Base: dst})
	VEXTRACTF128(U8(1), high, Mem{Base: dst, Index: quad, Scale: 1})
	LEAQ(Mem{Base: dst, Index: quad, Scale: 2}, dst)
	DECQ(n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
