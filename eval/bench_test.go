package eval_test

import (
	"context"
	"fmt"
	"image"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// BenchmarkOverhead is what a run costs besides its pixels: one pixel.
func BenchmarkOverhead(b *testing.B) {
	m := picture(256, 256, 3)
	for _, c := range [][2]string{
		{"load", "(load picture)"},
		{"nearest", "(warp scale=[0.9 0.8] theta=0.3 offset=[20 5] size=128x128 nearest (load picture))"},
		{"linear", "(warp scale=[0.9 0.8] theta=0.3 offset=[20 5] size=128x128 (load picture))"},
		{"cubic", "(warp scale=[1.9 1.8] offset=[-20 -15] size=128x128 cubic (load picture))"},
		{"dequantize", "(dequantize float32 0..255 -> -1..1 (warp scale=[0.9 0.8] theta=0.3 offset=[20 5] size=128x128 (load picture)))"},
	} {
		b.Run(c[0], func(b *testing.B) {
			s := open(b, eval.WithOpener(m))
			n, err := ast.ParseExpr(c[1])
			if err != nil {
				b.Fatal(err)
			}
			p := plan(b, s, n)
			var dst raster.Buffer
			w := image.Rect(60, 60, 61, 61)
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Window(context.Background(), w, &dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRotate is a rotation of an image whose blocks are cached.
func BenchmarkRotate(b *testing.B) {
	m := picture(2048, 2048, 3)
	for _, interp := range []ast.Interpolation{ast.Nearest, ast.Linear, ast.Cubic} {
		for _, threads := range []int{1, 2} {
			for _, tile := range []int{128, 256, 512} {
				b.Run(fmt.Sprintf("%v/threads=%d/tile=%d", interp, threads, tile), func(b *testing.B) {
					s := open(b, eval.WithOpener(m), eval.WithThreads(threads), eval.WithTileSize(tile, tile))
					p := plan(b, s, turned(b, load(b, "picture"), geom.Size{W: 2048, H: 2048}, ast.Sampling{Interp: interp}))
					var dst raster.Buffer
					if err := p.RunInto(context.Background(), &dst); err != nil {
						b.Fatal(err)
					}
					b.SetBytes(2048 * 2048 * 3)
					for b.Loop() {
						if err := p.RunInto(context.Background(), &dst); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

// BenchmarkCopy is a window of a cached image.
func BenchmarkCopy(b *testing.B) {
	m := picture(4096, 4096, 3)
	for _, side := range []int{256, 2048} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("side=%d/threads=%d", side, threads), func(b *testing.B) {
				s := open(b, eval.WithOpener(m), eval.WithThreads(threads))
				p := plan(b, s, load(b, "picture"))
				var dst raster.Buffer
				if err := p.RunInto(context.Background(), &dst); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(side) * int64(side) * 3)
				for b.Loop() {
					if err := p.Window(context.Background(), image.Rect(100, 100, 100+side, 100+side), &dst); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkMemory is a rotation of pixels that are in memory.
func BenchmarkMemory(b *testing.B) {
	pix := raster.New(raster.Uint8, 2048, 2048, 3)
	leaf, err := ast.NewRaster(pix, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, tile := range []int{128, 256, 512, 2048} {
		b.Run(fmt.Sprintf("tile=%d", tile), func(b *testing.B) {
			s := open(b, eval.WithThreads(1), eval.WithTileSize(tile, tile))
			p := plan(b, s, turned(b, leaf, geom.Size{W: 2048, H: 2048}, ast.Sampling{Interp: ast.Linear}))
			var dst raster.Buffer
			b.SetBytes(2048 * 2048 * 3)
			for b.Loop() {
				if err := p.RunInto(context.Background(), &dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
