package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Byte offsets of the fields of the package's rail.
const (
	railU, railV, railOff    = 0, 4, 8
	railBands, railStride    = 12, 16
	railBits, railFraction   = 20, 24
	railMargin, railResolves = 28, 32
	railClear                = 36
)

// broadcastDword is a dword of memory in every lane.
func broadcastDword(wide bool, m Mem) reg.VecVirtual {
	v := vector(wide)
	VPBROADCASTD(m, v)
	return v
}

// doubt collects the pixels that lie too close to an edge.
type doubt struct {
	wide    bool
	clear   reg.VecVirtual
	k       reg.OpmaskVirtual
	v, zero reg.VecVirtual
}

func newDoubt(wide bool, clear reg.VecVirtual) *doubt {
	d := &doubt{wide: wide, clear: clear}
	if wide {
		d.k = K()
		KXORW(d.k, d.k, d.k)
		return d
	}
	d.v, d.zero = YMM(), YMM()
	VPXOR(d.v, d.v, d.v)
	VPXOR(d.zero, d.zero, d.zero)
	return d
}

// look adds those at the positions p.
func (d *doubt) look(p reg.VecVirtual) {
	if d.wide {
		k := K()
		VPTESTNMD(d.clear, p, k)
		KORW(k, d.k, d.k)
		return
	}
	v := YMM()
	VPAND(d.clear, p, v)
	VPCMPEQD(d.zero, v, v)
	VPOR(v, d.v, d.v)
}

// none returns whether there are none.
func (d *doubt) none() {
	ok := GP8()
	if d.wide {
		KTESTW(d.k, d.k)
	} else {
		VPTEST(d.v, d.v)
	}
	SETEQ(ok)
	Store(ok, ReturnIndex(0))
}

// clear is clearGo for n pixels, a multiple of the lanes.
func clearBlock(wide bool) {
	text("clear"+suffix(wide), "func(r *int32, u, v *int32, n int) bool",
		"is clearGo for n pixels, a multiple of the lanes. r points to the fields of a rail.")
	r, u, v, n := pointer("r"), pointer("u"), pointer("v"), pointer("n")
	u0, v0 := broadcastDword(wide, Mem{Base: r, Disp: railU}), broadcastDword(wide, Mem{Base: r, Disp: railV})
	d := newDoubt(wide, broadcastDword(wide, Mem{Base: r, Disp: railClear}))
	i := GP64()
	XORQ(i, i)
	Label("loop")
	p, q := vector(wide), vector(wide)
	VPADDD(Mem{Base: u, Index: i, Scale: 4}, u0, p)
	VPADDD(Mem{Base: v, Index: i, Scale: 4}, v0, q)
	d.look(p)
	d.look(q)
	ADDQ(U8(lanesOf(wide)), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	d.none()
	VZEROUPPER()
	RET()
}

// steps is stepsGo, for n a multiple of the lanes; without the fractions it is
// stepOffsetsGo.
func steps(wide, fractions bool) {
	lanes := lanesOf(wide)
	var fx, fy reg.GPVirtual
	if fractions {
		text("steps"+suffix(wide), "func(r *int32, u, v, off *int32, fx, fy *float32, n int) bool",
			"is stepsGo for n pixels, a multiple of the lanes. r points to the fields of a rail.")
		fx, fy = pointer("fx"), pointer("fy")
	} else {
		text("stepOffsets"+suffix(wide), "func(r *int32, u, v, off *int32, n int) bool",
			"is stepOffsetsGo for n pixels, a multiple of the lanes. r points to the fields of a rail.")
	}
	r, u, v, off, n := pointer("r"), pointer("u"), pointer("v"), pointer("off"), pointer("n")
	field := func(disp int) reg.VecVirtual { return broadcastDword(wide, Mem{Base: r, Disp: disp}) }
	u0, v0, base, bands, stride, bits := field(railU), field(railV), field(railOff), field(railBands), field(railStride), field(railBits)
	var fraction, margin, resolves reg.VecVirtual
	if fractions {
		fraction, margin, resolves = field(railFraction), field(railMargin), field(railResolves)
	}
	d := newDoubt(wide, field(railClear))
	i := GP64()
	XORQ(i, i)
	Label("loop")
	axis := func(table reg.GPVirtual, start, by reg.VecVirtual, frac reg.GPVirtual) reg.VecVirtual {
		p := vector(wide)
		VPADDD(Mem{Base: table, Index: i, Scale: 4}, start, p)
		d.look(p)
		if fractions {
			f := vector(wide)
			and(wide, fraction, p, f)
			VPSUBD(margin, f, f)
			VCVTDQ2PS(f, f)
			VMULPS(resolves, f, f)
			VMOVUPS(f, Mem{Base: frac, Index: i, Scale: 4})
		}
		VPSRAVD(bits, p, p)
		VPMULLD(by, p, p)
		return p
	}
	p, q := axis(u, u0, bands, fx), axis(v, v0, stride, fy)
	VPADDD(q, p, p)
	VPADDD(base, p, p)
	if wide {
		VMOVDQU32(p, Mem{Base: off, Index: i, Scale: 4})
	} else {
		VMOVDQU(p, Mem{Base: off, Index: i, Scale: 4})
	}
	ADDQ(U8(lanes), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	d.none()
	VZEROUPPER()
	RET()
}
