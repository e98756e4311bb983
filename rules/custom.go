package rules

import (
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/rewrite"
)

// What may pass a custom node follows from its traits alone:
//
//	custom(Fill)       → Fill                             drop-dead-custom (invalid)
//	Crop(custom(x, y)) → Crop'(custom(Crop(x), Crop(y)))  crop-below-custom
//	Warp(custom(x))    → custom(Warp(x))                  warp-below-custom
//
// A crop passes a node that commutes with integer shifts, leaving the margin
// that the node reads. A warp passes one whose values are an affine function of
// one band of the same pixel, over a source, with a nodata border: then the
// weighted mean of the values is the value of the weighted mean. It is left
// above where the node would be evaluated more often.
var customRules = []rewrite.Rule{
	rewrite.OnOp(ast.KindCustom.String(), "drop-dead-custom", ast.Exact, dropDeadCustom).
		WithDoc("custom(x, …) → Fill where all that it reads is invalid, and it is valid only where that is"),
	rewrite.OnShape("crop-below-custom", ast.Exact, cropBelowCustom).
		WithDoc("Crop(custom(x, …)) → Crop'(custom(Crop(x), …)) with the node's margin, where it commutes with shifts"),
}

var warpBelowCustomRules = []rewrite.Rule{
	rewrite.OnShape("warp-below-custom", ast.Geometric, warpBelowCustom).
		WithDoc("Warp(custom(x)) → custom(Warp(x)) where the values map affinely band by band and the canvas is smaller"),
}

func dropDeadCustom(c *rewrite.Context, n ast.Custom) (ast.Node, error) {
	if n.NumInputs() == 0 || n.Traits().Validity == ast.ValidOwn {
		return c.No(n, "the custom node says itself where it is valid")
	}
	for i := range n.NumInputs() {
		if f, ok := n.Input(i).(*ast.Fill); !ok || !isInvalid(f) || f.Size() != n.Size() {
			return c.No(n, "an input is not an invalid fill of its canvas")
		}
	}
	return c.Invalid(n), nil
}

func cropBelowCustom(c *rewrite.Context, n *ast.Crop, in ast.Custom) (ast.Node, error) {
	t := in.Traits()
	if !t.ShiftInvariant || t.Margin < 0 {
		return c.No(n, "the custom node does not commute with shifts")
	}
	if in.NumInputs() == 0 {
		return c.No(n, "the custom node has no input")
	}
	canvas := in.Size().Bounds()
	grown := n.Window().Inset(-t.Margin).Intersect(canvas)
	if grown == canvas {
		return c.No(n, "the window with the node's margin is the whole canvas")
	}
	inputs := make([]ast.Node, in.NumInputs())
	for i := range inputs {
		if in.Input(i).Size() != in.Size() {
			return c.No(n, "the custom node has another canvas than its input")
		}
		for k := range i {
			if in.Input(k) == in.Input(i) {
				inputs[i] = inputs[k] // what was shared stays shared
			}
		}
		if inputs[i] == nil {
			inputs[i] = c.Crop(in.Input(i), grown, nil)
		}
	}
	node, err := in.WithInputs(inputs)
	if err != nil {
		return nil, err
	}
	return c.Crop(node, n.Window().Sub(grown.Min), ast.PicksOf(n)), nil
}

func warpBelowCustom(c *rewrite.Context, n *ast.Warp, in ast.Custom) (ast.Node, error) {
	t := in.Traits()
	if in.NumInputs() != 1 || !t.ShiftInvariant || t.Margin != 0 || !t.Affine || t.Validity != ast.ValidAll || t.Reads == nil {
		return c.No(n, "the custom node does not map values affinely, pixel by pixel and band by band")
	}
	x := in.Input(0)
	if !ast.IsSource(x) || x.Size() != in.Size() || !n.IsAffine() || n.Sampling().Border.Mode != ast.NoDataBorder {
		return c.No(n, "it is not an affine warp with a nodata border over a custom node on a source")
	}
	if n.Sampling().Interp == ast.Mode {
		return c.No(n, "the most frequent value is not a mean")
	}
	for i := range in.NumBands() {
		if r := t.Reads(i); len(r) != 1 {
			return c.No(n, "a band of the custom node depends on several")
		}
	}
	canvas := n.Size().Bounds()
	seen := seenIn(canvas, n)
	s := geom.Size{W: seen.Dx(), H: seen.Dy()}
	if area(s) > area(x.Size()) {
		return c.No(n, "the custom node has fewer pixels to compute below the warp")
	}
	var below ast.Node = c.Warp(x, n.Transform(), n.Size(), n.Sampling(), n.Domain())
	node, err := in.WithInputs([]ast.Node{c.Crop(below, seen, nil)})
	if err != nil {
		return nil, err
	}
	if !ast.SameBands(node, n) || node.Size() != s {
		return c.No(n, "the custom node has another shape over a warp")
	}
	return c.Pad(node, seen.Min.X, seen.Min.Y, canvas.Max.X-seen.Max.X, canvas.Max.Y-seen.Max.Y), nil
}

func area(s geom.Size) float64 { return float64(s.W) * float64(s.H) }
