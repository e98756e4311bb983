package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// maxPlanes is the package's.
const maxPlanes = 7

// interleave brings vectors of n planes to n vectors of pixels. Word i of those
// is word i/n of plane i%n, so that a vector has the same picks for all planes,
// and one of n masks for each.
func interleave(n, size int) {
	name := fmt.Sprintf("interleave%dx%d", size, n)
	lanes := 64 / size
	table := GLOBL(name+"Picks", RODATA|NOPTR)
	for j := range n {
		for i := range 64 / 8 {
			var word uint64
			for k := range 8 {
				if at := i*8 + k; at%size == 0 {
					word |= uint64((j*lanes+at/size)/n) << (8 * k)
				}
			}
			DATA(64*j+8*i, U64(word))
		}
	}
	for r := range n {
		var mask uint64
		for k := r; k < lanes; k += n {
			mask |= 1 << k
		}
		DATA(64*n+8*r, U64(mask))
	}
	text(name+"AVX512", "func(dst *byte, planes **byte, from, n int)",
		fmt.Sprintf("is interleaveGo for n vectors, at least one, of %d planes of words of %d bytes, from a byte on.", n, size))
	dst, planes, from, left := pointer("dst"), pointer("planes"), pointer("from"), pointer("n")
	permute := map[int]func(...Op){1: VPERMB, 2: VPERMW, 4: VPERMD}[size]
	clearing := map[int]func(a, b, c, d Op){1: VPERMB_Z, 2: VPERMW_Z, 4: VPERMD_Z}[size]
	src, picks, masks := make([]reg.GPVirtual, n), make([]reg.VecVirtual, n), make([]reg.OpmaskVirtual, n)
	for b := range n {
		src[b], picks[b], masks[b] = GP64(), ZMM(), K()
		MOVQ(Mem{Base: planes, Disp: 8 * b}, src[b])
		VMOVDQU64(table.Offset(64*b), picks[b])
		KMOVQ(table.Offset(64*n+8*b), masks[b])
	}
	Label("loop")
	v := make([]reg.VecVirtual, n)
	for b := range n {
		v[b] = ZMM()
		VMOVDQU64(Mem{Base: src[b], Index: from, Scale: 1}, v[b])
	}
	for j := range n {
		out := ZMM()
		for b := range n {
			k := masks[((b-j*lanes)%n+n)%n]
			if b == 0 {
				clearing(v[b], picks[j], k, out)
			} else {
				permute(v[b], picks[j], k, out)
			}
		}
		VMOVDQU64(out, Mem{Base: dst, Disp: 64 * j})
	}
	ADDQ(U32(64*n), dst)
	ADDQ(U8(64), from)
	DECQ(left)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
