package geom

import "math"

// Reduce returns the domain of the given half-planes on a canvas without the
// redundant ones: those that the canvas, the others, or the implied
// half-planes (edges that are tested anyway) already decide. It is nil when
// none is left. Where nothing of the canvas is left, every half-plane that the
// canvas does not imply stays.
func Reduce(canvas Size, planes, implied []HalfPlane) *Domain {
	whole := newRegion(canvas)
	var kept []HalfPlane
	for _, h := range planes {
		if !whole.implies(&h) {
			kept = append(kept, h)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	base := whole
	for i := range implied {
		base.clip(&implied[i])
	}
	for i := len(kept) - 1; i >= 0; i-- {
		r := base
		for k := range kept {
			if k != i {
				r.clip(&kept[k])
			}
		}
		if r.n > 0 && r.implies(&kept[i]) {
			kept = append(kept[:i], kept[i+1:]...)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return &Domain{kept}
}

// region is a convex polygon that knows which of its edges belong to it.
type region struct {
	n int
	v [maxVertices]vertex
}

type vertex struct {
	x, y float64
	open bool // the edge from this vertex to the next does not belong to the region
}

// maxVertices is enough for a canvas cut by forty half-planes; a region with
// more keeps its older, larger shape, which only keeps a plane too many.
const maxVertices = 48

func newRegion(s Size) region {
	w, h := float64(s.W), float64(s.H)
	r := region{n: 4}
	r.v[0] = vertex{0, 0, false}
	r.v[1] = vertex{w, 0, true}
	r.v[2] = vertex{w, h, true}
	r.v[3] = vertex{0, h, false}
	return r
}

func (r *region) clip(h *HalfPlane) {
	r.cut(h.Row, !h.Closed)
	if h.Den != ([3]float64{}) && h.Den != h.Row {
		r.cut(h.Den, true)
	}
}

// cut keeps the part where the linear form is not negative.
func (r *region) cut(row [3]float64, open bool) {
	var d [maxVertices]float64
	inside := true
	for i := range r.n {
		d[i] = dot(row, r.v[i].x, r.v[i].y)
		inside = inside && d[i] >= 0
	}
	if inside || r.n+2 > maxVertices {
		return
	}
	old := *r
	r.n = 0
	for i := range old.n {
		k := (i + 1) % old.n
		a, b := old.v[i], old.v[k]
		if d[i] >= 0 {
			r.add(a)
		}
		if d[i] >= 0 != (d[k] >= 0) {
			t := d[i] / (d[i] - d[k])
			c := vertex{a.x + t*(b.x-a.x), a.y + t*(b.y-a.y), a.open}
			if d[i] >= 0 {
				c.open = open // the cut's own edge starts here
			}
			r.add(c)
		}
	}
	if r.n < 3 {
		r.n = 0
	}
}

func (r *region) add(v vertex) {
	r.v[r.n] = v
	r.n++
}

// implies reports whether every point of the region is in h.
func (r *region) implies(h *HalfPlane) bool {
	var near [maxVertices]bool
	for i := range r.n {
		d, ok := h.Distance(r.v[i].x, r.v[i].y)
		if !ok || !(d >= -coincident) {
			return false
		}
		near[i] = d < impliedMargin
	}
	if h.Closed {
		return true
	}
	// h excludes its edge, so where the region touches that edge the region
	// must exclude it too.
	for i := range r.n {
		if !near[i] {
			continue
		}
		prev, next := (i+r.n-1)%r.n, (i+1)%r.n
		if near[next] && !r.v[i].open || !near[next] && !near[prev] && !r.v[i].open && !r.v[prev].open {
			return false
		}
	}
	return true
}

// coincident is how far rounding may move an edge that coincides with another.
const coincident = 1e-9

// Area is the area in square pixels of what a domain leaves of a canvas.
func (d *Domain) Area(canvas Size) float64 {
	return canvas.Polygon().ClipDomain(d).Area()
}

// SameRegion reports whether two domains leave the same part of a canvas:
// no point that is clearly, by more than tol pixels of the canvas that an edge
// belongs to, inside one is outside the other.
func SameRegion(canvas Size, d, e *Domain, tol float64) bool {
	return covers(canvas, d, e, tol) && covers(canvas, e, d, tol)
}

// covers reports whether what d leaves of the canvas lies in e, to tol.
func covers(canvas Size, d, e *Domain, tol float64) bool {
	p := canvas.Polygon().ClipDomain(d)
	if p.Area() == 0 {
		return true
	}
	for i := range e.Len() {
		h := e.At(i)
		for _, v := range p {
			if dist, ok := h.Distance(v[0], v[1]); !(dist >= -tol) && (ok || math.Abs(dist) < math.Inf(1)) {
				return false
			}
		}
	}
	return true
}
