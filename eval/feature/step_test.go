package feature_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/feature"
	"github.com/rewarp/rewarp/eval/oracle"
	"pgregory.net/rapid"
)

// byHand applies the nodes of a chain to a polygon one by one: each maps what
// its input left by its own transform, and clips it to its own canvas and
// domain. It is nil where that leaves nothing.
func byHand(n ast.Node, p geom.Polygon) geom.Polygon {
	clip := func(p geom.Polygon, d *geom.Domain) geom.Polygon {
		for _, e := range n.Size().Edges() {
			p = p.Clip(e)
		}
		return p.ClipDomain(d)
	}
	if n.NumInputs() == 0 {
		return clip(p, nil)
	}
	p = byHand(n.Input(0), p)
	if len(p) == 0 {
		return nil
	}
	switch n := n.(type) {
	case *ast.Crop:
		o := n.Window().Min
		return clip(p.Map(geom.Translate(-float64(o.X), -float64(o.Y))), nil)
	case *ast.Pad:
		l, t, _, _ := n.Margins()
		return clip(p.Map(geom.Translate(float64(l), float64(t))), nil)
	case *ast.Overview:
		return clip(p.Map(n.Transform()), nil)
	case *ast.Warp:
		m := n.Transform()
		if !m.IsAffine() {
			// In front of the projection, by a little: what is left out maps
			// far beyond any canvas.
			x, y := n.Input(0).Size().Center()
			front := 1e-7 * m.Denominator(x, y)
			p = p.Clip(geom.HalfPlane{Row: [3]float64{m[6], m[7], m[8] - front}})
		}
		return clip(p.Map(m), n.Domain())
	}
	return p // a dequantize, a concat of one, a custom node
}

// check draws many trees in which positions have one way to go, from a leaf
// through one node after another. Each rapid.Check is 100 of them by default.
func check(t *testing.T, o asttest.Options, f func(t *rapid.T, tree, leaf ast.Node)) {
	t.Helper()
	o.NoShare = true
	o.Kinds = []ast.Kind{ast.KindCrop, ast.KindPad, ast.KindWarp, ast.KindOverview, ast.KindDequantize, ast.KindCustom}
	o.Leaves = []ast.Kind{ast.KindLoad, ast.KindRaster}
	trees := asttest.Tree(o).Filter(isChain)
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	for range rounds {
		rapid.Check(t, func(t *rapid.T) {
			tree := trees.Draw(t, "tree")
			f(t, tree, leafOf(tree))
		})
		if t.Failed() {
			return
		}
	}
}

// planOrSkip skips a tree that a session refuses: a projection whose horizon
// goes through the middle of the picture, say.
func planOrSkip(t *rapid.T, p *feature.Pipeline, leaf ast.Node) *feature.Plan {
	plan, err := p.Plan(ctx, leaf)
	if err == nil {
		return plan
	}
	if strings.Contains(err.Error(), "too close to singular") {
		t.Skip(err)
	}
	t.Fatal(err)
	return nil
}

// leafOf is the leaf of a chain.
func leafOf(n ast.Node) ast.Node {
	for n.NumInputs() > 0 {
		n = n.Input(0)
	}
	return n
}

// isChain reports whether no node has several inputs.
func isChain(n ast.Node) bool {
	for ; n.NumInputs() > 0; n = n.Input(0) {
		if n.NumInputs() > 1 {
			return false
		}
	}
	return true
}

// boxIn draws a box about the canvas of a leaf, which may reach beyond it.
func boxIn(t *rapid.T, s geom.Size) [4]float64 {
	x := rapid.Float64Range(-5, float64(s.W)-1).Draw(t, "x")
	y := rapid.Float64Range(-5, float64(s.H)-1).Draw(t, "y")
	w := rapid.Float64Range(0.5, float64(s.W)).Draw(t, "w")
	h := rapid.Float64Range(0.5, float64(s.H)).Draw(t, "h")
	return [4]float64{x, y, x + w, y + h}
}

// star draws a polygon about a centre, mostly not convex.
func star(t *rapid.T, s geom.Size) geom.Polygon {
	n := rapid.IntRange(3, 9).Draw(t, "vertices")
	cx := rapid.Float64Range(0, float64(s.W)).Draw(t, "cx")
	cy := rapid.Float64Range(0, float64(s.H)).Draw(t, "cy")
	p := make(geom.Polygon, n)
	for i := range p {
		r := rapid.Float64Range(1, 30).Draw(t, "radius")
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
		p[i] = [2]float64{cx + r*cos, cy + r*sin}
	}
	return p
}

// TestEqualsStepByStep is the law of this package: whatever the optimizer makes
// of a tree, boxes and polygons come out as if each of its nodes had been
// applied to them in turn.
func TestEqualsStepByStep(t *testing.T) {
	sessions := map[string]*eval.Session{
		"resolution": open(t),
		"geometric":  open(t, eval.WithMaxFidelity(ast.Geometric)),
		"exact":      open(t, eval.WithMaxFidelity(ast.Exact)),
		"as it is":   open(t, eval.WithOptimizer(nil)),
	}
	shown, dropped := 0, 0
	check(t, asttest.Options{}, func(t *rapid.T, tree, leaf ast.Node) {
		canvas := leaf.Size()
		box := boxIn(t, canvas)
		boxes := must(feature.NewBoxes([][4]float64{box}, feature.XYXY, canvas))
		polygons := must(feature.NewPolygons([]geom.Polygon{star(t, canvas), geom.Rect(box[0], box[1], box[2], box[3])}, canvas))
		for name, s := range sessions {
			p := must(feature.NewPipeline(s, func(ast.Node) (ast.Node, error) { return tree, nil }))
			plan := planOrSkip(t, p, leaf)
			got, sel, err := plan.Polygons(polygons)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			at := 0
			for i, p := range polygons.Values() {
				want := byHand(tree, p)
				if !slices.Contains(sel.Kept, i) {
					dropped++
					if want.Area() > tiny(tree) && showsLeaf(tree) {
						t.Fatalf("%s: polygon %d was dropped, by hand it is %v\n%s", name, i, want, ast.FormatText(tree))
					}
					continue
				}
				shown++
				if err := samePolygon(got.At(at), want, tree, i == 1); err != nil {
					t.Fatalf("%s: polygon %d: %v\n got %v\nwant %v\n%s", name, i, err, got.At(at), want, ast.FormatText(tree))
				}
				at++
			}
			b, bsel, err := plan.Boxes(boxes)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if slices.Contains(bsel.Kept, 0) != slices.Contains(sel.Kept, 1) {
				t.Fatalf("%s: the box is kept %v, as a polygon %v", name, bsel, sel)
			}
			if b.Len() > 0 && b.At(0) != polygons.WrapLike(got.Values()[at-1:]).Bounds().At(0) {
				t.Fatalf("%s: box %v is not around its polygon %v", name, b.At(0), got.At(at-1))
			}
		}
	})
	if shown == 0 || dropped == 0 {
		t.Errorf("only %d of %d outlines show; the test says little", shown, shown+dropped)
	}
}

// tiny is an area below which rounding decides whether anything is left.
func tiny(tree ast.Node) float64 { return 1e-6 * float64(tree.Size().W+tree.Size().H) }

// samePolygon compares outlines: their areas, and where they are convex the
// boxes around them. Of others a cut may leave a joint along its edge, or not.
func samePolygon(got, want geom.Polygon, tree ast.Node, convex bool) error {
	if len(want) == 0 {
		if a := got.Area(); a > tiny(tree) {
			return fmt.Errorf("area %v, by hand nothing is left", a)
		}
		return nil
	}
	if a, b := got.Area(), want.Area(); math.Abs(a-b) > tiny(tree) {
		return fmt.Errorf("area %v, by hand %v", a, b)
	}
	if !convex || want.Area() < tiny(tree) {
		return nil
	}
	var g, w [4]float64
	g[0], g[1], g[2], g[3] = got.Bounds()
	w[0], w[1], w[2], w[3] = want.Bounds()
	for i := range g {
		if math.Abs(g[i]-w[i]) > 1e-5 {
			return fmt.Errorf("bounds %v, by hand %v", g, w)
		}
	}
	return nil
}

// showsLeaf reports whether any pixel of a chain is valid over an all valid
// leaf.
func showsLeaf(tree ast.Node) bool {
	leaf := leafOf(tree)
	bands := leaf.NumBands()
	white := raster.New(leaf.Band(0).Type, leaf.Size().W, leaf.Size().H, bands)
	solid := must(ast.NewRaster(white, nil))
	over := must(ast.Transform(tree, func(n ast.Node) (ast.Node, error) {
		switch n := n.(type) {
		case *ast.Dequantize:
			q := n.Quantization()
			q.HasNoData = false
			return ast.NewDequantize(n.Input(0), q)
		case *ast.Overview: // the level that is stored has a size of its own
			return ast.NewWarp(n.Input(0), n.Transform(), n.Size(), ast.DefaultSampling, nil)
		case *ast.Warp: // a number beyond the edge is valid, but none of the leaf
			s := n.Sampling()
			if s.Border.Mode != ast.ValueBorder {
				break
			}
			s.Border = ast.Border{Mode: ast.ClampBorder}
			return ast.NewWarp(n.Input(0), n.Transform(), n.Size(), s, n.Domain())
		}
		if n == leaf {
			return solid, nil
		}
		return n, nil
	}))
	r := must(oracle.Reference(ctx, over, nil, oracle.Options{}))
	return slices.ContainsFunc(r.Values, func(v float64) bool { return v == v })
}

// pointByHand applies the nodes of a chain to a point one by one. Sure is false
// where the point is off an edge, but so close to it that the edge's tolerance,
// which is in the pixels of its own canvas, may decide.
func pointByHand(n ast.Node, p [2]float64) (q [2]float64, ok, sure bool) {
	ok, sure = true, true
	var m geom.Transform
	var own *geom.Domain
	switch n := n.(type) {
	case *ast.Crop:
		o := n.Window().Min
		m = geom.Translate(-float64(o.X), -float64(o.Y))
	case *ast.Pad:
		l, t, _, _ := n.Margins()
		m = geom.Translate(float64(l), float64(t))
	case *ast.Overview:
		m = n.Transform()
	case *ast.Warp:
		m, own = n.Transform(), n.Domain()
	default:
		m = geom.Identity
	}
	if n.NumInputs() > 0 {
		p, ok, sure = pointByHand(n.Input(0), p)
		w := m.Denominator(p[0], p[1])
		ok, sure = ok && w > 0, sure && math.Abs(w) > 1e-9
	}
	p[0], p[1] = m.Apply(p[0], p[1])
	planes := own.Planes()
	for _, e := range n.Size().Edges() {
		planes = append(planes, e)
	}
	for _, h := range planes {
		d, _ := h.Distance(p[0], p[1])
		ok = ok && h.Contains(p[0], p[1])
		sure = sure && (math.Abs(d) > 1e-4 || math.Abs(d) < 1e-12)
	}
	return p, ok, sure
}

// TestPointsEqualStepByStep is the same law for points. They are held to edges
// as the centres of pixels are.
func TestPointsEqualStepByStep(t *testing.T) {
	s := open(t)
	shown, dropped := 0, 0
	check(t, asttest.Options{}, func(t *rapid.T, tree, leaf ast.Node) {
		canvas := leaf.Size()
		at := make([][2]float64, 16)
		for i := range at {
			at[i][0] = rapid.Float64Range(-2, float64(canvas.W)+2).Draw(t, "x")
			at[i][1] = rapid.Float64Range(-2, float64(canvas.H)+2).Draw(t, "y")
		}
		p := must(feature.NewPipeline(s, func(ast.Node) (ast.Node, error) { return tree, nil }))
		plan := planOrSkip(t, p, leaf)
		got, sel, err := plan.Points(must(feature.NewPoints(at, canvas)))
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		for i, v := range at {
			want, ok, sure := pointByHand(tree, v)
			kept := slices.Contains(sel.Kept, i)
			if !kept {
				dropped++
				if ok && sure && showsLeaf(tree) {
					t.Fatalf("point %v is dropped, by hand it is at %v\n%s", v, want, ast.FormatText(tree))
				}
				continue
			}
			shown++
			x, y := got.At(next)
			next++
			if !ok && sure {
				t.Fatalf("point %v is kept, by hand it is lost\n%s", v, ast.FormatText(tree))
			}
			if math.Hypot(x-want[0], y-want[1]) > 1e-6 {
				t.Fatalf("point %v is at (%v, %v), by hand at %v\n%s", v, x, y, want, ast.FormatText(tree))
			}
		}
	})
	if shown == 0 || dropped == 0 {
		t.Errorf("only %d of %d points show; the test says little", shown, shown+dropped)
	}
}

// TestAmbiguous: parts that show the leaf in different places have no answer,
// parts that do not show, or that agree, do not count.
func TestAmbiguous(t *testing.T) {
	x := must(picture(32, 24).Node())
	boxes := must(feature.NewBoxes([][4]float64{{2, 3, 8, 9}}, feature.XYXY, size(32, 24)))
	moved := func(dx float64) ast.Node {
		return must(ast.NewWarp(x, geom.Translate(dx, 0), size(32, 24), ast.DefaultSampling, nil))
	}
	fill := must(ast.NewFill(size(32, 24), ast.NumberedBands(1, raster.Uint8), 3))
	for _, c := range []struct {
		name string
		tree ast.Node
		want [4]float64 // zero: ambiguous
		asIs bool       // ambiguous without an optimizer
	}{
		{"two places", must(ast.NewConcat(x, moved(4))), [4]float64{}, true},
		{"half a pixel apart", must(ast.NewConcat(x, moved(0.5))), [4]float64{}, true},
		{"equal places", must(ast.NewConcat(moved(4), moved(4))), [4]float64{6, 3, 12, 9}, false},
		{"beside a fill", must(ast.NewConcat(fill, moved(4))), [4]float64{6, 3, 12, 9}, false},
		{"a custom node picks one place", must(asttest.NewRatio(must(ast.NewConcat(x, moved(4))), 3, 4)), [4]float64{6, 3, 12, 9}, false},
		{"a custom node mixes places", must(asttest.NewRatio(must(ast.NewConcat(x, moved(4))), 0, 4)), [4]float64{}, true},
		{"one place is not picked", must(ast.NewCrop(must(ast.NewConcat(x, moved(4))), size(32, 24).Bounds(), 4)), [4]float64{6, 3, 12, 9}, false},
		// Only an optimizer finds out that this one shows on no pixel.
		{"one place is out of sight", must(ast.NewConcat(moved(50), moved(4))), [4]float64{6, 3, 12, 9}, true},
	} {
		for _, optimized := range []bool{true, false} {
			s := open(t)
			ambiguous := c.want == [4]float64{}
			if !optimized {
				s, ambiguous = open(t, eval.WithOptimizer(nil)), c.asIs
			}
			p := must(feature.NewPipeline(s, func(ast.Node) (ast.Node, error) { return c.tree, nil }))
			got, _, err := must(p.Plan(ctx, x)).Boxes(boxes)
			switch {
			case ambiguous != errors.Is(err, feature.ErrAmbiguous):
				t.Errorf("%s, optimized %v: %v", c.name, optimized, err)
			case !ambiguous && got.At(0) != c.want:
				t.Errorf("%s, optimized %v: %v, want %v", c.name, optimized, got.At(0), c.want)
			}
		}
	}
}
