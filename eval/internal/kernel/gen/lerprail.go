package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lerpRail is steps, lerp and pack for two to four bands of 16 bits, 16 pixels
// at a time: a quarter of a vector is the taps of one, one row of them. Only
// four bands may go past the caches.
func lerpRail(t sample, stream bool) {
	name, doc := past(stream)
	text("lerpRail"+t.name+name+"AVX512", "func(dst, pix *byte, stride, bands int, r, u, v *int32, ahead, n int) bool",
		label("is stepsGo, lerpGo and packGo for n pixels, a multiple of 16, of 2 to 4 bands along a rail. stride is in bytes. It returns whether all are clear. It reads eight samples a row, the first instead of those of pixels that are not, and fetches what is ahead bytes further.", doc))
	dst, top, bottom, bands := pointer("dst"), pointer("pix"), pointer("stride"), pointer("bands")
	ahead, n, r := pointer("ahead"), pointer("n"), pointer("r")
	ADDQ(top, bottom)
	l := &lerpWalk{walk: newWalk(r), name: t.name, half: splatFloat(true, float32(0.5+1e-6))}
	field := func(disp int) reg.VecVirtual { return broadcastDword(true, Mem{Base: r, Disp: disp}) }
	l.fraction, l.margin, l.unit = field(railFraction), field(railMargin), field(railResolves)
	if l.name == "Int16" {
		l.sign = splat(true, 1<<31)
	}
	l.tables(bands)
	var quarter [4]reg.OpmaskVirtual
	for k := 1; k < 4; k++ {
		quarter[k] = K()
		mask := GP32()
		MOVL(U32(0xf<<(4*k)), mask)
		KMOVW(mask, quarter[k])
	}
	order, kept := ZMM(), K()
	if !stream {
		orderTable(bands, order)
		SHLQ(U8(3), bands) // samples of eight pixels
		ones := GP64()
		MOVL(U32(0xffffffff), ones.As32())
		BZHIQ(bands, ones, ones)
		KMOVD(ones.As32(), kept)
	}
	local := AllocLocal(64)
	p, q := ZMM(), ZMM() // each taps of four pixels; a first load clears the rest
	Label("loop")
	tx, ty := l.step(local)
	for half := range 2 {
		var v [2]reg.VecVirtual // even pixels, odd ones
		for odd := range v {
			for k := range 4 {
				from := GP64()
				MOVLQSX(local.Offset(4*(8*half+2*k+odd)), from)
				above, below := Mem{Base: top, Index: from, Scale: 2}, Mem{Base: bottom, Index: from, Scale: 2}
				if k == 0 {
					VMOVDQU32(above, p.AsX())
					VMOVDQU32(below, q.AsX())
				} else {
					VBROADCASTI32X4(above, quarter[k], p)
					VBROADCASTI32X4(below, quarter[k], q)
				}
				if odd == 0 {
					LEAQ(above, from)
					PREFETCHT0(Mem{Base: from, Index: ahead, Scale: 1})
				}
			}
			v[odd] = l.interpolate(p, q, tx, ty, 2*half+odd)
		}
		if l.name == "Int16" {
			VPACKSSDW(v[1], v[0], v[0])
		} else {
			VPACKUSDW(v[1], v[0], v[0])
		}
		if stream {
			VMOVNTDQ(v[0], Mem{Base: dst, Disp: 64 * half})
			continue
		}
		VPERMW(v[0], order, v[0])
		VMOVDQU16(v[0], kept, Mem{Base: dst})
		LEAQ(Mem{Base: dst, Index: bands, Scale: 2}, dst)
	}
	if stream {
		SUBQ(I8(-128), dst)
	}
	SUBQ(U8(16), n)
	JG(LabelRef("loop"))
	l.done()
}

// lerpWalk is a walk that interpolates.
type lerpWalk struct {
	*walk
	fraction, margin, unit reg.VecVirtual
	left, right            reg.VecVirtual // where a pixel's taps are in its quarter
	pixels                 [4]reg.VecVirtual
	name                   string // of the samples
	half, sign             reg.VecVirtual
}

// tables loads those for the number of bands.
func (l *lerpWalk) tables(bands reg.GPVirtual) {
	at, table := GP64(), GP64()
	byBands(bands, 64, at)
	for right, v := range []*reg.VecVirtual{&l.left, &l.right} {
		*v = ZMM()
		// The upper half of a dword, of what is signed.
		m := bytesTable(label("lerpRail", l.name, "Taps", right), 3*64, func(i int) byte {
			bands, band, low := i/64+2, i%16/4, i%4
			if l.name == "Int16" {
				low -= 2
			}
			if low < 0 || low > 1 || band >= bands {
				return 0x80
			}
			return byte(2*(band+right*bands) + low)
		})
		LEAQ(m, table)
		VMOVDQU32(Mem{Base: table, Index: at, Scale: 1}, *v)
	}
	for k := range l.pixels {
		l.pixels[k] = ZMM()
		VMOVDQU32(int32s(label("lerpRailPixels", k), 16, func(i int) int32 { return int32(8*(k/2) + 2*(i/4) + k%2) }), l.pixels[k])
	}
}

// orderTable loads where the samples of eight pixels of four words are.
func orderTable(bands reg.GPVirtual, order reg.VecVirtual) {
	m := bytesTable("lerpRailOrder", 3*64, func(i int) byte {
		bands, word := i/64+2, i%64/2
		if i%2 == 1 {
			return 0
		}
		return byte(word/bands*4 + word%bands)
	})
	at, table := GP64(), GP64()
	byBands(bands, 64, at)
	LEAQ(m, table)
	VMOVDQU32(Mem{Base: table, Index: at, Scale: 1}, order)
}

// step writes the offsets of the next 16 pixels to memory, and returns their
// fractions.
func (l *lerpWalk) step(offsets Mem) (fx, fy reg.VecVirtual) {
	p, q := l.next()
	split := func(p reg.VecVirtual) reg.VecVirtual {
		f := ZMM()
		and(true, l.fraction, p, f)
		VPSUBD(l.margin, f, f)
		VCVTDQ2PS(f, f)
		VMULPS(l.unit, f, f)
		return f
	}
	fx, fy = split(p), split(q)
	l.offsets(p, q)
	spill(p, offsets)
	return fx, fy
}

// interpolate returns the four pixels whose taps are p and q, to dwords. Their
// fractions are those of the group k: the even ones of eight, or the odd ones.
func (l *lerpWalk) interpolate(p, q, tx, ty reg.VecVirtual, k int) reg.VecVirtual {
	along, down := ZMM(), ZMM()
	VPERMPS(tx, l.pixels[k], along)
	VPERMPS(ty, l.pixels[k], down)
	column := func(taps reg.VecVirtual) reg.VecVirtual {
		value := func(row reg.VecVirtual) reg.VecVirtual {
			v := ZMM()
			VPSHUFB(taps, row, v)
			if l.name == "Int16" {
				VPSRAD(U8(16), v, v)
			}
			VCVTDQ2PS(v, v)
			return v
		}
		above, below := value(p), value(q)
		mix(above, below, down)
		return above
	}
	left, right := column(l.left), column(l.right)
	mix(left, right, along)
	// Interpolated values are in the range of the samples.
	h := l.half
	if l.name == "Int16" {
		h = ZMM()
		VPANDD(l.sign, left, h)
		VPORD(l.half, h, h)
	}
	VADDPS(h, left, left)
	VCVTTPS2DQ(left, left)
	return left
}
