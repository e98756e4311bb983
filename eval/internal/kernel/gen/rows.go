package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// scale is scaleGo.
func scale() {
	text("scaleAVX2", "func(v *float32, mul, add *float64, n int)", "is scaleGo for n values, a multiple of 8.")
	v, mul, add, n := pointer("v"), pointer("mul"), pointer("add"), pointer("n")
	i := GP64()
	XORQ(i, i)
	Label("loop")
	for k := range 2 {
		x, narrow := YMM(), XMM()
		VCVTPS2PD(Mem{Base: v, Index: i, Scale: 4, Disp: 16 * k}, x)
		VMULPD(Mem{Base: mul, Index: i, Scale: 8, Disp: 32 * k}, x, x)
		VADDPD(Mem{Base: add, Index: i, Scale: 8, Disp: 32 * k}, x, x)
		VCVTPD2PSY(x, narrow)
		VMOVUPS(narrow, Mem{Base: v, Index: i, Scale: 4, Disp: 16 * k})
	}
	ADDQ(U8(8), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// finite is finiteGo: x − x is 0 for a finite x, else NaN.
func finite() {
	text("finiteAVX2", "func(v *float32, n int) bool", "is finiteGo for n values, a multiple of 8.")
	v, n := pointer("v"), pointer("n")
	sum := YMM()
	VXORPS(sum, sum, sum)
	Label("loop")
	x := YMM()
	VMOVUPS(Mem{Base: v}, x)
	VSUBPS(x, x, x)
	VORPS(x, sum, sum)
	ADDQ(U8(32), v)
	SUBQ(U8(8), n)
	JG(LabelRef("loop"))
	VCMPPS(U8(3), sum, sum, sum) // unordered
	bits := GP32()
	VMOVMSKPS(sum, bits)
	ok := GP8()
	TESTL(bits, bits)
	SETEQ(ok)
	Store(ok, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// unusable is unusableGo: NaN is unordered with itself, and x − x is NaN for
// what is not finite.
func unusable() {
	text("unusableAVX2", "func(v *float32, n int) (nans, all int)", "is unusableGo for n values, a multiple of 8.")
	v, n := pointer("v"), pointer("n")
	nans, all := YMM(), YMM()
	VPXOR(nans, nans, nans)
	VPXOR(all, all, all)
	Label("loop")
	x, d := YMM(), YMM()
	VMOVUPS(Mem{Base: v}, x)
	VSUBPS(x, x, d)
	VCMPPS(U8(3), x, x, x)
	VCMPPS(U8(3), d, d, d)
	VPSUBD(x, nans, nans)
	VPSUBD(d, all, all)
	ADDQ(U8(32), v)
	SUBQ(U8(8), n)
	JG(LabelRef("loop"))
	for k, sum := range []reg.VecVirtual{nans, all} {
		high, total := XMM(), GP32()
		VEXTRACTI128(U8(1), sum, high)
		VPADDD(high, sum.AsX(), high)
		VPHADDD(high, high, high)
		VPHADDD(high, high, high)
		VMOVD(high, total)
		Store(total.As64(), ReturnIndex(k))
	}
	VZEROUPPER()
	RET()
}

// prefetch reads ahead.
func prefetch() {
	text("prefetchAVX2", "func(pix *byte, delta int, off *int32, shift, step, n int)",
		"fetches into the cache what is at every step-th of n offsets, times 2**shift, from pix and delta, in bytes. That need not be in memory.")
	pix, off, step, n := pointer("pix"), pointer("off"), pointer("step"), pointer("n")
	shift := reg.RCX
	Load(Param("shift"), shift)
	ADDQ(pointer("delta"), pix)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	o := GP64()
	MOVLQSX(Mem{Base: off, Index: i, Scale: 4}, o)
	SHLQ(reg.CL, o)
	PREFETCHT0(Mem{Base: pix, Index: o, Scale: 1})
	ADDQ(step, i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	RET()
}
