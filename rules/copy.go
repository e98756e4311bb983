package rules

import (
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/rewrite"
)

// A warp directly on a source that maps pixel centres to pixel centres is a
// copy: it permutes samples, whatever its sampling says.
//
//	copy(x), a translation → Pad(Crop(x))   copy-to-crop-and-pad
//	copy(copy(x))          → copy'(x)       fuse-copies
//	copy(Pad(x))           → copy'(x)       copy-over-pad
//	copy(x) that cuts x    → copy'(Crop(x)) trim-copy
//
// A copy is never fused into a warp above it: what it cut off is gone for that
// warp's taps, and its edges belong to its own canvas.
var copyRules = []rewrite.Rule{
	rewrite.On("copy-to-crop-and-pad", ast.Exact, copyToCropAndPad).Only(ast.Copying).
		WithDoc("Warp(x) → Pad(Crop(x)) where the warp translates a source by whole pixels"),
	rewrite.On("trim-copy", ast.Exact, trimCopy).Only(ast.Copying).
		WithDoc("copy(x) → copy'(Crop(x)) where the copy's canvas cuts x; invalid where nothing of x is left"),
	rewrite.OnShape("fuse-copies", ast.Exact, fuseCopies).Only(ast.Copying).
		WithDoc("copy(copy(x)) → copy'(x): flips and turns compose"),
	rewrite.OnShape("copy-over-pad", ast.Exact, copyOverPad).Only(ast.Copying).
		WithDoc("copy(Pad(x)) → copy'(x): what is outside a copy is invalid anyway"),
}

func copyToCropAndPad(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	if !n.Copies() {
		return c.No(n, "it is not a copy of a source")
	}
	dx, dy, ok := n.Transform().IntegerTranslation()
	if !ok {
		return c.No(n, "the copy flips or turns")
	}
	return translated(c, n, n.Input(0), dx, dy), nil
}

// translated is x shifted by whole pixels, in the shape of n: what shows of it,
// padded, or all invalid.
func translated(c *rewrite.Context, n, x ast.Node, dx, dy int) ast.Node {
	canvas := n.Size().Bounds()
	at := x.Size().Bounds().Add(image.Pt(dx, dy))
	keep := at.Intersect(canvas)
	if keep.Empty() {
		return c.Invalid(n)
	}
	cut := c.Crop(x, keep.Sub(at.Min), nil)
	return c.Pad(cut, keep.Min.X, keep.Min.Y, canvas.Max.X-keep.Max.X, canvas.Max.Y-keep.Max.Y)
}

func trimCopy(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	exact, ok := n.IsCopy()
	if !ok {
		return c.No(n, "it is not a copy of a source")
	}
	if fitsCopy(n, exact) {
		return c.No(n, "all of its input shows on its canvas")
	}
	return cropCopy(c, n, n.Input(0), exact, n.Size().Bounds(), nil), nil
}

func fuseCopies(c *rewrite.Context, n *ast.Warp, in *ast.Warp) (ast.Node, error) {
	exact, ok := n.IsCopy()
	if !ok {
		return c.No(n, "it is not a copy of a source")
	}
	below, ok := in.IsCopy()
	if !ok || !fitsCopy(in, below) {
		return c.No(n, "its input is not a copy that shows all of its own input")
	}
	m := exact.Mul(below)
	if _, ok := m.Copy(); !ok {
		return c.No(n, "the offsets are too large to be added")
	}
	return c.Copy(in.Input(0), m, n.Size()), nil
}

func copyOverPad(c *rewrite.Context, n *ast.Warp, in *ast.Pad) (ast.Node, error) {
	exact, ok := n.IsCopy()
	if !ok {
		return c.No(n, "it is not a copy of a source")
	}
	l, t, _, _ := in.Margins()
	return c.Copy(in.Input(0), exact.Mul(geom.Translate(float64(l), float64(t))), n.Size()), nil
}
