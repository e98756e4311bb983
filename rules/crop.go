package rules

import (
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/rewrite"
)

// Crops move down, towards the leaf, so that less is read:
//
//	Crop(x)               → x                         drop-crop (whole canvas, all bands)
//	Crop(Crop(x))         → Crop'(x)                  fuse-crops
//	Crop(Pad(x))          → Pad'(Crop'(x))            crop-below-pad
//	Crop(Dequantize(x))   → Dequantize(Crop(x))       crop-below-dequantize
//	Crop(copy(x))         → copy'(Crop'(x))           crop-below-copy
//	Crop(Warp(x))         → Warp'(x)                  crop-into-warp
//
// The crop of a warp shifts the warp's canvas and shrinks it; what the warp
// then needs of its input is cut out by crop-below-warp (place.go), which
// alone knows the kernel's margin.
var cropRules = []rewrite.Rule{
	rewrite.On("drop-crop", ast.Exact, dropCrop).Only(ast.NoOp).
		WithDoc("Crop(x) → x where the window is the whole canvas and no band is picked"),
	rewrite.OnShape("fuse-crops", ast.Exact, fuseCrops).
		WithDoc("Crop(Crop(x)) → Crop'(x): one window, one band choice"),
	rewrite.OnShape("crop-below-pad", ast.Exact, cropBelowPad).
		WithDoc("Crop(Pad(x)) → Pad'(Crop'(x)): only what the crop keeps is padded; invalid where it keeps none of x"),
	rewrite.OnShape("crop-below-dequantize", ast.Exact, cropBelowDequantize).
		WithDoc("Crop(Dequantize(x)) → Dequantize(Crop(x)): fewer samples are mapped"),
	rewrite.OnShape("crop-below-copy", ast.Exact, cropBelowCopy).
		WithDoc("Crop(copy(x)) → copy'(Crop'(x)): the same samples are cut out before they are permuted"),
	rewrite.OnShape("crop-into-warp", ast.Geometric, cropIntoWarp).
		WithDoc("Crop(Warp(x)) → Warp'(Crop(x)): the warp's canvas is the window, the band choice goes below"),
}

func dropCrop(c *rewrite.Context, n *ast.Crop) (ast.Node, error) {
	if !n.AllBands() {
		return c.No(n, "it picks bands")
	}
	if n.Window() != n.Input(0).Size().Bounds() {
		return c.No(n, "its window is smaller than the canvas")
	}
	return n.Input(0), nil
}

func fuseCrops(c *rewrite.Context, n *ast.Crop, in *ast.Crop) (ast.Node, error) {
	return c.Crop(in.Input(0), n.Window().Add(in.Window().Min), composePicks(ast.PicksOf(n), in)), nil
}

// composePicks is a band choice on a crop, nil for all, as one on the crop's
// input.
func composePicks(outer []int, inner *ast.Crop) []int {
	if inner.AllBands() {
		return outer
	}
	if outer == nil {
		return ast.PicksOf(inner)
	}
	picks := make([]int, len(outer))
	for i, k := range outer {
		picks[i] = inner.Pick(k)
	}
	return picks
}

// cropped is a window of x and a choice of its bands, nil for all, brought down
// as the rules here would bring it: without the nodes on the way where no firing
// is to be seen, else as the crop that they start from.
func cropped(c *rewrite.Context, x ast.Node, window image.Rectangle, picks []int) (ast.Node, error) {
	if c.Stepwise() {
		return c.Crop(x, window, picks), nil
	}
	switch in := x.(type) {
	case *ast.Crop:
		c.Refired()
		return cropped(c, in.Input(0), window.Add(in.Window().Min), composePicks(picks, in))
	case *ast.Dequantize:
		if onWarp(in) {
			break
		}
		c.Refired()
		y, err := cropped(c, in.Input(0), window, picks)
		if err != nil || y == in.Input(0) {
			return x, err
		}
		return dequantizedLike(c, in, y)
	case *ast.Warp:
		if runs(c, in) && (picks != nil || window != in.Size().Bounds()) {
			c.Refired()
			out, err := cropWarp(c, in, window, picks)
			if err != nil {
				return nil, err
			}
			return c.Ready(out)
		}
	}
	return c.Ready(c.Crop(x, window, picks))
}

// onWarp reports whether a dequantize stands on a warp, below which it goes
// before a crop goes below it.
func onWarp(n *ast.Dequantize) bool {
	w, ok := n.Input(0).(*ast.Warp)
	return ok && !w.Copies()
}

func cropBelowPad(c *rewrite.Context, n *ast.Crop, in *ast.Pad) (ast.Node, error) {
	w, inner := n.Window(), in.Inner()
	keep := w.Intersect(inner)
	if keep.Empty() {
		return c.Invalid(n), nil
	}
	x := c.Crop(in.Input(0), keep.Sub(inner.Min), ast.PicksOf(n))
	return c.Pad(x, keep.Min.X-w.Min.X, keep.Min.Y-w.Min.Y, w.Max.X-keep.Max.X, w.Max.Y-keep.Max.Y), nil
}

func cropBelowDequantize(c *rewrite.Context, n *ast.Crop, in *ast.Dequantize) (ast.Node, error) {
	if onWarp(in) {
		return c.No(n, "the dequantize stands on a warp, below which it goes first")
	}
	x, err := cropped(c, in.Input(0), n.Window(), ast.PicksOf(n))
	if err != nil {
		return nil, err
	}
	return dequantizedLike(c, in, x)
}

func cropBelowCopy(c *rewrite.Context, n *ast.Crop, in *ast.Warp) (ast.Node, error) {
	if !in.Copies() {
		return c.No(n, "the warp is not a copy of a source")
	}
	return cropCopy(c, n, in.Input(0), in.Exact(), n.Window(), ast.PicksOf(n)), nil
}

// cropCopy is the window of the copy of x: the copy of the part of x that
// shows in it, or all invalid, in the shape of n.
func cropCopy(c *rewrite.Context, n, x ast.Node, exact geom.Transform, window image.Rectangle, picks []int) ast.Node {
	inv, _ := exact.Inverse()
	keep := mapRect(inv, window).Intersect(x.Size().Bounds())
	if keep.Empty() {
		return c.Invalid(n)
	}
	m := geom.Translate(-float64(window.Min.X), -float64(window.Min.Y)).Mul(exact).
		Mul(geom.Translate(float64(keep.Min.X), float64(keep.Min.Y)))
	return c.Copy(c.Crop(x, keep, picks), m, geom.Size{W: window.Dx(), H: window.Dy()})
}

// mapRect maps a rectangle by a transform with integer entries that turns by
// quarter turns.
func mapRect(exact geom.Transform, r image.Rectangle) image.Rectangle {
	x0, y0 := exact.Apply(float64(r.Min.X), float64(r.Min.Y))
	x1, y1 := exact.Apply(float64(r.Max.X), float64(r.Max.Y))
	return image.Rect(int(x0), int(y0), int(x1), int(y1)) // image.Rect sorts
}

func cropIntoWarp(c *rewrite.Context, n *ast.Crop, in *ast.Warp) (ast.Node, error) {
	if in.Copies() || in.IsNoOp() {
		return c.No(n, "the warp is a copy of a source, or no node")
	}
	return cropWarp(c, in, n.Window(), ast.PicksOf(n))
}

// cropWarp is a window of a warp and a choice of its bands, nil for all, as one
// warp.
func cropWarp(c *rewrite.Context, in *ast.Warp, w image.Rectangle, picks []int) (ast.Node, error) {
	x, m, size := in.Input(0), in.Transform(), geom.Size{W: w.Dx(), H: w.Dy()}
	dx, dy := float64(w.Min.X), float64(w.Min.Y)
	m.Shift(-dx, -dy)
	if picks != nil {
		var err error
		if x, err = cropped(c, x, x.Size().Bounds(), picks); err != nil {
			return nil, err
		}
	}
	if in.Domain() == nil && !mayRun(c, x) {
		return c.Warp(x, m, size, in.Sampling(), nil), nil
	}
	var f fusion
	f.start(in, x, &m, size)
	back := geom.Translate(dx, dy)
	domain, err := f.addAll(c, in.Domain().AppendTo(make([]geom.HalfPlane, 0, 12), &back))
	if err != nil {
		return nil, err
	}
	if f.x == x && w == in.Size().Bounds() {
		return c.Warp(x, m, size, in.Sampling(), in.Domain()), nil
	}
	return f.warp(c, domain), nil
}
