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
