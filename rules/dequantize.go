package rules

import (
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

// Dequantize applies to samples wherever it stands, so it moves to the leaf,
// where it costs nothing extra and what is above it fuses:
//
//	Dequantize(Pad(x))       → Pad(Dequantize(x))        dequantize-below-pad
//	Dequantize(copy(x))      → copy(Dequantize(x))       dequantize-below-copy
//	Dequantize(Crop(Warp x)) → Crop(Dequantize(Warp x))  dequantize-below-crop
//	Dequantize(Warp(x))      → Warp(Dequantize(x))       dequantize-below-warp
//	Dequantize(Overview(x))  → Overview(Dequantize(x))   dequantize-below-overview (not stored)
//
// It stays above a crop of a leaf and above a stored overview, which are read
// together. The number of a border is in the units of the samples below it, so
// it is dequantized with them.
var dequantizeRules = []rewrite.Rule{
	rewrite.OnShape("dequantize-below-pad", ast.Exact, dequantizeBelowPad).
		WithDoc("Dequantize(Pad(x)) → Pad(Dequantize(x))"),
	rewrite.OnShape("dequantize-below-copy", ast.Exact, dequantizeBelowCopy).
		WithDoc("Dequantize(copy(x)) → copy(Dequantize(x))"),
	rewrite.OnShape("dequantize-below-crop", ast.Exact, dequantizeBelowCrop).
		WithDoc("Dequantize(Crop(Warp(x))) → Crop(Dequantize(Warp(x))), on its way below the warp"),
	rewrite.OnShape("dequantize-below-warp", ast.Geometric, dequantizeBelowWarp).
		WithDoc("Dequantize(Warp(x)) → Warp(Dequantize(x)): before any interpolation, so that nodata never bleeds"),
	rewrite.OnShape("dequantize-below-overview", ast.Geometric, dequantizeBelowOverview).
		WithDoc("Dequantize(Overview(x)) → Overview(Dequantize(x)) where the overview is not stored"),
}

func dequantizeBelowPad(c *rewrite.Context, n *ast.Dequantize, in *ast.Pad) (ast.Node, error) {
	l, t, r, b := in.Margins()
	x, err := lowered(c, n, in.Input(0))
	if err != nil {
		return nil, err
	}
	if w, ok := x.(*ast.Warp); ok && runs(c, w) && w.Input(0).Kind() != ast.KindFill && l|t|r|b != 0 {
		c.Refired()
		return padWarp(c, w, l, t, in.Size())
	}
	return c.Pad(x, l, t, r, b), nil
}

func dequantizeBelowCopy(c *rewrite.Context, n *ast.Dequantize, in *ast.Warp) (ast.Node, error) {
	if !in.Copies() {
		return c.No(n, "its input is not a copy of a source")
	}
	x := c.DequantizeLike(n, in.Input(0))
	return ast.TrustedWarp(x, in.Transform(), in.Size(), in.Sampling(), nil), nil
}

func dequantizeBelowCrop(c *rewrite.Context, n *ast.Dequantize, in *ast.Crop) (ast.Node, error) {
	if w, ok := in.Input(0).(*ast.Warp); !ok || w.Copies() {
		return dequantizeBelowCrops(c, n, in)
	}
	for i := range in.Input(0).NumBands() {
		if in.Input(0).Band(i).Type.IsFloat() {
			return c.No(n, "the crop leaves out a band that is no integer")
		}
	}
	x, err := lowered(c, n, in.Input(0))
	if err != nil {
		return nil, err
	}
	if w, ok := x.(*ast.Warp); ok && runs(c, w) && ast.ShapeOf(in).Marks&ast.NoOp == 0 {
		c.Refired()
		return cropWarp(c, w, in.Window(), ast.PicksOf(in))
	}
	return c.Crop(x, in.Window(), ast.PicksOf(in)), nil
}

// dequantizeBelowCrops goes below a crop that will go into a warp further down,
// once the warp is there.
func dequantizeBelowCrops(c *rewrite.Context, n *ast.Dequantize, in *ast.Crop) (ast.Node, error) {
	if c.Stepwise() || ast.KindsIn(in)&(1<<ast.KindWarp) == 0 {
		return c.No(n, "the crop does not stand on a warp")
	}
	x, err := c.Rewritten(in)
	if err != nil {
		return nil, err
	}
	if w, ok := x.(*ast.Warp); ok && runs(c, w) {
		return dequantizeBelowWarp(c, n, w)
	}
	return c.No(n, "the crop does not go into a warp")
}

// lowered is the map of n over x, brought down as the rules here would bring it:
// without the nodes on the way where no firing is to be seen.
func lowered(c *rewrite.Context, n *ast.Dequantize, x ast.Node) (ast.Node, error) {
	var out ast.Node = n
	var err error
	if !c.Stepwise() {
		switch in := x.(type) {
		case *ast.Crop:
			out, err = dequantizeBelowCrop(c, n, in)
		case *ast.Warp:
			if runs(c, in) {
				out, err = dequantizeBelowWarp(c, n, in)
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if out == ast.Node(n) {
		out = c.DequantizeLike(n, x)
	} else {
		c.Refired()
	}
	return c.Ready(out)
}

// dequantizedLike is the map of n over x, which lacks bands or a part of what n
// stands on; below x at once where that is a warp that it may go below.
func dequantizedLike(c *rewrite.Context, n *ast.Dequantize, x ast.Node) (ast.Node, error) {
	if w, ok := x.(*ast.Warp); ok && runs(c, w) {
		if out, err := dequantizeBelowWarp(c, n, w); err != nil || out != ast.Node(n) {
			c.Refired()
			return out, err
		}
	}
	return c.DequantizeLike(n, x), nil
}

// runs reports whether what stands on a warp may go into it at once.
func runs(c *rewrite.Context, w *ast.Warp) bool {
	return !c.Stepwise() && c.MaxFidelity() >= ast.Geometric && !w.Copies() && !w.IsNoOp()
}

func dequantizeBelowWarp(c *rewrite.Context, n *ast.Dequantize, in *ast.Warp) (ast.Node, error) {
	if in.Copies() || in.IsNoOp() {
		return c.No(n, "the warp is a copy of a source, or no node")
	}
	q, s := n.Quantization(), in.Sampling()
	if s.Border.Mode == ast.ValueBorder {
		v := s.Border.Value
		for i := range in.NumBands() {
			if b := in.Band(i); q.HasNoData && q.NoData == v || b.HasNoData && b.NoData == v {
				return c.No(n, "the number of the warp's border is a nodata value")
			}
		}
		s.Border.Value = q.Value(v)
	}
	x, err := lowered(c, n, in.Input(0))
	if err != nil {
		return nil, err
	}
	return c.Warp(x, in.Transform(), in.Size(), s.Normalize(), in.Domain()), nil
}

func dequantizeBelowOverview(c *rewrite.Context, n *ast.Dequantize, in *ast.Overview) (ast.Node, error) {
	if in.Stored() {
		return c.No(n, "the overview is stored, so it is read as it is")
	}
	return c.Overview(c.DequantizeLike(n, in.Input(0)), in.Level()), nil
}
