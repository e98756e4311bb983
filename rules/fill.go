package rules

import (
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/rewrite"
)

// A fill that is all invalid passes through everything; a constant one passes
// what leaves it constant:
//
//	Crop(Fill)       → Fill    crop-fill
//	Pad(Fill)        → Fill    pad-fill (invalid)
//	Dequantize(Fill) → Fill    dequantize-fill (value mapped)
//	copy(Fill)       → Pad(Fill), Warp(Fill) → Fill, Overview(Fill) → Fill
//
// A warp keeps a constant only where its whole canvas lies inside the fill, or
// where its border repeats the fill. A number as border shows beyond an
// invalid fill, so there the canvas has to lie inside too.
var fillRules = []rewrite.Rule{
	rewrite.OnShape("crop-fill", ast.Exact, cropFill).
		WithDoc("Crop(Fill) → Fill"),
	rewrite.OnShape("pad-fill", ast.Exact, padFill).
		WithDoc("Pad(Fill) → Fill where the fill is invalid"),
	rewrite.OnShape("dequantize-fill", ast.Exact, dequantizeFill).
		WithDoc("Dequantize(Fill) → Fill of the mapped value"),
	rewrite.OnShape("copy-fill", ast.Exact, copyFill).Only(ast.Copying).
		WithDoc("copy(Fill) → Pad(Fill'): a permuted constant is a constant"),
	rewrite.OnShape("warp-invalid-fill", ast.Exact, warpInvalidFill).
		WithDoc("Warp(Fill) → Fill where the fill is invalid and no border value shows"),
	rewrite.OnShape("warp-constant-fill", ast.Geometric, warpConstantFill).Except(ast.Copying).
		WithDoc("Warp(Fill) → Fill where the whole canvas lies inside the fill"),
}

func cropFill(c *rewrite.Context, n *ast.Crop, f *ast.Fill) (ast.Node, error) {
	return fillLike(c, n, f), nil
}

// fillLike is the fill's content on the canvas and bands of n.
func fillLike(c *rewrite.Context, n ast.Node, f *ast.Fill) ast.Node {
	if v, ok := f.Value(); ok {
		return c.Fill(n, v)
	}
	return c.Invalid(n)
}

func isInvalid(f *ast.Fill) bool {
	_, constant := f.Value()
	return !constant
}

func padFill(c *rewrite.Context, n *ast.Pad, f *ast.Fill) (ast.Node, error) {
	if !isInvalid(f) {
		return c.No(n, "the fill is constant")
	}
	return c.Invalid(n), nil
}

func dequantizeFill(c *rewrite.Context, n *ast.Dequantize, f *ast.Fill) (ast.Node, error) {
	v, constant := f.Value()
	q := n.Quantization()
	if !constant || q.HasNoData && v == q.NoData {
		return c.Invalid(n), nil
	}
	for i := range f.NumBands() {
		if b := f.Band(i); b.HasNoData && b.NoData == v {
			return c.No(n, "the constant is the nodata value of a band")
		}
	}
	value := q.Value(v)
	if r := q.OrigType.Round(value); !q.OrigType.IsFloat() && r != value {
		return c.No(n, "the mapped value would be rounded before it is sampled")
	}
	return c.Fill(n, value), nil
}

func copyFill(c *rewrite.Context, n *ast.Warp, f *ast.Fill) (ast.Node, error) {
	exact, ok := n.IsCopy()
	if !ok {
		return c.No(n, "it is not a copy")
	}
	keep := mapRect(exact, f.Size().Bounds()).Intersect(n.Size().Bounds())
	if keep.Empty() || isInvalid(f) {
		return c.Invalid(n), nil
	}
	v, _ := f.Value()
	part := ast.TrustedFill(geom.Size{W: keep.Dx(), H: keep.Dy()}, ast.BandsOf(f), v, false)
	return c.Pad(part, keep.Min.X, keep.Min.Y, n.Size().W-keep.Max.X, n.Size().H-keep.Max.Y), nil
}

// inside reports whether the warp's whole canvas, as far as its domain shows it,
// lies in that of its input.
func inside(w *ast.Warp) bool {
	inv := w.Inverse()
	planes := appendFront(make([]geom.HalfPlane, 0, 5), &inv)
	planes = w.Input(0).Size().AppendEdges(planes, w.Size(), &inv)
	return geom.Reduce(w.Size(), planes, w.Domain().Planes()) == nil
}

func warpInvalidFill(c *rewrite.Context, n *ast.Warp, f *ast.Fill) (ast.Node, error) {
	if !isInvalid(f) {
		return c.No(n, "the fill is constant")
	}
	if n.Sampling().Border.Mode == ast.ValueBorder && !n.Copies() && !inside(n) {
		return c.No(n, "its border value shows beyond the fill")
	}
	return c.Invalid(n), nil
}

func warpConstantFill(c *rewrite.Context, n *ast.Warp, f *ast.Fill) (ast.Node, error) {
	if n.Copies() {
		return c.No(n, "it is a copy, whose margin is invalid whatever its border")
	}
	if why := keepsConstant(n, f); why != "" {
		return c.No(n, why)
	}
	v, _ := f.Value()
	return c.Fill(n, v), nil
}

// keepsConstant says why a warp of a fill is not the fill's constant
// everywhere, or "" if it is.
func keepsConstant(n *ast.Warp, f *ast.Fill) string {
	if why := anyway(n, f); why != "" {
		return why
	}
	if d := n.Domain(); d != nil && geom.Reduce(n.Size(), d.Planes(), nil) != nil {
		return "its domain cuts the canvas"
	}
	if !inside(n) && (n.Sampling().Border.Mode == ast.NoDataBorder || !n.IsAffine()) {
		return "its canvas reaches beyond the fill"
	}
	return ""
}

// anyway says why samples of a fill are not its constant wherever they are
// taken, or "" if they are.
func anyway(n *ast.Warp, f *ast.Fill) string {
	v, constant := f.Value()
	if !constant {
		return "the fill is invalid"
	}
	if n.Sampling().Border.Mode == ast.ValueBorder {
		return "its border value mixes with the constant"
	}
	for i := range f.NumBands() {
		if b := f.Band(i); b.HasNoData && b.NoData == v {
			return "the constant is the nodata value of a band"
		}
	}
	return ""
}
