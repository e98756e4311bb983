package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Byte offsets of the fields of the package's grid that only a projective map
// needs.
const (
	gridHy               = 11 * 8
	gridX0, gridX1       = 17 * 8, 18 * 8
	gridY0, gridY1       = 19 * 8, 20 * 8
	gridLimit            = 21 * 8
	lessEqual, greaterEq = 2, 13 // comparison predicates
)

// project is projectGo; unchecked, projectInnerGo.
func project(wide, checked bool) {
	lanes := 4
	half := func() reg.VecVirtual { return XMM() }
	if wide {
		lanes = 8
		half = func() reg.VecVirtual { return YMM() }
	}
	if checked {
		text("project"+suffix(wide), "func(m *float64, x int, off *int32, fx, fy *float32, ok *int32, n int)",
			"is projectGo for n pixels, a multiple of the float64 lanes. m points to the fields of a grid.")
	} else {
		text("projectInner"+suffix(wide), "func(m *float64, x int, off *int32, fx, fy *float32, n int)",
			"is projectInnerGo for n pixels, a multiple of the float64 lanes. m points to the fields of a grid.")
	}
	m, x := pointer("m"), pointer("x")
	off, fx, fy, n := pointer("off"), pointer("fx"), pointer("fy"), pointer("n")
	var ok reg.GPVirtual
	if checked {
		ok = pointer("ok")
	}
	held := func(v reg.VecVirtual) Op {
		if wide {
			return v
		}
		slot := AllocLocal(32)
		VMOVUPD(v, slot)
		return slot
	}
	field := func(disp int) Op {
		v := vector(wide)
		VBROADCASTSD(Mem{Base: m, Disp: disp}, v)
		return held(v)
	}
	sum := func(a, b int) Op {
		v := vector(wide)
		VBROADCASTSD(Mem{Base: m, Disp: a}, v)
		other := vector(wide)
		VBROADCASTSD(Mem{Base: m, Disp: b}, other)
		VADDPD(other, v, v)
		return held(v)
	}
	t := map[int]Op{}
	for k := range 9 {
		if k%3 != 2 && (checked || k%3 == 0) {
			t[k] = field(8 * k)
		}
	}
	by, ey, hy := sum(gridBy, 2*8), sum(gridEy, 5*8), sum(gridHy, 8*8)
	sx, sy := field(gridSx), field(gridSy)
	bands, stride, base := field(gridBands), field(gridStride), field(gridBase)
	var x0, x1, y0, y1, limit, least, greatest Op
	if checked {
		x0, x1, y0, y1, limit = field(gridX0), field(gridX1), field(gridY0), field(gridY1), field(gridLimit)
		least = float64s("least"+suffix(wide), lanes, func(int) float64 { return 1e-30 })
		greatest = float64s("greatest"+suffix(wide), lanes, func(int) float64 { return 1e30 })
	}
	one := half()
	{
		g, x := GP32(), XMM()
		MOVL(U32(0x3f800000), g)
		VMOVD(g, x)
		VPBROADCASTD(x, one)
	}

	px, first := vector(wide), XMM()
	VXORPD(first, first, first)
	VCVTSI2SDQ(x, first, first)
	VBROADCASTSD(first, px)
	VADDPD(float64s("lane"+suffix(wide), lanes, nil), px, px)

	// inside collects the comparisons: a mask register, or a vector.
	var insideK reg.OpmaskVirtual
	var insideV reg.VecVirtual
	compare := func(predicate int, a reg.VecVirtual, b Op) {
		if wide {
			k := K()
			VCMPPD(U8(predicate), b, a, k)
			KANDW(k, insideK, insideK)
			return
		}
		v := YMM()
		VCMPPD(U8(predicate), b, a, v)
		VANDPD(v, insideV, insideV)
	}

	i := GP64()
	XORQ(i, i)
	Label("loop")
	linear := func(a, b Op) reg.VecVirtual {
		v := vector(wide)
		VMOVUPD(b, v)
		VFMADD231PD(a, px, v)
		return v
	}
	w, most := linear(t[6], hy), vector(wide)
	if checked {
		if wide {
			insideK = K()
			VCMPPD(U8(greaterEq), least, w, insideK)
		} else {
			insideV = YMM()
			VCMPPD(U8(greaterEq), least, w, insideV)
		}
		compare(lessEqual, w, greatest)
		VMULPD(w, w, most)
		VMULPD(limit, most, most)
	}
	// The reciprocal: in single precision, and a step of Newton's.
	short, inverse, rest := half(), vector(wide), vector(wide)
	if wide {
		VCVTPD2PS(w, short)
	} else {
		VCVTPD2PSY(w, short)
	}
	VDIVPS(short, one, short)
	VCVTPS2PD(short, inverse)
	VMOVUPD(float64s("two"+suffix(wide), lanes, func(int) float64 { return 2 }), rest)
	VFNMADD231PD(inverse, w, rest)
	VMULPD(rest, inverse, inverse)
	axis := func(a, b, row, shift, lo, hi Op, frac reg.GPVirtual) reg.VecVirtual {
		n, whole, part := linear(a, row), vector(wide), half()
		if checked {
			u, p, q := vector(wide), vector(wide), vector(wide)
			VMULPD(inverse, n, u)
			for k, v := range []reg.VecVirtual{p, q} {
				e := vector(wide)
				VMULPD(t[6+k], u, e)
				VMOVUPD([]Op{a, b}[k], v)
				VSUBPD(e, v, v)
				VMULPD(v, v, v)
			}
			VADDPD(q, p, p)
			compare(lessEqual, p, most)
		}
		VFMSUB213PD(shift, inverse, n)
		if wide {
			VRNDSCALEPD(U8(1), n, whole)
		} else {
			VROUNDPD(U8(1), n, whole)
		}
		if checked {
			compare(greaterEq, whole, lo)
			compare(lessEqual, whole, hi)
		}
		VSUBPD(whole, n, n)
		if wide {
			VCVTPD2PS(n, part)
		} else {
			VCVTPD2PSY(n, part)
		}
		VMOVUPS(part, Mem{Base: frac, Index: i, Scale: 4})
		return whole
	}
	u := axis(t[0], t[1], by, sx, x0, x1, fx)
	v := axis(t[3], t[4], ey, sy, y0, y1, fy)
	// Whole numbers, which no order of operations rounds.
	at := vector(wide)
	VMOVUPD(base, at)
	VFMADD231PD(stride, v, at)
	VFMADD231PD(bands, u, at)
	o := half()
	if wide {
		VCVTTPD2DQ(at, o)
	} else {
		VCVTTPD2DQY(at, o)
	}
	VMOVUPS(o, Mem{Base: off, Index: i, Scale: 4})
	if checked {
		flags := half()
		if wide {
			VPMOVM2D(insideK, flags)
		} else {
			high := XMM()
			VEXTRACTF128(U8(1), insideV, high)
			VSHUFPS(U8(0x88), high, insideV.AsX(), flags)
		}
		VMOVUPS(flags, Mem{Base: ok, Index: i, Scale: 4})
	}
	VADDPD(float64s("step"+suffix(wide), lanes, nil), px, px)
	ADDQ(U8(lanes), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
