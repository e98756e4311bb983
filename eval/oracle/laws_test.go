package oracle_test

import (
	"image"
	"math"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/oracle"
)

// TestLaws checks on random trees what must hold whatever the tree is.
func TestLaws(t *testing.T) {
	gen := asttest.NewGen(asttest.Options{})
	images := gen.Images()
	trees := 2000
	if testing.Short() {
		trees = 200
	}
	for i := range trees {
		seed := asttest.TreeSeed(1, i)
		n := gen.Tree(seed)
		eval := func(f evaluator, n ast.Node) *oracle.Result {
			r, err := f(bg, n, images, oracle.Options{})
			if err != nil {
				t.Fatalf("tree %d: %v", i, err)
			}
			return r
		}
		equal := func(law string, a, b *oracle.Result) {
			if a.Size != b.Size || len(a.Values) != len(b.Values) {
				t.Fatalf("tree %d: %s: %v, not %v", i, law, b.Size, a.Size)
			}
			for k, v := range a.Values {
				if w := b.Values[k]; math.Abs(v-w) > 1e-9*max(1, math.Abs(v)) || (v == v) != (w == w) {
					t.Fatalf("tree %d: %s: sample %d is %v, not %v", i, law, k, w, v)
				}
			}
		}
		whole := eval(oracle.Reference, n)
		s := n.Size()

		// A crop shows a part, of both ways.
		window := image.Rect(s.W/3, s.H/4, s.W, s.H)
		cropped := must(ast.NewCrop(n, window))
		equal("crop", part(whole, window), eval(oracle.Reference, cropped))
		byHand := eval(oracle.Naive, n)
		equal("naive crop", part(byHand, window), eval(oracle.Naive, cropped))

		// A warp with a border sees what its input means, as samples.
		m := geom.Affine(0.8, 0.1, 1.5, -0.2, 0.9, 2)
		clamped := func(n ast.Node) *oracle.Result {
			return eval(oracle.Reference, warp(n, m, s.W, s.H, bordered(ast.Cubic, ast.ClampBorder, 0)))
		}
		equal("barrier", clamped(samples(whole)), clamped(n))

		// Naive values are values of their types.
		for k, v := range byHand.Values {
			b := byHand.Bands[k%len(byHand.Bands)]
			if v == v && b.Type.Round(v) != v {
				t.Fatalf("tree %d: naive sample %v is no %v", i, v, b.Type)
			}
		}
		// Of samples, both ways are the same but for the type.
		if ast.IsSource(n) {
			for k, v := range whole.Values {
				if v == v {
					whole.Values[k] = whole.Bands[k%len(whole.Bands)].Type.Round(v)
				}
			}
			equal("source", whole, byHand)
		}
	}
}

// part is the window of a result.
func part(r *oracle.Result, w image.Rectangle) *oracle.Result {
	p := &oracle.Result{Size: geom.Size{W: w.Dx(), H: w.Dy()}, Bands: r.Bands}
	for y := w.Min.Y; y < w.Max.Y; y++ {
		for x := w.Min.X; x < w.Max.X; x++ {
			for b := range r.Bands {
				p.Values = append(p.Values, r.At(x, y, b))
			}
		}
	}
	return p
}

// samples is a result as pixels in memory.
func samples(r *oracle.Result) ast.Node {
	b, err := raster.FromSlice(r.Values, r.Size.W, r.Size.H, len(r.Bands))
	if err != nil {
		panic(err)
	}
	return must(ast.NewRaster(b, nil))
}

func BenchmarkReference(b *testing.B) { benchmark(b, oracle.Reference) }

func BenchmarkNaive(b *testing.B) { benchmark(b, oracle.Naive) }

func benchmark(b *testing.B, f evaluator) {
	gen := asttest.NewGen(asttest.Options{})
	nodes := make([]ast.Node, 500)
	for i := range nodes {
		nodes[i] = gen.Tree(asttest.TreeSeed(1, i))
	}
	var valid int
	for i := 0; b.Loop(); i++ {
		r, err := f(bg, nodes[i%len(nodes)], gen.Images(), oracle.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if !math.IsNaN(r.Values[0]) {
			valid++
		}
	}
}
