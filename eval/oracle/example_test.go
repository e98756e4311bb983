package oracle_test

import (
	"context"
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/oracle"
)

// Two shifts by half a pixel mean a shift by one. Run by hand, each of them
// rounds to bytes.
func Example() {
	pix, _ := raster.FromSlice([]uint8{0, 1, 2, 3}, 4, 1, 1)
	var tree ast.Node
	tree, _ = ast.NewRaster(pix, nil)
	for range 2 {
		tree, _ = ast.NewWarp(tree, geom.Translate(-0.5, 0), geom.Size{W: 4, H: 1}, ast.DefaultSampling, nil)
	}

	ctx := context.Background()
	meaning, _ := oracle.Reference(ctx, tree, nil, oracle.Options{})
	byHand, _ := oracle.Naive(ctx, tree, nil, oracle.Options{})
	fmt.Println(meaning.Values)
	fmt.Println(byHand.Values)
	// Output:
	// [1 2 3 NaN]
	// [2 3 NaN NaN]
}
