package kernel

import (
	"bytes"
	"image"
	"unsafe"

	"github.com/rewarp/rewarp/ast/raster"
)

// maxPlanes is how many planes are interleaved by vectors.
const maxPlanes = 7

// planeList is where the rows of planes begin, one a band.
type planeList []*byte

// Interleave stores planes as the bands of the pixels of dst from at on. They
// are one a band of dst, of its type and of one size, have one band each, and a
// mask if dst has one; several bands may have the same plane. A row of a large
// dst is written once, past the caches.
func Interleave(set Set, scratch *Scratch, dst *raster.Buffer, at image.Point, planes []*raster.Buffer) {
	n, size := len(planes), dst.Type.Size()
	w := rowWriter{dst: dst, width: n}
	w.stream = set > Portable && w.large()
	wide := planes[0].W
	scratch.planes = grow(scratch.planes, 2*n)
	pixels, masks := scratch.planes[:n], scratch.planes[n:]
	for y := range planes[0].H {
		first := w.index(at.X, at.Y+y)
		whole := true
		for b, p := range planes {
			pixels[b] = &p.Bytes()[y*wide*size]
			if dst.Mask != nil {
				row := p.Mask[y*wide:][:wide]
				masks[b] = &row[0]
				whole = whole && bytes.IndexByte(row, 0) < 0
			}
		}
		w.interleave(set, scratch, dst.Bytes()[first*size:][:wide*n*size], pixels, size)
		if whole {
			w.setValid(first, wide*n)
		} else {
			w.interleave(set, scratch, dst.Mask[first:][:wide*n], masks, 1)
		}
	}
	w.endStream(set)
	clear(scratch.planes)
}

// interleave stores a row of planes of words of the given size.
func (w *rowWriter) interleave(set Set, scratch *Scratch, dst []byte, planes planeList, size int) {
	row := dst
	if w.stream {
		row = scratchSamples[uint8](scratch, len(dst))
	}
	interleave(set, row, planes, size)
	if w.stream {
		streamCopy(dst, row)
	}
}

// interleaveGo writes the words of the planes, of the given size, from the
// byte from on, as pixels to dst.
func interleaveGo(dst []byte, planes planeList, size, from int) {
	pixel := len(planes) * size
	n := len(dst) / pixel
	if n == 0 {
		return
	}
	for b, p := range planes {
		scatterPixels(unsafe.Pointer(&dst[b*size]), unsafe.Add(unsafe.Pointer(p), from), uintptr(size), uintptr(pixel), n)
	}
}
