package kernel

import (
	"unsafe"

	"github.com/rewarp/rewarp/ast/raster"
)

// startStream has the rows of a large output of integers go past the caches, if
// nothing lies between the job's bands and the set can. Floats, which have no
// mask, take as long either way. endStream is to follow.
func (w *rowWriter) startStream(set Set) {
	w.stream = set > Portable && !w.dst.Type.IsFloat() && w.contiguous() && len(w.dst.Bytes())+len(w.dst.Mask) >= streamBytes
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
