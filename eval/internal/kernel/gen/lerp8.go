package main

import (
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	lerp8One = "func(dst, pix *byte, stride int, off *int32, fx, fy *float32, n int)"
	lerp8Few = "func(dst, pix *byte, stride, bands int, off *int32, fx, fy *float32, n int)"
)

// Sums of unsigned weights and signed samples, which are 128 less, begin with
// what that takes away and the half that rounds, in units of 2⁸ and 2⁰.
const (
	cornersHalf   = 1 << 15
	cornersBefore = (128<<16 + cornersHalf) >> 8
)

// lerp8 is lerp8Go.
func lerp8() {
	taps := lerp8Taps()
	lerp8OneNarrow()
	lerp8OneWide()
	lerp8FewNarrow(taps)
	lerp8FewWide(taps)
}

// lerp8OneWide is lerp8Go for one band: a dword is the four taps of a pixel.
func lerp8OneWide() {
	text("lerp8OneAVX512", lerp8One, "is lerp8Go for one band and n pixels, a multiple of 16. It reads 4 bytes of a row.")
	dst, top, bottom := pointer("dst"), pointer("pix"), pointer("stride")
	off, fx, fy, n := pointer("off"), pointer("fx"), pointer("fy"), pointer("n")
	ADDQ(top, bottom)
	c := newCorners(true)
	s := newDigitSum()
	lowWord := splat(true, 1<<16-1)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	index, p, q := ZMM(), ZMM(), ZMM()
	VMOVDQU32(Mem{Base: off, Index: i, Scale: 4}, index)
	gather(true, top, index, 1, 0, p)
	gather(true, bottom, index, 1, 0, q)
	low, high := c.digits(c.pairs(Mem{Base: fy, Index: i, Scale: 4}, Mem{Base: fx, Index: i, Scale: 4}))
	VPSLLD(U8(16), q, q)
	VPTERNLOGD(U8(0xe4), lowWord, q, p)
	sum := s.of(p, low, high)
	VPSRLD(U8(16), sum, sum)
	VPMOVDB(sum, Mem{Base: dst, Index: i, Scale: 1})
	ADDQ(U8(16), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// digitSum sums four taps with weights of two digits.
type digitSum struct{ before, sign reg.VecVirtual }

func newDigitSum() *digitSum { return &digitSum{splat(true, cornersBefore), splat(true, 0x80808080)} }

// of is the sum, in units of the weights. taps is lost.
func (s *digitSum) of(taps, low, high reg.VecVirtual) reg.VecVirtual {
	sum := ZMM()
	VPXORD(s.sign, taps, taps)
	VMOVDQA32(s.before, sum)
	dot(taps, high, sum)
	VPSLLD(U8(8), sum, sum)
	dot(taps, low, sum)
	return sum
}

// lerp8Taps are, by bands less two, where the taps of each band are in a lane
// that has 8 bytes of the upper row, then 8 of the lower one.
func lerp8Taps() Mem {
	return bytesTable("lerp8Taps", 3*16, func(i int) byte {
		bands, band, tap := i/16+2, i%16/4, i%4
		if band >= bands {
			return 0x80
		}
		return byte(band + tap%2*8 + tap/2*bands)
	})
}

// byBands sets at to where the part for so many bands is in a table, by bands
// less two, of parts of as many units, a power of two.
func byBands(bands reg.GPVirtual, units int, at reg.GPVirtual) {
	LEAQ(Mem{Base: bands, Disp: -2}, at)
	SHLQ(U8(bits.TrailingZeros(uint(units))), at)
}

func bytesTable(name string, n int, f func(int) byte) Mem {
	if m, ok := tables[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := range n {
		DATA(i, U8(f(i)))
	}
	tables[name] = m
	return m
}

// The pixels of each of the four gathers of lerp8FewWide, by lane.
var gathered = [4][4]int{{0, 1, 4, 5}, {8, 9, 12, 13}, {2, 3, 6, 7}, {10, 11, 14, 15}}

// lerp8FewWide is lerp8Go for two to four bands: a lane of 128 bits is the
// taps of a pixel, which two reads of 8 bytes bring, and then its sums.
func lerp8FewWide(taps Mem) {
	// Where the bytes of the result are, by bands less two.
	order := bytesTable("lerp8Order", 3*64, func(i int) byte {
		bands, x, band := i/64+2, i%64/(i/64+2), i%64%(i/64+2)
		for k, pixels := range gathered {
			for lane, pixel := range pixels {
				if pixel == x && band < bands {
					return byte(lane*16 + band*4 + k)
				}
			}
		}
		return 0
	})
	text("lerp8FewAVX512", lerp8Few, "is lerp8Go for 2 to 4 bands and n pixels, a multiple of 16. It reads 8 bytes of a row.")
	dst, pix, stride, bands := pointer("dst"), pointer("pix"), pointer("stride"), pointer("bands")
	off, fx, fy, n := pointer("off"), pointer("fx"), pointer("fy"), pointer("n")
	c := newCorners(true)
	s := newDigitSum()
	lowWord, below := splat(true, 1<<16-1), ZMM()
	VPBROADCASTD(stride.As32(), below)
	var pixel [4]reg.VecVirtual // brings a pixel's dword to its lane
	for k := range pixel {
		pixel[k] = ZMM()
		VMOVDQU32(int32s(label("gathered", k), 16, func(i int) int32 { return int32(gathered[k][i/4]) }), pixel[k])
	}
	pattern, result, at, table := ZMM(), ZMM(), GP64(), GP64()
	byBands(bands, 16, at)
	LEAQ(taps, table)
	VBROADCASTI32X4(Mem{Base: table, Index: at, Scale: 1}, pattern)
	LEAQ(order, table)
	VMOVDQU8(Mem{Base: table, Index: at, Scale: 4}, result)
	SHLQ(U8(4), bands) // bytes of 16 pixels
	ones, kept := GP64(), K()
	MOVQ(I64(-1), ones)
	BZHIQ(bands, ones, ones)
	KMOVQ(ones, kept)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	index, lower := ZMM(), ZMM()
	VMOVDQU32(Mem{Base: off, Index: i, Scale: 4}, index)
	VPADDD(below, index, lower)
	low, high := c.digits(c.pairs(Mem{Base: fx, Index: i, Scale: 4}, Mem{Base: fy, Index: i, Scale: 4}))
	var sums [4]reg.VecVirtual
	for half := range 2 {
		both := ZMM()
		if half == 0 {
			VPUNPCKLDQ(lower, index, both)
		} else {
			VPUNPCKHDQ(lower, index, both)
		}
		rest := YMM()
		VEXTRACTI64X4(U8(1), both, rest)
		for quarter, at := range []reg.VecVirtual{both.(reg.Vec).AsY().(reg.VecVirtual), rest} {
			g := 2*half + quarter
			v, k, l, h := ZMM(), K(), ZMM(), ZMM()
			zeroed(true, v)
			KXNORW(k, k, k)
			VPGATHERDQ(Mem{Base: pix, Index: at, Scale: 1}, k, v)
			VPSHUFB(pattern, v, v)
			VPERMD(low, pixel[g], l)
			VPERMD(high, pixel[g], h)
			sums[g] = s.of(v, l, h)
		}
	}
	// The third byte of each sum, side by side.
	VPSRLD(U8(16), sums[0], sums[0])
	VPSRLD(U8(8), sums[1], sums[1])
	VPSLLD(U8(8), sums[3], sums[3])
	VPTERNLOGD(U8(0xe4), c.low, sums[1], sums[0])
	VPTERNLOGD(U8(0xe4), c.low, sums[3], sums[2])
	VPTERNLOGD(U8(0xe4), lowWord, sums[2], sums[0])
	VPERMB(sums[0], result, sums[0])
	VMOVDQU8(sums[0], kept, Mem{Base: dst})
	ADDQ(bands, dst)
	ADDQ(U8(16), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
