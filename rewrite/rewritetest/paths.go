package rewritetest

import (
	"fmt"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
)

const (
	// sameDomain is how far, in pixels, an edge of a domain may move.
	sameDomain = 2 * geom.EdgeTolerance
	// samePosition is how far, in leaf pixels, a sample position may move.
	samePosition = 1e-6
	// horizon is how far, in leaf pixels, a position may be and still be compared.
	// Under an endless border a projective canvas reaches to infinity, and a
	// canvas next to singular far beyond what rounding is bounded for; nothing is
	// read there but what the border repeats.
	horizon, endlessHorizon = 1e7, 1e4
	// judgedBands is how many bands of a tree are followed to their leaves.
	judgedBands = 64
)

// compareShapes compares what every node carries.
func compareShapes(before, after ast.Node) *Violation {
	if p, q := before.Size(), after.Size(); p != q {
		return broken(Shape, "the canvas was %v and is %v", p, q)
	}
	if p, q := before.NumBands(), after.NumBands(); p != q {
		return broken(Bands, "there were %d bands and are %d", p, q)
	}
	for i := range before.NumBands() {
		p, q := before.Band(i), after.Band(i)
		if p.Type != q.Type {
			return broken(Type, "band %d was %v and is %v", i, p.Type, q.Type)
		}
		if p.Name != q.Name || p.HasNoData != q.HasNoData || p.NoData != q.NoData && (p.NoData == p.NoData || q.NoData == q.NoData) {
			return broken(Bands, "band %d was %q with nodata %v and is %q with nodata %v", i, p.Name, noData(p), q.Name, noData(q))
		}
	}
	return nil
}

// wellFormed reports whether the builders accept a tree, and find the shapes
// in it that it says it has.
func wellFormed(n ast.Node) *Violation {
	c, err := asttest.Rebuild(n)
	if err != nil {
		return broken(Valid, "the builders refuse what was made: %v", err)
	}
	if !ast.SameShape(n, c) || !ast.Equal(n, c) {
		return broken(Valid, "the builders make another tree of it:\n%s", ast.FormatExpr(c))
	}
	return nil
}

func noData(b ast.Band) any {
	if b.HasNoData {
		return b.NoData
	}
	return "none"
}

// comparePaths follows each band to its leaf, and compares the leaves, the
// transforms to them, and the domains: at every point of the canvas, or only
// at pixel centres where the tree is on its own grid. Invalid tells, where it
// is not nil, whether a band has no valid sample at all.
func comparePaths(before, after ast.Node, onGrid bool, invalid func(band int) bool) *Violation {
	size := before.Size()
	custom := hasCustom(before)
	for band := 0; band < before.NumBands(); band += 1 + before.NumBands()/judgedBands {
		p, q := ast.Path(before, band), ast.Path(after, band)
		pv, qv := shows(p, size), shows(q, size)
		if p.Leaf.Kind() == ast.KindFill || q.Leaf.Kind() == ast.KindFill {
			// A constant has no positions. What never shows may become one, and
			// under an endless border what the band's path says is too much.
			if p.Leaf.Kind() == ast.KindFill || !pv || endless(p) || invalid != nil && invalid(band) {
				continue
			}
			return broken(LeafMap, "band %d came from %s and is a constant now", band, describe(p))
		}
		if !pv && !qv {
			continue
		}
		if custom && (p.Leaf.Kind() == ast.KindCustom || q.Leaf.Kind() == ast.KindCustom) {
			continue // its own canvas may have changed
		}
		if !sameLeaf(p.Leaf, q.Leaf) || !custom && p.Band != q.Band {
			return broken(LeafMap, "band %d came from %s and comes from %s", band, describe(p), describe(q))
		}
		if !custom && !sameQuantization(p.Quantization, q.Quantization) {
			return broken(quantizationLaw(p.Quantization, q.Quantization), "band %d was dequantized by %+v and is by %+v", band, deref(p.Quantization), deref(q.Quantization))
		}
		region := size.Polygon().ClipDomain(p.Domain)
		for _, v := range region {
			a, b := p.Inverse.Apply(v[0], v[1])
			c, d := q.Inverse.Apply(v[0], v[1])
			if far := max(math.Abs(a), math.Abs(b)); far > horizon || far > endlessHorizon && endless(p) {
				continue
			}
			if tol := samePosition*(1+math.Abs(a)*1e-6+math.Abs(b)*1e-6) + p.Rounding + q.Rounding; math.Abs(a-c) > tol || math.Abs(b-d) > tol {
				return broken(LeafMap, "canvas point (%.6g, %.6g) of band %d read its leaf at (%.9g, %.9g) and reads it at (%.9g, %.9g)", v[0], v[1], band, a, b, c, d)
			}
		}
		// Under an endless border nothing below cuts the canvas.
		same := p.Domain.Equal(q.Domain) || endless(p)
		same = same || geom.SameRegion(size, p.Domain, q.Domain, sameDomain)
		if !same && !(onGrid && samePixels(size, p.Domain, q.Domain)) {
			return broken(Domain, "band %d could be valid in %.6g and can be in %.6g", band, region, size.Polygon().ClipDomain(q.Domain))
		}
	}
	return nil
}

func endless(p ast.BandPath) bool {
	for _, s := range p.Resampled {
		if s.Border.Mode != ast.NoDataBorder {
			return true
		}
	}
	return false
}

// samePixels reports whether two domains hold the same pixel centres.
func samePixels(s geom.Size, d, e *geom.Domain) bool {
	for y := range s.H {
		a, b := d.Span(y, 0, s.W)
		u, v := e.Span(y, 0, s.W)
		if (a < b || u < v) && (a != u || b != v) {
			return false
		}
	}
	return true
}

// compareSteps compares the resamplings on the way of each band that shows.
func compareSteps(before, after ast.Node) *Violation {
	if hasCustom(before) {
		return nil
	}
	for band := 0; band < before.NumBands(); band += 1 + before.NumBands()/judgedBands {
		p, q := ast.Path(before, band), ast.Path(after, band)
		if p.Leaf.Kind() == ast.KindFill || q.Leaf.Kind() == ast.KindFill || !shows(p, before.Size()) {
			continue
		}
		same := len(p.Resampled) == len(q.Resampled)
		for i := 0; same && i < len(p.Resampled); i++ {
			same = p.Resampled[i] == q.Resampled[i]
		}
		if !same {
			return broken(Steps, "band %d was sampled by %v and is by %v", band, p.Resampled, q.Resampled)
		}
	}
	return nil
}

// shows reports whether the leaf can be seen at any pixel centre.
func shows(p ast.BandPath, s geom.Size) bool {
	if f, ok := p.Leaf.(*ast.Fill); ok {
		if _, constant := f.Value(); !constant {
			return false
		}
	}
	return p.Domain.CoversCenter(s.Bounds())
}

func hasCustom(n ast.Node) bool {
	found := false
	ast.Inspect(n, func(n ast.Node) bool {
		found = found || n.Kind() == ast.KindCustom
		return !found
	})
	return found
}

func sameLeaf(a, b ast.Node) bool { return a == b || ast.Equal(a, b) }

func sameQuantization(p, q *ast.Quantization) bool {
	return p == q || p != nil && q != nil && *p == *q
}

// quantizationLaw is the law that another quantization breaks.
func quantizationLaw(p, q *ast.Quantization) Law {
	if p != nil && q != nil && (p.HasNoData != q.HasNoData || p.NoData != q.NoData) {
		return Mask
	}
	return Values
}

func deref(q *ast.Quantization) any {
	if q == nil {
		return "nothing"
	}
	return *q
}

func describe(p ast.BandPath) string {
	if l, ok := p.Leaf.(*ast.Load); ok {
		return fmt.Sprintf("band %d of load %s", p.Band, l.URI())
	}
	return fmt.Sprintf("band %d of a %s", p.Band, p.Leaf.Op())
}
