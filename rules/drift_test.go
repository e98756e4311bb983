package rules_test

import (
	"image"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

// A chain that drifts out of its source does not carry every edge on its way:
// its work, counted in half-planes of the domains it makes, stays linear.
func TestDriftOutOfSource(t *testing.T) {
	var widest int
	watch := func(_ rewrite.Rule, _, after ast.Node) error {
		if w, ok := after.(*ast.Warp); ok {
			widest = max(widest, w.Domain().Len())
		}
		return nil
	}
	p, err := rules.New(rewrite.Verify(watch))
	if err != nil {
		t.Fatal(err)
	}
	var n ast.Node = must(ast.NewLoadMeta("a", "", ast.Meta{Size: geom.Size{W: 64, H: 64}, Bands: ast.NumberedBands(1, raster.Uint8)}))
	for range 200 {
		n = must(ast.NewWarp(n, geom.Affine(1, 0, 0.25, 0, 1, 0.25), geom.Size{W: 66, H: 66}, ast.DefaultSampling, nil))
		n = must(ast.NewCrop(n, image.Rect(1, 1, 65, 65)))
	}
	r, err := p.Optimize(n)
	if err != nil {
		t.Fatal(err)
	}
	if widest > 12 {
		t.Errorf("a domain has %d half-planes", widest)
	}
	if _, ok := r.Node.(*ast.Fill); !ok {
		t.Errorf("what has left its source is a %s, want a fill", r.Node.Op())
	}
}
