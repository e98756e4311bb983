package rules_test

import (
	"fmt"
	"image"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/rules"
)

// wideTree is a tree of about n distinct nodes: parts of five, each over a load
// of its own, under one concat.
func wideTree(tb testing.TB, n int) ast.Node {
	tb.Helper()
	var parts []ast.Node
	for i := range max(1, n/5) {
		parts = append(parts, must(ast.From(described(tb, fmt.Sprintf("%d.tif", i))).Bands(0).Scale(0.5).Crop(image.Rect(10, 10, 110, 110)).
			Dequantize(ast.Quantization{OrigType: raster.Float32, OrigMax: 1, QuantMax: 255}).Node()))
	}
	return must(ast.NewConcat(parts...))
}

// deepTree is a chain of about n nodes, warps and crops by turns. The warps turn
// to and fro about the middle and the crops take off what they add around it, so
// that a long chain stays where it is.
func deepTree(tb testing.TB, n int) ast.Node {
	tb.Helper()
	b := ast.From(described(tb, "astro.tif"))
	for i := range (n - 1) / 2 {
		theta := 0.001
		if i%2 == 1 {
			theta = -theta
		}
		m := geom.Translate(257, 257).Mul(geom.Rotate(theta)).Mul(geom.Translate(-256, -256))
		b = b.WarpTo(m, geom.Size{W: 514, H: 514}).Crop(image.Rect(1, 1, 513, 513))
	}
	return must(b.Node())
}

// described is a new load whose metadata is known.
func described(tb testing.TB, uri string) ast.Node {
	tb.Helper()
	meta, err := astro{}.Describe(tb.Context(), uri)
	if err != nil {
		tb.Fatal(err)
	}
	return must(ast.NewLoadMeta(uri, "", meta))
}

// BenchmarkNodes shows what a node costs as trees grow.
func BenchmarkNodes(b *testing.B) {
	p := rules.Default()
	for _, shape := range []struct {
		name  string
		build func(testing.TB, int) ast.Node
	}{{"wide", wideTree}, {"deep", deepTree}} {
		for n := 10; n <= 100_000; n *= 10 {
			b.Run(fmt.Sprintf("%s/%d", shape.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					b.StopTimer()
					tree := shape.build(b, n)
					b.StartTimer()
					if _, err := p.Optimize(tree); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/node")
			})
		}
	}
}

// BenchmarkOver is a new node over a canonical subtree: only the node costs.
func BenchmarkOver(b *testing.B) {
	p := rules.Default()
	for _, name := range []string{"tree1", "tree2", "tree3"} {
		r, err := p.Optimize(readTree(b, name))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := p.Optimize(must(ast.NewCrop(r.Node, image.Rect(1, 1, 31, 31)))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkParallel builds and optimizes tree 3 on all cores; run it with
// -cpu 1,2 to see how throughput grows.
func BenchmarkParallel(b *testing.B) {
	p := rules.Default()
	build := fresh(readTree(b, "tree3"))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := p.Optimize(build()); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
