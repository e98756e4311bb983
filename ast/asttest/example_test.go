package asttest_test

import (
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
)

// A seed stands for a tree, and a tree that fails shrinks to one that is
// quickly understood.
func Example() {
	gen := asttest.NewGen(asttest.Options{MaxDepth: 8})
	padded := func(n ast.Node) bool { return len(ast.All[*ast.Pad](n)) > 0 }
	for i := 0; ; i++ {
		n := gen.Tree(asttest.TreeSeed(1, i))
		if !padded(n) {
			continue
		}
		small := asttest.Shrink(n, padded)
		fmt.Println(small.Op(), "of", small.Input(0).Op(), small.Input(0).Size())
		return
	}
	// Output: pad of load 1×1
}
