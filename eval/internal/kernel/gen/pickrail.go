package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// walk is the state of a walk along a rail, 16 pixels at a time.
type walk struct {
	u, v       reg.GPVirtual
	u0, v0     reg.VecVirtual
	base       reg.VecVirtual
	weights    reg.VecVirtual // bands, and above them the stride
	bits, high reg.VecVirtual // after the point, and those less 16
	clear      reg.VecVirtual
	odd, all   reg.OpmaskVirtual
}

const pickRailSignature = "func(dst, pix *byte, r, u, v *int32, shift, size, ahead, floats, n int) bool"

// newWalk begins one at the parameters u and v of the rail r.
func newWalk(r reg.GPVirtual) *walk {
	w := &walk{u: pointer("u"), v: pointer("v"), odd: K(), all: K()}
	field := func(disp int) reg.VecVirtual { return broadcastDword(true, Mem{Base: r, Disp: disp}) }
	w.u0, w.v0, w.base, w.bits, w.clear = field(railU), field(railV), field(railOff), field(railBits), field(railClear)
	splat := func(g reg.GPVirtual) reg.VecVirtual {
		v := ZMM()
		VPBROADCASTD(g, v)
		return v
	}
	word := GP32()
	MOVL(Mem{Base: r, Disp: railStride}, word)
	SHLL(U8(16), word)
	ORL(Mem{Base: r, Disp: railBands}, word)
	w.weights = splat(word)
	less := GP32()
	MOVL(Mem{Base: r, Disp: railBits}, less)
	SUBL(U8(16), less)
	w.high = splat(less)
	mask := GP32()
	MOVL(U32(0xaaaaaaaa), mask)
	KMOVD(mask, w.odd)
	KXNORW(w.all, w.all, w.all)
	return w
}

// next are the positions of the next 16 pixels.
func (w *walk) next() (p, q reg.VecVirtual) {
	p, q = ZMM(), ZMM()
	VPADDD(Mem{Base: w.u}, w.u0, p)
	VPADDD(Mem{Base: w.v}, w.v0, q)
	ADDQ(U8(64), w.u)
	ADDQ(U8(64), w.v)
	return p, q
}

// offsets makes of the positions p and q the offsets of samples, in p, and
// which of them are clear; the others are 0.
func (w *walk) offsets(p, q reg.VecVirtual) (ok reg.OpmaskVirtual) {
	ok = K()
	VPTESTMD(w.clear, p, ok)
	VPTESTMD(w.clear, q, ok, ok)
	KANDW(ok, w.all, w.all)
	VPSRAVD(w.bits, p, p)
	VPSRAVD(w.high, q, q)
	VMOVDQU16(q, w.odd, p) // words of a row below a column
	VPMADDWD(w.weights, p, p)
	VPADDD_Z(w.base, p, ok, p)
	return ok
}

// pickWalk is a walk that picks samples.
type pickWalk struct {
	*walk
	shift  reg.VecVirtual
	floats reg.OpmaskVirtual // all lanes if samples are float32, else none
}

func newPickWalk() *pickWalk {
	w := &pickWalk{newWalk(pointer("r")), ZMM(), K()}
	VPBROADCASTD(pointer("shift").As32(), w.shift)
	KMOVW(pointer("floats").As32(), w.floats)
	return w
}

// offsets are those of the next 16 pixels, in bytes, and which of them are
// clear; the others are 0.
func (w *pickWalk) offsets() (o reg.VecVirtual, ok reg.OpmaskVirtual) {
	o, q := w.next()
	ok = w.walk.offsets(o, q)
	VPSLLVD(w.shift, o, o)
	return o, ok
}

// look has done return false if one of the samples, where they are float32, is
// NaN or infinite.
func (w *pickWalk) look(v reg.VecVirtual) {
	bad := K()
	VFPCLASSPSZ(U8(0x99), v, w.floats, bad)
	KANDNW(w.all, bad, w.all)
}

// done returns whether all pixels were clear, and finite as far as that was
// looked at.
func (w *walk) done() {
	ok := GP8()
	KORTESTW(w.all, w.all)
	SETCS(ok)
	Store(ok, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// past names what writes past the caches, and says so.
func past(stream bool) (name, doc string) {
	if stream {
		return "Stream", " What it writes goes past the caches; dst is a multiple of 64."
	}
	return "", ""
}

// pickRail is pick along a rail, for pixels of size bytes, up to 8; only those
// of 4 and 8 may go past the caches.
func pickRail(size int, stream bool) {
	name, doc := past(stream)
	text(label("pickRail", size, name, "AVX512"), pickRailSignature,
		label("copies n pixels of ", size, " bytes, a multiple of 16, along a rail, and returns whether all are clear and finite. It reads 4 or 8 bytes of those that are. What is ahead bytes further is fetched, unless that is 0.", doc))
	dst, pix, ahead, n := pointer("dst"), pointer("pix"), pointer("ahead"), pointer("n")
	keep, order := squeeze(size)
	local := AllocLocal(64)
	w := newPickWalk()
	Label("loop")
	o, ok := w.offsets()
	TESTQ(ahead, ahead)
	JE(LabelRef("near"))
	spill(o, local)
	for k := 0; k < 16; k += 4 {
		PREFETCHT0(Mem{Base: spilled(pix, local.Offset(4*k)), Index: ahead, Scale: 1})
	}
	Label("near")
	if size <= 4 {
		v := ZMM()
		zeroed(true, v)
		VPGATHERDD(Mem{Base: pix, Index: o, Scale: 1}, ok, v)
		if size == 4 {
			w.look(v)
		}
		storePicked(size, v, keep, order, dst, stream)
	} else {
		top, second := YMM(), K()
		VEXTRACTI64X4(U8(1), o, top)
		KSHIFTRW(U8(8), ok, second)
		for k, half := range []reg.Register{o.AsY(), top} {
			v := ZMM()
			zeroed(true, v)
			VPGATHERDQ(Mem{Base: pix, Index: half, Scale: 1}, []reg.OpmaskVirtual{ok, second}[k], v)
			if size == 8 {
				w.look(v)
			}
			storePicked8(size, v, keep, order, Mem{Base: dst, Disp: k * 8 * size}, stream)
		}
	}
	ADDQ(U32(16*size), dst)
	SUBQ(U8(16), n)
	JG(LabelRef("loop"))
	w.done()
}

// spill writes offsets to the stack, from where they are read one by one.
func spill(o reg.VecVirtual, local Mem) { VMOVDQU32(o, local) }

// spilled is the place of a pixel whose offset is in memory.
func spilled(pix reg.GPVirtual, m Mem) reg.GPVirtual {
	p := GP64()
	MOVLQSX(m, p)
	ADDQ(pix, p)
	return p
}

// pickRailQuads is pick along a rail for pixels of 12 or 16 bytes: four are
// read to one vector.
func pickRailQuads(size int, stream bool) {
	name, doc := past(stream)
	text(label("pickRail", size, name, "AVX512"), pickRailSignature,
		label("copies n pixels of ", size, " bytes, a multiple of 16, along a rail, and returns whether all are clear and finite. It reads 16 bytes a pixel, the first instead of those that are not clear, and fetches what is ahead bytes further.", doc))
	dst, pix, ahead, n := pointer("dst"), pointer("pix"), pointer("ahead"), pointer("n")
	local := AllocLocal(64)
	var quarter [4]reg.OpmaskVirtual
	for k := 1; k < 4; k++ {
		quarter[k] = K()
		mask := GP32()
		MOVL(U32(0xf<<(4*k)), mask)
		KMOVW(mask, quarter[k])
	}
	var order [3]reg.VecVirtual
	for g := range order {
		if size == 12 {
			order[g] = ZMM()
			VMOVDQU32(int32s(label("triples", g), 16, func(i int) int32 {
				pixel, part := (16*g+i)/3, (16*g+i)%3
				return int32(4*(pixel-4*g) + part)
			}), order[g])
		}
	}
	w := newPickWalk()
	Label("loop")
	o, _ := w.offsets()
	spill(o, local)
	var v [4]reg.VecVirtual
	for g := range v {
		v[g] = ZMM()
		for k := range 4 {
			p := spilled(pix, local.Offset(4*(4*g+k)))
			if k == 0 {
				VMOVDQU32(Mem{Base: p}, v[g].AsX())
			} else {
				VBROADCASTI32X4(Mem{Base: p}, quarter[k], v[g])
			}
			if k%2 == 0 {
				PREFETCHT0(Mem{Base: p, Index: ahead, Scale: 1})
			}
		}
	}
	if size == 12 {
		for g := range order {
			VPERMT2D(v[g+1], order[g], v[g])
		}
	}
	for g := range size / 4 {
		w.look(v[g])
		storeVector(v[g], Mem{Base: dst, Disp: 64 * g}, stream)
	}
	ADDQ(U32(16*size), dst)
	SUBQ(U8(16), n)
	JG(LabelRef("loop"))
	w.done()
}

// pickRailLong is pick along a rail for pixels of up to 64 bytes.
func pickRailLong() {
	text("pickRailLongAVX512", pickRailSignature,
		"copies n pixels of size bytes, up to 64, n a multiple of 16, along a rail, and returns whether all are clear and finite. It reads the first pixel instead of those that are not, and fetches what is ahead bytes further.")
	dst, pix, size, ahead, n := pointer("dst"), pointer("pix"), pointer("size"), pointer("ahead"), pointer("n")
	local := AllocLocal(64)
	whole, bits := K(), GP64()
	MOVQ(I32(-1), bits)
	BZHIQ(size, bits, bits)
	KMOVQ(bits, whole)
	last := GP64()
	LEAQ(Mem{Base: ahead, Index: size, Scale: 1, Disp: -1}, last)
	w := newPickWalk()
	Label("loop")
	o, _ := w.offsets()
	spill(o, local)
	for k := range 16 {
		p, v := spilled(pix, local.Offset(4*k)), ZMM()
		VMOVDQU8_Z(Mem{Base: p}, whole, v)
		PREFETCHT0(Mem{Base: p, Index: ahead, Scale: 1})
		PREFETCHT0(Mem{Base: p, Index: last, Scale: 1})
		w.look(v)
		VMOVDQU8(v, whole, Mem{Base: dst})
		ADDQ(size, dst)
	}
	SUBQ(U8(16), n)
	JG(LabelRef("loop"))
	w.done()
}
