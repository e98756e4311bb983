package main

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
)

// A plan that asks for less than the flags allow is rewritten under its own cap.
func TestPlanCap(t *testing.T) {
	for _, c := range []struct {
		flag string
		plan ast.Fidelity
		want []ast.Kind
	}{
		{"resolution", ast.Resolution, []ast.Kind{ast.KindCrop, ast.KindOverview, ast.KindLoad}},
		{"resolution", ast.Geometric, []ast.Kind{ast.KindWarp, ast.KindCrop, ast.KindLoad}},
		{"resolution", ast.Exact, []ast.Kind{ast.KindCrop, ast.KindWarp, ast.KindLoad}},
		{"geometric", ast.Resolution, []ast.Kind{ast.KindWarp, ast.KindCrop, ast.KindLoad}},
	} {
		var f rewriteFlags
		f.add(&cobra.Command{})
		if err := f.fidelity.Set(c.flag); err != nil {
			t.Fatal(err)
		}
		s, err := f.session(t.Context(), rewarp.NewOpener())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		n, err := rewarp.ReadTree(tree("tree1"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Plan(t.Context(), n, eval.WithMaxFidelity(c.plan))
		if err != nil {
			t.Fatal(err)
		}
		if got := kindsOf(p.Tree()); !slices.Equal(got, c.want) {
			t.Errorf("flag %s, plan %v: %v, want %v", c.flag, c.plan, got, c.want)
		}
	}
}

// kindsOf are the kinds along a path, from the root.
func kindsOf(n ast.Node) (kinds []ast.Kind) {
	for {
		kinds = append(kinds, n.Kind())
		if n.NumInputs() == 0 {
			return kinds
		}
		n = n.Input(0)
	}
}
