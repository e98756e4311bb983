package rewritetest_test

import (
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
)

// A rule that changes the canvas is reported, wherever it shows first.
func TestAnotherShapeIsCaught(t *testing.T) {
	wrong := rewrite.On("drop-crops", ast.Exact, func(_ *rewrite.Context, n *ast.Crop) (ast.Node, error) { return n.Input(0), nil })
	p, err := rewrite.New([]rewrite.Pass{{Name: "wrong", Rules: []rewrite.Rule{wrong}}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := rewritetest.Campaign(t.Context(), rewritetest.Config{Pipeline: p, Trees: 150, MaxFidelity: ast.Resolution, Failures: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Laws {
		if (c.Law == rewritetest.Shape || c.Law == rewritetest.ConcatOrder) && c.Broken == 0 {
			t.Errorf("the %s law is not found broken:\n%v", c.Law, r)
		}
	}
}
