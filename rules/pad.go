package rules

import (
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/rewrite"
)

// Pads fuse, and vanish into what can carry them:
//
//	Pad(x)            → x                    drop-pad (no margin)
//	Pad(Pad(x))       → Pad'(x)              fuse-pads
//	Pad(copy(x))      → copy'(x)             pad-into-copy
//	Pad(Warp(x))      → Warp'(x) with domain pad-into-warp
//	Warp(Pad(x))      → Warp'(x)             drop-pad-below-warp (nodata border)
//
// A warp with a nodata border cannot tell an invalid margin from none. The
// domain of pad-into-warp is the warp's old canvas, where the edge of x does
// not imply it.
var padRules = []rewrite.Rule{
	rewrite.On("drop-pad", ast.Exact, dropPad).Only(ast.NoOp).
		WithDoc("Pad(x) → x where nothing is added"),
	rewrite.OnShape("fuse-pads", ast.Exact, fusePads).
		WithDoc("Pad(Pad(x)) → Pad'(x)"),
	rewrite.OnShape("pad-into-copy", ast.Exact, padIntoCopy).
		WithDoc("Pad(copy(x)) → copy'(x) on the larger canvas"),
	rewrite.OnShape("pad-into-warp", ast.Geometric, padIntoWarp).
		WithDoc("Pad(Warp(x)) → Warp'(x) on the larger canvas, its domain the old one"),
}

var padBelowWarpRules = []rewrite.Rule{
	rewrite.OnShape("drop-pad-below-warp", ast.Geometric, dropPadBelowWarp).Except(ast.Copying | ast.NoOp).
		WithDoc("Warp(Pad(x)) → Warp'(x) where the border is nodata, which a pad is already"),
	rewrite.OnShape("trim-copy-below-warp", ast.Geometric, trimCopyBelowWarp).Except(ast.Copying).
		WithDoc("Warp(copy(x)) → Warp'(copy'(x)) without the copy's margin, where the border is nodata"),
}

func dropPad(c *rewrite.Context, n *ast.Pad) (ast.Node, error) {
	if n.Size() != n.Input(0).Size() {
		return c.No(n, "it adds pixels")
	}
	return n.Input(0), nil
}

func fusePads(c *rewrite.Context, n *ast.Pad, in *ast.Pad) (ast.Node, error) {
	l, t, r, b := n.Margins()
	il, it, ir, ib := in.Margins()
	return c.Pad(in.Input(0), l+il, t+it, r+ir, b+ib), nil
}

func padIntoCopy(c *rewrite.Context, n *ast.Pad, in *ast.Warp) (ast.Node, error) {
	if !in.Copies() {
		return c.No(n, "the warp is not a copy of a source")
	}
	exact := in.Exact()
	if !fitsCopy(in, exact) {
		return c.No(n, "the copy's canvas cuts its input, which is cropped first")
	}
	o := n.Inner().Min
	return c.Copy(in.Input(0), geom.Translate(float64(o.X), float64(o.Y)).Mul(exact), n.Size()), nil
}

// fitsCopy reports whether the whole input of a copy shows on its canvas.
func fitsCopy(w *ast.Warp, exact geom.Transform) bool {
	return mapRect(exact, w.Input(0).Size().Bounds()).In(w.Size().Bounds())
}

func padIntoWarp(c *rewrite.Context, n *ast.Pad, in *ast.Warp) (ast.Node, error) {
	if in.Copies() || in.IsNoOp() {
		return c.No(n, "the warp is a copy of a source, or no node")
	}
	if f, ok := in.Input(0).(*ast.Fill); ok && keepsConstant(in, f) == "" {
		return c.No(n, "the warp is a constant")
	}
	l, t, _, _ := n.Margins()
	return padWarp(c, in, l, t, n.Size())
}

// padWarp is a warp with margins as one warp on the larger canvas.
func padWarp(c *rewrite.Context, in *ast.Warp, left, top int, size geom.Size) (ast.Node, error) {
	dx, dy := float64(left), float64(top)
	back := geom.Translate(-dx, -dy)
	domain := in.Domain().AppendTo(make([]geom.HalfPlane, 0, 12), &back)
	domain = in.Size().AppendEdges(domain, size, &back)
	m := in.Transform()
	m.Shift(dx, dy)
	var f fusion
	f.start(in, in.Input(0), &m, size)
	domain, err := f.addAll(c, domain)
	if err != nil {
		return nil, err
	}
	return f.warp(c, domain), nil
}

func dropPadBelowWarp(c *rewrite.Context, n *ast.Warp, in *ast.Pad) (ast.Node, error) {
	if n.Sampling().Border.Mode != ast.NoDataBorder {
		return c.No(n, "its border makes the pad's edge endless")
	}
	if n.Copies() || n.IsNoOp() {
		return c.No(n, "it is a copy of a source, or no node")
	}
	l, t, _, _ := in.Margins()
	m := n.Transform()
	m.ShiftInput(float64(l), float64(t))
	x := in.Input(0)
	if !front(&m, x.Size()) {
		return c.No(n, "the input's centre lies behind the projection")
	}
	// The edges of x may imply what those of the pad did not.
	return c.Warp(x, m, n.Size(), n.Sampling(), reduceOver(n, x, &m)), nil
}

// reduceOver is the domain of n once it sees x through m.
func reduceOver(n *ast.Warp, x ast.Node, m *geom.Transform) *geom.Domain {
	if n.Domain() == nil {
		return nil
	}
	var f fusion
	f.start(n, x, m, n.Size())
	return f.reduce(n.Domain().Append(make([]geom.HalfPlane, 0, 12)))
}

// front reports whether m's denominator is positive at the centre of a canvas,
// as that of a warp has to be.
func front(m *geom.Transform, s geom.Size) bool {
	return m.IsAffine() || m.Denominator(s.Center()) > 0
}

func trimCopyBelowWarp(c *rewrite.Context, n *ast.Warp, in *ast.Warp) (ast.Node, error) {
	if !in.Copies() || n.Copies() {
		return c.No(n, "it is not a warp over a copy")
	}
	if n.Sampling().Border.Mode != ast.NoDataBorder {
		return c.No(n, "its border makes the copy's edge endless")
	}
	exact := in.Exact()
	if !fitsCopy(in, exact) {
		return c.No(n, "the copy's canvas cuts its input, which is cropped first")
	}
	content := mapRect(exact, in.Input(0).Size().Bounds())
	if content == in.Size().Bounds() {
		return c.No(n, "the copy has no margin")
	}
	x, y := float64(content.Min.X), float64(content.Min.Y)
	size := geom.Size{W: content.Dx(), H: content.Dy()}
	m := n.Transform()
	m.ShiftInput(x, y)
	if !front(&m, size) {
		return c.No(n, "the input's centre lies behind the projection")
	}
	trimmed := c.Copy(in.Input(0), geom.Translate(-x, -y).Mul(exact), size)
	return c.Warp(trimmed, m, n.Size(), n.Sampling(), reduceOver(n, trimmed, &m)), nil
}
