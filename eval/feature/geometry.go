package feature

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// ErrAmbiguous is what features but the image give where a tree shows its leaf
// in several places, or different parts of it in one.
var ErrAmbiguous = errors.New("feature: the tree shows its leaf in several places")

// geometry is how positions on a leaf show on the canvas of a tree.
type geometry struct {
	source, canvas geom.Size
	m              geom.Transform // the source's coordinates to the canvas's
	domain         *geom.Domain   // what shows, on the source
	hidden         bool           // nothing shows on any pixel
	way            *way           // through the tree as it was given
}

// newGeometry takes the composite transform from the optimized tree, which is
// what the pixels go through. The clip comes from the tree as it was given: a
// rule may move an edge to where the same pixel centres are inside, which no
// pixel can tell but a box can.
func newGeometry(given, optimized, leaf ast.Node) (*geometry, error) {
	g := &geometry{source: leaf.Size(), canvas: given.Size()}
	all, err := ways(given, leaf)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("feature: the tree does not show the leaf that it was built over")
	}
	short, err := ways(optimized, leaf)
	if err != nil {
		return nil, err
	}
	if len(short) == 0 {
		g.hidden, g.way, g.m = true, all[0], all[0].m
		return g, nil
	}
	g.m = short[0].m
	for _, w := range short[1:] {
		if !sameMap(g.m, w.m, g.source) {
			return nil, ErrAmbiguous
		}
	}
	for _, w := range all {
		if !sameMap(g.m, w.m, g.source) {
			continue // a part that shows on no pixel
		}
		d := w.domain(g.source)
		if g.way == nil {
			g.way, g.domain = w, d
		} else if !geom.SameRegion(g.source, g.domain, d, geom.EdgeTolerance) {
			return nil, ErrAmbiguous
		}
	}
	if g.way == nil {
		return nil, fmt.Errorf("feature: the optimized tree shows the leaf elsewhere than the tree does: an optimizer's rule is wrong")
	}
	return g, nil
}

// clip is the part of a polygon on the source that shows, in the canvas's
// coordinates, and its share of the polygon's area on the source. Where
// nothing shows it is nil.
func (g *geometry) clip(p geom.Polygon) (shown geom.Polygon, visible float64) {
	if g.hidden {
		return nil, 0
	}
	area := p.Area()
	q := p
	for _, e := range g.source.Edges() {
		q = q.Clip(e)
	}
	q = despike(q.ClipDomain(g.domain))
	if visible = q.Area() / area; !(visible > 0) {
		return nil, 0
	}
	q = q.Map(g.m)
	w, h := float64(g.canvas.W), float64(g.canvas.H)
	for i, v := range q {
		q[i] = [2]float64{min(max(v[0], 0), w), min(max(v[1], 0), h)} // rounding only
	}
	return q, min(visible, 1)
}

// despike drops the vertices of a polygon where its outline turns back on
// itself: what a cut leaves of a part of an outline that lay outside. Such a
// spike has no area, but would count in the box around the polygon.
func despike(p geom.Polygon) geom.Polygon {
	const straight = 1e-9
	spike := func(a, b, c [2]float64) bool {
		ux, uy, vx, vy := b[0]-a[0], b[1]-a[1], c[0]-b[0], c[1]-b[1]
		length := math.Hypot(ux, uy) * math.Hypot(vx, vy)
		return length == 0 || ux*vx+uy*vy < 0 && math.Abs(ux*vy-uy*vx) <= straight*length
	}
	found := false
	for i, b := range p {
		found = found || spike(p[(i+len(p)-1)%len(p)], b, p[(i+1)%len(p)])
	}
	if !found {
		return p
	}
	q := slices.Clone(p)
	for i := 0; i < len(q) && len(q) > 2; {
		n := len(q)
		if !spike(q[(i+n-1)%n], q[i], q[(i+1)%n]) {
			i++
			continue
		}
		q = slices.Delete(q, i, i+1)
		i = max(0, i-1)
	}
	if len(q) < 3 {
		return nil
	}
	return q
}

// contains reports whether a position on the source shows.
func (g *geometry) contains(x, y float64) bool {
	if g.hidden {
		return false
	}
	for _, e := range g.source.Edges() {
		if !e.Contains(x, y) {
			return false
		}
	}
	// All half-planes, since one that others imply on their exact edges may
	// still hold a point off that is within their tolerance.
	for i := range g.way.planes {
		if !g.way.planes[i].Contains(x, y) {
			return false
		}
	}
	return true
}
