package rules

import (
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// unsteady reports whether a new warp may move positions by more than is
// allowed, where what it stands for moves them by so many pixels of its input.
// A transform whose large entries cancel has a large offset from another corner
// of its input or its canvas, and what rounding adds to that is magnified by
// whatever nearly singular warp stands below.
func unsteady(n *ast.Warp, was float64) bool {
	const little = geom.MaxDrift / 1024
	if is := roundingOf(n); is <= 2*was && is <= little {
		return false
	}
	bands := 1
	if ast.KindsIn(is)&(1<<ast.KindConcat) != 0 {
		bands = is.NumBands()
	}
	for band := range bands {
		// What stands above adds to it.
		if ast.Path(n, band).Rounding > geom.MaxDrift/16 {
			return true
		}
	}
	return false
}

// roundingOf is what rounding in a warp adds to a position, in pixels of its
// input.
func roundingOf(n *ast.Warp) float64 {
	m, inv := n.Transform(), n.Inverse()
	_, added := m.Rounding(&inv, n.Size(), n.Input(0).Size())
	return added
}

// roundingThrough is what rounding adds on the way back through two warps. Their
// product may be well conditioned though its entries are what cancellation left
// of large ones.
func roundingThrough(outer, inner *ast.Warp) float64 {
	m, inv := inner.Transform(), inner.Inverse()
	stretch, added := m.Rounding(&inv, inner.Size(), inner.Input(0).Size())
	return stretch*roundingOf(outer) + added
}

// returns reports whether a projective warp brings the corners of its sources
// back well enough, through all that stands below: the same transforms multiplied
// in another order may round so that they are refused.
func returns(n *ast.Warp) bool {
	x := n.Input(0)
	if ast.IsSource(x) {
		return true // its own transform is all there is
	}
	maps, _ := ast.Leaves(x)
	for i := range maps {
		t := n.Transform().Mul(maps[i].Transform)
		if size := maps[i].Leaf.Size(); !t.IsAffine() && !(t.RoundTrip(size) <= geom.MaxDrift/16) {
			return false
		}
	}
	return true
}
