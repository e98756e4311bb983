package rules

import (
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/rewrite"
)

// Overviews either reach the load, where a stored level is read, or become
// warps:
//
//	Overview₀(x)               → x                          drop-overview
//	Overview(Overview(Load))   → Overview'(Load)            fuse-overviews
//	Overview(Crop(Load))       → Crop'(Overview(Load))      overview-below-crop
//	Overview(Dequantize(Load)) → Dequantize(Overview(Load)) overview-below-dequantize
//	Overview(x)                → Warp(x)                    overview-to-warp
//
// The middle three read another stored level, so they are at resolution. They
// fire only where the stored size is the overview's canvas, the crop is whole
// at the level, and the nodata values agree.
var overviewRules = []rewrite.Rule{
	rewrite.On("drop-overview", ast.Exact, dropOverview).Only(ast.NoOp).
		WithDoc("Overview(x) → x at level 0, or where a pixel is too small to be reduced"),
	rewrite.OnShape("fuse-overviews", ast.Resolution, readStored[*ast.Overview]).
		WithDoc("Overview(Overview(Load)) → Overview'(Load) where the file stores that level in that size"),
	rewrite.OnShape("overview-below-crop", ast.Resolution, readStored[*ast.Crop]).
		WithDoc("Overview(Crop(Load)) → Crop'(Overview(Load)) where the crop is whole at the stored level"),
	rewrite.OnShape("overview-below-dequantize", ast.Resolution, readStored[*ast.Dequantize]).
		WithDoc("Overview(Dequantize(Load)) → Dequantize(Overview(Load)) where the nodata values agree"),
	rewrite.On("overview-to-warp", ast.Exact, overviewToWarp).Except(ast.NoOp | ast.Stored).
		WithDoc("Overview(x) → Warp(x) by its scale where no stored level is meant"),
}

func dropOverview(c *rewrite.Context, n *ast.Overview) (ast.Node, error) {
	if n.Stored() && n.Level() > 0 {
		return c.No(n, "it reads a stored level")
	}
	if n.Size() != n.Input(0).Size() {
		return c.No(n, "it reduces its input")
	}
	return n.Input(0), nil
}

// stored is the node that reads the overview of x, level levels down, from the
// file; nil, with the reason, where there is none of that size.
func stored(c *rewrite.Context, x ast.Node, level int, size geom.Size) (ast.Node, string) {
	switch x := x.(type) {
	case *ast.Load:
		if s, ok := x.LevelSize(level); !ok {
			return nil, "the file does not store the level"
		} else if s != size {
			return nil, "the stored level has another size than the overview's canvas"
		}
		return c.Overview(x, level), ""
	case *ast.Overview:
		if !x.Stored() {
			return nil, "the inner overview is not stored"
		}
		return stored(c, x.Input(0), x.Level()+level, size)
	case *ast.Crop:
		return storedCrop(c, x, level, size)
	case *ast.Dequantize:
		for i := range x.NumBands() {
			b, q := x.Input(0).Band(i), x.Quantization()
			if q.HasNoData && !(b.HasNoData && b.NoData == q.NoData) {
				return nil, "the stored level was made without the dequantize's nodata value"
			}
		}
		in, why := stored(c, x.Input(0), level, size)
		if in == nil {
			return nil, why
		}
		return c.Dequantize(in, x.Quantization()), ""
	}
	return nil, "it does not stand on a load"
}

func storedCrop(c *rewrite.Context, x *ast.Crop, level int, size geom.Size) (ast.Node, string) {
	load, from := ast.StoredLevel(x.Input(0))
	if load == nil {
		return nil, "the crop does not stand on a load or a stored level"
	}
	at, ok := load.LevelSize(from + level)
	if !ok {
		return nil, "the file does not store the level"
	}
	in := x.Input(0).Size()
	w, whole := scaleWindow(x.Window(), in, at)
	if !whole {
		return nil, "the crop is not whole at the stored level"
	}
	if (geom.Size{W: w.Dx(), H: w.Dy()}) != size {
		return nil, "the stored level has another size than the overview's canvas"
	}
	return c.Crop(c.Overview(load, from+level), w, ast.PicksOf(x)), ""
}

// scaleWindow maps a window of a canvas of one size to one of another size
// over the same extent, outwards to whole pixels, and reports whether it is
// whole there already.
func scaleWindow(w image.Rectangle, from, to geom.Size) (out image.Rectangle, whole bool) {
	whole = true
	side := func(v, from, to int, round func(float64) float64) int {
		f := float64(v) * float64(to) / float64(from)
		if r := math.Round(f); math.Abs(f-r) <= geom.SameEntry*max(1, math.Abs(f)) {
			return int(r)
		}
		whole = false
		return int(round(f))
	}
	out = image.Rect(
		side(w.Min.X, from.W, to.W, math.Floor), side(w.Min.Y, from.H, to.H, math.Floor),
		side(w.Max.X, from.W, to.W, math.Ceil), side(w.Max.Y, from.H, to.H, math.Ceil))
	return out, whole && !out.Empty()
}

// readStored is the rule for an overview over any node that may stand between
// it and a load.
func readStored[C ast.Node](c *rewrite.Context, n *ast.Overview, in C) (ast.Node, error) {
	out, why := stored(c, in, n.Level(), n.Size())
	if out == nil {
		return c.No(n, why)
	}
	return out, nil
}

func overviewToWarp(c *rewrite.Context, n *ast.Overview) (ast.Node, error) {
	if n.Stored() || n.Size() == n.Input(0).Size() {
		return c.No(n, "it reads a stored level, or is no node")
	}
	return c.Warp(n.Input(0), n.Transform(), n.Size(), ast.DefaultSampling, nil), nil
}
