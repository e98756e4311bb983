package rewrite

import (
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// Context is what a rule works with. Its constructors do not validate again,
// and may keep the slices they are given.
type Context struct {
	max  ast.Fidelity
	run  *run    // nil outside of a run, and in one that traces or verifies
	note *string // where a declined rule leaves its reason, nil when nobody asks

	inverted *ast.Warp // whose inverse is inv
	inv      geom.Transform
}

// MaxFidelity is the pipeline's cap.
func (c *Context) MaxFidelity() ast.Fidelity { return c.max }

// No returns n, for a rule that does not fire, and keeps the reason for those
// who ask why not.
func (c *Context) No(n ast.Node, reason string) (ast.Node, error) {
	if c.note != nil {
		*c.note = reason
	}
	return n, nil
}

// Stepwise reports whether each firing is traced or verified, or rules are left
// out or replaced by name. A rule that could go on by itself, firing again or as
// other rules on its own result, does so only where it is not.
func (c *Context) Stepwise() bool { return c.run == nil || c.run.pipeline.altered }

// Refired counts a firing that a rule went on to by itself.
func (c *Context) Refired() {
	if c.run != nil {
		c.run.fired++
	}
}

// Ready rewrites a node that the rule made to be an input of what it returns, as
// the passes so far will, so that its parent need not be made again over the
// result. A run that traces or verifies leaves that to the passes, one firing
// at a time.
func (c *Context) Ready(n ast.Node) (ast.Node, error) {
	if c.run == nil {
		return n, nil
	}
	return c.run.ready(n)
}

// Rewritten is an input of the node at hand as the pass at work will rewrite it,
// where it is one that goes everywhere.
func (c *Context) Rewritten(n ast.Node) (ast.Node, error) {
	if c.run == nil {
		return n, nil
	}
	return c.run.rewritten(n)
}

// Inverse is n's inverse, computed once for all rules that ask for it one after
// another. It holds until the next call, and must not be changed.
func (c *Context) Inverse(n *ast.Warp) *geom.Transform {
	if c.inverted != n {
		c.inverted, c.inv = n, n.Inverse()
	}
	return &c.inv
}

// Crop is a window of in and a choice of its bands, nil for all; in itself
// where that is all of it.
func (c *Context) Crop(in ast.Node, window image.Rectangle, bands []int) ast.Node {
	if s := in.Size(); bands == nil && window == (image.Rectangle{Max: image.Point{X: s.W, Y: s.H}}) {
		return in
	}
	return ast.TrustedCrop(in, window, bands)
}

// Pad adds margins of invalid pixels; it is in itself where all are zero.
func (c *Context) Pad(in ast.Node, left, top, right, bottom int) ast.Node {
	if left|top|right|bottom == 0 {
		return in
	}
	return ast.TrustedPad(in, left, top, right, bottom)
}

// Warp is in seen through m. A warp made by rewriting stays a warp: one that
// would read as a copy of its source, or as no node at all, gets a domain that
// is true everywhere, so that what a warp above it means does not change.
// See Copy for a warp that is meant to permute samples.
func (c *Context) Warp(in ast.Node, m geom.Transform, size geom.Size, s ast.Sampling, domain *geom.Domain) *ast.Warp {
	if domain == nil && (m.IsCopy() && ast.IsSource(in) || size == in.Size() && m.IsIdentity()) {
		domain = always
	}
	return ast.TrustedWarp(in, m, size, s, domain)
}

var always = geom.NewDomain(geom.Always)

// Copy permutes the samples of a source: exact has integer entries and maps
// pixel centres to pixel centres.
func (c *Context) Copy(in ast.Node, exact geom.Transform, size geom.Size) *ast.Warp {
	return ast.TrustedWarp(in, exact, size, ast.DefaultSampling, nil)
}

// Overview is the level-th reduction of in.
func (c *Context) Overview(in ast.Node, level int) ast.Node { return ast.TrustedOverview(in, level) }

// Dequantize maps stored integers to values.
func (c *Context) Dequantize(in ast.Node, q ast.Quantization) ast.Node {
	return ast.TrustedDequantize(in, q)
}

// DequantizeLike is the map of d over another input.
func (c *Context) DequantizeLike(d *ast.Dequantize, in ast.Node) ast.Node {
	return ast.TrustedDequantizeLike(d, in)
}

// Concat joins the bands of nodes with equal canvases.
func (c *Context) Concat(parts []ast.Node) ast.Node { return ast.TrustedConcat(parts) }

// Fill is a constant of the canvas and bands of like.
func (c *Context) Fill(like ast.Node, value float64) ast.Node {
	return ast.TrustedFill(like.Size(), ast.BandsOf(like), value, false)
}

// Invalid is an all invalid canvas with the size and bands of like.
func (c *Context) Invalid(like ast.Node) ast.Node {
	return ast.TrustedFill(like.Size(), ast.BandsOf(like), 0, true)
}

// WithInput replaces an input of n by a node of the same canvas and bands.
func (c *Context) WithInput(n ast.Node, i int, in ast.Node) (ast.Node, error) {
	return ast.WithInput(n, i, in)
}

// Whole is the window of n's whole canvas.
func (c *Context) Whole(n ast.Node) image.Rectangle {
	s := n.Size()
	return image.Rect(0, 0, s.W, s.H)
}
