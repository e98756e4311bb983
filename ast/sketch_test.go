package ast_test

import (
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
)

func TestSketch(t *testing.T) {
	gen := asttest.NewGen(asttest.Options{})
	seen := map[uint64]ast.Node{}
	const trees = 500
	for i := range trees {
		n := gen.Tree(asttest.TreeSeed(31, i))
		s := ast.Sketch(n)
		if c := ast.Sketch(asttest.Copy(n)); c != s {
			t.Fatalf("a tree and its copy have the sketches %x and %x:\n%s", s, c, ast.FormatExpr(n))
		}
		if m := seen[s]; m == nil {
			seen[s] = n
		}
	}
	if len(seen) < trees*9/10 {
		t.Errorf("%d trees have %d sketches", trees, len(seen))
	}
}
