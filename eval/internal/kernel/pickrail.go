package kernel

import (
	"image"
	"math"

	"github.com/rewarp/rewarp/ast/raster"
)

// railPick copies n pixels of size bytes, a multiple of railLanes, along the
// rail that r points to, from the samples of 2**shift bytes at pix. What lies
// ahead bytes further is needed soon. floats is −1 if samples are float32, else
// 0. It returns whether all pixels are clear, and such samples finite; pixels
// that are not clear are not copied.
type railPick func(dst, pix *byte, r, u, v *int32, shift, size, ahead, floats, n int) bool

// railLanes is how many pixels a railPick copies at a time.
const railLanes = 16

// blockRows is how many rows of a block of chunk columns are computed before
// the block beside it, so that the lines of the source that one row read are
// still in the cache for the next.
const blockRows = 64

// blocks computes a rectangle block by block, one column of blocks after the
// other. row computes what does not hold throughout.
func (p *picker[T]) blocks(set Set, rect image.Rectangle, row func(y, a, b int) int) (invalid int) {
	for x := rect.Min.X; x < rect.Max.X; {
		right := min((x|(chunk-1))+1, rect.Max.X)
		for y := rect.Min.Y; y < rect.Max.Y; y += blockRows {
			b := image.Rect(x, y, right, min(y+blockRows, rect.Max.Y))
			if !p.holds(b) {
				invalid += p.rowsOf(b, row)
				continue
			}
			for y := b.Min.Y; y < b.Max.Y; y++ {
				p.grid.row(y)
				invalid += p.run(set, y, b.Min.X, b.Max.X)
			}
		}
		x = right
	}
	return invalid
}

// holds reports whether all pixels of a block have a source pixel in the
// window, and not in its last row. As positions never turn back along a row or
// a column, the corners tell.
func (p *picker[T]) holds(rect image.Rectangle) bool {
	if p.job.Domain != nil {
		return false
	}
	for _, y := range [2]int{rect.Min.Y, rect.Max.Y - 1} {
		p.grid.row(y)
		if _, _, c, d := p.inner(rect.Min.X, rect.Max.X, 1, 1); c != rect.Min.X || d != rect.Max.X {
			return false
		}
	}
	return true
}

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
	direct := p.stream && p.past != nil && atLine(&p.out[at])
	if direct {
		row, pick = p.out[at:][:samples], p.past
	}
	if !pickAlong(pick, row, p.pix, r, p.grid.steps.u[in:][:n], p.grid.steps.v[in:][:n], p.bands, p.ahead) {
		return false
	}
	if p.dst.Type == raster.Float64 && !p.finite(row) {
		return false
	}
	if direct {
		p.setValid(at, samples)
	} else {
		keepRow(p.rowWriter, p.out, at, row)
	}
	return true
}

// railWords reports whether a column and a row of so many samples are words
// that rails multiply by.
func railWords(bands, stride int) bool { return max(bands, stride) <= math.MaxInt16 }
