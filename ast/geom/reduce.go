package geom

import (
	"math"
	"slices"
)

// Reduce returns the domain of the given half-planes on a canvas without the
// redundant ones: those that the canvas, the others, or the implied
// half-planes (edges that are tested anyway) already decide. It is nil when
// none is left. Where they leave no point of the canvas, tolerances counted,
// the few that are enough for that stay.
func Reduce(canvas Size, planes, implied []HalfPlane) *Domain {
	var whole Region
	whole.Reset(canvas)
	var few [8]HalfPlane
	kept := few[:0]
	for i := range planes {
		if !whole.implies(&planes[i]) {
			kept = append(kept, planes[i])
		}
	}
	if len(kept) == 0 {
		return nil
	}
	if len(kept) > enough {
		if few, ok := excluding(canvas, implied, kept); ok {
			if len(few) == 0 {
				return nil // the implied ones alone leave nothing
			}
			return &Domain{planes: few, reduced: true}
		}
	}
	for i := range implied {
		whole.Clip(&implied[i])
	}
	var r Region
	for i := len(kept) - 1; i >= 0; i-- {
		r.copyFrom(&whole)
		for k := range kept {
			if k != i {
				r.Clip(&kept[k])
			}
		}
		if r.n > 0 && r.implies(&kept[i]) {
			kept = append(kept[:i], kept[i+1:]...)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	return &Domain{planes: slices.Clone(kept), reduced: true}
}

// enough half-planes always suffice to leave nothing of a canvas (Helly's
// theorem in the plane).
const enough = 3

// excluding is a least list of the half-planes that, with the implied ones,
// hold no point of the canvas even with every edge moved out by more than its
// tolerance. ok is false where there is none. Without it a chain that has left
// its source would carry every edge on its way.
func excluding(canvas Size, implied, kept []HalfPlane) (few []HalfPlane, ok bool) {
	planes := slices.Concat(implied, kept)
	empty := func(planes []HalfPlane, but int) (upTo int, ok bool) {
		var r Region
		r.Reset(canvas)
		for i := range r.n { // a little beyond the canvas too
			v := &r.v[r.cur][i]
			v.x += math.Copysign(impliedMargin, v.x-0.5)
			v.y += math.Copysign(impliedMargin, v.y-0.5)
		}
		for i := range planes {
			if i == but {
				continue
			}
			row := planes[i].linear(impliedMargin)
			if r.cut(&row, false); r.n > 0 && planes[i].Den != ([3]float64{}) {
				r.cut(&planes[i].Den, false)
			}
			if r.n == 0 {
				return i + 1, true
			}
		}
		return 0, false
	}
	upTo, ok := empty(planes, -1)
	if !ok {
		return nil, false
	}
	planes = planes[:upTo]
	for i := len(planes) - 1; i >= len(implied); i-- {
		if _, ok := empty(planes, i); ok {
			planes = slices.Delete(planes, i, i+1)
		}
	}
	return planes[min(len(implied), len(planes)):], true
}

// SameRegion reports whether two domains leave the same part of a canvas: no
// point that one leaves is more than tol outside an edge of the other, in the
// pixels of the canvas that the edge belongs to.
func SameRegion(canvas Size, d, e *Domain, tol float64) bool {
	return covers(canvas, d, e, tol) && covers(canvas, e, d, tol)
}

// covers reports whether what d leaves of the canvas lies in e, to tol.
func covers(canvas Size, d, e *Domain, tol float64) bool {
	p := canvas.Polygon().ClipDomain(d)
	for i := range e.Len() {
		h := e.At(i)
		for _, v := range p {
			// Forms, not quotients: on the horizon of a projection a denominator
			// is zero.
			x, y := math.Abs(v[0])+1, math.Abs(v[1])+1
			w := 1.0
			if h.Den != ([3]float64{}) {
				w = dot(h.Den, v[0], v[1])
				if w < -coincident*magnitude(h.Den, x, y) {
					return false
				}
			}
			if d := dot(h.Row, v[0], v[1]); !(d >= -tol*math.Abs(w)-coincident*magnitude(h.Row, x, y)) {
				return false
			}
		}
	}
	return true
}

// magnitude bounds the terms of a linear form near (x, y).
func magnitude(r [3]float64, x, y float64) float64 {
	return math.Abs(r[0])*x + math.Abs(r[1])*y + math.Abs(r[2])
}

// Area is the area in square pixels of what a domain leaves of a canvas.
func (d *Domain) Area(canvas Size) float64 {
	if d == nil {
		return float64(canvas.W) * float64(canvas.H)
	}
	return canvas.Polygon().ClipDomain(d).Area()
}
