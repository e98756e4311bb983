package geom

// HalfPlane is the set of canvas points p = (x, y, 1) where
//
//	(Row·p)/(Den·p) ≥ 0   (Closed)
//	(Row·p)/(Den·p) > 0   (open)
//
// and Den·p is positive. A zero Den stands for 0, 0, 1. Row is a row of the
// map to the canvas that the edge belongs to, so the quotient is a distance in
// that canvas's pixels, and edges are compared with EdgeTolerance.
type HalfPlane struct {
	Row    [3]float64
	Den    [3]float64
	Closed bool
}

// Always holds everywhere. A warp that carries it is never a copy or a no-op.
var Always = HalfPlane{Row: [3]float64{0, 0, 1}, Closed: true}

func dot(r *[3]float64, x, y float64) float64 { return r[0]*x + r[1]*y + r[2] }

// projective reports whether h has a denominator.
func (h *HalfPlane) projective() bool { return h.Den[0] != 0 || h.Den[1] != 0 || h.Den[2] != 0 }

// Distance is the signed distance of (x, y) from the edge, in the pixels of
// the canvas the edge belongs to. ok is false where the denominator is not
// positive.
func (h HalfPlane) Distance(x, y float64) (d float64, ok bool) { return h.distance(x, y) }

func (h *HalfPlane) distance(x, y float64) (d float64, ok bool) {
	d = dot(&h.Row, x, y)
	if !h.projective() {
		return d, true
	}
	w := dot(&h.Den, x, y)
	return d / w, w > 0
}

// Contains reports whether (x, y) is in the half-plane.
func (h HalfPlane) Contains(x, y float64) bool { return h.contains(x, y) }

func (h *HalfPlane) contains(x, y float64) bool {
	d, ok := h.distance(x, y)
	if h.Closed {
		return ok && d >= -EdgeTolerance
	}
	return ok && d > EdgeTolerance
}

// linear is the half-plane as one linear form, shifted by tol pixels outwards.
func (h *HalfPlane) linear(tol float64) [3]float64 {
	r := h.Row
	if !h.projective() {
		r[2] += tol
		return r
	}
	for i := range r {
		r[i] += tol * h.Den[i]
	}
	return r
}

// tolerance is how far outside the exact edge Contains still holds; negative
// for an open half-plane.
func (h *HalfPlane) tolerance() float64 {
	if h.Closed {
		return EdgeTolerance
	}
	return -EdgeTolerance
}

// Pullback expresses h, given on one canvas, on another canvas that inv maps
// onto it.
func (h HalfPlane) Pullback(inv Transform) (p HalfPlane) {
	h.pullback(&inv, &p)
	return p
}

func (h *HalfPlane) pullback(inv *Transform, p *HalfPlane) {
	p.Closed = h.Closed
	if h.projective() || !inv.IsAffine() {
		den := h.Den
		if !h.projective() {
			den[2] = 1
		}
		p.Row, p.Den = rowTimes(&h.Row, inv), rowTimes(&den, inv)
		return
	}
	r := &h.Row
	p.Row = [3]float64{
		r[0]*inv[0] + r[1]*inv[3],
		r[0]*inv[1] + r[1]*inv[4],
		r[0]*inv[2] + r[1]*inv[5] + r[2],
	}
	p.Den = [3]float64{}
}

func rowTimes(r *[3]float64, m *Transform) [3]float64 {
	return [3]float64{
		r[0]*m[0] + r[1]*m[3] + r[2]*m[6],
		r[0]*m[1] + r[1]*m[4] + r[2]*m[7],
		r[0]*m[2] + r[1]*m[5] + r[2]*m[8],
	}
}

// Edges are the half-planes of a canvas: x ≥ 0, y ≥ 0, x < W, y < H.
func (s Size) Edges() [4]HalfPlane {
	return [4]HalfPlane{
		{Row: [3]float64{1, 0, 0}, Closed: true},
		{Row: [3]float64{0, 1, 0}, Closed: true},
		{Row: [3]float64{-1, 0, float64(s.W)}},
		{Row: [3]float64{0, -1, float64(s.H)}},
	}
}

// Front is the half-plane in front of a projection, where t's denominator is
// positive. ok is false for an affine transform, which has no horizon.
func (t *Transform) Front() (h HalfPlane, ok bool) {
	w := [3]float64{t[6], t[7], t[8]}
	return HalfPlane{Row: w, Den: w, Closed: true}, !t.IsAffine()
}
