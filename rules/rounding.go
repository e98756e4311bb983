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
	if steady(roundingOf(n), was) {
		return false
	}
	bands := 1
	if ast.KindsIn(n)&(1<<ast.KindConcat) != 0 {
	}
	for band := range bands {
		// What stands above adds to it.
		if ast.Path(n, band).Rounding > geom.MaxDrift/16 {
			return true
		}
	}
	return false
}

// steady reports whether rounding that moves positions by so many pixels, where it
// moved them by so many before, is so little that nothing below can make it matter.
func steady(is, was float64) bool { return is <= 2*was && is <= geom.MaxDrift/1024 }

// roundingOf is what rounding in a warp adds to a position, in pixels of its
// input.
func roundingOf(n *ast.Warp) float64 {
	inv := n.Inverse()
	return roundingBy(n, &inv)
}

// roundingBy is roundingOf for those who have the warp's inverse.
func roundingBy(n *ast.Warp, inv *geom.Transform) float64 {
	m := n.Transform()
	_, added := m.Rounding(inv, n.Size(), n.Input(0).Size())
	return added
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
