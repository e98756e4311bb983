package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Byte offsets of the fields of the package's grid.
const (
	gridA, gridC, gridD, gridF = 0, 2 * 8, 3 * 8, 5 * 8
	gridBy, gridEy             = 9 * 8, 10 * 8
	gridSx, gridSy             = 12 * 8, 13 * 8
	gridBands, gridStride      = 14 * 8, 15 * 8
	gridBase                   = 16 * 8
)

// positions is positionsGo, for n a multiple of the float64 lanes; without the
// fractions it is offsetsGo.
func positions(wide, fractions bool) {
	lanes := 4
	half := func() reg.VecVirtual { return XMM() }
	if wide {
		lanes = 8
		half = func() reg.VecVirtual { return YMM() }
	}
	var fx, fy reg.GPVirtual
	if fractions {
		text("positions"+suffix(wide), "func(m *float64, x int, off *int32, fx, fy *float32, n int)",
			"is positionsGo for n pixels, a multiple of the float64 lanes. m points to the fields of a grid.")
		fx, fy = pointer("fx"), pointer("fy")
	} else {
		text("offsets"+suffix(wide), "func(m *float64, x int, off *int32, n int)",
			"is offsetsGo for n pixels, a multiple of the float64 lanes. m points to the fields of a grid.")
	}
	g, x := pointer("m"), pointer("x")
	off, n := pointer("off"), pointer("n")
	field := func(disp int) reg.VecVirtual {
		v := vector(wide)
		VBROADCASTSD(Mem{Base: g, Disp: disp}, v)
		return v
	}
	// Constants that are used once a step stay in memory where registers are
	// scarce.
	spill := func(disp int) Op {
		v := field(disp)
		if wide {
			return v
		}
		m := AllocLocal(32)
		VMOVUPD(v, m)
		return m
	}
	a, d := field(gridA), field(gridD)
	by, ey, c, f := spill(gridBy), spill(gridEy), spill(gridC), spill(gridF)
	sx, sy := spill(gridSx), spill(gridSy)
	bands, stride, base := field(gridBands), field(gridStride), spill(gridBase)

	// px: x + ½ + lane
	px, step := vector(wide), vector(wide)
	first := XMM()
	VXORPD(first, first, first)
	VCVTSI2SDQ(x, first, first)
	VBROADCASTSD(first, px)
	VADDPD(float64s("lane"+suffix(wide), lanes, func(i int) float64 { return float64(i) + 0.5 }), px, px)
	VMOVUPD(float64s("step"+suffix(wide), lanes, func(int) float64 { return float64(lanes) }), step)

	i := GP64()
	XORQ(i, i)
	Label("loop")
	axis := func(m reg.VecVirtual, mul, add, shift Op, frac reg.GPVirtual) reg.VecVirtual {
		u, whole := vector(wide), vector(wide)
		VMULPD(px, m, u)
		VADDPD(mul, u, u)
		VADDPD(add, u, u)
		VSUBPD(shift, u, u)
		if wide {
			VRNDSCALEPD(U8(1), u, whole)
		} else {
			VROUNDPD(U8(1), u, whole)
		}
		if !fractions {
			return whole
		}
		part := half()
		VSUBPD(whole, u, u)
		if wide {
			VCVTPD2PS(u, part)
		} else {
			VCVTPD2PSY(u, part)
		}
		VMOVUPS(part, Mem{Base: frac, Index: i, Scale: 4})
		return whole
	}
	u := axis(a, by, c, sx, fx)
	v := axis(d, ey, f, sy, fy)
	VMULPD(bands, u, u)
	VMULPD(stride, v, v)
	VADDPD(v, u, u)
	VADDPD(base, u, u)
	o := half()
	if wide {
		VCVTTPD2DQ(u, o)
	} else {
		VCVTTPD2DQY(u, o)
	}
	VMOVUPS(o, Mem{Base: off, Index: i, Scale: 4})
	VADDPD(step, px, px)
	ADDQ(U8(lanes), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func float64s(name string, n int, f func(int) float64) Mem {
	if m, ok := tables[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	tables[name] = m
	for i := range n {
		DATA(8*i, U64(math.Float64bits(f(i)))) // F64 would print a whole number as an integer
	}
	return m
}
