package rewrite

import (
	"fmt"
	"math"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// VerifyError says which invariant a firing broke.
type VerifyError struct {
	Law           string // canvas, bands, leaf, leaf-map, domain, quantization or steps
	Before, After string // what was, and what the rule made of it
}

// Error is for example "breaks the canvas law: 3×4 became 3×5".
func (e *VerifyError) Error() string {
	return fmt.Sprintf("breaks the %s law: %s became %s", e.Law, e.Before, e.After)
}

func broken(law string, before, after any) error {
	return &VerifyError{law, fmt.Sprint(before), fmt.Sprint(after)}
}

// bandList is for example "r uint8, g uint8", and of many bands how many more
// there are.
func bandList(n ast.Node) string {
	const shown = 8
	var names []string
	for i := range min(n.NumBands(), shown) {
		names = append(names, n.Band(i).String())
	}
	if more := n.NumBands() - shown; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// verifiedBands is how many bands of a node are followed to their leaves.
const verifiedBands = 64

// verify checks what holds for every firing.
func verify(r Rule, before, after ast.Node) error {
	if before.Size() != after.Size() {
		return broken("canvas", before.Size(), after.Size())
	}
	if !ast.SameBands(before, after) {
		return broken("bands", bandList(before), bandList(after))
	}
	step := 1 + before.NumBands()/verifiedBands
	for band := 0; band < before.NumBands(); band += step {
		if err := verifyPath(r, before, after, band); err != nil {
			return err
		}
	}
	return nil
}

const (
	// sameDomain is how far, in pixels, an edge of a domain may move.
	sameDomain = 2 * geom.EdgeTolerance
	// samePosition is how far, in leaf pixels, a sample position may move.
	samePosition = 1e-6
)

func verifyPath(r Rule, before, after ast.Node, band int) error {
	p, q := ast.Path(before, band), ast.Path(after, band)
	s := before.Size()
	pv, qv := visible(p, s), visible(q, s)
	if !pv && !qv {
		return nil
	}
	if isFill(p.Leaf) && isFill(q.Leaf) {
		if s := ast.SameShape(p.Leaf, q.Leaf); !s {
			return nil // constants have no positions; their values are pixel checks
		}
	}
	if pv != qv || isFill(p.Leaf) != isFill(q.Leaf) {
		if isFill(q.Leaf) && !pv || isFill(p.Leaf) && !qv {
			return nil
		}
		return broken("leaf", describe(p), describe(q))
	}
	if isFill(p.Leaf) {
		return nil
	}
	if p.Band != q.Band || !sameLeaf(p.Leaf, q.Leaf) {
		return broken("leaf", describe(p), describe(q))
	}
	if (p.Quantization == nil) != (q.Quantization == nil) || p.Quantization != nil && *p.Quantization != *q.Quantization {
		return broken("quantization", p.Quantization, q.Quantization)
	}
	rounding := 8 * (p.Rounding + q.Rounding)
	if !geom.SameRegion(s, p.Domain, q.Domain, sameDomain+rounding) {
		return broken("domain", s.Polygon().ClipDomain(p.Domain), s.Polygon().ClipDomain(q.Domain))
	}
	for _, v := range s.Polygon().ClipDomain(p.Domain) {
		a, b := apply(p.Inverse, v)
		c, d := apply(q.Inverse, v)
		tol := samePosition + rounding + farPosition(&p.Inverse, v)*(math.Abs(a)+math.Abs(b))
		if math.Abs(a-c) > tol || math.Abs(b-d) > tol {
			return broken("leaf-map", p.Inverse, q.Inverse)
		}
	}
	if r.Fidelity() == ast.Exact && !sameSteps(p, q) {
		return broken("steps", p.Resampled, q.Resampled)
	}
	return nil
}

// farPosition is what part of its distance from the origin a position may move
// by: towards the horizon of a projection, where the denominator is what is
// left of its terms, positions go to infinity.
func farPosition(inv *geom.Transform, v [2]float64) float64 {
	terms := math.Abs(inv[6]*v[0]) + math.Abs(inv[7]*v[1]) + math.Abs(inv[8])
	return 0x1p-44 * max(1, terms/math.Abs(inv.Denominator(v[0], v[1])))
}

func apply(t geom.Transform, v [2]float64) (x, y float64) { return t.Apply(v[0], v[1]) }

// visible reports whether the path's leaf can show at any pixel centre.
func visible(p ast.BandPath, s geom.Size) bool {
	if f, ok := p.Leaf.(*ast.Fill); ok {
		if _, constant := f.Value(); !constant {
			return false
		}
	}
	return p.Domain.CoversCenter(s.Bounds())
}

func isFill(n ast.Node) bool { return n.Kind() == ast.KindFill }

func sameLeaf(a, b ast.Node) bool { return a == b || ast.Equal(a, b) }

func sameSteps(p, q ast.BandPath) bool {
	if len(p.Resampled) != len(q.Resampled) {
		return false
	}
	for i := range p.Resampled {
		if p.Resampled[i] != q.Resampled[i] {
			return false
		}
	}
	return true
}

func describe(p ast.BandPath) string {
	name := p.Leaf.Op()
	if l, ok := p.Leaf.(*ast.Load); ok {
		name += " " + l.URI()
	}
	return fmt.Sprintf("band %d of %s", p.Band, name)
}
