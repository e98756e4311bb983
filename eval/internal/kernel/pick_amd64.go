package kernel

import (
	"math/bits"
	"unsafe"

	"github.com/rewarp/rewarp/ast/raster"
)

// gathered are the kernels for pixels of as many bytes.
var gathered = [9]func(dst, pix *byte, off *int32, shift, n int){
	1: pick1AVX512, 2: pick2AVX512, 3: pick3AVX512, 4: pick4AVX512, 6: pick6AVX512, 8: pick8AVX512,
}

// pickVectors is pickGo of the first pixels of a packed output; it returns how
// many.
func pickVectors[T raster.Sample](set Set, dst, pix []T, bands int, off []int32) int {
	sample := int(unsafe.Sizeof(dst[0]))
	size, shift := bands*sample, bits.TrailingZeros(uint(sample))
	d, p := (*byte)(unsafe.Pointer(unsafe.SliceData(dst))), (*byte)(unsafe.Pointer(unsafe.SliceData(pix)))
	n := len(off)
	switch {
	case size <= 8:
		if n &^= 15; set < AVX512 || n == 0 || gathered[size] == nil {
			return 0
		}
		gathered[size](d, p, &off[0], shift, n)
	case size <= 16:
		if size < 16 {
			n-- // whose vector would be written past the end
		}
		if n <= 0 {
			return 0
		}
		pickWholeAVX2(d, p, &off[0], shift, size, n)
	case n > 0:
		pickLongAVX2(d, p, &off[0], shift, size, n)
	}
	return n
}
