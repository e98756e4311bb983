package rules_test

import (
	"context"
	"image"
	"math"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/oracle"
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

// A crop below a warp whose large entries cancel would give it a large offset,
// whose rounding the nearly singular warp below magnifies: the crop is left out
// rather than that the tree is refused.
func TestCropKeepsPositions(t *testing.T) {
	images := asttest.Standard()
	n := must(ast.ParseExpr(`(warp matrix=[1.3 -1.2 50 0.6 -0.5 16] size=18x3 aliased
		(warp matrix=[12685 -7686.5 0 -16500 10000 0] size=1x28 aliased
			(warp matrix=[0.549 0.422 0 0.90585 0.6964 0] size=10x17 aliased (load pixel))))`))
	n = must(ast.Prepare(context.Background(), n, images))
	p, err := rules.New()
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Optimize(n)
	if err != nil {
		t.Fatal(err)
	}
	if q := ast.Path(r.Node, 0); q.Rounding > geom.MaxDrift {
		t.Errorf("rounding moves positions by %.2g source pixels, up from %.2g:\n%s", q.Rounding, ast.Path(n, 0).Rounding, ast.FormatExpr(r.Node))
	}
	if _, err := oracle.Reference(context.Background(), r.Node, images, oracle.Options{}); err != nil {
		t.Error(err)
	}
}

// Two warps that are fused have a large offset or large entries, whose rounding
// the nearly singular warp below magnifies; or their projection, composed in
// another order, brings corners of the source back 46 times as badly.
func TestFusionKeepsPositions(t *testing.T) {
	images := asttest.Standard()
	for _, expr := range []string{
		`(warp matrix=[1 0 0 0 1 0 0 -0.1 1] size=1x1 area
			(warp matrix=[40464.5 -20436 0 -19800 10000 0] size=1x1 area
				(warp scale=[0.482 1.95] size=2x3 area (raster 5x1 bands=[a] uint8 [127 131 130 144 126]))))`,
		`(warp matrix=[1 0 0 0 1 0 1 -0.1 1] size=1x1 area
			(warp matrix=[40465 0 0 -19800 10000 0] size=1x1 area
				(warp matrix=[0.482 0.985 0 0.954 1.95 0] size=2x1 area (raster 1x1 bands=[a] uint8 [127]))))`,
		`(warp matrix=[0.1 0 0 0.9 1 0] size=2x14 lanczos
			(warp matrix=[1428 -1105.8 10782 1290 -1000 9740] size=16x1 lanczos
				(warp matrix=[0.548 -0.606 0 0.707 -0.783 0] size=3x13 lanczos (load pixel))))`,
	} {
		n := must(ast.Prepare(context.Background(), must(ast.ParseExpr(expr)), images))
		p, err := rules.New(rewrite.MaxFidelity(ast.Geometric))
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Optimize(n)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []ast.Node{n, r.Node} {
			if _, err := oracle.Reference(context.Background(), n, images, oracle.Options{}); err != nil {
				t.Errorf("%v:\n%s", err, ast.FormatExpr(n))
			}
		}
	}
}

// Two projections that undo each other leave a projection of 1e-18, by which
// what is left is no affine copy, but within a tolerance the identity: no node at
// all. It stays one, a barrier between what is above and below.
func TestFusionToIdentityStaysBarrier(t *testing.T) {
	n := must(ast.Prepare(context.Background(), must(ast.ParseExpr(`(warp scale=0.5 size=2x3
		(warp matrix=[0.7361719060883406 -0.006632179334129194 0 -0.11937922801432549 0.9019763894415704 0 0.1037272847857806 0.012579033470398371 1] size=3x6 area
			(warp matrix=[1.36 0.01 0 0.18 1.11 0 -0.14333333333333334 -0.015 1] size=9x15 area
				(warp scale=[0.6 1.5] size=3x6 (load small)))))`)), asttest.Standard()))
	r, err := mustPipeline(rewrite.MaxFidelity(ast.Geometric)).Optimize(n)
	if err != nil {
		t.Fatal(err)
	}
	was, is := ast.Path(n, 0), ast.Path(r.Node, 0)
	if len(is.Resampled) != 3 || is.Resampled[1].Interp != ast.Area {
		t.Errorf("resampled as %v, and as %v now:\n%s", was.Resampled, is.Resampled, ast.FormatExpr(r.Node))
	}
}

// A pixel centre falls on the corner of what a turned warp shows, which lies on
// the edge between two rows of its canvas: the second is the one that is read.
func TestCropKeepsTheLastEdge(t *testing.T) {
	images := asttest.Standard()
	n := must(ast.Prepare(context.Background(), must(ast.ParseExpr(`(warp scale=0.5 size=36x36 area
		(warp matrix=[-0.41171767 0.81153436 5 -0.81153436 -0.41171767 1] size=36x36 area (load small)))`)), images))
	p := mustPipeline(rewrite.MaxFidelity(ast.Geometric), rewrite.Only("crop-below-warp"))
	r, err := p.Optimize(n)
	if err != nil {
		t.Fatal(err)
	}
	was, err := oracle.Reference(context.Background(), n, images, oracle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	is, err := oracle.Reference(context.Background(), r.Node, images, oracle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v, w := was.At(2, 0, 0), is.At(2, 0, 0); math.IsNaN(v) || w != v {
		t.Errorf("the pixel was %v and is %v:\n%s", v, w, ast.FormatExpr(r.Node))
	}
}

// The border of a warp that copies says nothing, whichever rule meets it first.
func TestConstantKeepsTheMarginOfACopy(t *testing.T) {
	n := must(ast.ParseExpr(`(warp offset=[26 1] size=52x4 lanczos border=clamp (fill 26x3 int8 value=1))`))
	r, err := mustPipeline(rewrite.Only("warp-constant-fill")).Optimize(n)
	if err != nil {
		t.Fatal(err)
	}
	if r.Node.Kind() != ast.KindWarp {
		t.Errorf("the margin became a constant:\n%s", ast.FormatExpr(r.Node))
	}
}

// A border value does not show where the domain ends before the fill does.
func TestInvalidFillInsideDomain(t *testing.T) {
	n := must(ast.ParseExpr(`(pad 7 7 6 11 (warp scale=2 size=36x40 aliased border=118 (fill 36x40 int16 invalid)))`))
	r, err := mustPipeline().Optimize(n)
	if err != nil {
		t.Fatal(err)
	}
	if r.Node.Kind() != ast.KindFill {
		t.Errorf("an invalid fill is resampled:\n%s", ast.FormatExpr(r.Node))
	}
}
