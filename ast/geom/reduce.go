package geom

import (
	"math"
	"slices"
)

// Reduce returns the domain of the given half-planes on a canvas without the
// redundant ones: those that the canvas, the others, or the implied
// half-planes (edges that are tested anyway) already decide. It is nil when
// none is left. Where they leave no point of the canvas, tolerances counted,
// the few that are enough for that stay. Where they leave a sliver thinner than
// EdgeTolerance, points off an edge that its tolerance alone lets in may come
// in with one that went; no other point changes.
func Reduce(canvas Size, planes, implied []HalfPlane) *Domain {
	var r Region
	r.Reset(canvas)
	var few [16]int32
	kept := few[:0] // numbers of half-planes
	for i := range planes {
		if !r.implies(&planes[i]) {
			kept = append(kept, int32(i))
		}
	}
	if len(kept) == 0 {
		return nil
	}
	for i := range implied {
		r.clip(&implied[i], len(planes)+i)
	}
	for _, i := range kept {
		r.clip(&planes[i], int(i))
	}
	if r.n == 0 && len(kept) > enough {
		if d, ok := excluding(canvas, implied, pick(planes, kept)); ok {
			return d
		}
	}
	var cuts uint64 // the kept half-planes, by place, that clearly matter
	if r.n > 0 {
		kept, cuts = r.needed(canvas, planes, implied, kept)
	}
	for again := true; again; {
		again = false
		nothing := false // was left by the others, for one looked at before
		for at := len(kept) - 1; at >= 0; at-- {
			if at < 64 && cuts>>at&1 != 0 {
				continue
			}
			switch decided(canvas, planes, implied, kept, at) {
			case undecidable:
				nothing = true
			case yes:
				kept = slices.Delete(kept, at, at+1)
				// What left nothing may be gone now, and those that were looked
				// at before it redundant.
				again = again || nothing
			}
		}
	}
	if len(kept) == 0 {
		return nil
	}
	d := withRoom(len(kept))
	for k, i := range kept {
		d.planes[k] = planes[i]
	}
	return d
}

// withRoom is a reduced domain of n half-planes to be filled in: one object
// where they are as few as they mostly are.
func withRoom(n int) *Domain {
	if n <= 2 {
		r := &struct {
			Domain
			room [2]HalfPlane
		}{}
		r.planes, r.reduced = r.room[:n:n], true
		return &r.Domain
	}
	if n <= 4 {
		r := &struct {
			Domain
			room [4]HalfPlane
		}{}
		r.planes, r.reduced = r.room[:n:n], true
		return &r.Domain
	}
	return &Domain{planes: make([]HalfPlane, n), reduced: true}
}

func pick(planes []HalfPlane, numbers []int32) []HalfPlane {
	out := make([]HalfPlane, len(numbers))
	for k, i := range numbers {
		out[k] = planes[i]
	}
	return out
}

// needed drops from kept what r, cut by all half-planes, keeps clear of, and
// marks by place those of the first 64 left without which r would clearly be
// larger. Of the others, and of projective ones, nothing is said.
func (r *Region) needed(canvas Size, planes, implied []HalfPlane, kept []int32) (left []int32, cuts uint64) {
	left = kept[:0]
	for _, i := range kept {
		if h := &planes[i]; h.projective() || !r.clearOf(h) {
			left = append(left, i)
		}
	}
	v := &r.v[r.cur]
	w, h := float64(canvas.W)+coincident, float64(canvas.H)+coincident
	for e := range v[:r.n] {
		i := v[e].edge
		if i == uncut || int(i) >= len(planes) || planes[i].projective() {
			continue
		}
		// Half-planes with an edge of their own lie beyond the apex or go
		// through it; only those without one can cut it off.
		x, y, ok := r.apex(e)
		if !ok || !(dot(&planes[i].Row, x, y) < -impliedMargin) ||
			!(x >= -coincident && y >= -coincident && x <= w && y <= h) {
			continue
		}
		for k := range implied {
			d, front := implied[k].distance(x, y)
			ok = ok && front && d >= -coincident
		}
		for _, k := range left {
			if k != i {
				d, front := planes[k].distance(x, y)
				ok = ok && front && d >= -coincident
			}
		}
		if at := slices.Index(left, i); ok && at >= 0 && at < 64 {
			cuts |= 1 << at
		}
	}
	return left, cuts
}

// redundancy is whether a half-plane is decided by others.
type redundancy uint8

const (
	no redundancy = iota
	yes
	undecidable // the others leave nothing
)

// decided says whether the half-plane at a place in kept is decided by the
// others, the implied ones and the canvas.
func decided(canvas Size, planes, implied []HalfPlane, kept []int32, at int) redundancy {
	var r Region
	r.Reset(canvas)
	for i := range implied {
		r.Clip(&implied[i])
	}
	for k, i := range kept {
		if k != at {
			r.Clip(&planes[i])
		}
	}
	switch {
	case r.n == 0:
		return undecidable
	case r.implies(&planes[kept[at]]):
		return yes
	}
	return no
}

// enough half-planes always suffice to leave nothing of a canvas (Helly's
// theorem in the plane).
const enough = 3

// excluding is a least list of the half-planes that, with the implied ones,
// hold no point of the canvas even with every edge moved out by more than its
// tolerance; nil where the implied ones alone leave nothing. ok is false where
// there is none. Without it a chain that has left its source would carry every
// edge on its way.
func excluding(canvas Size, implied, kept []HalfPlane) (few *Domain, ok bool) {
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
			if r.cut(&row, uncut, false); r.n > 0 && planes[i].projective() {
				r.cut(&planes[i].Den, uncut, false)
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
	if len(planes) <= len(implied) {
		return nil, true
	}
	return &Domain{planes: planes[len(implied):], reduced: true}, true
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
			if h.projective() {
				w = dot(&h.Den, v[0], v[1])
				if w < -coincident*magnitude(h.Den, x, y) {
					return false
				}
			}
			if d := dot(&h.Row, v[0], v[1]); !(d >= -tol*math.Abs(w)-coincident*magnitude(h.Row, x, y)) {
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
