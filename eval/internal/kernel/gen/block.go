package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// fewBlock is tapsGo for two to four bands and 4×4 taps: a vector is a row of
// taps.
func fewBlock(t sample) {
	text("tapsFewBlock"+t.name+"AVX512", "func(dst *float32, pix *byte, stride, bands int, off *int32, wx, wy *float32, n int)",
		"is tapsGo for 2 to 4 bands and 4 by 4 taps. stride is in bytes. It reads 16 samples of a row of taps and writes four a pixel.")
	dst, pix, stride, bands := pointer("dst"), pointer("pix"), pointer("stride"), pointer("bands")
	off, wx, wy, n := pointer("off"), pointer("wx"), pointer("wy"), pointer("n")
	along := ZMM() // brings the next pixel's bands to the front
	VPBROADCASTD(bands.As32(), along)
	VPADDD(int32s("count16", 16, func(i int) int32 { return int32(i) }), along, along)
	SHLQ(U8(2), bands)
	zero := ZMM()
	zeroed(true, zero)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	p := GP64()
	MOVLQSX(Mem{Base: off, Index: i, Scale: 4}, p)
	LEAQ(Mem{Base: pix, Index: p, Scale: uint8(t.size)}, p)
	weight := func(w reg.GPVirtual, k int) Mem { return Mem{Base: w, Index: i, Scale: 4, Disp: k * chunkBytes} }
	var column reg.VecVirtual
	for r := range 4 {
		v := ZMM()
		if r > 0 {
			ADDQ(stride, p)
		}
		if t.name == "Float32" {
			// One broadcast and a load, rather than the other way round.
			VBROADCASTSS(weight(wy, r), v)
			if r == 0 {
				VFMADD132PS(Mem{Base: p}, zero, v)
			} else {
				VFMADD231PS(Mem{Base: p}, v, column)
			}
		} else {
			load(t, Mem{Base: p}, v)
			if r == 0 {
				VFMADD132PS_BCST(weight(wy, r), zero, v)
			} else {
				VFMADD231PS_BCST(weight(wy, r), v, column)
			}
		}
		if r == 0 {
			column = v
		}
	}
	sum := XMM()
	VMOVAPS(zero.AsX(), sum)
	for c := range 4 {
		VFMADD231PS_BCST(weight(wx, c), column.AsX(), sum)
		if c < 3 {
			VPERMPS(column, along, column)
		}
	}
	VMOVUPS(sum, Mem{Base: dst})
	ADDQ(bands, dst)
	INCQ(i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// oneBlock is tapsGo for one band and 4×4 taps of 16 pixels at a time. load
// brings the rows of their taps, of which split makes four vectors each.
func oneBlock(load func(rows [4]reg.GPVirtual, off, i reg.GPVirtual) (taps [4][]reg.VecVirtual), split func(v []reg.VecVirtual) [4]reg.VecVirtual) {
	dst, pix, stride, off := pointer("dst"), pointer("pix"), pointer("stride"), pointer("off")
	wx, wy, n := pointer("wx"), pointer("wy"), pointer("n")
	var rows [4]reg.GPVirtual
	rows[0] = pix
	for r := 1; r < 4; r++ {
		rows[r] = GP64()
		LEAQ(Mem{Base: rows[r-1], Index: stride, Scale: 1}, rows[r])
	}
	zero := ZMM()
	zeroed(true, zero)
	i := GP64()
	XORQ(i, i)
	Label("loop")
	taps := load(rows, off, i)
	weight := func(w reg.GPVirtual, k int) Mem { return Mem{Base: w, Index: i, Scale: 4, Disp: k * chunkBytes} }
	sum := ZMM()
	VMOVAPS(zero, sum)
	for r := range taps {
		row := ZMM()
		VMOVAPS(zero, row)
		for c, tap := range split(taps[r]) {
			VFMADD231PS(weight(wx, c), tap, row)
		}
		VFMADD231PS(weight(wy, r), row, sum)
	}
	VMOVUPS(sum, Mem{Base: dst, Index: i, Scale: 4})
	ADDQ(U8(16), i)
	CMPQ(i, n)
	JL(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

const oneBlockDoc = "is tapsGo for one band and 4 by 4 taps of n pixels, a multiple of 16. stride is in bytes."

// oneBlockBytes has a row of a pixel's taps in a dword.
func oneBlockBytes() {
	text("tapsOneBlockUint8AVX512", "func(dst *float32, pix *byte, stride int, off *int32, wx, wy *float32, n int)", oneBlockDoc)
	low, middle := lowMask(sample{"Uint8", 1}, true), middleBytes(true)
	oneBlock(func(rows [4]reg.GPVirtual, off, i reg.GPVirtual) (taps [4][]reg.VecVirtual) {
		index := ZMM()
		VMOVDQU32(Mem{Base: off, Index: i, Scale: 4}, index)
		for r := range taps {
			v := ZMM()
			gather(true, rows[r], index, 1, 0, v)
			taps[r] = []reg.VecVirtual{v}
		}
		return taps
	}, func(v []reg.VecVirtual) [4]reg.VecVirtual { return bytesOf(true, v[0], low, middle) })
}

// oneBlockFloats has a row of a pixel's taps in a quarter of a vector.
func oneBlockFloats() {
	text("tapsOneBlockFloat32AVX512", "func(dst *float32, pix *byte, stride int, off *int32, wx, wy *float32, n int)", oneBlockDoc)
	oneBlock(func(rows [4]reg.GPVirtual, off, i reg.GPVirtual) (taps [4][]reg.VecVirtual) {
		for place := range 4 {
			for r := range taps {
				taps[r] = append(taps[r], ZMM())
			}
			for quarter := range 4 {
				at := GP64()
				MOVLQSX(Mem{Base: off, Index: i, Scale: 4, Disp: 4 * (4*quarter + place)}, at)
				for r, p := range rows {
					m, v := Mem{Base: p, Index: at, Scale: 4}, taps[r][place]
					if quarter == 0 {
						VMOVUPS(m, v.AsX())
					} else {
						VINSERTF32X4(U8(quarter), m, v, v)
					}
				}
			}
		}
		return taps
	}, transposed)
}

// transposed has the columns of the 4×4 dwords in each quarter of four vectors.
func transposed(v []reg.VecVirtual) (columns [4]reg.VecVirtual) {
	var pairs [4]reg.VecVirtual
	for k := range pairs {
		pairs[k], columns[k] = ZMM(), ZMM()
	}
	VUNPCKLPS(v[1], v[0], pairs[0])
	VUNPCKLPS(v[3], v[2], pairs[1])
	VUNPCKHPS(v[1], v[0], pairs[2])
	VUNPCKHPS(v[3], v[2], pairs[3])
	for k := range 2 {
		VUNPCKLPD(pairs[2*k+1], pairs[2*k], columns[2*k])
		VUNPCKHPD(pairs[2*k+1], pairs[2*k], columns[2*k+1])
	}
	return columns
}
