package kernel

import (
	"math"

	"github.com/rewarp/rewarp/ast"
)

// runSeparable computes an axis-aligned scale in two passes, whose weights are
// computed once for each column and row. ok is false if the kernel is too wide
// for it.
func runSeparable[T narrow](j *Job, scratch *Scratch) (invalid int, ok bool) {
	r := newRunner[T](j, scratch)
	px, py := newProfile(r.interp, r.fx), newProfile(r.interp, r.fy)
	if px.n > 4096 || py.n > 4096 {
		return 0, false
	}
	r.grid.row(j.Rect.Min.Y)
	u, _ := r.grid.tracks(0, 0)
	v := track{r.inv[4], 0, r.inv[5], 0}
	// Up means that the source has no more rows than the output.
	up := math.Abs(r.inv[4]) <= 1
	number := j.Sampling.Border.Value
	border := j.Sampling.Border.Mode
	inner := border == ast.ValueBorder && !(math.Abs(number) <= math.MaxFloat32 && r.numbersValid()) ||
		border != ast.NoDataBorder && (r.mask != nil || r.nodata != nil || !up)
	cols := scratch.plans.axis(&px, &r.ax, u, j.Rect.Min.X, j.Rect.Max.X, inner)
	rows := scratch.plans.axis(&py, &r.ay, v, j.Rect.Min.Y, j.Rect.Max.Y, inner)
	if cols.a >= cols.b || rows.a >= rows.b {
		return 0, false
	}
	r.guard = guardAround(r.sampler, scratch, px.n, py.n, true)
	shrinks := (inner || border == ast.NoDataBorder) && r.canShrink(&px, &py) && r.fits(cols)
	if up || shrinks {
		s := stretcher[T]{runner: r, cols: cols, rows: rows, shrinks: shrinks}
		return s.run(), true
	}
	return reduce(r, cols, rows), true
}

// numbersValid reports whether the border's number is valid in every band.
func (s *sampler[T]) numbersValid() bool {
	for _, v := range s.number {
		if v != v {
			return false
		}
	}
	return true
}

// reduce sums the rows of the source with an output row's weights, sample by
// sample, and then the result along the row.
func reduce[T narrow](r *runner[T], cols, rows *axisPlan) (invalid int) {
	sc := r.scratch
	lo, hi := cols.reach(cols.a, cols.b)
	x0, x1 := max(lo, 0), min(hi, r.ax.size)
	n := cols.b - cols.a
	// Offsets and weights of all columns, chunk by chunk.
	sc.wx = grow(sc.wx, (n+chunk-1)/chunk*cols.n*chunk)
	sc.index = grow(sc.index, n)
	for i, first := range cols.first {
		sc.index[i] = int32((first - lo) * r.bands)
		w := sc.wx[i/chunk*cols.n*chunk+i%chunk:]
		for k, v := range cols.weights(cols.a + i) {
			w[k*chunk] = v
		}
	}
	sc.column = grow(sc.column, (hi-lo)*r.bands+16)
	clear(sc.column)
	sum := sc.column[(x0-lo)*r.bands:][:(x1-x0)*r.bands]
	sc.fixed = grow(sc.fixed, fixedTaps)
	bytes, _ := any(r.pix).([]uint8)
	return r.rows(func(y, a, b int) (invalid int) {
		a1, b1 := max(a, cols.a), min(b, cols.b)
		if a1 >= b1 || y < rows.a || y >= rows.b {
			return r.each(y, a, b)
		}
		invalid = r.each(y, a, a1) + r.each(y, b1, b)
		share := rows.share[y-rows.a]
		if share == 0 {
			return invalid + r.each(y, a1, b1)
		}
		top, wy := rows.first[y-rows.a], rows.weights(y)
		k0, k1 := max(0, -top), min(len(wy), r.ay.size-top)
		at := (top+k0-r.ay.w0)*r.stride + (x0-r.ax.w0)*r.bands
		if w, ok := fixedWeights(sc.fixed[:0], wy[k0:k1]); ok && bytes != nil {
			fixed(sc.set, sum, bytes, at, r.stride, w)
		} else {
			columns(sc.set, sum, r.pix[at:], r.stride, wy[k0:k1])
		}
		return invalid + r.spans(cols, y, a1, b1, share, func(a, b int) (invalid int) {
			for x := a; x < b; {
				i := x - cols.a
				m := min(chunk-i%chunk, b-x)
				t := r.target(y, x, m)
				fold(sc.set, t, sc.column, r.bands, sc.index[i:i+m], sc.wx[i/chunk*cols.n*chunk+i%chunk:], cols.n)
				invalid += r.finishTaps(cols, rows, y, x, t, top)
				x += m
			}
			return invalid
		})
	})
}
