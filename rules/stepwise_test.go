package rules_test

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/rewrite"
)

// A run that traces or verifies fires one rule at a time; one that does not goes
// on by itself and skips what marks exclude. Both come to the same tree, but for
// what rounding decides.
func TestLawStepwiseIsTheSame(t *testing.T) {
	trees := 20_000
	if testing.Short() {
		trees = 2000
	}
	caps := []ast.Fidelity{ast.Exact, ast.Geometric, ast.Resolution}
	var fast, stepwise []*rewrite.Pipeline
	for _, f := range caps {
		fast = append(fast, mustPipeline(rewrite.MaxFidelity(f)))
		stepwise = append(stepwise, mustPipeline(rewrite.MaxFidelity(f), rewrite.Trace()))
	}
	gen := asttest.NewGen(asttest.Options{})
	for i := range trees {
		n := gen.Tree(asttest.TreeSeed(23, i))
		if i%4 == 0 {
			n = randomChain(rand.New(rand.NewPCG(uint64(i), 5)), gen.Images().Load("elevation"))
		}
		k := i % len(caps)
		a, err := fast[k].Optimize(n)
		if err != nil {
			t.Fatal(err)
		}
		b, err := stepwise[k].Optimize(asttest.Copy(n))
		if err != nil {
			t.Fatal(err)
		}
		if why := differ(a.Node, b.Node); why != "" {
			t.Fatalf("tree %d at %v: %s:\n%s\n%s\nof\n%s", i, caps[k], why, ast.FormatExpr(a.Node), ast.FormatExpr(b.Node), ast.FormatExpr(n))
		}
	}
}

// A rule that goes on by itself does not do the work of one that is left out.
func TestLeftOutRulesDoNotRun(t *testing.T) {
	two := must(ast.From(readTree(t, "tree1").Input(0).Input(0)).Scale(0.9).Rotate(0.1).Node())
	for _, c := range []struct {
		rule string
		tree ast.Node
		want string
	}{
		{"fuse-warps", must(ast.NewCrop(two, image.Rect(9, 9, 99, 99))), "warp warp load"},
		{"dequantize-below-warp", must(ast.From(two).Crop(image.Rect(9, 9, 99, 99)).Dequantize(
			ast.Quantization{OrigType: raster.Float32, OrigMax: 1, QuantMax: 255}).Node()), "crop dequantize warp load"},
	} {
		r, err := mustPipeline(rewrite.Without(c.rule, "crop-below-warp")).Optimize(c.tree)
		if err != nil {
			t.Fatal(err)
		}
		got := r.Node.Op()
		for n := r.Node; n.NumInputs() > 0; {
			n = n.Input(0)
			got += " " + n.Op()
		}
		if got != c.want {
			t.Errorf("without %s: %s, want %s", c.rule, got, c.want)
		}
	}
}

// randomChain is a path of up to forty steps of the kinds that run together.
func randomChain(r *rand.Rand, n ast.Node) ast.Node {
	for range 2 + r.IntN(40) {
		s := n.Size()
		next, err := n, error(nil)
		switch r.IntN(6) {
		case 0:
			x, y := r.IntN(min(s.W, 4)), r.IntN(min(s.H, 4))
			next, err = ast.NewCrop(n, image.Rect(x, y, s.W-r.IntN(min(s.W-x, 3)), s.H-r.IntN(min(s.H-y, 3))))
		case 1:
			next, err = ast.NewPad(n, r.IntN(3), r.IntN(3), r.IntN(3), r.IntN(3))
		case 2:
			next, err = ast.NewWarp(n, geom.Scale(0.8+0.4*r.Float64(), 0.8+0.4*r.Float64()), geom.Size{}, ast.DefaultSampling, nil)
		case 3:
			next, err = ast.NewWarp(n, geom.Translate(float64(r.IntN(5)-2), r.Float64()), s, ast.DefaultSampling, nil)
		case 4:
			next, err = ast.NewDequantize(n, ast.Quantization{OrigType: raster.Float32, OrigMax: 1, QuantMax: 255})
		default:
			x, y := s.Center()
			m := geom.Translate(x, y).Mul(geom.Rotate(r.Float64() - 0.5)).Mul(geom.Translate(-x, -y))
			next, err = ast.NewWarp(n, m, s, ast.DefaultSampling, nil)
		}
		if err == nil {
			n = next
		}
	}
	return n
}

// differ says where two trees differ by more than rounding, "" if they do not.
func differ(a, b ast.Node) string {
	switch {
	case a.Op() != b.Op() || a.NumInputs() != b.NumInputs():
		return fmt.Sprintf("%s and %s", a.Op(), b.Op())
	case !ast.SameShape(a, b):
		return a.Op() + " has other bands or another canvas"
	case a.NumInputs() == 0:
		if !ast.Equal(a, b) {
			return "other leaves"
		}
		return ""
	}
	same := true
	switch a := a.(type) {
	case *ast.Crop:
		b := b.(*ast.Crop)
		same = a.Window() == b.Window() && fmt.Sprint(a.Picks()) == fmt.Sprint(b.Picks())
	case *ast.Pad:
		same = a.Inner() == b.(*ast.Pad).Inner()
	case *ast.Overview:
		same = a.Level() == b.(*ast.Overview).Level()
	case *ast.Dequantize:
		same = a.Quantization() == b.(*ast.Dequantize).Quantization()
	case *ast.Warp:
		return differingWarps(a, b.(*ast.Warp))
	}
	if !same {
		return a.Op() + " has other arguments"
	}
	for i := range a.NumInputs() {
		if why := differ(a.Input(i), b.Input(i)); why != "" {
			return why
		}
	}
	return ""
}

// differingWarps is differ for two warps. Where the kernel just reaches a pixel,
// rounding decides whether the crop below keeps it.
func differingWarps(a, b *ast.Warp) string {
	x, v, p := windowBelow(a.Input(0))
	y, w, q := windowBelow(b.Input(0))
	if p != q {
		return "other quantizations below warps"
	}
	for _, d := range []int{v.Min.X - w.Min.X, v.Min.Y - w.Min.Y, v.Max.X - w.Max.X, v.Max.Y - w.Max.Y} {
		if d < -1 || d > 1 {
			return fmt.Sprintf("warps that read %v and %v", v, w)
		}
	}
	m, n := a.Transform(), b.Transform()
	m.ShiftInput(-float64(v.Min.X), -float64(v.Min.Y))
	n.ShiftInput(-float64(w.Min.X), -float64(w.Min.Y))
	for i := range m {
		if !(math.Abs(m[i]-n[i]) <= 1e-9*max(1, math.Abs(m[i]))) {
			return fmt.Sprintf("warps by %v and %v", m, n)
		}
	}
	if a.Sampling() != b.Sampling() || a.Copies() != b.Copies() {
		return "warps that sample otherwise"
	}
	if !geom.SameRegion(a.Size(), clipOf(a), clipOf(b), 2e-6) {
		return "warps with other domains"
	}
	return differ(x, y)
}

// windowBelow is the node below a dequantize and a crop, the window of it that
// they show, and the quantization.
func windowBelow(n ast.Node) (below ast.Node, w image.Rectangle, q ast.Quantization) {
	if d, ok := n.(*ast.Dequantize); ok {
		n, q = d.Input(0), d.Quantization()
	}
	if c, ok := n.(*ast.Crop); ok && c.AllBands() {
		return c.Input(0), c.Window(), q
	}
	return n, n.Size().Bounds(), q
}

// clipOf is the domain of a warp with the edges of its input.
func clipOf(w *ast.Warp) *geom.Domain {
	inv, planes := w.Inverse(), w.Domain().Planes()
	if w.Sampling().Border.Mode == ast.NoDataBorder {
		planes = w.Input(0).Size().AppendEdges(planes, w.Size(), &inv)
	}
	return geom.NewDomain(planes...)
}

// A rule whose marks are wrong is told on where firings are verified.
func TestMarksAreVerified(t *testing.T) {
	wrong := rewrite.On("drop-everything", ast.Exact, func(c *rewrite.Context, n *ast.Crop) (ast.Node, error) {
		return c.Invalid(n), nil
	}).Only(ast.NoOp)
	pass := []rewrite.Pass{{Name: "own", Rules: []rewrite.Rule{wrong}}}
	n := must(ast.NewCrop(readTree(t, "tree1"), image.Rect(1, 1, 3, 3)))
	p, err := rewrite.New(pass)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Optimize(n); err != nil || r.Fired != 0 {
		t.Errorf("fired %d times at nodes without the mark, %v", r.Fired, err)
	}
	if p, err = p.With(rewrite.Trace()); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Optimize(n); err == nil {
		t.Error("a rule that fires where its marks exclude it goes unnoticed")
	}
}
