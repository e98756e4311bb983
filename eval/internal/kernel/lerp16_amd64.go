package kernel

import (
	"unsafe"

	"github.com/rewarp/rewarp/ast/raster"
)

// lerp16 is lerpGo, then packGo. It reads up to four samples beyond the last
// that is needed of a row. It is not ok, and has done nothing, for what it is
// not written for.
func lerp16[T raster.Sample](set Set, dst, pix []T, stride, bands int, off []int32, fx, fy []float32) (ok bool) {
	n := len(off)
	if set != AVX512 || bands < 2 || bands > 4 || n < 4 {
		return false
	}
	run := lerp16Uint16AVX512
	switch any(pix).(type) {
	case []uint16:
	case []int16:
		run = lerp16Int16AVX512
	default:
		return false
	}
	part := func(from, n int) {
		run((*byte)(unsafe.Pointer(&dst[from*bands])), (*byte)(unsafe.Pointer(&pix[0])), 2*stride, bands, &off[from], &fx[from], &fy[from], n)
	}
	part(0, n&^3)
	if n&3 != 0 { // what is left, and some once more
		part(n-4, 4)
	}
	return true
}
