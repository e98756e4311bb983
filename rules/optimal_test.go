package rules_test

import (
	"context"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
)

// No other order of the rules reaches a lower cost. At resolution there are
// exceptions, which docs/optimality.md lists.
func TestFixpointIsLeast(t *testing.T) {
	trees := 2000
	if testing.Short() {
		trees = 200
	}
	for _, c := range []struct {
		fidelity ast.Fidelity
		missed   int // of a thousand
	}{{ast.Exact, 0}, {ast.Geometric, 0}, {ast.Resolution, 3}} {
		r, err := rewritetest.Optimality(context.Background(), rewritetest.OptimalityConfig{
			Pipeline: mustPipeline(rewrite.MaxFidelity(c.fidelity)), Trees: trees, Cost: work, Required: []string{"absorb-overview"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if missed := r.Trees - r.Reached; missed*1000 > c.missed*r.Trees {
			t.Errorf("%v: %v", c.fidelity, r)
		}
	}
}

// work leaves out what is moved, which rules that pad and crop trade for each
// other.
func work(n ast.Node) rewrite.Cost {
	c := rewrite.CostOf(n)
	return rewrite.Cost{Read: c.Read, Resampled: c.Resampled}
}
