package rules

import (
	"image"
	"sort"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/rewrite"
)

// settleFill takes a dequantize on the fill along: its value is rounded only
// once, at the end.
func settleFill(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	x := n.Input(0)
	d, dequantized := x.(*ast.Dequantize)
	if dequantized {
		x = d.Input(0)
	}
	f, ok := x.(*ast.Fill)
	if !ok || n.Copies() || n.IsNoOp() {
		return c.No(n, "it does not sample a fill")
	}
	if why := anyway(n, f); why != "" {
		return c.No(n, why)
	}
	canvas := n.Size().Bounds()
	inv := n.Inverse()
	keep, ok := pixels(canvas, appendClips(make([]geom.HalfPlane, 0, 8), n, &inv))
	if !ok {
		return c.No(n, "what it shows of the fill is not a rectangle")
	}
	if keep.Empty() {
		return c.Invalid(n), nil
	}
	v, _ := f.Value()
	var part ast.Node = ast.TrustedFill(geom.Size{W: keep.Dx(), H: keep.Dy()}, ast.BandsOf(f), v, false)
	if dequantized {
		part = c.DequantizeLike(d, part)
	}
	return c.Pad(part, keep.Min.X, keep.Min.Y, canvas.Max.X-keep.Max.X, canvas.Max.Y-keep.Max.Y), nil
}

// pixels are those of a canvas whose centres lie in all of the half-planes; ok
// is false where their edges are not along the axes.
func pixels(canvas image.Rectangle, planes []geom.HalfPlane) (r image.Rectangle, ok bool) {
	r = canvas
	for i := range planes {
		h := &planes[i]
		switch {
		case h.Den != ([3]float64{}) || h.Row[0] != 0 && h.Row[1] != 0:
			return r, false
		case h.Row[1] != 0:
			r.Min.Y, r.Max.Y = run(r.Min.Y, r.Max.Y, h.Row[1] > 0, func(y int) bool { return h.Contains(0, float64(y)+0.5) })
		default:
			r.Min.X, r.Max.X = run(r.Min.X, r.Max.X, h.Row[0] > 0, func(x int) bool { return h.Contains(float64(x)+0.5, 0) })
		}
	}
	return r, true
}

// run is the part of an axis that is inside: its end if rising, else its
// beginning.
func run(lo, hi int, rising bool, inside func(i int) bool) (first, last int) {
	if hi < lo {
		return lo, lo
	}
	k := lo + sort.Search(hi-lo, func(i int) bool { return inside(lo+i) == rising })
	if rising {
		return k, hi
	}
	return lo, k
}
