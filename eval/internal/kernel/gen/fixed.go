package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// fixedUnit is the package's.
const fixedUnit = 1.0 / (1 << 22)

// dot adds to each dword of sum the products of four signed bytes and four
// unsigned ones: VPDPBUSD, which avo does not have.
func dot(signed, unsigned, sum reg.VecVirtual) {
	Instruction(&ir.Instruction{
		Opcode:   "VPDPBUSD",
		Operands: []Op{signed, unsigned, sum},
		Inputs:   []Op{signed, unsigned, sum},
		Outputs:  []Op{sum},
	})
}

// fixed is fixedGo.
func fixed() {
	text("fixedAVX2", "func(dst *float32, pix *byte, stride int, w *int32, rows, n int)",
		"is fixedGo for n samples, a multiple of 32.")
	dst, pix, stride, w := pointer("dst"), pointer("pix"), pointer("stride"), pointer("w")
	rows, n := pointer("rows"), pointer("n")
	unit := splatFloat(false, fixedUnit)
	Label("loop")
	var sums [4]reg.VecVirtual
	for k := range sums {
		sums[k] = YMM()
		zeroed(false, sums[k])
	}
	p, r := GP64(), GP64()
	MOVQ(pix, p)
	XORQ(r, r)
	Label("rows")
	weight := YMM()
	VPBROADCASTD(Mem{Base: w, Index: r, Scale: 4}, weight)
	for k := range sums {
		v := YMM()
		VPMOVZXBD(Mem{Base: p, Disp: 8 * k}, v)
		VPMULLD(weight, v, v)
		VPADDD(v, sums[k], sums[k])
	}
	ADDQ(stride, p)
	INCQ(r)
	CMPQ(r, rows)
	JL(LabelRef("rows"))
	for k := range sums {
		VCVTDQ2PS(sums[k], sums[k])
		VMULPS(unit, sums[k], sums[k])
		VMOVUPS(sums[k], Mem{Base: dst, Disp: 32 * k})
	}
	ADDQ(U8(32), pix)
	ADDQ(U32(128), dst)
	SUBQ(U8(32), n)
	JG(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// fixedDigits is fixedGo with weights of three digits, each of a byte, which
// are summed apart: a dword of the four rows' samples is a sample's part.
func fixedDigits() {
	text("fixedAVX512", "func(dst *float32, pix *byte, stride int, digits *uint32, groups, n int)",
		"is fixedGo for n samples, a multiple of 64, and groups of four rows. Of each group, digits has the lowest digits of four weights, then those above.")
	dst, pix, stride, digits := pointer("dst"), pointer("pix"), pointer("stride"), pointer("digits")
	groups, n := pointer("groups"), pointer("n")
	unit, thrice := splatFloat(true, fixedUnit), GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, thrice)
	Label("loop")
	var sums [4][3]reg.VecVirtual // by quarter of 16 samples and digit
	for k := range sums {
		for d := range sums[k] {
			sums[k][d] = ZMM()
			zeroed(true, sums[k][d])
		}
	}
	p, w, g := GP64(), GP64(), GP64()
	MOVQ(pix, p)
	MOVQ(digits, w)
	MOVQ(groups, g)
	Label("groups")
	var row [4]reg.VecVirtual
	for r, m := range []Mem{{Base: p}, {Base: p, Index: stride, Scale: 1}, {Base: p, Index: stride, Scale: 2}, {Base: p, Index: thrice, Scale: 1}} {
		row[r] = ZMM()
		VMOVDQU32(m, row[r])
	}
	low, high, low2, high2 := ZMM(), ZMM(), ZMM(), ZMM()
	VPUNPCKLBW(row[1], row[0], low)
	VPUNPCKHBW(row[1], row[0], high)
	VPUNPCKLBW(row[3], row[2], low2)
	VPUNPCKHBW(row[3], row[2], high2)
	VPUNPCKLWD(low2, low, row[0])
	VPUNPCKHWD(low2, low, row[1])
	VPUNPCKLWD(high2, high, row[2])
	VPUNPCKHWD(high2, high, row[3])
	for d := range 3 {
		digit := ZMM()
		VPBROADCASTD(Mem{Base: w, Disp: 4 * d}, digit)
		for k := range sums {
			dot(digit, row[k], sums[k][d])
		}
	}
	LEAQ(Mem{Base: p, Index: stride, Scale: 4}, p)
	ADDQ(U8(12), w)
	DECQ(g)
	JNE(LabelRef("groups"))
	// What the next output needs besides, where it is reduced to a third.
	PREFETCHT0(Mem{Base: p})
	PREFETCHT0(Mem{Base: p, Index: stride, Scale: 1})
	PREFETCHT0(Mem{Base: p, Index: stride, Scale: 2})
	var v [4]reg.VecVirtual
	for k, s := range sums {
		VPSLLD(U8(8), s[2], s[2])
		VPADDD(s[1], s[2], s[2])
		VPSLLD(U8(8), s[2], s[2])
		VPADDD(s[0], s[2], s[2])
		VCVTDQ2PS(s[2], s[2])
		VMULPS(unit, s[2], s[2])
		v[k] = s[2]
	}
	// Quarters of a vector are of one quarter of 16 samples each: transpose.
	a, b, c, d := ZMM(), ZMM(), ZMM(), ZMM()
	VSHUFF32X4(U8(0x44), v[1], v[0], a)
	VSHUFF32X4(U8(0xee), v[1], v[0], b)
	VSHUFF32X4(U8(0x44), v[3], v[2], c)
	VSHUFF32X4(U8(0xee), v[3], v[2], d)
	for k, from := range [][2]reg.VecVirtual{{a, c}, {a, c}, {b, d}, {b, d}} {
		VSHUFF32X4(U8([]uint8{0x88, 0xdd}[k%2]), from[1], from[0], v[k])
		VMOVUPS(v[k], Mem{Base: dst, Disp: 64 * k})
	}
	ADDQ(U8(64), pix)
	ADDQ(U32(256), dst)
	SUBQ(U8(64), n)
	JG(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
