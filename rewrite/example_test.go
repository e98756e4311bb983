package rewrite_test

import (
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/rewrite"
)

// A rule, a pipeline of it, and what it does to a tree.
func Example() {
	dropPad := rewrite.On("drop-pad", ast.Exact, func(c *rewrite.Context, n *ast.Pad) (ast.Node, error) {
		if n.Size() != n.Input(0).Size() {
			return c.No(n, "it adds pixels")
		}
		return n.Input(0), nil
	}).WithDoc("Pad(x) → x where nothing is added")

	p, err := rewrite.New([]rewrite.Pass{{Name: "mine", Rules: []rewrite.Rule{dropPad}}}, rewrite.Verify())
	if err != nil {
		panic(err)
	}
	bands := ast.NumberedBands(1, raster.Uint8)
	fill, _ := ast.NewFill(geom.Size{W: 4, H: 4}, bands, 7)
	pad, _ := ast.NewPad(fill, 0, 0, 0, 0)
	r, err := p.Optimize(pad)
	fmt.Println(r.Changed, r.Node.Op(), err)
	// Output: true fill <nil>
}
