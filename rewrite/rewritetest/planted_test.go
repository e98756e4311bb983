package rewritetest_test

import (
	"encoding/json"
	"image"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
)

func isCopy(w *ast.Warp) bool {
	_, copies := w.Transform().Copy()
	return copies && w.Domain() == nil && ast.IsSource(w.Input(0))
}

// fusable is a warp over a warp that a correct rule may fuse.
func fusable(w *ast.Warp) (*ast.Warp, bool) {
	in, ok := w.Input(0).(*ast.Warp)
	if !ok || w.Barrier(in.Sampling()) || in.IsNoOp() || w.IsNoOp() {
		return nil, false
	}
	if isCopy(in) {
		return nil, false
	}
	m := w.Transform().Mul(in.Transform())
	return in, m.IsAffine() && m.WellConditioned(in.Input(0).Size())
}

// faults are wrong rules, one of each kind, and the laws that may be named.
var faults = []struct {
	fault string
	rule  rewrite.Rule
	laws  []rewritetest.Law
	draw  asttest.Options
}{
	{
		fault: "wrong margin of an author's own node",
		rule:  cropBelowBlur("crop-below-blur-too-narrow", 1),
		laws:  []rewritetest.Law{rewritetest.Exactness, rewritetest.Values},
		draw:  blurs,
	},
	{
		fault: "drops the clip",
		rule: rewrite.On("fuse-without-domain", ast.Geometric, func(c *rewrite.Context, w *ast.Warp) (ast.Node, error) {
			in, ok := fusable(w)
			if !ok {
				return w, nil
			}
			return c.Warp(in.Input(0), w.Transform().Mul(in.Transform()), w.Size(), w.Sampling(), nil), nil
		}),
		laws: []rewritetest.Law{rewritetest.Domain, rewritetest.Mask},
	},
	{
		fault: "off by half a pixel",
		rule: rewrite.On("crop-at-centres", ast.Geometric, func(c *rewrite.Context, n *ast.Crop) (ast.Node, error) {
			w, ok := n.Input(0).(*ast.Warp)
			if !ok || !n.AllBands() || w.Domain() != nil {
				return n, nil
			}
			if isCopy(w) || w.IsNoOp() {
				return n, nil
			}
			o := n.Window().Min
			m := geom.Translate(0.5-float64(o.X), 0.5-float64(o.Y)).Mul(w.Transform())
			return c.Warp(w.Input(0), m, n.Size(), w.Sampling(), nil), nil
		}),
		laws: []rewritetest.Law{rewritetest.LeafMap},
	},
	{
		fault: "wrong kernel margin",
		rule:  rewrite.On("crop-below-warp-tight", ast.Geometric, tightCrop),
		laws:  []rewritetest.Law{rewritetest.Values},
	},
	{
		fault: "forgets nodata",
		rule: rewrite.On("dequantize-all", ast.Exact, func(c *rewrite.Context, d *ast.Dequantize) (ast.Node, error) {
			q := d.Quantization()
			if !q.HasNoData {
				return d, nil
			}
			q.HasNoData, q.NoData = false, 0
			return c.Dequantize(d.Input(0), q), nil
		}),
		laws: []rewritetest.Law{rewritetest.Mask},
	},
	{
		fault: "forgets the band choice",
		rule: rewrite.On("crop-forgets-bands", ast.Exact, func(c *rewrite.Context, n *ast.Crop) (ast.Node, error) {
			in, ok := n.Input(0).(*ast.Crop)
			if !ok {
				return n, nil
			}
			return c.Crop(in.Input(0), n.Window().Add(in.Window().Min), n.Picks()), nil
		}),
		laws: []rewritetest.Law{rewritetest.Bands, rewritetest.Type, rewritetest.LeafMap},
	},
	{
		fault: "wrong fidelity",
		rule: rewrite.On("fuse-exactly", ast.Exact, func(c *rewrite.Context, w *ast.Warp) (ast.Node, error) {
			in, ok := fusable(w)
			if !ok {
				return w, nil
			}
			inv := w.Inverse()
			planes := w.Domain().Planes()
			for _, e := range in.Size().Edges() {
				planes = append(planes, e.Pullback(inv))
			}
			planes = append(planes, in.Domain().Pullback(inv).Planes()...)
			m := w.Transform().Mul(in.Transform())
			return c.Warp(in.Input(0), m, w.Size(), w.Sampling(), geom.Reduce(w.Size(), planes, nil)), nil
		}),
		laws: []rewritetest.Law{rewritetest.Exactness, rewritetest.Steps},
		draw: asttest.Options{NoProject: true},
	},
	{
		fault: "dequantizes after resampling, and calls it exact",
		rule: rewrite.On("dequantize-above-warp", ast.Exact, func(c *rewrite.Context, w *ast.Warp) (ast.Node, error) {
			d, ok := w.Input(0).(*ast.Dequantize)
			if !ok || w.Domain() != nil {
				return w, nil
			}
			return c.Dequantize(c.Warp(d.Input(0), w.Transform(), w.Size(), w.Sampling(), nil), d.Quantization()), nil
		}),
		laws: []rewritetest.Law{rewritetest.Exactness},
	},
	{
		fault: "changes the canvas",
		rule: rewrite.On("crop-wide", ast.Exact, func(c *rewrite.Context, n *ast.Crop) (ast.Node, error) {
			if n.Window().Min.X == 0 {
				return n, nil
			}
			w := n.Window()
			w.Min.X--
			return c.Crop(n.Input(0), w, n.Picks()), nil
		}),
		laws: []rewritetest.Law{rewritetest.Shape},
	},
	{
		fault: "rounds too early",
		rule: rewrite.On("dequantize-type", ast.Exact, func(c *rewrite.Context, d *ast.Dequantize) (ast.Node, error) {
			q := d.Quantization()
			if q.OrigType.IsFloat() {
				return d, nil
			}
			q.OrigType++
			return c.Dequantize(d.Input(0), q), nil
		}),
		laws: []rewritetest.Law{rewritetest.Type},
	},
	{
		fault: "takes a sampling for another",
		rule: rewrite.On("warp-without-antialias", ast.Geometric, func(c *rewrite.Context, w *ast.Warp) (ast.Node, error) {
			s := w.Sampling()
			if !s.Antialias || s.Interp == ast.Area || s.Interp == ast.Mode {
				return w, nil
			}
			if isCopy(w) {
				return w, nil
			}
			s.Antialias = false
			return c.Warp(w.Input(0), w.Transform(), w.Size(), s, w.Domain()), nil
		}),
		laws: []rewritetest.Law{rewritetest.Values},
	},
	{
		fault: "holds only on its own grid",
		rule: rewrite.On("crop-at-centre", ast.Geometric, func(c *rewrite.Context, w *ast.Warp) (ast.Node, error) {
			// One pixel of nearest is its sample, but not to a warp above it.
			if w.Size() != (geom.Size{W: 1, H: 1}) || w.Sampling() != (ast.Sampling{Interp: ast.Linear}) || w.Domain() != nil || !w.IsAffine() {
				return w, nil
			}
			m := geom.Scale(1.5, 1.5)
			m = geom.Translate(0.5, 0.5).Mul(m).Mul(geom.Translate(-0.5, -0.5)).Mul(w.Transform())
			if ast.IsSource(w) || w.Transform().Det() > 1e3 {
				return w, nil
			}
			return c.Warp(w.Input(0), m, w.Size(), w.Sampling(), nil), nil
		}),
		laws: []rewritetest.Law{rewritetest.Context, rewritetest.LeafMap, rewritetest.Domain},
	},
	{
		fault: "never ends",
		rule: rewrite.On("pad-by-nothing", ast.Exact, func(c *rewrite.Context, n *ast.Pad) (ast.Node, error) {
			l, t, r, b := n.Margins()
			return c.Pad(n.Input(0), l, t, r, b), nil
		}),
		laws: []rewritetest.Law{rewritetest.Terminates},
	},
	{
		fault: "panics",
		rule: rewrite.On("first-input", ast.Exact, func(_ *rewrite.Context, n *ast.Fill) (ast.Node, error) {
			return n.Input(0), nil
		}),
		laws: []rewritetest.Law{rewritetest.Runs},
	},
}

// tightCrop cuts below a warp just what its canvas shows, without the reach
// of the kernel.
func tightCrop(c *rewrite.Context, w *ast.Warp) (ast.Node, error) {
	in := w.Input(0)
	if w.Sampling().Border.Mode != ast.NoDataBorder || !w.IsAffine() || !ast.IsSource(in) || in.Kind() == ast.KindCrop {
		return w, nil
	}
	if isCopy(w) {
		return w, nil
	}
	x0, y0, x1, y1 := w.Size().Polygon().Map(w.Inverse()).Bounds()
	keep := outer(x0, y0, x1, y1).Intersect(in.Size().Bounds())
	if keep.Empty() || keep == in.Size().Bounds() {
		return w, nil
	}
	m := w.Transform().Mul(geom.Translate(float64(keep.Min.X), float64(keep.Min.Y)))
	return c.Warp(c.Crop(in, keep, nil), m, w.Size(), w.Sampling(), w.Domain()), nil
}

// blur is an author's own node: the mean of the five samples from two to the
// left to two to the right, valid where its middle is.
func blur(in ast.Node) (*asttest.Op, error) {
	return asttest.NewOp(asttest.Kernel{
		Name:   "blur",
		Traits: ast.Traits{Margin: 2, Reads: own, Validity: ast.ValidAll, ShiftInvariant: true},
		Pixel: func(at func(x, y, band int) float64, x, y, band int) float64 {
			if v := at(x, y, band); v != v {
				return v
			}
			sum, n := 0.0, 0.0
			for i := x - 2; i <= x+2; i++ {
				if v := at(i, y, band); v == v {
					sum, n = sum+v, n+1
				}
			}
			return sum / n
		},
	}, in)
}

// blurs are trees in which blur stands anywhere.
var blurs = asttest.Options{
	Kinds: []ast.Kind{ast.KindCrop, ast.KindPad, ast.KindConcat, ast.KindCustom},
	Custom: []asttest.CustomNode{func(in ast.Node, _ asttest.Draw) (ast.Node, error) {
		return blur(in)
	}},
	Decode: func(op string, _ json.RawMessage, inputs []ast.Node) (ast.Node, error) { return blur(inputs[0]) },
}

// cropBelowBlur is a rule on that node, with as much margin as is said.
func cropBelowBlur(name string, margin int) rewrite.Rule {
	return rewrite.On(name, ast.Exact, func(c *rewrite.Context, n *ast.Crop) (ast.Node, error) {
		b, ok := n.Input(0).(*asttest.Op)
		if !ok || b.Op() != "x-blur" || !n.AllBands() {
			return n, nil
		}
		w := n.Window()
		grown := image.Rect(w.Min.X-margin, w.Min.Y, w.Max.X+margin, w.Max.Y).Intersect(b.Size().Bounds())
		if grown == b.Size().Bounds() {
			return n, nil
		}
		below, err := blur(c.Crop(b.Input(0), grown, nil))
		if err != nil {
			return nil, err
		}
		return c.Crop(below, w.Sub(grown.Min), nil), nil
	})
}

// A right rule on an author's own node passes, alone and in a campaign.
func TestRuleOnOwnNodePasses(t *testing.T) {
	rule := cropBelowBlur("crop-below-blur", 2)
	rewritetest.Check(t, rule, rewritetest.Draw(blurs), rewritetest.Trees(600))
	r, err := rewritetest.Campaign(t.Context(), rewritetest.Config{
		Pipeline: pipeline(t, rule), Draw: blurs, Trees: 200, Seed: 1, MaxFidelity: ast.Geometric,
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Broken() > 0 || r.Firings == 0 {
		t.Errorf("%v", r)
	}
}

// Each fault is found, named, and shown by a small tree.
func TestPlantedFaultsAreCaught(t *testing.T) {
	for _, f := range faults {
		t.Run(f.fault, func(t *testing.T) {
			t.Parallel()
			r, err := rewritetest.Try(f.rule, rewritetest.Draw(f.draw))
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Failures) == 0 {
				t.Fatalf("not caught: %v", r)
			}
			got := r.Failures[0]
			t.Log(r)
			named := false
			for _, l := range f.laws {
				named = named || got.Law == l
			}
			if !named || got.Rule != f.rule.Name() {
				t.Errorf("%s is said to break the %s law, expected one of %v", got.Rule, got.Law, f.laws)
			}
			if n := asttest.Count(got.Tree); n > 4 {
				t.Errorf("the smallest tree has %d nodes", n)
			}
		})
	}
}
