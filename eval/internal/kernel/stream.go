package kernel

import (
	"unsafe"

	"github.com/rewarp/rewarp/ast/raster"
)

// Outputs of as many bytes are written past the caches, which would not hold
// them until they are read. For enlarged bytes that pays from where they no
// longer fit the second cache.
const (
	streamBytes = 16 << 20
	streamUint8 = 4 << 20
)

// large reports whether an output without anything between the job's bands is
// to be written past the caches, with its mask.
func (w *rowWriter) large() bool {
	return w.contiguous() && len(w.dst.Bytes())+len(w.dst.Mask) >= streamBytes
}

// startStream has the rows of a large output of integers go past the caches, if
// the set can. Interpolated floats, which have no mask, take as long either way.
// endStream is to follow.
func (w *rowWriter) startStream(set Set) {
	w.stream = set > Portable && !w.dst.Type.IsFloat() && w.large()
}

// endStream has what went past the caches seen by others.
func (w *rowWriter) endStream(set Set) {
	if w.stream {
		endStream(set)
	}
}

// bytesIn is the memory of samples.
func bytesIn[T raster.Sample](s []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(t)))
}
