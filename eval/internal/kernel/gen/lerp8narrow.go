package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wordSum sums four taps, bytes of a dword, with weights whose digits are words:
// those of the even bytes and those of the odd ones.
type wordSum struct{ low Op }

// digits are the low and the high bytes of words.
func (s *wordSum) digits(words reg.VecVirtual) (low, high reg.VecVirtual) {
	low, high = YMM(), YMM()
	VPAND(s.low, words, low)
	VPSRLW(U8(8), words, high)
	return low, high
}

// of is the sum, rounded, in units of the samples. taps is lost. The weights are
// the low and the high digits of those of the even bytes, then of the odd ones.
func (s *wordSum) of(taps reg.VecVirtual, weights [4]reg.VecVirtual) reg.VecVirtual {
	odd, low, high := YMM(), YMM(), YMM()
	VPSRLW(U8(8), taps, odd)
	VPAND(s.low, taps, taps)
	VPMADDWD(weights[1], taps, high)
	VPMADDWD(weights[0], taps, low)
	VPMADDWD(weights[3], odd, taps)
	VPMADDWD(weights[2], odd, odd)
	VPADDD(taps, high, high)
	VPADDD(odd, low, low)
	VPSLLD(U8(8), high, high)
	VPADDD(low, high, high)
	VPADDD(int32s("weightRound", 8, func(int) int32 { return cornersHalf }), high, high)
	VPSRLD(U8(16), high, high)
	return high
}

// lerp8OneNarrow is lerp8Go for one band: a dword is the four taps of a pixel.
func lerp8OneNarrow() {
	text("lerp8OneAVX2", lerp8One, "is lerp8Go for one band and n pixels, a multiple of 8. It reads 4 bytes of a row.")
	dst, top, bottom := pointer("dst"), pointer("pix"), pointer("stride")
	off, fx, fy, n := pointer("off"), pointer("fx"), pointer("fy"), pointer("n")
	ADDQ(top, bottom)
	c := newCorners(false)
	s := &wordSum{c.low}
	i := GP64()
	XORQ(i, i)
	Label("loop")
	index, p, q := YMM(), YMM(), YMM()
	VMOVDQU(Mem{Base: off, Index: i, Scale: 4}, index)
	gather(false, top, index, 1, 0, p)
	gather(false, bottom, index, 1, 0, q)
	VPSLLD(U8(16), q, q)
	VPBLENDW(U8(0xaa), q, p, p)
	first, second := c.pairs(Mem{Base: fy, Index: i, Scale: 4}, Mem{Base: fx, Index: i, Scale: 4})
	var w [4]reg.VecVirtual
	w[0], w[1] = s.digits(first)
	w[2], w[3] = s.digits(second)
	sum, high := s.of(p, w), XMM()
	VEXTRACTI128(U8(1), sum, high)
	VPACKUSDW(high, sum.(reg.Vec).AsX(), high)
	VPACKUSWB(high, high, high)
	VMOVQ(high, Mem{Base: dst, Index: i, Scale: 1})
	ADDQ(U8(8), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// lerp8FewNarrow is lerp8Go for two to four bands: a lane of 128 bits is the
// taps of a pixel, the other those of the pixel four further on.
func lerp8FewNarrow(taps Mem) {
	order := bytesTable("lerp8Lane", 3*16, func(i int) byte {
		bands := i/16 + 2
		return byte(i%16/bands*4%16 + i%16%bands)
	})
	text("lerp8FewAVX2", lerp8Few, "is lerp8Go for 2 to 4 bands and n pixels, a multiple of 8. It reads 8 bytes of a row, and writes up to 8 bytes more.")
	dst, top, bottom, bands := pointer("dst"), pointer("pix"), pointer("stride"), pointer("bands")
	off, fx, fy, n := pointer("off"), pointer("fx"), pointer("fy"), pointer("n")
	ADDQ(top, bottom)
	c := newCorners(false)
	s := &wordSum{c.low}
	pattern, result, at, table := YMM(), YMM(), GP64(), GP64()
	byBands(bands, 16, at)
	LEAQ(taps, table)
	VBROADCASTI128(Mem{Base: table, Index: at, Scale: 1}, pattern)
	LEAQ(order, table)
	VBROADCASTI128(Mem{Base: table, Index: at, Scale: 1}, result)
	SHLQ(U8(2), bands) // bytes of four pixels
	i := GP64()
	XORQ(i, i)
	Label("loop")
	first, second := c.pairs(Mem{Base: fx, Index: i, Scale: 4}, Mem{Base: fy, Index: i, Scale: 4})
	var digits [4]reg.VecVirtual
	digits[0], digits[1] = s.digits(first)
	digits[2], digits[3] = s.digits(second)
	var sums [4]reg.VecVirtual
	for k := range sums {
		var lane [2]reg.VecVirtual
		for l := range lane {
			o := GP64()
			lane[l] = XMM()
			MOVLQSX(Mem{Base: off, Index: i, Scale: 4, Disp: 4*k + 16*l}, o)
			VMOVQ(Mem{Base: top, Index: o, Scale: 1}, lane[l])
			VMOVHPS(Mem{Base: bottom, Index: o, Scale: 1}, lane[l], lane[l])
		}
		v := YMM()
		VINSERTI128(U8(1), lane[1], lane[0].(reg.Vec).AsY(), v)
		VPSHUFB(pattern, v, v)
		var w [4]reg.VecVirtual
		for d := range w {
			w[d] = YMM()
			VPSHUFD(U8(0x55*k), digits[d], w[d])
		}
		sums[k] = s.of(v, w)
		if k%2 == 1 {
			VPACKUSDW(sums[k], sums[k-1], sums[k-1])
		}
	}
	VPACKUSWB(sums[2], sums[0], sums[0])
	VPSHUFB(result, sums[0], sums[0])
	high := XMM()
	VEXTRACTI128(U8(1), sums[0], high)
	VMOVDQU(sums[0].(reg.Vec).AsX(), Mem{Base: dst})
	VMOVDQU(high, Mem{Base: dst, Index: bands, Scale: 1})
	LEAQ(Mem{Base: dst, Index: bands, Scale: 2}, dst)
	ADDQ(U8(8), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
