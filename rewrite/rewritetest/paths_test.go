package rewritetest

import (
	"context"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rules"
)

// Under a border that repeats one pixel, a canvas next to singular reads its
// leaf far beyond what rounding is bounded for.
func TestFarPositionsAreNotCompared(t *testing.T) {
	n, err := ast.ParseExpr(`
		(warp matrix=[1.001 -0.995 0 0.671 -0.667 0] size=1x1 nearest border=clamp
		  (warp matrix=[3 -0 -9 0 1.5 -7.4 -0.817 -0.068 3.518] size=1x1 nearest
		    (warp matrix=[1.07 0.16 3 -0.26 0.78 1 0.24333333333333332 0.052258064516129035 1] size=4x6 nearest
		      (load odd))))`)
	if err == nil {
		n, err = ast.Prepare(context.Background(), n, asttest.Standard())
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := rules.New()
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Optimize(n)
	if err != nil {
		t.Fatal(err)
	}
	if v := comparePaths(n, r.Node, true, nil); v != nil {
		t.Error(v)
	}
}
