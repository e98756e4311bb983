package kernel

import (
	"math"

	"github.com/rewarp/rewarp/ast"
)

// runProjective computes a projective warp. Pixels where the kernel is not
// stretched and all of whose taps exist come from the kernels of an affine
// warp, in runs; the others are the sampler's.
func runProjective[T narrow](j *Job, scratch *Scratch) (invalid int, ok bool) {
	r := newRunner[T](j, scratch)
	nearest := r.interp == ast.Nearest
	px := newProfile(r.interp, 1)
	if nearest {
		px.n, px.shift = 1, -edgeTolerance
	}
	n := px.n
	g := &r.grid
	g.sx, g.sy = px.shift, px.shift
	g.x0, g.x1 = float64(max(0, r.ax.w0)), float64(min(r.ax.size, r.ax.w1)-n)
	g.y0, g.y1 = float64(max(0, r.ay.w0)), float64(min(r.ay.size, r.ay.w1)-n)
	if g.limit = math.Inf(1); j.Sampling.Normalize().Antialias {
		g.limit = 1 + 2*snap
	}
	if r.interp != ast.Linear || !maskNoData(r) {
		r.guard = guardMap(r.sampler, scratch, n, n)
	}
	scratch.ok = grow(scratch.ok, chunk)
	if r.interp != ast.Linear && !nearest {
		scratch.tmp = grow(scratch.tmp, 4*maxBlock+20)
		scratch.wx, scratch.wy = grow(scratch.wx, n*chunk), grow(scratch.wy, n*chunk)
	}
	// Runs whose ends leave out the window's last rows do so throughout, as a
	// row of the canvas maps to a line, up to rounding.
	safe := int32((r.ay.w1 - r.ay.w0 - n - 1) * r.stride)
	run := func(y, x int, off []int32, fx, fy []float32) int {
		set := scratch.set
		if last := len(off) - 1; off[0] >= safe || off[last] >= safe || r.stride*j.Src.Type.Size() < minRow {
			set = Portable
		}
		if r.interp == ast.Linear {
			return bilinear(r, set, y, x, off, fx, fy)
		}
		v := r.target(y, x, len(off))
		switch {
		case nearest:
			convert(set, scratch, v, r.pix, r.bands, off)
		default:
			px.weights(scratch.set, scratch.wx, fx)
			px.weights(scratch.set, scratch.wy, fy)
			taps(set, scratch.tmp, v, r.pix, r.stride, r.bands, off, scratch.wx, scratch.wy, n, n)
		}
		return r.finish(y, x, v, off)
	}
	r.startStream(scratch.set)
	defer r.endStream(scratch.set)
	return r.rows(func(y, a, b int) (invalid int) {
		a0, b0 := a, b
		a, b = r.reach(a, b)
		invalid = r.invalid(a0, a, y) + r.invalid(b, b0, y)
		for m := 0; a < b; a += m {
			x := a
			m = min(chunk-x&(chunk-1), b-x)
			off, fx, fy, ok := scratch.off[:m], scratch.fx[:m], scratch.fy[:m], scratch.ok[:m]
			if g.inner(x, m) {
				projectInner(scratch.set, g, x, off, fx, fy)
				fetch(aheadAt(g, r.bands*j.Src.Type.Size(), x, y, m), scratch.set, r.pix, off)
				invalid += run(y, x, off, fx, fy)
				continue
			}
			project(scratch.set, g, x, off, fx, fy, ok)
			for i := 0; i < m; {
				k := i
				for k < m && ok[k] == ok[i] {
					k++
				}
				if ok[i] != 0 {
					invalid += run(y, x+i, off[i:k], fx[i:k], fy[i:k])
				} else {
					invalid += r.each(y, x+i, x+k)
				}
				i = k
			}
		}
		return invalid
	}), true
}

// reach narrows a run of a projective row, leaving out pixels that are clear
// of the source: those it leaves out are invalid, those it keeps may be.
func (r *runner[T]) reach(a, b int) (int, int) {
	if !r.nodata0 {
		return a, b
	}
	const slack = 1e-3 // pixels, far more than rounding
	m, g := &r.inv, &r.grid
	row := [2]float64{g.by, g.ey}
	for k, size := range [2]int{r.ax.size, r.ay.size} {
		// u + slack ≥ 0 and size + slack − u ≥ 0, with u = num/den, as linear
		// forms in x.
		p, q := m[3*k], row[k]+m[3*k+2]
		e := float64(size) + slack
		a, b = half(p+slack*m[6], q+slack*(g.hy+m[8]), a, b)
		a, b = half(e*m[6]-p, e*(g.hy+m[8])-q, a, b)
	}
	return half(m[6], g.hy+m[8], a, b)
}

// half narrows [a, b) to the pixels where p·(x+½) + q ≥ 0, and one or two
// more.
func half(p, q float64, a, b int) (int, int) {
	if a >= b {
		return a, a
	}
	x := -q/p - 0.5
	switch {
	case p == 0 || x != x:
		if q < 0 {
			return a, a
		}
	case p > 0 && x > float64(b)+1:
		return b, b
	case p > 0 && x > float64(a)+1:
		a = int(math.Floor(x)) - 1
	case p < 0 && x < float64(a)-1:
		return a, a
	case p < 0 && x < float64(b)-1:
		b = min(b, int(math.Floor(max(x, float64(a))))+2)
	}
	return a, b
}
