package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanesMask is a set of float32 lanes: a mask register, or a vector.
type lanesMask struct {
	k reg.OpmaskVirtual
	v reg.VecVirtual
}

// compareLanes is the lanes where the predicate holds between a and b.
func compareLanes(wide bool, predicate int, a reg.VecVirtual, b Op) lanesMask {
	if wide {
		k := K()
		VCMPPS(U8(predicate), b, a, k)
		return lanesMask{k: k}
	}
	v := YMM()
	VCMPPS(U8(predicate), b, a, v)
	return lanesMask{v: v}
}

// copy is m in registers of its own.
func (m lanesMask) copy(wide bool) (c lanesMask) {
	if wide {
		c.k = K()
		KMOVW(m.k, c.k)
	} else {
		c.v = YMM()
		VMOVAPS(m.v, c.v)
	}
	return c
}

// test sets the zero flag if there are no lanes in m.
func (m lanesMask) test(wide bool) {
	if wide {
		KORTESTW(m.k, m.k)
	} else {
		VPTEST(m.v, m.v)
	}
}

// add joins other to m.
func (m lanesMask) add(wide bool, other lanesMask) {
	if wide {
		KORW(other.k, m.k, m.k)
	} else {
		VORPS(other.v, m.v, m.v)
	}
}

// clear is a with 0 in the lanes of m, into dst.
func (m lanesMask) clear(wide bool, a, dst reg.VecVirtual) {
	if wide {
		k := K()
		KNOTW(m.k, k)
		VMOVAPS_Z(a, k, dst)
	} else {
		VANDNPS(a, m.v, dst)
	}
}

// choose puts a into dst in the lanes of m.
func (m lanesMask) choose(wide bool, a, dst reg.VecVirtual) {
	if wide {
		VMOVAPS(a, m.k, dst)
	} else {
		VBLENDVPS(m.v, a, dst, dst)
	}
}

// lerpValid is lerpValidGo: a vector is bands of one pixel.
func lerpValid(t sample, wide bool) {
	text("lerpValid"+t.name+suffix(wide), "func(dst *float32, pix *byte, stride, bands int, off, own *int32, fx, fy, nodata *float32, n int)",
		"is lerpValidGo for as many bands as float32 lanes or more (any number with AVX-512). stride is in bytes; the second list of nodata values is 64 bytes beyond the end of the first.")
	dst, bands := pointer("dst"), pointer("bands")
	last, tail := bandTail(wide, bands)
	nodata, second := pointer("nodata"), GP64()
	LEAQ(Mem{Base: nodata, Index: bands, Scale: 4, Disp: 64}, second)
	one := vector(wide)
	g, x := GP32(), XMM()
	MOVL(U32(0x3f800000), g)
	VMOVD(g, x)
	VPBROADCASTD(x, one)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	o, own, base := pointer("off"), pointer("own"), pointer("pix")
	MOVLQSX(Mem{Base: o, Index: i, Scale: 4}, o)
	MOVLQSX(Mem{Base: own, Index: i, Scale: 4}, own)
	tx, ty := vector(wide), vector(wide)
	VBROADCASTSS(Mem{Base: pointer("fx"), Index: i, Scale: 4}, tx)
	VBROADCASTSS(Mem{Base: pointer("fy"), Index: i, Scale: 4}, ty)
	topLeft, bottomLeft := GP64(), GP64()
	LEAQ(Mem{Base: base, Index: o, Scale: uint8(t.size)}, topLeft)
	LEAQ(Mem{Base: base, Index: own, Scale: uint8(t.size)}, own)
	MOVQ(topLeft, bottomLeft)
	ADDQ(pointer("stride"), bottomLeft)
	part := 0
	bandLoop(wide, "", bands, last, tail, func(b reg.GPVirtual, mask ...reg.OpmaskVirtual) {
		read := func(base reg.GPVirtual, right bool) (reg.VecVirtual, lanesMask) {
			v := vector(wide)
			m := Mem{Base: base, Index: b, Scale: uint8(t.size)}
			if right {
				p := GP64()
				LEAQ(Mem{Base: base, Index: bands, Scale: uint8(t.size)}, p)
				m.Base = p
			}
			load(t, m, v, mask...)
			bad := compareLanes(wide, 0, v, Mem{Base: nodata, Index: b, Scale: 4})
			bad.add(wide, compareLanes(wide, 0, v, Mem{Base: second, Index: b, Scale: 4}))
			if t.name == "Float32" {
				d := vector(wide)
				VSUBPS(v, v, d)
				bad.add(wide, compareLanes(wide, 3, d, d))
			}
			return v, bad
		}
		part++
		var anyBad lanesMask
		var tap [4]reg.VecVirtual
		var bad [4]lanesMask
		for k := range tap {
			tap[k], bad[k] = read([]reg.GPVirtual{topLeft, topLeft, bottomLeft, bottomLeft}[k], k%2 == 1)
			if k == 0 {
				anyBad = bad[0].copy(wide)
			} else {
				anyBad.add(wide, bad[k])
			}
		}
		result := func() reg.VecVirtual {
			p, q := vector(wide), vector(wide)
			VMOVAPS(tap[0], p)
			VMOVAPS(tap[1], q)
			mix(p, tap[2], ty)
			mix(q, tap[3], ty)
			mix(p, q, tx)
			return p
		}
		clean, done := label("clean", part), label("done", part)
		anyBad.test(wide)
		JZ(LabelRef(clean))

		sum, total := vector(wide), vector(wide)
		zeroed(wide, sum)
		zeroed(wide, total)
		for k, v := range tap {
			wx, wy, good := tx, ty, vector(wide)
			if k%2 == 0 {
				wx = vector(wide)
				VSUBPS(tx, one, wx)
			}
			if k < 2 {
				wy = vector(wide)
				VSUBPS(ty, one, wy)
			}
			w := vector(wide)
			VMULPS(wy, wx, w)
			bad[k].clear(wide, w, w)
			bad[k].clear(wide, v, good)
			VADDPS(w, total, total)
			addProduct(sum, good, w)
		}
		VDIVPS(total, sum, sum)
		p := result()
		anyBad.choose(wide, sum, p)
		_, ownBad := read(own, false)
		nan := vector(wide)
		VMOVUPS(int32s("nan", 16, func(int) int32 { return 0x7fc00000 }), nan)
		ownBad.choose(wide, nan, p)
		store(p, Mem{Base: dst, Index: b, Scale: 4}, mask...)
		JMP(LabelRef(done))

		Label(clean)
		store(result(), Mem{Base: dst, Index: b, Scale: 4}, mask...)
		Label(done)
	})
	LEAQ(Mem{Base: dst, Index: bands, Scale: 4}, dst)
	INCQ(i)
	CMPQ(i, pointer("n"))
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
