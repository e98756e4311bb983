package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// weights is weightsGo for one kernel.
func weights(name string, wide bool) {
	text("weights"+name+suffix(wide), "func(w, frac, table *float32, reach, inv, f float32, taps, n int)",
		"is weightsGo for "+name+" and n positions, a multiple of the float32 lanes.")
	lanes := 8
	if wide {
		lanes = 16
	}
	w, frac, taps, n := pointer("w"), pointer("frac"), pointer("taps"), pointer("n")
	broadcast := func(param string) reg.VecVirtual {
		v := vector(wide)
		a, err := Param(param).Resolve()
		if err != nil {
			panic(err)
		}
		VBROADCASTSS(a.Addr, v)
		return v
	}
	constant := func(f float32) Op {
		x, v := XMM(), vector(wide)
		g := GP32()
		MOVL(U32(math.Float32bits(f)), g)
		VMOVD(g, x)
		VPBROADCASTD(x, v)
		return v
	}
	one := constant(1)
	var reach, inv, f, sign, half, twoHalf, oneHalf, two, three, steps Op
	var table reg.GPVirtual
	if name == "Area" {
		f = broadcast("f")
	} else {
		reach, inv, sign = broadcast("reach"), broadcast("inv"), constant(math.Float32frombits(1<<31-1))
	}
	switch name {
	case "Cubic":
		half, twoHalf, oneHalf, two = constant(-0.5), constant(2.5), constant(1.5), constant(2)
	case "Lanczos":
		three, steps = constant(3), constant(lanczosSteps)
		table = pointer("table")
	}
	zero := vector(wide)
	zeroed(wide, zero)
	i := GP64()
	XORQ(i, i)
	SHLQ(U8(2), n)
	Label("loop")
	t, sum, k, inverse := vector(wide), vector(wide), vector(wide), vector(wide)
	VMOVUPS(at(frac, i, 0), t)
	zeroed(wide, sum)
	zeroed(wide, k)
	row, c := GP64(), GP64()
	LEAQ(at(w, i, 0), row)
	MOVQ(taps, c)
	Label("taps")
	next, v := vector(wide), vector(wide)
	VADDPS(one, k, next)
	if name == "Area" {
		lo := vector(wide)
		VADDPS(f, t, v)
		VMINPS(v, next, v)
		VMAXPS(t, k, lo)
		VSUBPS(lo, v, v)
		VMAXPS(v, zero, v)
	} else {
		VSUBPS(reach, next, v)
		VSUBPS(t, v, v)
		VMULPS(inv, v, v)
		and(wide, sign, v, v)
	}
	switch name {
	case "Linear":
		VSUBPS(v, one, v)
		VMAXPS(v, zero, v)
	case "Cubic":
		near, far := vector(wide), vector(wide)
		VMULPS(oneHalf, v, near)
		VSUBPS(twoHalf, near, near)
		VMULPS(v, near, near)
		VMULPS(v, near, near)
		VADDPS(one, near, near)
		clipped := vector(wide)
		VMINPS(v, two, clipped)
		VSUBPS(one, clipped, far)
		VMULPS(half, far, far)
		VSUBPS(two, clipped, clipped)
		VMULPS(clipped, far, far)
		VMULPS(clipped, far, far)
		if wide {
			m := K()
			VCMPPS(U8(1), one, v, m) // v < 1
			VBLENDMPS(near, far, m, v)
		} else {
			m := YMM()
			VCMPPS(U8(1), one, v, m)
			VBLENDVPS(m, near, far, v)
		}
	case "Lanczos":
		VMINPS(v, three, v)
		VMULPS(steps, v, v)
		index, whole := vector(wide), vector(wide)
		VCVTTPS2DQ(v, index)
		VCVTDQ2PS(index, whole)
		VSUBPS(whole, v, v)
		a, b := vector(wide), vector(wide)
		gather(wide, table, index, 4, 0, a)
		gather(wide, table, index, 4, 4, b)
		VSUBPS(a, b, b)
		VMULPS(b, v, v)
		VADDPS(v, a, v)
	}
	VMOVUPS(v, Mem{Base: row})
	VADDPS(v, sum, sum)
	VMOVAPS(next, k)
	ADDQ(U32(chunkBytes), row)
	DECQ(c)
	JNE(LabelRef("taps"))
	VDIVPS(sum, one, inverse)
	LEAQ(at(w, i, 0), row)
	MOVQ(taps, c)
	Label("norm")
	VMULPS(Mem{Base: row}, inverse, v)
	VMOVUPS(v, Mem{Base: row})
	ADDQ(U32(chunkBytes), row)
	DECQ(c)
	JNE(LabelRef("norm"))
	ADDQ(U8(4*lanes), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// keys is keysGo.
func keys(wide bool) {
	text("keys"+suffix(wide), "func(w, frac *float32, n int)", "is keysGo for n positions, a multiple of the float32 lanes.")
	w, frac, n := pointer("w"), pointer("frac"), pointer("n")
	constant := func(f float32) reg.VecVirtual {
		x, v, g := XMM(), vector(wide), GP32()
		MOVL(U32(math.Float32bits(f)), g)
		VMOVD(g, x)
		VPBROADCASTD(x, v)
		return v
	}
	one, two, half := constant(1), constant(2), constant(0.5)
	oneHalf, twoHalf := constant(1.5), constant(2.5)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	t := vector(wide)
	VMOVUPS(Mem{Base: frac, Index: i, Scale: 4}, t)
	h, s := vector(wide), vector(wide)
	VMULPS(half, t, h)
	VMULPS(oneHalf, t, s)
	for k := range 4 {
		v := vector(wide)
		switch k {
		case 0:
			VSUBPS(h, one, v)
			VMULPS(t, v, v)
			VSUBPS(half, v, v)
			VMULPS(t, v, v)
		case 1:
			VSUBPS(twoHalf, s, v)
			VMULPS(t, v, v)
			VMULPS(t, v, v)
			VADDPS(one, v, v)
		case 2:
			VSUBPS(s, two, v)
			VMULPS(t, v, v)
			VADDPS(half, v, v)
			VMULPS(t, v, v)
		case 3:
			VSUBPS(half, h, v)
			VMULPS(t, v, v)
			VMULPS(t, v, v)
		}
		VMOVUPS(v, Mem{Base: w, Index: i, Scale: 4, Disp: k * chunkBytes})
	}
	ADDQ(U8(lanesOf(wide)), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// fold is tapsGo for one row of float32 with weight 1 and 2 to 4 bands.
func fold() {
	text("foldAVX2", "func(dst, pix *float32, bands int, off *int32, wx *float32, nx, n int)",
		"is tapsGo for one row of float32 with weight 1, and 2 to 4 bands. It reads four samples a tap and writes four a pixel.")
	dst, pix, bands, off, wx := pointer("dst"), pointer("pix"), pointer("bands"), pointer("off"), pointer("wx")
	nx, n := pointer("nx"), pointer("n")
	SHLQ(U8(2), bands)
	i := GP64()
	XORQ(i, i)
	SHLQ(U8(2), n)
	Label("loop")
	o, c, w, row := GP64(), GP64(), GP64(), XMM()
	MOVLQSX(at(off, i, 0), o)
	LEAQ(Mem{Base: pix, Index: o, Scale: 4}, o)
	LEAQ(at(wx, i, 0), w)
	VXORPS(row, row, row)
	MOVQ(nx, c)
	tap := func(p Mem, weight Mem) {
		v := XMM()
		VBROADCASTSS(weight, v)
		VFMADD231PS(p, v, row)
	}
	SUBQ(U8(2), c)
	JL(LabelRef("odd"))
	Label("pairs")
	tap(Mem{Base: o}, Mem{Base: w})
	tap(at(o, bands, 0), Mem{Base: w, Disp: chunkBytes})
	LEAQ(Mem{Base: o, Index: bands, Scale: 2}, o)
	ADDQ(U32(2*chunkBytes), w)
	SUBQ(U8(2), c)
	JGE(LabelRef("pairs"))
	Label("odd")
	CMPQ(c, I8(-1))
	JNE(LabelRef("done"))
	tap(Mem{Base: o}, Mem{Base: w})
	Label("done")
	VMOVUPS(row, Mem{Base: dst})
	ADDQ(bands, dst)
	ADDQ(U8(4), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
