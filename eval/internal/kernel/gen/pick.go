package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// bytes is a table of 64 bytes.
func bytes(name string, f func(int) uint8) Mem {
	if m, ok := tables[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := range 64 {
		DATA(i, U8(f(i)))
	}
	tables[name] = m
	return m
}

// squeeze is what brings gathered pixels of 3 or 6 bytes side by side, and which
// of 64 bytes they then are.
func squeeze(size int) (keep reg.OpmaskVirtual, order reg.VecVirtual) {
	keep, order = K(), ZMM()
	if size == 3 || size == 6 {
		ones := GP64()
		MOVQ(U64(1<<48-1), ones)
		KMOVQ(ones, keep)
		word := (size + 3) &^ 3
		VMOVDQU64(bytes(label("squeeze", size), func(i int) uint8 { return uint8(min(i, 47)/size*word + min(i, 47)%size) }), order)
	}
	return keep, order
}

// storeVector stores a vector, or writes it past the caches.
func storeVector(v reg.VecVirtual, to Mem, stream bool) {
	if stream {
		VMOVNTDQ(v, to)
	} else {
		VMOVDQU64(v, to)
	}
}

// storePicked stores 16 pixels of size bytes, each gathered to a dword.
func storePicked(size int, v reg.VecVirtual, keep reg.OpmaskVirtual, order reg.VecVirtual, dst reg.GPVirtual, stream bool) {
	switch size {
	case 1:
		VPMOVDB(v, Mem{Base: dst})
	case 2:
		VPMOVDW(v, Mem{Base: dst})
	case 3:
		VPERMB(v, order, v)
		VMOVDQU8(v, keep, Mem{Base: dst})
	case 4:
		storeVector(v, Mem{Base: dst}, stream)
	}
}

// storePicked8 stores 8 pixels of 6 or 8 bytes, each gathered to a quadword.
func storePicked8(size int, v reg.VecVirtual, keep reg.OpmaskVirtual, order reg.VecVirtual, to Mem, stream bool) {
	if size == 6 {
		VPERMB(v, order, v)
		VMOVDQU8(v, keep, to)
	} else {
		storeVector(v, to, stream)
	}
}

// pick is pick for pixels of size bytes, up to 8: they are gathered, and what
// was read beyond them is squeezed out.
func pick(size int) {
	text(label("pick", size, "AVX512"), "func(dst, pix *byte, off *int32, shift, n int)",
		label("copies n pixels of ", size, " bytes, a multiple of 16, from the offsets times 2**shift. It reads 4 or 8 bytes a pixel."))
	dst, pix, off, n := pointer("dst"), pointer("pix"), pointer("off"), pointer("n")
	shift := ZMM()
	VPBROADCASTD(pointer("shift").As32(), shift)
	keep, order := squeeze(size)
	Label("loop")
	index := ZMM()
	VMOVDQU32(Mem{Base: off}, index)
	VPSLLVD(shift, index, index)
	if size <= 4 {
		v := ZMM()
		gather(true, pix, index, 1, 0, v)
		storePicked(size, v, keep, order, dst, false)
	} else {
		top := YMM()
		VEXTRACTI64X4(U8(1), index, top)
		for k, half := range []reg.Register{index.AsY(), top} {
			v, mask := ZMM(), K()
			KXNORW(mask, mask, mask)
			zeroed(true, v)
			VPGATHERDQ(Mem{Base: pix, Index: half, Scale: 1}, mask, v)
			storePicked8(size, v, keep, order, Mem{Base: dst, Disp: k * 8 * size}, false)
		}
	}
	ADDQ(U8(64), off)
	ADDQ(U32(16*size), dst)
	SUBQ(U8(16), n)
	JG(LabelRef("loop"))
	VZEROUPPER()
	RET()
}

// pickWhole is pick for pixels of 9 to 16 bytes.
func pickWhole() {
	text("pickWholeAVX2", "func(dst, pix *byte, off *int32, shift, size, n int)",
		"copies n pixels of size bytes, at most 16, from the offsets times 2**shift. It reads and writes 16 bytes a pixel.")
	dst, pix, off, size, n := pointer("dst"), pointer("pix"), pointer("off"), pointer("size"), pointer("n")
	shift := reg.RCX
	Load(Param("shift"), shift)
	Label("loop")
	o, v := GP64(), XMM()
	MOVLQSX(Mem{Base: off}, o)
	SHLQ(reg.CL, o)
	VMOVDQU(Mem{Base: pix, Index: o, Scale: 1}, v)
	VMOVDQU(v, Mem{Base: dst})
	ADDQ(size, dst)
	ADDQ(U8(4), off)
	DECQ(n)
	JNE(LabelRef("loop"))
	RET()
}

// pickLong is pick for pixels of more than 16 bytes: the last move overlaps
// the one before.
func pickLong() {
	text("pickLongAVX2", "func(dst, pix *byte, off *int32, shift, size, n int)",
		"copies n pixels of size bytes, more than 16, from the offsets times 2**shift.")
	dst, pix, off, size, n := pointer("dst"), pointer("pix"), pointer("off"), pointer("size"), pointer("n")
	shift := reg.RCX
	Load(Param("shift"), shift)
	from := func() reg.GPVirtual {
		o := GP64()
		MOVLQSX(Mem{Base: off}, o)
		SHLQ(reg.CL, o)
		ADDQ(pix, o)
		return o
	}
	next := func(loop string) {
		ADDQ(size, dst)
		ADDQ(U8(4), off)
		DECQ(n)
		JNE(LabelRef(loop))
		VZEROUPPER()
		RET()
	}
	CMPQ(size, U8(32))
	JGE(LabelRef("long"))
	Label("short")
	p, a, b := from(), XMM(), XMM()
	VMOVDQU(Mem{Base: p}, a)
	VMOVDQU(Mem{Base: p, Index: size, Scale: 1, Disp: -16}, b)
	VMOVDQU(a, Mem{Base: dst})
	VMOVDQU(b, Mem{Base: dst, Index: size, Scale: 1, Disp: -16})
	next("short")

	Label("long")
	q, i, last, v, w := from(), GP64(), GP64(), YMM(), YMM()
	LEAQ(Mem{Base: size, Disp: -32}, last)
	VMOVDQU(Mem{Base: q, Index: last, Scale: 1}, w)
	XORQ(i, i)
	CMPQ(i, last)
	JGE(LabelRef("end"))
	Label("vectors")
	VMOVDQU(Mem{Base: q, Index: i, Scale: 1}, v)
	VMOVDQU(v, Mem{Base: dst, Index: i, Scale: 1})
	ADDQ(U8(32), i)
	CMPQ(i, last)
	JL(LabelRef("vectors"))
	Label("end")
	VMOVDQU(w, Mem{Base: dst, Index: last, Scale: 1})
	next("long")
}
