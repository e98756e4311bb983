package kernel

import (
	"math"
	"slices"

	"github.com/rewarp/rewarp/ast/raster"
)

// nodataPad is the distance between the two lists of nodata values that
// lerpValid reads, beyond their length, so that it may read whole vectors.
const nodataPad = 16

// ownPixel is the fraction from which on the right or lower of two taps is the
// pixel that contains the position; fractions closer than ownDoubt to it are
// decided in float64 by the sampler.
const (
	ownPixel = float32(0.5 - edgeTolerance)
	ownDoubt = 5e-7 // more than a fraction is off by, less than edgeTolerance
)

// maskNoData makes the runner use lerpValid, which knows up to two nodata
// values a band, in place of the guard.
func maskNoData[T narrow](r *runner[T]) bool {
	if r.mask != nil || r.nodata == nil && !r.float {
		return false
	}
	s := r.scratch
	n := r.bands
	s.nodata = grow(s.nodata, 2*(n+nodataPad))
	for i := range s.nodata {
		s.nodata[i] = float32(math.NaN()) // equal to nothing
	}
	for b, list := range r.nodata {
		if len(list) > 2 {
			return false
		}
		for k, v := range list {
			s.nodata[k*(n+nodataPad)+b] = float32(v)
		}
	}
	s.own = grow(s.own, chunk)
	r.masked = true
	return true
}

// bilinear computes and stores the pixels of row y from x on from their 2×2
// taps.
func bilinear[T narrow](r *runner[T], set Set, y, x int, off []int32, fx, fy []float32) (invalid int) {
	if pix, ok := r.bytes(); ok {
		return r.bilinear8(set, pix, y, x, off, fx, fy)
	}
	if r.lerpRow(set, y, x, off, fx, fy) {
		return r.guarded(y, x, off)
	}
	v := r.target(y, x, len(off))
	if !r.masked || r.nodata == nil {
		lerp(set, v, r.pix, r.stride, r.bands, off, fx, fy)
		if !r.masked {
			return r.finish(y, x, v, off)
		}
		if finite(r.scratch.set, v) {
			r.finishFinite(y, x, v)
			return 0
		}
	}
	own := r.scratch.own[:len(off)]
	doubt := r.scratch.bad[:0]
	for i, o := range off {
		if fx[i] >= ownPixel {
			o += int32(r.bands)
		}
		if fy[i] >= ownPixel {
			o += int32(r.stride)
		}
		own[i] = o
		if abs32(fx[i]-ownPixel) < ownDoubt || abs32(fy[i]-ownPixel) < ownDoubt {
			doubt = append(doubt, int32(i))
		}
	}
	r.scratch.bad = doubt
	lerpValid(set, v, r.pix, r.stride, r.bands, off, own, fx, fy, r.scratch.nodata)
	return r.finishValid(y, x, v, doubt)
}

// finishValid scales and stores values that are NaN where they are invalid.
// The sampler computes the pixels in doubt, and those that overflowed.
func (r *runner[T]) finishValid(y, x int, v []float32, doubt []int32) (invalid int) {
	whole := finite(r.scratch.set, v)
	if r.mulRow != nil {
		scale(r.scratch.set, v, r.mulRow, r.addRow)
	}
	r.store(y, x, v)
	bands := r.bands
	if !whole && r.dst.Type.IsFloat() {
		// NaN is stored as it is, so that only a number that overflowed matters.
		if nans, all := unusable(r.scratch.set, v); nans == all {
			invalid, whole = nans, true
		}
	}
	for k := 0; !whole && k*bands < len(v); k++ {
		if finiteGo(v[k*bands:][:bands]) {
			continue
		}
		at := r.index(x+k, y)
		for b, w := range v[k*bands:][:bands] {
			switch {
			case w != w:
				invalid++
				r.blankSample(at+b, b)
			case w-w != 0 && !slices.Contains(doubt, int32(k)):
				doubt = append(doubt, int32(k))
			}
		}
	}
	for _, k := range doubt {
		for _, w := range v[int(k)*bands:][:bands] {
			if w != w {
				invalid-- // counted again by the sampler
			}
		}
		invalid += r.each(y, x+int(k), x+int(k)+1)
	}
	return invalid
}

// blankSample makes one sample of an integer output invalid; a float one is
// NaN already.
func (w *rowWriter) blankSample(at, band int) {
	if w.dst.Type.IsFloat() {
		return
	}
	fill := 0.0
	if w.fill != nil {
		fill = w.dst.Type.Round(w.fill[band])
	}
	switch w.dst.Type {
	case raster.Uint8:
		raster.Samples[uint8](w.dst)[at] = uint8(fill)
	case raster.Int8:
		raster.Samples[int8](w.dst)[at] = int8(fill)
	case raster.Uint16:
		raster.Samples[uint16](w.dst)[at] = uint16(fill)
	case raster.Int16:
		raster.Samples[int16](w.dst)[at] = int16(fill)
	}
	if w.dst.Mask != nil {
		w.dst.Mask[at] = 0
	}
}
