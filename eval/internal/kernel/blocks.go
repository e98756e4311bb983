package kernel

import (
	"image"
	"math"
)

// railLanes is how many pixels the kernels along rails compute at a time.
const railLanes = 16

// blockRows is how many rows of a block of chunk columns are computed before
// the block beside it, so that the lines of the source that one row read are
// still in the cache for the next.
const blockRows = 64

// blocks computes the job's rectangle block by block, one column of blocks
// after the other: by whole where a block holds its pixels with taps×taps each,
// else by row.
func (r *runner[T]) blocks(taps int, whole, row func(y, a, b int) int) (invalid int) {
	rect := r.job.Rect
	for x := rect.Min.X; x < rect.Max.X; {
		right := min((x|(chunk-1))+1, rect.Max.X)
		for y := rect.Min.Y; y < rect.Max.Y; y += blockRows {
			b := image.Rect(x, y, right, min(y+blockRows, rect.Max.Y))
			if !r.holds(b, taps) {
				invalid += r.rowsOf(b, row)
				continue
			}
			for y := b.Min.Y; y < b.Max.Y; y++ {
				r.grid.row(y)
				invalid += whole(y, b.Min.X, b.Max.X)
			}
		}
		x = right
	}
	return invalid
}

// holds reports whether all pixels of a block have their taps in the window,
// and none in its last row. As positions never turn back along a row or a
// column, the corners tell.
func (r *runner[T]) holds(rect image.Rectangle, taps int) bool {
	if r.job.Domain != nil {
		return false
	}
	for _, y := range [2]int{rect.Min.Y, rect.Max.Y - 1} {
		r.grid.row(y)
		if _, _, c, d := r.inner(rect.Min.X, rect.Max.X, taps, taps); c != rect.Min.X || d != rect.Max.X {
			return false
		}
	}
	return true
}

// railWords reports whether a column and a row of so many samples are words
// that rails multiply by.
func railWords(bands, stride int) bool { return max(bands, stride) <= math.MaxInt16 }
