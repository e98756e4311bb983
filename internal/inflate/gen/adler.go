package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// adler sums bytes, and the sums before each 32 of them.
func adler() {
	TEXT("sumAVX2", NOSPLIT, "func(sums *[3][8]uint32, p *byte, n int)")
	Doc("sumAVX2 adds up n bytes, a multiple of 32 of up to 2**16: the bytes, what they",
		"add up to before each 32 bytes, and the bytes of each 32 times 32 to 1.")
	sums, p, n := Load(Param("sums"), GP64()), Load(Param("p"), GP64()), Load(Param("n"), GP64())
	weights := GLOBL("weights", RODATA|NOPTR)
	for i := range 32 {
		DATA(i, U8(32-i))
	}
	ones := GLOBL("ones", RODATA|NOPTR)
	for i := range 16 {
		DATA(2*i, U16(1))
	}
	w, one, zero, v, t := YMM(), YMM(), YMM(), YMM(), YMM()
	VMOVDQU(weights, w)
	VMOVDQU(ones, one)
	VPXOR(zero, zero, zero)
	var sum [3]reg.VecVirtual
	for k := range sum {
		sum[k] = YMM()
		VPXOR(sum[k], sum[k], sum[k])
	}
	Label("loop")
	VMOVDQU(Mem{Base: p}, v)
	VPADDD(sum[0], sum[1], sum[1])
	VPSADBW(zero, v, t)
	VPADDD(t, sum[0], sum[0])
	VPMADDUBSW(w, v, v)
	VPMADDWD(one, v, v)
	VPADDD(v, sum[2], sum[2])
	ADDQ(Imm(32), p)
	SUBQ(Imm(32), n)
	JA(LabelRef("loop"))
	for k := range sum {
		VMOVDQU(sum[k], Mem{Base: sums, Disp: 32 * k})
	}
	VZEROUPPER()
	RET()
}
