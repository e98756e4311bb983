package main

import (
	"math"

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

// shrinkFew is shrinkGo for two to four bands.
func shrinkFew() {
	text("shrinkFewAVX2", "func(dst *float32, row *byte, bands int, first, w *int32, taps, n int)",
		"is shrinkGo for 2 to 4 bands. It reads four bytes a tap and writes four samples a pixel.")
	dst, row, bands := pointer("dst"), pointer("row"), pointer("bands")
	first, w, taps, n := pointer("first"), pointer("w"), pointer("taps"), pointer("n")
	unit := splatFloat(false, fixedUnit).AsX()
	Label("loop")
	p, c, sum := GP64(), GP64(), XMM()
	MOVLQSX(Mem{Base: first}, p)
	ADDQ(row, p)
	MOVQ(taps, c)
	VPXOR(sum, sum, sum)
	Label("taps")
	for k := range 4 {
		v, weight := XMM(), XMM()
		VPMOVZXBD(Mem{Base: p}, v)
		ADDQ(bands, p)
		VPBROADCASTD(Mem{Base: w, Disp: 4 * k}, weight)
		VPMULLD(weight, v, v)
		VPADDD(v, sum, sum)
	}
	ADDQ(U8(16), w)
	SUBQ(U8(4), c)
	JG(LabelRef("taps"))
	VCVTDQ2PS(sum, sum)
	VMULPS(unit, sum, sum)
	VMOVUPS(sum, Mem{Base: dst})
	LEAQ(Mem{Base: dst, Index: bands, Scale: 4}, dst)
	ADDQ(U8(4), first)
	DECQ(n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// shrinkOne is shrinkGo for one band.
func shrinkOne() {
	text("shrinkOneAVX2", "func(dst *float32, row *byte, first, w *int32, taps, n int)", "is shrinkGo for one band.")
	dst, row := pointer("dst"), pointer("row")
	first, w, taps, n := pointer("first"), pointer("w"), pointer("taps"), pointer("n")
	unit := XMM()
	g := GP32()
	MOVL(U32(math.Float32bits(fixedUnit)), g)
	VMOVD(g, unit)
	Label("loop")
	p, c, sum := GP64(), GP64(), XMM()
	MOVLQSX(Mem{Base: first}, p)
	ADDQ(row, p)
	MOVQ(taps, c)
	VPXOR(sum, sum, sum)
	Label("taps")
	v := XMM()
	VPMOVZXBD(Mem{Base: p}, v)
	VPMULLD(Mem{Base: w}, v, v)
	VPADDD(v, sum, sum)
	ADDQ(U8(4), p)
	ADDQ(U8(16), w)
	SUBQ(U8(4), c)
	JG(LabelRef("taps"))
	VPHADDD(sum, sum, sum)
	VPHADDD(sum, sum, sum)
	VCVTDQ2PS(sum, sum)
	VMULSS(unit, sum, sum)
	VMOVSS(sum, Mem{Base: dst})
	ADDQ(U8(4), dst)
	ADDQ(U8(4), first)
	DECQ(n)
	JNE(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
