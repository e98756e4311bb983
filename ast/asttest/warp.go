package asttest

import (
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

func (d *drawing) sampling() ast.Sampling {
	s := ast.Sampling{
		Interp:    pick(d, d.o.Interps),
		Antialias: d.chance(1, 2),
		Border:    ast.Border{Mode: pick(d, d.o.Borders)},
	}
	if s.Border.Mode == ast.ValueBorder {
		s.Border.Value = float64(d.between(-5, 120))
	}
	return s
}

// warpSampling is the tree's own sampling most of the time, so that warps can
// be fused.
func (d *drawing) warpSampling() ast.Sampling {
	switch s := d.style; {
	case !d.mixed || d.chance(1, 2):
		return s
	case d.chance(1, 3): // differs by one thing
		s.Antialias = !s.Antialias
		return s
	}
	return d.sampling()
}

func (d *drawing) warp(n ast.Node) (ast.Node, error) {
	m := d.transform(n.Size())
	s := d.canvas(n.Size(), m)
	return ast.NewWarp(n, m, s, d.warpSampling(), d.domain(s, n.Size(), m))
}

// warpPair is a warp and another that undoes it, or nearly.
func (d *drawing) warpPair(n ast.Node) (ast.Node, error) {
	s := d.warpSampling()
	if d.chance(1, 3) { // twice the size and back
		k := pick(d, []float64{2, 0.5, 3})
		m := geom.Scale(k, k)
		size, ok := m.FitSize(n.Size())
		if !ok || !bounded(size, d.o.MaxSide) {
			size = n.Size()
		}
		w, err := ast.NewWarp(n, m, size, s, nil)
		if err != nil {
			return nil, err
		}
		return ast.NewWarp(d.keep(w), geom.Scale(1/k, 1/k), d.sizeOr(n.Size()), s, nil)
	}
	m := d.transform(n.Size())
	inv, ok := m.Inverse()
	if !ok {
		return nil, errSingular
	}
	w, err := ast.NewWarp(n, m, d.canvas(n.Size(), m), s, nil)
	if err != nil || !sane(w) || !cheap(w) {
		return nil, errSingular
	}
	if d.chance(1, 4) {
		s = d.warpSampling()
	}
	return ast.NewWarp(d.keep(w), inv, d.sizeOr(n.Size()), s, nil)
}

// sizeOr is s most of the time.
func (d *drawing) sizeOr(s geom.Size) geom.Size {
	if d.chance(1, 4) {
		return geom.Size{W: d.between(1, d.o.MaxSide*2/3), H: d.between(1, d.o.MaxSide*2/3)}
	}
	return s
}

// canvas draws a size for a warp of a canvas of size in by m.
func (d *drawing) canvas(in geom.Size, m geom.Transform) geom.Size {
	fit, ok := m.FitSize(in)
	ok = ok && bounded(fit, d.o.MaxSide)
	switch d.weighted(3, 3, 3, 3) {
	case 0:
		if ok {
			return geom.Size{} // left out
		}
	case 1:
		return in
	case 2:
		if ok {
			return fit
		}
	}
	return geom.Size{W: d.between(1, d.o.MaxSide*2/3), H: d.between(1, d.o.MaxSide*2/3)}
}

// nudges are deviations below and above what counts as no deviation.
var nudges = []float64{0, 0, 3.7e-10, -4.1e-10, 1.3e-7, -2.3e-8}

// transform draws a transform for a canvas of size s.
func (d *drawing) transform(s geom.Size) geom.Transform {
	w, h := float64(s.W), float64(s.H)
	kinds := 14
	if d.o.NoProject {
		kinds = 12
	}
	switch d.IntN(kinds) {
	case 0: // shift by whole pixels
		return geom.Translate(float64(d.between(-4, 4))+pick(d, nudges), float64(d.between(-4, 4))+pick(d, nudges))
	case 1: // shift by halves, or anything
		if d.chance(1, 2) {
			return geom.Translate(float64(d.between(-5, 5))/2, float64(d.between(-5, 5))/2)
		}
		return geom.Translate(d.decimal(-4, 4, 3), d.decimal(-4, 4, 3))
	case 2: // flips and quarter turns
		return d.turn(w, h)
	case 3: // the ratios where ties happen
		k := pick(d, []float64{2, 0.5, 3, 1.5, 0.25, 4, 1.0 / 3, 0.75})
		return d.place(geom.Scale(k, k), s)
	case 4: // a downscale by an overview's own ratio
		return geom.Scale(math.Ceil(w/2)/w, math.Ceil(h/2)/h)
	case 5:
		return d.place(geom.Scale(d.decimal(0.2, 3, 3)+0.05, d.decimal(0.2, 3, 3)+0.05), s)
	case 6: // a point's worth of pixels, or one pixel all over
		if d.chance(1, 2) {
			return d.place(geom.Scale(d.decimal(0.01, 0.2, 4), d.decimal(0.01, 0.2, 4)), s)
		}
		return d.place(geom.Scale(float64(d.between(6, 60)), float64(d.between(6, 60))), s)
	case 7: // turn
		k := d.decimal(0.4, 1.6, 2)
		c, t := d.direction()
		return d.place(geom.Affine(k*c, -k*t, 0, k*t, k*c, 0), s)
	case 8: // shear
		return d.place(geom.Affine(1, d.decimal(-1, 1, 2), 0, d.decimal(-0.4, 0.4, 2), 1, 0), s)
	case 9:
		return d.place(geom.Affine(
			d.decimal(-1.5, 1.5, 4), d.decimal(-1.5, 1.5, 4), 0,
			d.decimal(-1.5, 1.5, 4), d.decimal(-1.5, 1.5, 4), 0), s)
	case 10: // nearly singular
		a, b, k := d.decimal(0.2, 1.5, 3), d.decimal(-1.5, 1.5, 3), d.decimal(0.3, 2, 2)
		e := pick(d, []float64{1e-2, 1e-3, 1e-4, -1e-3})
		return d.place(geom.Affine(a, b, 0, k*a, k*b+e, 0), s)
	case 11: // misses the canvas, touches its edge, or is the identity
		switch d.IntN(3) {
		case 0:
			return geom.Identity
		case 1:
			return geom.Translate(w-float64(d.IntN(2)), float64(d.between(-2, 2)))
		}
		return geom.Translate(float64(d.between(70, 300)), float64(d.between(-300, 300)))
	case 12: // mildly projective
		m := d.place(geom.Scale(d.decimal(0.5, 1.5, 2), d.decimal(0.5, 1.5, 2)), s)
		m[6], m[7] = d.decimal(-0.4, 0.4, 3)/w, d.decimal(-0.4, 0.4, 3)/h
		m[1] = d.decimal(-0.3, 0.3, 2)
		return m
	}
	// The horizon crosses the canvas.
	m := d.place(geom.Affine(d.decimal(0.4, 1.4, 2), d.decimal(-0.3, 0.3, 2), 0, d.decimal(-0.3, 0.3, 2), d.decimal(0.4, 1.4, 2), 0), s)
	m[6], m[7] = d.decimal(-3, 3, 2)/w, d.decimal(-3, 3, 2)/h
	return m
}

// direction is a point on the unit circle, from a rational parametrization.
func (d *drawing) direction() (c, s float64) {
	t := d.decimal(-1, 1, 3)
	c, s = (1-t*t)/(1+t*t), 2*t/(1+t*t)
	c, s = math.Round(c*1e6)/1e6, math.Round(s*1e6)/1e6
	if d.chance(1, 2) {
		c, s = -c, -s
	}
	return c, s
}

func (d *drawing) turn(w, h float64) geom.Transform {
	e := pick(d, nudges)
	switch d.IntN(7) {
	case 0:
		return geom.Affine(-1, 0, w+e, 0, 1, 0)
	case 1:
		return geom.Affine(1, 0, 0, 0, -1, h+e)
	case 2:
		return geom.Affine(-1, 0, w, 0, -1, h)
	case 3:
		return geom.Affine(0, -1, h, 1, 0, e)
	case 4:
		return geom.Affine(0, 1, 0, -1, 0, w)
	case 5: // partly out of the canvas
		return geom.Affine(-1, 0, w-2, 0, 1, -1)
	}
	return geom.Affine(0, 1, 1, 1, 0, -1)
}

// place puts the image of a canvas somewhere useful: at the origin, at a whole
// or any offset from it, or nowhere in particular.
func (d *drawing) place(m geom.Transform, s geom.Size) geom.Transform {
	x0, y0, _, _ := s.Polygon().Map(m).Bounds()
	switch d.weighted(3, 2, 2, 2) {
	case 0:
		return m
	case 1:
		m[2], m[5] = -math.Round(x0), -math.Round(y0)
	case 2:
		m[2], m[5] = float64(d.between(-6, 6)), float64(d.between(-6, 6))
	case 3:
		m[2], m[5] = d.decimal(-8, 8, 2)-math.Round(x0), d.decimal(-8, 8, 2)-math.Round(y0)
	}
	return m
}

// domain draws half-planes on a canvas of size s that holds a canvas of size
// in, mapped by m; mostly nil.
func (d *drawing) domain(s, in geom.Size, m geom.Transform) *geom.Domain {
	if d.o.NoDomain || !d.chance(1, 6) {
		return nil
	}
	if s == (geom.Size{}) {
		s = in
	}
	var planes []geom.HalfPlane
	switch d.IntN(4) {
	case 0: // an edge through pixel centres or corners
		at := float64(d.IntN(2*s.W)) / 2
		planes = append(planes, geom.HalfPlane{Row: [3]float64{1, 0, -at}, Closed: d.chance(1, 2)})
	case 1: // anything
		for range d.between(1, 3) {
			a, b := d.decimal(-1, 1, 2), d.decimal(-1, 1, 2)
			planes = append(planes, geom.HalfPlane{
				Row:    [3]float64{a, b, d.decimal(-0.2, 1, 2) * float64(s.W)},
				Closed: d.chance(1, 2),
			})
		}
	case 2: // the edges of a canvas below
		if n, ok := m.Normalize(in.Center()); ok {
			if inv, ok := n.Inverse(); ok {
				c := geom.Size{W: d.between(1, in.W), H: d.between(1, in.H)}
				for _, e := range c.Edges() {
					planes = append(planes, e.Pullback(inv))
				}
			}
		}
	case 3:
		planes = append(planes, geom.Always)
	}
	for _, h := range planes {
		for i := range 3 {
			if math.IsNaN(h.Row[i]) || math.IsInf(h.Row[i], 0) || math.IsNaN(h.Den[i]) || math.IsInf(h.Den[i], 0) {
				return nil
			}
		}
	}
	return geom.NewDomain(planes...)
}

func bounded(s geom.Size, side int) bool { return s.W <= side && s.H <= side }
