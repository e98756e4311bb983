package main

import (
	"math"

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

// pack is packGo.
func pack(t sample) {
	text("pack"+t.name+"AVX2", "func(dst *byte, v *float32, n int)", "is packGo for n values, a multiple of 32.")
	dst, v, n := pointer("dst"), pointer("v"), pointer("n")
	var lo, hi float32
	switch t.name {
	case "Uint8":
		hi = math.MaxUint8
	case "Uint16":
		hi = math.MaxUint16
	case "Int16":
		lo, hi = math.MinInt16, math.MaxInt16
	}
	constant := func(bits uint32) reg.VecVirtual {
		g, x, y := GP32(), XMM(), YMM()
		MOVL(U32(bits), g)
		VMOVD(g, x)
		VPBROADCASTD(x, y)
		return y
	}
	least, most := constant(math.Float32bits(lo)), constant(math.Float32bits(hi))
	half, sign := constant(math.Float32bits(float32(0.5+1e-6))), constant(1<<31)
	Label("loop")
	var x [4]reg.VecVirtual
	for k := range x {
		x[k] = YMM()
		h := YMM()
		VMAXPS(Mem{Base: v, Disp: 32 * k}, least, x[k])
		VMINPS(x[k], most, x[k])
		VANDPS(sign, x[k], h)
		VORPS(half, h, h)
		VADDPS(h, x[k], x[k])
		VCVTTPS2DQ(x[k], x[k])
	}
	switch t.name {
	case "Uint8":
		VPACKSSDW(x[1], x[0], x[0])
		VPACKSSDW(x[3], x[2], x[2])
		VPACKUSWB(x[2], x[0], x[0])
		order := YMM()
		VMOVDQU(int32s("unpack8", 8, func(i int) int32 { return int32(i/2 + i%2*4) }), order)
		VPERMD(x[0], order, x[0])
		VMOVDQU(x[0], Mem{Base: dst})
	default:
		for k := 0; k < 4; k += 2 {
			if t.name == "Uint16" {
				VPACKUSDW(x[k+1], x[k], x[k])
			} else {
				VPACKSSDW(x[k+1], x[k], x[k])
			}
			VPERMQ(U8(0xd8), x[k], x[k])
			VMOVDQU(x[k], Mem{Base: dst, Disp: 16 * k})
		}
	}
	ADDQ(U32(128), v)
	ADDQ(U32(32*t.size), dst)
	SUBQ(U8(32), n)
	JG(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
