package rules_test

import (
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rules"
)

func Example() {
	tree, err := ast.ParseExpr(`
		(crop [0 0 128 128]
		  (warp scale=0.5
		    (load photo.tif 512x512 uint8 overviews=[256x256 128x128])))`)
	if err != nil {
		panic(err)
	}
	r, err := rules.Default().Optimize(tree)
	if err != nil {
		panic(err)
	}
	fmt.Println(ast.FormatExpr(r.Node))
	// Output:
	// (crop [0 0 128 128]
	//   (overview 1
	//     (load photo.tif 512x512 uint8 overviews=[256x256 128x128])))
}
