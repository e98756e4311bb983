package eval

import (
	"image"
	"math"
	"unsafe"

	"github.com/rewarp/rewarp/ast/raster"
)

// invalidate marks the pixels r of dst invalid in the part's bands.
func (p *part) invalidate(dst *raster.Buffer, r image.Rectangle) {
	if r.Empty() {
		return
	}
	switch dst.Type {
	case raster.Uint8:
		invalidate[uint8](p, dst, r)
	case raster.Int8:
		invalidate[int8](p, dst, r)
	case raster.Uint16:
		invalidate[uint16](p, dst, r)
	case raster.Int16:
		invalidate[int16](p, dst, r)
	case raster.Uint32:
		invalidate[uint32](p, dst, r)
	case raster.Int32:
		invalidate[int32](p, dst, r)
	case raster.Float32:
		invalidate[float32](p, dst, r)
	default:
		invalidate[float64](p, dst, r)
	}
}

func invalidate[T raster.Sample](p *part, dst *raster.Buffer, r image.Rectangle) {
	pix := raster.Samples[T](dst)
	for i, band := range p.bands {
		var v T
		switch {
		case dst.Type.IsFloat():
			nan := math.NaN()
			v = T(nan)
		case p.fill != nil:
			v = T(dst.Type.Round(p.fill[i]))
		}
		for y := r.Min.Y; y < r.Max.Y; y++ {
			k := (y*dst.W+r.Min.X)*dst.Bands + band
			for range r.Dx() {
				pix[k] = v
				if dst.Mask != nil {
					dst.Mask[k] = 0
				}
				k += dst.Bands
			}
		}
	}
}

// fillValue sets every sample.
func fillValue(dst *raster.Buffer, v float64) {
	if dst.Len() == 0 {
		return
	}
	dst.Set(0, 0, 0, v)
	pix, n := dst.Bytes(), dst.Type.Size()
	for k := n; k < len(pix); k *= 2 {
		copy(pix[k:], pix[:k])
	}
	for i := range dst.Mask {
		dst.Mask[i] = 255
	}
}

// cut copies a window of some bands of src.
func cut(dst, src *raster.Buffer, w image.Rectangle, bands []int) {
	all := len(bands) == src.Bands
	for i, b := range bands {
		all = all && i == b
	}
	if all {
		paste(dst, w.Min, src, src.Bounds())
		return
	}
	size := src.Type.Size()
	from, to := src.Bytes(), dst.Bytes()
	for y := range dst.H {
		for i, b := range bands {
			s := ((y+w.Min.Y)*src.W+w.Min.X)*src.Bands + b
			d := y*dst.W*dst.Bands + i
			strided(to, from, d, s, dst.Bands, src.Bands, dst.W, size)
			if dst.Mask != nil {
				if src.Mask != nil {
					strided(dst.Mask, src.Mask, d, s, dst.Bands, src.Bands, dst.W, 1)
				} else {
					for k := range dst.W {
						dst.Mask[d+k*dst.Bands] = 255
					}
				}
			}
		}
	}
}

// strided copies n samples of the given size, from and to every few samples.
func strided(dst, src []byte, d, s, dstep, sstep, n, size int) {
	switch size {
	case 1:
		for range n {
			dst[d] = src[s]
			d, s = d+dstep, s+sstep
		}
	case 2:
		stride(cast[uint16](dst), cast[uint16](src), d, s, dstep, sstep, n)
	case 4:
		stride(cast[uint32](dst), cast[uint32](src), d, s, dstep, sstep, n)
	default:
		stride(cast[uint64](dst), cast[uint64](src), d, s, dstep, sstep, n)
	}
}

func stride[T uint16 | uint32 | uint64](dst, src []T, d, s, dstep, sstep, n int) {
	for range n {
		dst[d] = src[s]
		d, s = d+dstep, s+sstep
	}
}

// cast views the bytes of a buffer, which is aligned for any sample, as words.
func cast[T any](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	var z T
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(z)))
}

// paste copies what src, which covers window, shares with dst, whose first
// pixel is at. Types and bands agree.
func paste(dst *raster.Buffer, at image.Point, src *raster.Buffer, window image.Rectangle) {
	r := window.Intersect(dst.Bounds().Add(at))
	if r.Empty() {
		return
	}
	n := dst.Bands
	size := dst.Type.Size() * n
	to, from := dst.Bytes(), src.Bytes()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		d := (y-at.Y)*dst.W + r.Min.X - at.X
		s := (y-window.Min.Y)*src.W + r.Min.X - window.Min.X
		copy(to[d*size:(d+r.Dx())*size], from[s*size:])
		if dst.Mask == nil {
			continue
		}
		mask := dst.Mask[d*n : (d+r.Dx())*n]
		if src.Mask != nil {
			copy(mask, src.Mask[s*n:])
		} else {
			for i := range mask {
				mask[i] = 255
			}
		}
	}
}

// turn fills dst, the window w of a canvas, from src, whose first pixel is at
// and whose pixels the placement maps those of the canvas to.
func turn(dst *raster.Buffer, w image.Rectangle, src *raster.Buffer, at image.Point, p placement) {
	first := p.rect(image.Rectangle{Min: w.Min, Max: w.Min.Add(image.Pt(1, 1))}).Min.Sub(at)
	step := p.yx*src.W + p.xx
	turnPixels(dst.Bytes(), src.Bytes(), dst, src, first, step, p, dst.Type.Size()*dst.Bands)
	if dst.Mask != nil {
		turnPixels(dst.Mask, src.Mask, dst, src, first, step, p, dst.Bands)
	}
}

func turnPixels(to, from []byte, dst, src *raster.Buffer, first image.Point, step int, p placement, size int) {
	for y := range dst.H {
		s := (first.Y+p.yy*y)*src.W + first.X + p.xy*y
		d := y * dst.W
		switch size {
		case 1, 2, 4, 8:
			strided(to, from, d, s, 1, step, dst.W, size)
		default:
			for range dst.W {
				copy(to[d*size:(d+1)*size], from[s*size:])
				d, s = d+1, s+step
			}
		}
	}
}

// scatter copies the bands of src, side by side, to given bands of the pixels r
// of dst.
func scatter(dst *raster.Buffer, r image.Rectangle, src *raster.Buffer, bands []int) {
	size := dst.Type.Size()
	to, from := dst.Bytes(), src.Bytes()
	for y := range r.Dy() {
		for i, b := range bands {
			d := ((y+r.Min.Y)*dst.W+r.Min.X)*dst.Bands + b
			s := y*src.W*src.Bands + i
			strided(to, from, d, s, dst.Bands, src.Bands, r.Dx(), size)
			if dst.Mask != nil {
				strided(dst.Mask, src.Mask, d, s, dst.Bands, src.Bands, r.Dx(), 1)
			}
		}
	}
}
