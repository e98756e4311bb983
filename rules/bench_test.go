package rules_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/rules"
)

// astro describes the test image without opening it.
type astro struct{}

func (astro) Describe(context.Context, string) (ast.Meta, error) {
	return ast.Meta{
		Size: geom.Size{W: 512, H: 512}, Bands: ast.NumberedBands(3, raster.Uint8),
		Block:     geom.Size{W: 256, H: 256},
		Overviews: []geom.Size{{W: 256, H: 256}, {W: 128, H: 128}, {W: 64, H: 64}},
	}, nil
}

func readTree(tb testing.TB, name string) ast.Node {
	tb.Helper()
	data, err := os.ReadFile("../testdata/trees/" + name + ".json")
	if err != nil {
		tb.Fatal(err)
	}
	n, err := ast.ParseJSON(data)
	if err != nil {
		tb.Fatal(err)
	}
	if n, err = ast.Prepare(context.Background(), n, astro{}); err != nil {
		tb.Fatal(err)
	}
	return n
}

// fresh is a builder of new nodes for the tree, over the same leaves, so that
// no node remembers anything. It stands for the code that a user would write.
func fresh(n ast.Node) func() ast.Node {
	if n.NumInputs() == 0 {
		return func() ast.Node { return n }
	}
	in := fresh(n.Input(0))
	switch n := n.(type) {
	case *ast.Crop:
		w, picks := n.Window(), ast.PicksOf(n)
		return func() ast.Node { return must(ast.NewCrop(in(), w, picks...)) }
	case *ast.Pad:
		l, t, r, b := n.Margins()
		return func() ast.Node { return must(ast.NewPad(in(), l, t, r, b)) }
	case *ast.Warp:
		m, size, s := n.Transform(), n.Size(), n.Sampling()
		if n.Fitted() {
			size = geom.Size{}
		}
		return func() ast.Node { return must(ast.NewWarp(in(), m, size, s, nil)) }
	case *ast.Overview:
		return func() ast.Node { return must(ast.NewOverview(in(), n.Level())) }
	case *ast.Dequantize:
		return func() ast.Node { return must(ast.NewDequantize(in(), n.Quantization())) }
	}
	panic(fmt.Sprintf("no builder for %T", n))
}

func must[N ast.Node](n N, err error) ast.Node {
	if err != nil {
		panic(err)
	}
	return n
}

func BenchmarkBuild(b *testing.B) {
	for _, name := range []string{"tree1", "tree2", "tree3"} {
		build := fresh(readTree(b, name))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				build()
			}
		})
	}
}

// BenchmarkOptimize builds and optimizes a new tree in each round; the cost of
// building alone is BenchmarkBuild's.
func BenchmarkOptimize(b *testing.B) {
	p := rules.Default()
	for _, name := range []string{"tree1", "tree2", "tree3"} {
		build := fresh(readTree(b, name))
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Optimize(build()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkReoptimize(b *testing.B) {
	p := rules.Default()
	for _, name := range []string{"tree1", "tree2", "tree3"} {
		r, err := p.Optimize(readTree(b, name))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Optimize(r.Node); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
