package rules_test

import (
	"context"
	"image"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/oracle"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

// The laws of a tree's meaning and of the engine, one test each. Every firing is
// verified.

var (
	images   = asttest.Standard()
	verified = mustPipeline(rewrite.MaxFidelity(ast.Geometric), rewrite.Verify())
	plain    = mustPipeline(rewrite.MaxFidelity(ast.Geometric))
)

func mustPipeline(opts ...rewrite.Option) *rewrite.Pipeline {
	p, err := rules.New(opts...)
	if err != nil {
		panic(err)
	}
	return p
}

// law is a rapid test with what the laws are said in.
type law struct{ *rapid.T }

func property(t *testing.T, check func(law)) {
	rapid.Check(t, func(t *rapid.T) { check(law{t}) })
}

func (l law) tree(o asttest.Options) ast.Node {
	if o.MaxDepth == 0 {
		o.MaxDepth = 4
	}
	return asttest.Tree(o).Draw(l.T, "tree")
}

func (l law) ok(n ast.Node, err error) ast.Node {
	l.Helper()
	if err != nil {
		l.Skip("the builder refuses: ", err)
	}
	return n
}

func (l law) optimize(n ast.Node) ast.Node {
	l.Helper()
	r, err := verified.Optimize(n)
	if err != nil {
		l.Fatalf("%v\n%s", err, ast.FormatExpr(n))
	}
	return r.Node
}

// simplify runs the passes whose rules hold under any parent.
func (l law) simplify(n ast.Node) ast.Node {
	l.Helper()
	r, err := everywhere.Optimize(n)
	if err != nil {
		l.Fatalf("%v\n%s", err, ast.FormatExpr(n))
	}
	return r.Node
}

var everywhere = func() *rewrite.Pipeline {
	var passes []rewrite.Pass
	for _, p := range rules.Passes() {
		if p.Traversal == rewrite.Everywhere {
			passes = append(passes, p)
		}
	}
	p, err := rewrite.New(passes, rewrite.MaxFidelity(ast.Geometric), rewrite.Verify())
	if err != nil {
		panic(err)
	}
	return p
}()

// values is what a tree means.
func (l law) values(n ast.Node) []float64 {
	l.Helper()
	r, err := oracle.Reference(context.Background(), n, images, oracle.Options{})
	if err != nil {
		l.Skip("the oracle refuses: ", err)
	}
	return r.Values
}

// same holds two trees to one meaning.
func (l law) same(a, b ast.Node) {
	l.Helper()
	if a.Size() != b.Size() || !ast.SameBands(a, b) {
		l.Fatalf("other shapes:\n%s\n%s", ast.FormatExpr(a), ast.FormatExpr(b))
	}
	p, q := l.values(a), l.values(b)
	scale := 0.0
	for _, v := range p {
		if v == v {
			scale = max(scale, math.Abs(v))
		}
	}
	for i := range p {
		if (p[i] == p[i]) != (q[i] == q[i]) || math.Abs(p[i]-q[i]) > 1e-5*scale {
			l.Fatalf("sample %d is %v and %v:\n%s\n%s", i, p[i], q[i], ast.FormatExpr(a), ast.FormatExpr(b))
		}
	}
}

// equal holds two trees to one canonical form.
func (l law) equal(a, b ast.Node) {
	l.Helper()
	if x, y := l.optimize(a), l.optimize(b); !ast.Equal(x, y) {
		l.Fatalf("two canonical forms:\n%s\n%s\nof\n%s\n%s", ast.FormatExpr(x), ast.FormatExpr(y), ast.FormatExpr(a), ast.FormatExpr(b))
	}
}

func (l law) window(s geom.Size) image.Rectangle {
	x := rapid.IntRange(0, s.W-1).Draw(l.T, "x")
	y := rapid.IntRange(0, s.H-1).Draw(l.T, "y")
	return image.Rect(x, y,
		rapid.IntRange(x+1, s.W).Draw(l.T, "x1"), rapid.IntRange(y+1, s.H).Draw(l.T, "y1"))
}

// affine draws a transform that turns and stretches moderately.
func (l law) affine() geom.Transform {
	v := func(lo, hi float64, name string) float64 {
		return float64(rapid.IntRange(int(lo*100), int(hi*100)).Draw(l.T, name)) / 100
	}
	return geom.Affine(v(0.5, 1.8, "a"), v(-0.4, 0.4, "b"), v(-5, 5, "c"), v(-0.4, 0.4, "d"), v(0.5, 1.8, "e"), v(-5, 5, "f"))
}

func (l law) kernel() ast.Sampling {
	return ast.Sampling{
		Interp:    rapid.SampledFrom([]ast.Interpolation{ast.Nearest, ast.Linear, ast.Cubic, ast.Lanczos, ast.Area, ast.Mode}).Draw(l.T, "interpolation"),
		Antialias: rapid.Bool().Draw(l.T, "antialias"),
	}.Normalize()
}

func TestLawCropOfCropIsOneCrop(t *testing.T) {
	property(t, func(l law) {
		n := l.tree(asttest.Options{})
		outer := l.window(n.Size())
		a := l.ok(ast.NewCrop(n, outer))
		inner := l.window(a.Size())
		l.equal(l.ok(ast.NewCrop(a, inner)), l.ok(ast.NewCrop(n, inner.Add(outer.Min))))
	})
}

func TestLawWarpsAreAssociative(t *testing.T) {
	property(t, func(l law) {
		s := l.kernel()
		warp := func(n ast.Node, m geom.Transform) ast.Node {
			return l.ok(ast.NewWarp(n, m, geom.Size{W: 24, H: 20}, s, nil))
		}
		x := l.tree(asttest.Options{MaxDepth: 2})
		m1, m2, m3 := l.affine(), l.affine(), l.affine()
		all := warp(warp(warp(x, m1), m2), m3)
		l.same(all, l.optimize(all))
		// What is rewritten everywhere holds under any parent, so that it does
		// not matter which two are fused first.
		l.same(all, warp(l.simplify(warp(warp(x, m1), m2)), m3))
		l.same(all, warp(warp(l.simplify(warp(x, m1)), m2), m3))
	})
}

func TestLawIdentitiesAreNoNodes(t *testing.T) {
	property(t, func(l law) {
		n := l.tree(asttest.Options{})
		for _, same := range []ast.Node{
			l.ok(ast.NewWarp(n, geom.Identity, n.Size(), l.kernel(), nil)),
			l.ok(ast.NewCrop(n, n.Size().Bounds())),
			l.ok(ast.NewPad(n, 0, 0, 0, 0)),
			l.ok(ast.NewOverview(n, 0)),
			l.ok(ast.NewConcat(n)),
		} {
			l.equal(same, n)
		}
	})
}

func TestLawInverseUndoes(t *testing.T) {
	property(t, func(l law) {
		x := l.ok(images.Load(rapid.SampledFrom(images.URIs()).Draw(l.T, "image")), nil)
		s := ast.Sampling{Interp: rapid.SampledFrom([]ast.Interpolation{ast.Nearest, ast.Linear, ast.Cubic, ast.Lanczos}).Draw(l.T, "interpolation")}
		// A canvas that holds all of x, a margin around it.
		m := l.affine()
		x0, y0, x1, y1 := x.Size().Polygon().Map(m).Bounds()
		m = geom.Translate(1-x0, 1-y0).Mul(m)
		there := l.ok(ast.NewWarp(x, m, geom.Size{W: int(x1-x0) + 3, H: int(y1-y0) + 3}, s, nil))
		inv, _ := m.Inverse()
		back := l.ok(ast.NewWarp(there, inv, x.Size(), s, nil))
		l.same(x, back)
		l.same(x, l.optimize(back))
		if copies := ast.All[*ast.Warp](l.optimize(back)); len(copies) > 1 {
			l.Fatalf("two warps are left:\n%s", ast.FormatExpr(l.optimize(back)))
		}
	})
}

func TestLawDequantizeCommutes(t *testing.T) {
	integers := []string{"rgb", "elevation", "spectrum", "classes8", "masked", "signed", "odd", "tiny"}
	property(t, func(l law) {
		x := images.Load(rapid.SampledFrom(integers).Draw(l.T, "image"))
		q := ast.Quantization{OrigType: raster.Float32, OrigMax: 1, QuantMax: 255, HasNoData: rapid.Bool().Draw(l.T, "nodata"), NoData: 7}
		dequantize := func(n ast.Node) ast.Node { return l.ok(ast.NewDequantize(n, q)) }
		window, m, s := l.window(x.Size()), l.affine(), l.kernel()
		for name, op := range map[string]func(ast.Node) ast.Node{
			"crop":   func(n ast.Node) ast.Node { return l.ok(ast.NewCrop(n, window)) },
			"bands":  func(n ast.Node) ast.Node { return l.ok(ast.NewCrop(n, window, n.NumBands()-1, 0)) },
			"pad":    func(n ast.Node) ast.Node { return l.ok(ast.NewPad(n, 1, 2, 3, 0)) },
			"warp":   func(n ast.Node) ast.Node { return l.ok(ast.NewWarp(n, m, geom.Size{W: 20, H: 20}, s, nil)) },
			"concat": func(n ast.Node) ast.Node { return l.ok(ast.NewConcat(n, n)) },
			"flip": func(n ast.Node) ast.Node {
				return l.ok(ast.NewWarp(n, geom.Affine(-1, 0, float64(n.Size().W), 0, 1, 0), n.Size(), s, nil))
			},
		} {
			above, below := dequantize(op(x)), op(dequantize(x))
			l.same(above, below)
			if x, y := l.optimize(above), l.optimize(below); !ast.Equal(x, y) {
				l.Fatalf("dequantize and %s have two canonical forms:\n%s\n%s", name, ast.FormatExpr(x), ast.FormatExpr(y))
			}
		}
	})
}

// sampled is the tree with every warp sampling by s.
func sampled(n ast.Node, s ast.Sampling) (ast.Node, error) {
	return ast.Transform(n, func(n ast.Node) (ast.Node, error) {
		if w, ok := n.(*ast.Warp); ok {
			return ast.NewWarp(w.Input(0), w.Transform(), w.Size(), s, w.Domain())
		}
		return n, nil
	})
}

func TestLawMaskDoesNotDependOnInterpolation(t *testing.T) {
	property(t, func(l law) {
		// Overviews sample by their own interpolation, and would be barriers.
		n := l.tree(asttest.Options{Kinds: []ast.Kind{ast.KindCrop, ast.KindPad, ast.KindWarp, ast.KindDequantize, ast.KindConcat}})
		nearest := l.ok(sampled(n, ast.Sampling{Interp: ast.Nearest}))
		other := l.ok(sampled(n, l.kernel()))
		p, q := l.values(nearest), l.values(l.optimize(other))
		for i := range p {
			if (p[i] == p[i]) != (q[i] == q[i]) {
				l.Fatalf("sample %d is %v by nearest and %v by\n%s", i, p[i], q[i], ast.FormatExpr(other))
			}
		}
	})
}

func TestLawTheClipIsNeverLost(t *testing.T) {
	property(t, func(l law) {
		n := l.tree(asttest.Options{Borders: []ast.BorderMode{ast.NoDataBorder}})
		m := l.affine()
		w := l.ok(ast.NewWarp(n, m, geom.Size{W: 30, H: 30}, l.kernel(), nil))
		v := l.values(l.optimize(w))
		inv, _ := m.Inverse()
		for i := range v {
			k := i / w.NumBands()
			x, y := inv.Apply(float64(k%30)+0.5, float64(k/30)+0.5)
			out := x < -1e-3 || y < -1e-3 || x > float64(n.Size().W)+1e-3 || y > float64(n.Size().H)+1e-3
			if out && v[i] == v[i] {
				l.Fatalf("pixel (%d, %d) is outside the canvas below and valid:\n%s", k%30, k/30, ast.FormatExpr(w))
			}
		}
	})
}
