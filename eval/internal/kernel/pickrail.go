package kernel

import "github.com/rewarp/rewarp/ast/raster"

// railPick copies n pixels of size bytes, a multiple of railLanes, along the
// rail that r points to, from the samples of 2**shift bytes at pix. What lies
// ahead bytes further is needed soon. floats is −1 if samples are float32, else
// 0. It returns whether all pixels are clear, and such samples finite; pixels
// that are not clear are not copied.
type railPick func(dst, pix *byte, r, u, v *int32, shift, size, ahead, floats, n int) bool

// alongRail computes n pixels of a block, a multiple of railLanes, in fixed
// point. It leaves them to offsets and pick, and returns false, if that is too
// coarse for one of them or one is not finite.
func (p *picker[T]) alongRail(y, x, n int) bool {
	in := x & (chunk - 1)
	r := &p.scratch.rail
	if !p.grid.rail(r, x-in) {
		return false
	}
	samples, at := n*p.bands, p.index(x, y)
	row, pick := rowFor(p.rowWriter, p.scratch, p.out, at, samples), p.rails
	if p.stream && p.past != nil && atLine(&p.out[at]) {
		row, pick = p.out[at:][:samples], p.past
	}
	if !pickAlong(pick, row, p.pix, r, p.grid.steps.u[in:][:n], p.grid.steps.v[in:][:n], p.bands, p.ahead) {
		return false
	}
	if p.dst.Type == raster.Float64 && !p.finite(row) {
		return false
	}
	keepRow(p.rowWriter, p.out, at, row)
	return true
}
