package geom

import "math"

// maxVertices bounds the vertices of a Region: a canvas cut by twenty
// half-planes.
const maxVertices = 24

// Region is a convex polygon cut out of a canvas that knows which of its edges
// belong to it. It is a plain value that needs no allocation.
type Region struct {
	n   int
	cur int // which of the two vertex lists is in use
	v   [2][maxVertices]vertex
}

type vertex struct {
	x, y float64
	edge int32 // what cut the edge from this vertex to the next: the number given to cut, or uncut
	open bool  // that edge does not belong to the region
}

// uncut marks an edge of the canvas, and of a region whose cuts nobody asks
// for.
const uncut = -1

// Reset makes the region the whole canvas.
func (r *Region) Reset(s Size) {
	w, h := float64(s.W), float64(s.H)
	r.n, r.cur = 4, 0
	r.v[0][0] = vertex{0, 0, uncut, false}
	r.v[0][1] = vertex{w, 0, uncut, true}
	r.v[0][2] = vertex{w, h, uncut, true}
	r.v[0][3] = vertex{0, h, uncut, false}
}

// Len is the number of vertices, 0 when nothing is left.
func (r *Region) Len() int { return r.n }

// Vertex is the i-th vertex, in order around the region.
func (r *Region) Vertex(i int) (x, y float64) {
	v := &r.v[r.cur][i]
	return v.x, v.y
}

// Clip cuts the region by the exact edge of h. A region of maxVertices keeps
// its shape, which is then too large.
func (r *Region) Clip(h *HalfPlane) { r.clip(h, uncut) }

// clip is Clip with a number for the edge.
func (r *Region) clip(h *HalfPlane, edge int) {
	r.cut(&h.Row, edge, !h.Closed)
	if h.projective() && h.Den != h.Row {
		r.cut(&h.Den, edge, true)
	}
}

// cut keeps the part where the linear form is not negative: one step of
// Sutherland and Hodgman, "Reentrant Polygon Clipping" (1974).
func (r *Region) cut(row *[3]float64, edge int, open bool) {
	var d [maxVertices]float64
	old := &r.v[r.cur]
	inside := true
	for i := range old[:r.n] {
		d[i] = row[0]*old[i].x + row[1]*old[i].y + row[2]
		inside = inside && d[i] >= 0
	}
	if inside || r.n+2 > maxVertices {
		return
	}
	next := &r.v[1-r.cur]
	n := 0
	for i := range r.n {
		k := i + 1
		if k == r.n {
			k = 0
		}
		a := &old[i]
		if d[i] >= 0 {
			next[n] = *a
			n++
		}
		if d[i] >= 0 != (d[k] >= 0) {
			b := &old[k]
			t := d[i] / (d[i] - d[k])
			c := &next[n]
			c.x, c.y, c.edge, c.open = a.x+t*(b.x-a.x), a.y+t*(b.y-a.y), a.edge, a.open
			if d[i] >= 0 { // the cut's own edge starts here
				c.edge, c.open = int32(edge), open
			}
			n++
		}
	}
	if n < 3 {
		n = 0
	}
	r.n, r.cur = n, 1-r.cur
}

// Bounds is the smallest box that holds the region mapped by t, whose
// denominator is positive on it.
func (r *Region) Bounds(t *Transform) (x0, y0, x1, y1 float64) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	v := &r.v[r.cur]
	affine := t.IsAffine()
	for i := range v[:r.n] {
		p := &v[i]
		x, y := t[0]*p.x+t[1]*p.y+t[2], t[3]*p.x+t[4]*p.y+t[5]
		if !affine {
			w := t.Denominator(p.x, p.y)
			x, y = x/w, y/w
		}
		x0, y0 = min(x0, x), min(y0, y)
		x1, y1 = max(x1, x), max(y1, y)
	}
	return
}

// implies reports whether every point of the region is in h.
func (r *Region) implies(h *HalfPlane) bool {
	var near [maxVertices]bool
	touches := false
	v := &r.v[r.cur]
	for i := range v[:r.n] {
		d, ok := h.distance(v[i].x, v[i].y)
		if !ok || !(d >= -coincident) {
			return false
		}
		near[i] = d < impliedMargin
		touches = touches || near[i]
	}
	if h.Closed || !touches {
		return true
	}
	// h excludes its edge, so where the region touches that edge the region
	// must exclude it too.
	for i := range r.n {
		if !near[i] {
			continue
		}
		prev, next := (i+r.n-1)%r.n, (i+1)%r.n
		if near[next] && !v[i].open || !near[next] && !near[prev] && !v[i].open && !v[prev].open {
			return false
		}
	}
	return true
}

// clearOf reports whether the region keeps clear of the edge of an affine h by
// more than tolerances, inside.
func (r *Region) clearOf(h *HalfPlane) bool {
	v := &r.v[r.cur]
	for i := range v[:r.n] {
		if !(dot(&h.Row, v[i].x, v[i].y) >= impliedMargin) {
			return false
		}
	}
	return true
}

// apex is where the edges before and after the edge that begins at vertex i
// would meet if that edge were not there; ok is false where they would not.
func (r *Region) apex(i int) (x, y float64, ok bool) {
	v := &r.v[r.cur]
	a, b := &v[(i+r.n-1)%r.n], &v[i]
	c, d := &v[(i+1)%r.n], &v[(i+2)%r.n]
	ux, uy := b.x-a.x, b.y-a.y
	vx, vy := c.x-d.x, c.y-d.y
	wx, wy := c.x-b.x, c.y-b.y
	det := ux*vy - uy*vx
	s, t := (wx*vy-wy*vx)/det, (wx*uy-wy*ux)/det
	return b.x + s*ux, b.y + s*uy, s > 0 && t > 0
}

// coincident is how far rounding may move an edge that coincides with another.
const coincident = 1e-9

// impliedMargin is more than two edge tolerances: an open half-plane that
// keeps this distance from a region cannot exclude a point of it.
const impliedMargin = 4 * EdgeTolerance
