package rewritetest_test

import (
	"context"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
)

// A tree in which a required rule can still fire is no result, however cheap.
func TestOptimalityWaitsForRequiredRules(t *testing.T) {
	finer := rewrite.OnShape("finer", ast.Resolution, func(c *rewrite.Context, n *ast.Crop, in *ast.Overview) (ast.Node, error) {
		if !in.Stored() || in.Level() == 0 || n.Size() == in.Size() {
			return n, nil
		}
		return c.Crop(c.Warp(in.Input(0), in.Transform(), in.Size(), ast.DefaultSampling, nil), n.Window(), n.Picks()), nil
	})
	tree := asttest.Options{
		Kinds: []ast.Kind{ast.KindCrop, ast.KindOverview}, Leaves: []ast.Kind{ast.KindLoad},
		URIs: []string{"rgb", "classes"}, MaxDepth: 3, MaxNodes: 6,
	}
	for _, required := range [][]string{nil, {"finer"}} {
		r, err := rewritetest.Optimality(context.Background(), rewritetest.OptimalityConfig{
			Pipeline: pipeline(t, finer), Trees: 60, Draw: tree, Required: required,
		})
		if err != nil {
			t.Fatal(err)
		}
		if all := r.Reached == r.Trees; all != (required != nil) {
			t.Errorf("required %v: %v", required, r)
		}
	}
}
