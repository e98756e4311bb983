package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// splat is a dword in every lane.
func splat(wide bool, bits uint32) reg.VecVirtual {
	g, x, v := GP32(), XMM(), vector(wide)
	MOVL(U32(bits), g)
	VMOVD(g, x)
	VPBROADCASTD(x, v)
	return v
}

func splatFloat(wide bool, f float32) reg.VecVirtual { return splat(wide, math.Float32bits(f)) }

// narrow8 saturates four vectors of dwords to one of uint8, into x[0].
func narrow8(wide bool, x [4]reg.VecVirtual, order reg.VecVirtual) {
	VPACKSSDW(x[1], x[0], x[0])
	VPACKSSDW(x[3], x[2], x[2])
	VPACKUSWB(x[2], x[0], x[0])
	VPERMD(x[0], order, x[0])
}

// order8 is what narrow8 needs.
func order8(wide bool) reg.VecVirtual {
	order, groups := vector(wide), lanesOf(wide)/4
	moveDwords(wide, int32s(label("unpack8", suffix(wide)), lanesOf(wide), func(i int) int32 { return int32(i/groups + i%groups*4) }), order)
	return order
}

// pack is packGo.
func pack(t sample, wide bool) {
	lanes := lanesOf(wide)
	text("pack"+t.name+suffix(wide), "func(dst *byte, v *float32, n int)",
		label("is packGo for n values, a multiple of ", 4*lanes, "."))
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
	least, most := splatFloat(wide, lo), splatFloat(wide, hi)
	half := splatFloat(wide, float32(0.5+1e-6))
	var sign, order reg.VecVirtual
	switch {
	case t.name == "Int16":
		sign = splat(wide, 1<<31)
	case t.name == "Uint8":
		order = order8(wide)
	}
	if wide && t.size == 2 {
		order = ZMM()
		VMOVDQU64(int64s("unpack16", 8, func(i int) int64 { return int64(i/4 + i%4*2) }), order)
	}
	Label("loop")
	var x [4]reg.VecVirtual
	for k := range x {
		x[k] = vector(wide)
		VMAXPS(Mem{Base: v, Disp: 4 * lanes * k}, least, x[k])
		VMINPS(x[k], most, x[k])
		h := half
		if sign != nil {
			h = vector(wide)
			and(wide, sign, x[k], h)
			if wide {
				VPORD(half, h, h)
			} else {
				VPOR(half, h, h)
			}
		}
		VADDPS(h, x[k], x[k])
		VCVTTPS2DQ(x[k], x[k])
	}
	keep := func(v reg.VecVirtual, at int) {
		if wide {
			VMOVDQU32(v, Mem{Base: dst, Disp: at})
		} else {
			VMOVDQU(v, Mem{Base: dst, Disp: at})
		}
	}
	if t.size == 1 {
		narrow8(wide, x, order)
		keep(x[0], 0)
	} else {
		for k := 0; k < 4; k += 2 {
			if t.name == "Uint16" {
				VPACKUSDW(x[k+1], x[k], x[k])
			} else {
				VPACKSSDW(x[k+1], x[k], x[k])
			}
			if wide {
				VPERMQ(x[k], order, x[k])
			} else {
				VPERMQ(U8(0xd8), x[k], x[k])
			}
			keep(x[k], 2*lanes*k)
		}
	}
	ADDQ(U32(16*lanes), v)
	ADDQ(U32(4*lanes*t.size), dst)
	SUBQ(U8(4*lanes), n)
	JG(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

func int64s(name string, n int, f func(int) int64) Mem {
	if m, ok := tables[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := range n {
		DATA(8*i, U64(uint64(f(i))))
	}
	tables[name] = m
	return m
}
