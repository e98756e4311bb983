package rewritetest_test

import (
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
)

// A rule that forgets where the inner crop began is shown by the smallest tree
// in which that matters.
func Example() {
	rule := rewrite.On("fuse-crops", ast.Exact, func(c *rewrite.Context, n *ast.Crop) (ast.Node, error) {
		in, ok := n.Input(0).(*ast.Crop)
		if !ok || !in.AllBands() {
			return n, nil
		}
		return c.Crop(in.Input(0), n.Window(), n.Picks()), nil
	})
	report, err := rewritetest.Try(rule)
	if err != nil {
		fmt.Println(err)
		return
	}
	f := report.Failures[0]
	fmt.Println(f.Rule, "breaks", f.Law)
	fmt.Println(ast.FormatExpr(f.Tree))
	fmt.Println("became")
	fmt.Println(ast.FormatExpr(f.Result))
	// Output:
	// fuse-crops breaks leaf-map
	// (crop [0 0 1 1]
	//   (crop [0 1 1 2]
	//     (load small 5x4 bands=[a] uint8 overviews=[3x2] block=5x4)))
	// became
	// (crop [0 0 1 1]
	//   (load small 5x4 bands=[a] uint8 overviews=[3x2] block=5x4))
}
