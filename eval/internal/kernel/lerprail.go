package kernel

import "github.com/rewarp/rewarp/ast/raster"

// lerpRail interpolates n pixels, a multiple of railLanes, between the samples
// at pix, in rows of stride bytes, along the rail that r points to. What lies
// ahead bytes further is needed soon. It returns whether all pixels are clear;
// those that are not are not computed.
type lerpRail func(dst, pix *byte, stride, bands int, r, u, v *int32, ahead, n int) bool

// lerpRails are the kernels of a kind of pixel.
type lerpRails struct {
	plain lerpRail // nil if there is none
	past  lerpRail // past the caches, to whole lines; it may be nil
}

// lerpAlong computes n pixels whose taps are all in the window, a multiple of
// railLanes, in fixed point. It leaves them to positions and bilinear, and
// returns false, where those do not use it.
func (r *runner[T]) lerpAlong(along lerpRails, a ahead, y, x, n int) bool {
	in := x & (chunk - 1)
	l, s := &r.scratch.rail, r.grid.steps
	if !r.grid.rail(l, x-in) || l.bits < fineBits || n < chunk && !clearOf(AVX512, l, s.u[:], s.v[:]) {
		return false
	}
	samples, at, dst := n*r.bands, r.index(x, y), raster.Samples[T](r.dst)
	row, lerp := rowFor(r.rowWriter, r.scratch, dst, at, samples), along.plain
	if r.stream && along.past != nil && atLine(&dst[at]) {
		row, lerp = dst[at:][:samples], along.past
	}
	if !interpolateAlong(lerp, row, r.pix, r.stride, r.bands, l, s.u[in:][:n], s.v[in:][:n], a) {
		return false
	}
	keepRow(r.rowWriter, dst, at, row)
	return true
}
