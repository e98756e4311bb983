package kernel

import (
	"math/bits"
	"unsafe"
)

// fetch starts reading what the pixels at the offsets will need of pix.
func fetch[T any](a ahead, set Set, pix []T, off []int32) {
	if a.step == 0 || set == Portable || len(off) == 0 {
		return
	}
	size := int(unsafe.Sizeof(pix[0]))
	p := (*byte)(unsafe.Pointer(unsafe.SliceData(pix)))
	prefetchAVX2(p, a.delta*size, &off[0], bits.TrailingZeros(uint(size)), a.step, len(off))
}
