package eval

import (
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// row is a linear form over canvas points.
type row [3]float64

func (r row) at(x, y float64) float64 { return r[0]*x + r[1]*y + r[2] }

// hull is a convex polygon in place, so that finding a window allocates
// nothing.
type hull struct {
	n int
	v [maxHull][2]float64
}

const maxHull = 24

// clip keeps what is not negative in r. A hull that is full stays larger than
// it must.
func (h *hull) clip(r row) {
	var d [maxHull]float64
	out := 0
	for i := range h.n {
		d[i] = r.at(h.v[i][0], h.v[i][1])
		if !(d[i] >= 0) {
			out++
		}
	}
	switch {
	case out == 0:
		return
	case out == h.n:
		h.n = 0
		return
	case h.n+2 > maxHull:
		return
	}
	old := *h
	h.n = 0
	for i := range old.n {
		k := i + 1
		if k == old.n {
			k = 0
		}
		a, b := old.v[i], old.v[k]
		if d[i] >= 0 {
			h.v[h.n] = a
			h.n++
		}
		if d[i] >= 0 != (d[k] >= 0) {
			t := d[i] / (d[i] - d[k])
			h.v[h.n] = [2]float64{a[0] + t*(b[0]-a[0]), a[1] + t*(b[1]-a[1])}
			h.n++
		}
	}
}

// loose is how far, in pixels of the canvas that an edge belongs to, windows
// reach beyond the edge: more than its tolerance.
const loose = 4 * geom.EdgeTolerance

// prepare computes what need uses.
func (p *part) prepare() {
	if exact, ok := p.inv.Copy(); ok {
		p.inv = exact // as the kernels do
	}
	p.affine = p.inv.IsAffine()
	p.whole = p.inv == geom.Identity && p.sampling.Border.Mode == ast.NoDataBorder
	den := row{p.inv[6], p.inv[7], p.inv[8]}
	for i := range p.domain.Len() {
		h := p.domain.At(i)
		d := row(h.Den)
		if d == (row{}) {
			d = row{0, 0, 1}
		} else {
			p.guard = append(p.guard, d)
		}
		p.guard = append(p.guard, sum(row(h.Row), d, loose))
	}
	if !p.affine {
		p.guard = append(p.guard, den)
	} else {
		p.reach[0], p.reach[1] = p.sampling.Support(p.inv.Jacobian(0, 0))
		if _, ok := p.inv.Copy(); ok {
			p.reach = [2]float64{0.5, 0.5}
		}
	}
	if p.sampling.Border.Mode == ast.NoDataBorder && !p.whole {
		// Positions have to lie in the grid.
		e := p.grid.extent()
		u := row{p.inv[0], p.inv[1], p.inv[2]}
		v := row{p.inv[3], p.inv[4], p.inv[5]}
		p.guard = append(p.guard,
			sum(u, den, loose-float64(e.Min.X)), sum(neg(u), den, loose+float64(e.Max.X)),
			sum(v, den, loose-float64(e.Min.Y)), sum(neg(v), den, loose+float64(e.Max.Y)))
	}
}

func sum(a, b row, k float64) row { return row{a[0] + k*b[0], a[1] + k*b[1], a[2] + k*b[2]} }

func neg(a row) row { return row{-a[0], -a[1], -a[2]} }

// need is the window of the grid that the pixels r of the part's canvas read.
// ok is false where none of them is valid. The window may be empty though,
// where a number border supplies all samples.
func (p *part) need(r image.Rectangle) (w image.Rectangle, ok bool) {
	if p.whole && p.domain == nil {
		w = r.Intersect(p.grid.extent())
		return w, !w.Empty()
	}
	x0, y0 := float64(r.Min.X)+0.5, float64(r.Min.Y)+0.5
	x1, y1 := float64(r.Max.X)-0.5, float64(r.Max.Y)-0.5
	h := hull{n: 4}
	h.v[0], h.v[1], h.v[2], h.v[3] = [2]float64{x0, y0}, [2]float64{x1, y0}, [2]float64{x1, y1}, [2]float64{x0, y1}
	for _, g := range p.guard {
		if h.clip(g); h.n == 0 {
			return image.Rectangle{}, false
		}
	}
	lo := [2]float64{math.Inf(1), math.Inf(1)}
	hi := [2]float64{math.Inf(-1), math.Inf(-1)}
	reach := p.reach
	least := math.Inf(1)
	var grad [2]float64
	for _, c := range h.v[:h.n] {
		u := p.inv[0]*c[0] + p.inv[1]*c[1] + p.inv[2]
		v := p.inv[3]*c[0] + p.inv[4]*c[1] + p.inv[5]
		if !p.affine {
			// J = N/w² with N affine in the point: its bound is the largest N
			// over the least w².
			d := p.inv.Denominator(c[0], c[1])
			least = min(least, d)
			for i, q := range [2]float64{u, v} {
				r := p.inv[3*i : 3*i+3]
				grad[i] = max(grad[i], math.Hypot(r[0]*d-q*p.inv[6], r[1]*d-q*p.inv[7]))
			}
			u, v = u/d, v/d
		}
		lo[0], lo[1] = min(lo[0], u), min(lo[1], v)
		hi[0], hi[1] = max(hi[0], u), max(hi[1], v)
	}
	if !p.affine {
		if !(least > 1e-12) {
			lo, hi = [2]float64{-farAway, -farAway}, [2]float64{farAway, farAway}
			least = 1e-12
		}
		k := 1 / (least * least)
		reach[0], reach[1] = p.sampling.Support([4]float64{grad[0] * k, 0, grad[1] * k, 0})
	}
	e, border := p.grid.extent(), p.sampling.Border.Mode
	w.Min.X, w.Max.X = axisNeed(lo[0], hi[0], reach[0], border, p.canvas.W, e.Min.X, e.Max.X)
	w.Min.Y, w.Max.Y = axisNeed(lo[1], hi[1], reach[1], border, p.canvas.H, e.Min.Y, e.Max.Y)
	if w.Min.X >= w.Max.X || w.Min.Y >= w.Max.Y {
		return image.Rectangle{}, border == ast.ValueBorder
	}
	return w, true
}

const farAway = 1 << 40

// axisNeed is the range of samples, within [e0, e1), that positions from lo to
// hi read of an axis of n pixels.
func axisNeed(lo, hi, reach float64, border ast.BorderMode, n, e0, e1 int) (a, b int) {
	// One pixel more than the taps that weigh: a kernel takes a fixed number of
	// taps, and computes a pixel whose outermost one, of no weight, is not in the
	// window by another path, whose rounding is another.
	const slack = loose + 1
	lo = min(max(lo-reach-0.5-slack, -farAway), farAway)
	hi = min(max(hi+reach-0.5+slack, -farAway), farAway)
	a, b = int(math.Ceil(lo)), int(math.Floor(hi))+1
	if a >= 0 && b <= n {
		return max(a, e0), min(b, e1)
	}
	switch border {
	case ast.ClampBorder:
		a = min(max(a, 0), n-1)
		b = min(max(b, 1), n)
	case ast.ReflectBorder:
		switch {
		case a < -n || b > 2*n || a < 0 && b > n:
			a, b = 0, n
		case a < 0:
			a, b = 0, max(b, -a)
		default:
			a, b = min(a, 2*n-b), n
		}
	case ast.WrapBorder:
		k := floorDiv(a, n)
		if a, b = a-k*n, b-k*n; b > n {
			a, b = 0, n
		}
	}
	return max(a, e0), min(b, e1)
}

func floorDiv(a, n int) int {
	q := a / n
	if a%n < 0 {
		q--
	}
	return q
}
