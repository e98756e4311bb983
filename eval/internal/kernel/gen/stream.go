package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// streams write past the caches.
func streams() {
	text("streamCopyAVX2", "func(dst, src *byte, n int)",
		"copies n bytes, a multiple of 64, to a multiple of 32, past the caches.")
	dst, src, n := pointer("dst"), pointer("src"), pointer("n")
	i := GP64()
	XORQ(i, i)
	Label("loop")
	for k := range 2 {
		v := YMM()
		VMOVDQU(Mem{Base: src, Index: i, Scale: 1, Disp: 32 * k}, v)
		VMOVNTDQ(v, Mem{Base: dst, Index: i, Scale: 1, Disp: 32 * k})
	}
	ADDQ(U8(64), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()

	text("streamOnesAVX2", "func(dst *byte, n int)", "sets all bits of n bytes, a multiple of 64, at a multiple of 32, past the caches.")
	dst, n = pointer("dst"), pointer("n")
	ones := YMM()
	VPCMPEQD(ones, ones, ones)
	i = GP64()
	XORQ(i, i)
	Label("loop")
	for k := range 2 {
		VMOVNTDQ(ones, Mem{Base: dst, Index: i, Scale: 1, Disp: 32 * k})
	}
	ADDQ(U8(64), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
