package main

import (
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

// narrow has a contrast read the two bands that it compares and no others:
//
//	Contrast(x, a, b) → Contrast(Crop(x, bands a and b), 0, 1)
//
// The built-in rules then take the band choice down to the leaf. It must not
// fire where the input has just these two bands, or it would never end. The
// same samples go through the same steps, so it is exact.
var narrow = rewrite.OnOp(op, "narrow-contrast", ast.Exact, func(c *rewrite.Context, n *Contrast) (ast.Node, error) {
	in := n.Input(0)
	if in.NumBands() <= 2 {
		return c.No(n, "its input has no bands to spare")
	}
	if n.a == n.b {
		return c.No(n, "it compares a band with itself")
	}
	return NewContrast(c.Crop(in, c.Whole(in), []int{n.a, n.b}), 0, 1)
}).WithDoc("Contrast(x, a, b) → Contrast(Crop(x), 0, 1): only the two bands are read")

// pipeline is the built-in rules behind a pass of our own.
func pipeline(opts ...rewrite.Option) (*rewrite.Pipeline, error) {
	own := rewrite.Pass{Name: "contrast", Traversal: rewrite.Everywhere, Rules: []rewrite.Rule{narrow}}
	return rewrite.New(append([]rewrite.Pass{own}, rules.Passes()...), opts...)
}
