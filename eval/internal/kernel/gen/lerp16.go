package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lerp16 is lerpGo and packGo for two to four bands of 16 bits, four pixels at a
// time: a vector is the taps of two, one row of them.
func lerp16(t sample) {
	// By bands less two: where the left taps are in two vectors, and which
	// pixel a sample is of.
	left := int32s("lerp16Left", 3*16, func(i int) int32 { bands := i/16 + 2; return int32(i%16/bands%4*8 + i%16%bands) })
	pixel := int32s("lerp16Pixel", 3*16, func(i int) int32 { return int32(i % 16 / (i/16 + 2) % 4) })
	text("lerp16"+t.name+"AVX512", "func(dst, pix *byte, stride, bands int, off *int32, fx, fy *float32, n int)",
		"is lerpGo, then packGo, for 2 to 4 bands and n pixels, a multiple of 4. stride is in bytes. It reads eight samples a row.")
	dst, top, bottom, bands := pointer("dst"), pointer("pix"), pointer("stride"), pointer("bands")
	off, fx, fy, n := pointer("off"), pointer("fx"), pointer("fy"), pointer("n")
	ADDQ(top, bottom)
	leftTap, rightTap, along, count := ZMM(), ZMM(), ZMM(), ZMM()
	at, table := GP64(), GP64()
	byBands(bands, 16, at)
	LEAQ(left, table)
	VMOVDQU32(Mem{Base: table, Index: at, Scale: 4}, leftTap)
	LEAQ(pixel, table)
	VMOVDQU32(Mem{Base: table, Index: at, Scale: 4}, along)
	VPBROADCASTD(bands.As32(), count)
	VPADDD(count, leftTap, rightTap)
	var down [2]reg.VecVirtual // which pixel a tap is of
	for k := range down {
		down[k] = ZMM()
		VMOVDQU32(int32s(label("lerp16Down", k), 16, func(i int) int32 { return int32(2*k + i/8) }), down[k])
	}
	half, sign := splatFloat(true, float32(0.5+1e-6)), splat(true, 1<<31)
	SHLQ(U8(2), bands) // samples of four pixels
	ones, kept := GP64(), K()
	MOVL(U32(0xffff), ones.As32())
	BZHIQ(bands, ones, ones)
	KMOVW(ones.As32(), kept)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	tx, ty := ZMM(), ZMM()
	VBROADCASTF32X4(Mem{Base: fx, Index: i, Scale: 4}, tx)
	VBROADCASTF32X4(Mem{Base: fy, Index: i, Scale: 4}, ty)
	var columns [2]reg.VecVirtual
	for k := range columns {
		var o [2]reg.GPVirtual
		for l := range o {
			o[l] = GP64()
			MOVLQSX(Mem{Base: off, Index: i, Scale: 4, Disp: 8*k + 4*l}, o[l])
		}
		row := func(base reg.GPVirtual) reg.VecVirtual {
			words, v := YMM(), ZMM()
			VMOVDQU(Mem{Base: base, Index: o[0], Scale: 2}, words.AsX())
			VINSERTI128(U8(1), Mem{Base: base, Index: o[1], Scale: 2}, words, words)
			if t.name == "Int16" {
				VPMOVSXWD(words, v)
			} else {
				VPMOVZXWD(words, v)
			}
			VCVTDQ2PS(v, v)
			return v
		}
		p, q, w := row(top), row(bottom), ZMM()
		VPERMPS(ty, down[k], w)
		mix(p, q, w)
		columns[k] = p
	}
	p, q := ZMM(), columns[0]
	VMOVAPS(columns[0], p)
	VPERMT2PS(columns[1], leftTap, p)
	VPERMT2PS(columns[1], rightTap, q)
	VPERMPS(tx, along, tx)
	mix(p, q, tx)
	// Interpolated values are in the range of the samples.
	h := half
	if t.name == "Int16" {
		h = ZMM()
		VPANDD(sign, p, h)
		VPORD(half, h, h)
	}
	VADDPS(h, p, p)
	VCVTTPS2DQ(p, p)
	VPMOVDW(p, kept, Mem{Base: dst})
	LEAQ(Mem{Base: dst, Index: bands, Scale: 2}, dst)
	ADDQ(U8(4), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
