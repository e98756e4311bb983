package kernel

import (
	"unsafe"

	"github.com/rewarp/rewarp/ast/raster"
)

// scatter copies pixels of the given number of samples, packed in src, to every
// step samples of dst.
func scatter[T raster.Sample](dst []T, step int, src []T, bands int) {
	n := len(src) / bands
	if n == 0 {
		return
	}
	_ = dst[(n-1)*step+bands-1]
	sample := unsafe.Sizeof(dst[0])
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(src))
	if scatterPixels(d, s, uintptr(bands)*sample, uintptr(step)*sample, n) {
		return
	}
	for i := range n {
		copy(dst[i*step:][:bands], src[i*bands:][:bands])
	}
}

// scatterPixels is scatter for n pixels of size bytes, by bytes apart, where
// that is the size of a word. It is not ok, and has done nothing, for others.
func scatterPixels(d, s unsafe.Pointer, size, by uintptr, n int) (ok bool) {
	switch size {
	case 1:
		scatterWords[uint8](d, s, by, n)
	case 2:
		scatterWords[uint16](d, s, by, n)
	case 4:
		scatterWords[uint32](d, s, by, n)
	case 8:
		scatterWords[uint64](d, s, by, n)
	default:
		return false
	}
	return true
}

// scatterWords is scatter for n pixels of one word, by bytes apart.
func scatterWords[W any](d, s unsafe.Pointer, by uintptr, n int) {
	at := uintptr(0)
	for _, w := range unsafe.Slice((*W)(s), n) {
		*(*W)(unsafe.Add(d, at)) = w
		at += by
	}
}

// replicate copies the first pixel, of size bytes, to n−1 more places that are
// step bytes apart.
func replicate(dst []byte, step, size, n int) {
	_ = dst[(n-1)*step+size-1]
	d := unsafe.Pointer(unsafe.SliceData(dst))
	switch size {
	case 1:
		replicateWord[uint8](d, step, n)
	case 2:
		replicateWord[uint16](d, step, n)
	case 4:
		replicateWord[uint32](d, step, n)
	default:
		for i := 1; i < n; i++ {
			copy(dst[i*step:][:size], dst[:size])
		}
	}
}

// replicateWord is replicate for pixels of one word.
func replicateWord[W any](d unsafe.Pointer, step, n int) {
	w := *(*W)(d)
	for i := 1; i < n; i++ {
		*(*W)(unsafe.Add(d, i*step)) = w
	}
}
