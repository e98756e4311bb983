package geom

import (
	"image"
	"math"
	"slices"
)

// Domain is the intersection of half-planes on a canvas. The nil Domain is the
// whole canvas. It is immutable.
type Domain struct {
	planes  []HalfPlane
	reduced bool // made by Reduce
}

// Reduced reports whether the domain was made by Reduce, so that reducing it
// again on the same canvas can hardly drop more.
func (d *Domain) Reduced() bool { return d == nil || d.reduced }

// NewDomain returns the intersection of the half-planes, nil when there are
// none.
func NewDomain(planes ...HalfPlane) *Domain {
	if len(planes) == 0 {
		return nil
	}
	return &Domain{planes: slices.Clone(planes)}
}

// Len is the number of half-planes.
func (d *Domain) Len() int {
	if d == nil {
		return 0
	}
	return len(d.planes)
}

// At is the i-th half-plane.
func (d *Domain) At(i int) HalfPlane { return d.planes[i] }

// Planes is a copy of the half-planes.
func (d *Domain) Planes() []HalfPlane {
	if d == nil {
		return nil
	}
	return slices.Clone(d.planes)
}

// Equal reports whether both domains have the same half-planes in the same
// order.
func (d *Domain) Equal(e *Domain) bool {
	if d == nil || e == nil {
		return d == e
	}
	return d == e || slices.Equal(d.planes, e.planes)
}

// Contains reports whether the point is in every half-plane.
func (d *Domain) Contains(x, y float64) bool {
	if d != nil {
		for i := range d.planes {
			if !d.planes[i].contains(x, y) {
				return false
			}
		}
	}
	return true
}

// Pullback expresses the domain on a canvas that inv maps onto d's.
func (d *Domain) Pullback(inv Transform) *Domain {
	if d == nil {
		return nil
	}
	e := &Domain{planes: make([]HalfPlane, len(d.planes))}
	for i := range d.planes {
		d.planes[i].pullback(&inv, &e.planes[i])
	}
	return e
}

// Append appends the half-planes to a list.
func (d *Domain) Append(planes []HalfPlane) []HalfPlane {
	if d == nil {
		return planes
	}
	return append(planes, d.planes...)
}

// AppendTo appends the half-planes to a list, expressed on a canvas that inv
// maps onto d's.
func (d *Domain) AppendTo(planes []HalfPlane, inv *Transform) []HalfPlane {
	if d == nil {
		return planes
	}
	for i := range d.planes {
		planes = append(planes, HalfPlane{})
		d.planes[i].pullback(inv, &planes[len(planes)-1])
	}
	return planes
}

// AppendEdges appends the edges of a canvas of size s to a list, expressed on
// the canvas that inv maps onto it, less those that hold on all of that canvas
// by a clear margin.
func (s Size) AppendEdges(planes []HalfPlane, canvas Size, inv *Transform) []HalfPlane {
	if !inv.IsAffine() {
		for _, e := range s.Edges() {
			planes = append(planes, e.Pullback(*inv))
		}
		return planes
	}
	w, h := float64(canvas.W), float64(canvas.H)
	for axis, n := range [2]float64{float64(s.W), float64(s.H)} {
		r := inv[3*axis : 3*axis+3]
		lo := r[2] + min(0, r[0]*w) + min(0, r[1]*h)
		hi := r[2] + max(0, r[0]*w) + max(0, r[1]*h)
		if lo < 0 {
			planes = append(planes, HalfPlane{Row: [3]float64{r[0], r[1], r[2]}, Closed: true})
		}
		if hi > n-impliedMargin {
			planes = append(planes, HalfPlane{Row: [3]float64{0 - r[0], 0 - r[1], n - r[2]}})
		}
	}
	return planes
}

// Span is the run [a, b) of pixels in row j, from x0 to x1, whose centres lie
// in the domain. It agrees with Contains at every pixel centre.
func (d *Domain) Span(j, x0, x1 int) (a, b int) {
	if d == nil {
		return x0, max(x0, x1)
	}
	y := float64(j) + 0.5
	for i := range d.planes {
		x0, x1 = d.planes[i].span(y, x0, x1)
		if x0 >= x1 {
			return x0, x0
		}
	}
	return x0, x1
}

// span narrows [x0, x1) to the pixels whose centres on the line y lie in h.
func (h *HalfPlane) span(y float64, x0, x1 int) (a, b int) {
	if h.projective() {
		// The denominator's half-plane first: inside it the quotient has one sign
		// on each side of one crossing.
		x0, x1 = crossing(x0, x1, h.Den, y, func(x float64) bool { return dot(&h.Den, x, y) > 0 })
	}
	return crossing(x0, x1, h.linear(h.tolerance()), y, func(x float64) bool { return h.contains(x, y) })
}

// crossing narrows [x0, x1) to the pixels whose centres on the line y satisfy
// in, which holds on one side of where the form r is near zero.
func crossing(x0, x1 int, r [3]float64, y float64, in func(x float64) bool) (a, b int) {
	if x0 >= x1 {
		return x0, x0
	}
	at := func(i int) bool { return in(float64(i) + 0.5) }
	first, last := at(x0), at(x1-1)
	switch {
	case first && last:
		return x0, x1
	case !first && !last:
		return x0, x0
	}
	// Guess the crossing from the form, then bisect, so that the answer is in's own.
	lo, hi := x0, x1-1
	if r[0] != 0 {
		if g := -(r[1]*y+r[2])/r[0] - 0.5; g > float64(lo+1) && g < float64(hi-1) {
			if k := int(g) - 1; k > lo && at(k) == first {
				lo = k
			}
			if k := int(g) + 2; k < hi && at(k) == last {
				hi = k
			}
		}
	}
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; at(mid) == first {
			lo = mid
		} else {
			hi = mid
		}
	}
	if first {
		return x0, hi
	}
	return hi, x1
}

// Polygon is a convex polygon, vertices in order around it.
type Polygon [][2]float64

// Rect is the polygon of a rectangle.
func Rect(x0, y0, x1, y1 float64) Polygon {
	return Polygon{{x0, y0}, {x1, y0}, {x1, y1}, {x0, y1}}
}

// Polygon is the polygon of the whole canvas.
func (s Size) Polygon() Polygon { return Rect(0, 0, float64(s.W), float64(s.H)) }

// Clip returns the part of p inside the exact edge of h (its tolerance does
// not count). A nil result is empty.
func (p Polygon) Clip(h HalfPlane) Polygon {
	p = p.clip(&h.Row)
	if h.projective() && h.Den != h.Row {
		p = p.clip(&h.Den)
	}
	return p
}

// ClipDomain clips p by every half-plane of d.
func (p Polygon) ClipDomain(d *Domain) Polygon {
	for i := range d.Len() {
		p = p.Clip(d.planes[i])
	}
	return p
}

// clip is one step of Sutherland and Hodgman, "Reentrant Polygon Clipping"
// (1974).
func (p Polygon) clip(r *[3]float64) Polygon {
	inside := true
	for _, v := range p {
		inside = inside && dot(r, v[0], v[1]) >= 0
	}
	if inside {
		return p
	}
	var out Polygon
	for i, b := range p {
		a := p[(i+len(p)-1)%len(p)]
		da, db := dot(r, a[0], a[1]), dot(r, b[0], b[1])
		if da < 0 != (db < 0) {
			t := da / (da - db)
			out = append(out, [2]float64{a[0] + t*(b[0]-a[0]), a[1] + t*(b[1]-a[1])})
		}
		if db >= 0 {
			out = append(out, b)
		}
	}
	if len(out) < 3 {
		return nil
	}
	return out
}

// Map applies t to every vertex. It is meaningful where t's denominator is
// positive.
func (p Polygon) Map(t Transform) Polygon {
	q := make(Polygon, len(p))
	for i, v := range p {
		q[i][0], q[i][1] = t.Apply(v[0], v[1])
	}
	return q
}

// Bounds is the smallest box that holds p.
func (p Polygon) Bounds() (x0, y0, x1, y1 float64) {
	x0, y0, x1, y1 = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, v := range p {
		x0, y0 = min(x0, v[0]), min(y0, v[1])
		x1, y1 = max(x1, v[0]), max(y1, v[1])
	}
	return
}

// Area is the area of p in square pixels, never negative.
func (p Polygon) Area() float64 {
	var a float64
	for i, v := range p {
		w := p[(i+1)%len(p)]
		a += v[0]*w[1] - w[0]*v[1]
	}
	return math.Abs(a) / 2
}

// Simplify drops vertices within tol pixels of the one before.
func (p Polygon) Simplify(tol float64) Polygon {
	var q Polygon
	for i, v := range p {
		u := p[(i+len(p)-1)%len(p)]
		if math.Hypot(v[0]-u[0], v[1]-u[1]) > tol {
			q = append(q, v)
		}
	}
	return q
}

// CoversCenter reports whether the domain holds the centre of at least one
// pixel of the window.
func (d *Domain) CoversCenter(window image.Rectangle) bool {
	if window.Empty() {
		return false
	}
	if d == nil {
		return true
	}
	p := Rect(float64(window.Min.X), float64(window.Min.Y), float64(window.Max.X), float64(window.Max.Y))
	for _, h := range d.planes {
		// Loosened, so that the box below never misses a pixel.
		row := h.linear(2 * EdgeTolerance)
		p = p.clip(&row)
	}
	if p == nil {
		p = Polygon{}
	}
	_, y0, _, y1 := p.Bounds()
	if len(p) == 0 {
		return false
	}
	j0 := max(window.Min.Y, int(math.Floor(y0-1)))
	j1 := min(window.Max.Y, int(math.Ceil(y1+1)))
	for j := j0; j < j1; j++ {
		if a, b := d.Span(j, window.Min.X, window.Max.X); a < b {
			return true
		}
	}
	return false
}

// Bounds is the rectangle of the canvas.
func (s Size) Bounds() image.Rectangle { return image.Rect(0, 0, s.W, s.H) }
