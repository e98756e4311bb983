package kernel

import (
	"image"
	"math"

	"github.com/rewarp/rewarp/ast/raster"
)

// rowWriter converts rows of values to the type of a job's output.
type rowWriter struct {
	dst    *raster.Buffer
	origin image.Point
	band   int
	width  int // bands that are written
	fill   []float64
	blank  []float64 // one pixel, all invalid
	stream bool      // rows go past the caches
}

// reset makes w ready for a job.
func (w *rowWriter) reset(j *Job) {
	*w = rowWriter{dst: j.Dst, origin: j.DstOrigin, band: j.DstBand, width: j.Src.Bands, fill: j.Fill, blank: grow(w.blank, j.Src.Bands)}
	invalidate(w.blank)
}

// release lets go of the job's output.
func (w *rowWriter) release() { w.dst, w.fill = nil, nil }

// index is that of the first sample of the canvas pixel (x, y) in the output.
func (w *rowWriter) index(x, y int) int {
	return ((y-w.origin.Y)*w.dst.W+x-w.origin.X)*w.dst.Bands + w.band
}

// write stores values, NaN where invalid, from the canvas pixel p on.
func (w *rowWriter) write(p image.Point, v []float64) (invalid int) {
	if len(v) == 0 {
		return 0
	}
	at := w.index(p.X, p.Y)
	switch w.dst.Type {
	case raster.Uint8:
		return storeInts(w, raster.Samples[uint8](w.dst), at, v)
	case raster.Int8:
		return storeInts(w, raster.Samples[int8](w.dst), at, v)
	case raster.Uint16:
		return storeInts(w, raster.Samples[uint16](w.dst), at, v)
	case raster.Int16:
		return storeInts(w, raster.Samples[int16](w.dst), at, v)
	case raster.Uint32:
		return storeInts(w, raster.Samples[uint32](w.dst), at, v)
	case raster.Int32:
		return storeInts(w, raster.Samples[int32](w.dst), at, v)
	case raster.Float32:
		return storeFloats(w, raster.Samples[float32](w.dst), at, v)
	default:
		return storeFloats(w, raster.Samples[float64](w.dst), at, v)
	}
}

func storeFloats[T float32 | float64](w *rowWriter, dst []T, at int, v []float64) (invalid int) {
	nan := T(math.NaN())
	for i := 0; i < len(v); at += w.dst.Bands {
		for b := range w.width {
			x := v[i]
			i++
			if x != x {
				dst[at+b] = nan
				invalid++
			} else {
				dst[at+b] = T(x)
			}
		}
	}
	return invalid
}

func storeInts[T uint8 | int8 | uint16 | int16 | uint32 | int32](w *rowWriter, dst []T, at int, v []float64) (invalid int) {
	lo, hi := raster.TypeOf[T]().Range()
	mask := w.dst.Mask
	for i := 0; i < len(v); at += w.dst.Bands {
		for b := range w.width {
			x := v[i]
			i++
			ok := byte(255)
			if x != x {
				invalid++
				x, ok = 0, 0
				if w.fill != nil {
					x = w.fill[b]
				}
			}
			dst[at+b] = T(roundHalf(x, lo, hi))
			if mask != nil {
				mask[at+b] = ok
			}
		}
	}
	return invalid
}

// roundHalf is raster.DataType.Round for the integer type from lo to hi and a
// value that is not NaN.
func roundHalf(v, lo, hi float64) float64 {
	const half = 0.5 + 1e-6
	if v < 0 {
		return max(math.Ceil(v-half), lo)
	}
	return min(math.Floor(v+half), hi)
}

// invalid marks the canvas pixels [x0, x1) of row y.
func (w *rowWriter) invalid(x0, x1, y int) int {
	if x0 >= x1 {
		return 0
	}
	n := x1 - x0
	// One pixel, then copied, or doubled.
	w.write(image.Pt(x0, y), w.blank)
	size := w.width * w.dst.Type.Size()
	at := w.index(x0, y)
	if !w.contiguous() {
		step := w.dst.Bands * w.dst.Type.Size()
		replicate(w.dst.Bytes()[at*w.dst.Type.Size():], step, size, n)
		if w.dst.Mask != nil {
			replicate(w.dst.Mask[at:], w.dst.Bands, w.width, n)
		}
		return n * w.width
	}
	row := w.dst.Bytes()[at*w.dst.Type.Size():][:n*size]
	for i := size; i < len(row); i *= 2 {
		copy(row[i:], row[:i])
	}
	if w.dst.Mask != nil {
		clear(w.dst.Mask[at:][:n*w.width])
	}
	return n * w.width
}
