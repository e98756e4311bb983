package rewarp_test

import (
	"context"
	"fmt"
	"image"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// The workloads that `make bench-peers` runs on other libraries too, small
// enough to be repeated often. Pictures are noise, and files are written once a
// run.

const workloadSide = 1024

func noise(tb testing.TB, t raster.DataType, w, h, bands int) *raster.Buffer {
	tb.Helper()
	b := raster.New(t, w, h, bands)
	state := uint32(1)
	for y := range h {
		for x := range w {
			for band := range bands {
				state = state*1664525 + 1013904223
				b.Set(x, y, band, float64(state>>24))
			}
		}
	}
	return b
}

func inMemory(tb testing.TB, t raster.DataType, side, bands int) ast.Builder {
	tb.Helper()
	leaf, err := ast.NewRaster(noise(tb, t, side, side, bands), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return ast.From(leaf)
}

// saved writes noise to a GeoTIFF.
func saved(tb testing.TB, t raster.DataType, side, bands int, options ...string) string {
	tb.Helper()
	ctx := context.Background()
	s := opened(tb, 1)
	p, err := s.Plan(ctx, tree(tb, inMemory(tb, t, side, bands)))
	if err != nil {
		tb.Fatal(err)
	}
	path := filepath.Join(tb.TempDir(), "image.tif")
	if err := rewarp.Save(ctx, p, path, rewarp.SaveOptions{Options: options}); err != nil {
		tb.Fatal(err)
	}
	return path
}

func opened(tb testing.TB, threads int) *eval.Session {
	tb.Helper()
	s, err := rewarp.Open(context.Background(), eval.WithThreads(threads))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

func tree(tb testing.TB, b ast.Builder) ast.Node {
	tb.Helper()
	n, err := b.Node()
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// loaded is a file with its metadata, so that its size is known.
func loaded(tb testing.TB, path string) ast.Builder {
	tb.Helper()
	n, err := ast.Prepare(context.Background(), tree(tb, ast.FromURI(path, "")), rewarp.NewOpener())
	if err != nil {
		tb.Fatal(err)
	}
	return ast.From(n)
}

// repeated runs one plan over and over, into one buffer.
func repeated(b *testing.B, n ast.Node) {
	ctx := context.Background()
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			p, err := opened(b, threads).Plan(ctx, n)
			if err != nil {
				b.Fatal(err)
			}
			dst := &raster.Buffer{}
			b.SetBytes(int64(p.Size().W) * int64(p.Size().H) * int64(n.NumBands()*p.Type().Size()))
			b.ReportAllocs()
			for b.Loop() {
				if err := p.RunInto(ctx, dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// anew opens the files, plans and runs each time, in one session.
func anew(b *testing.B, n ast.Node) {
	ctx := context.Background()
	s := opened(b, 1)
	dst := &raster.Buffer{}
	b.ReportAllocs()
	for b.Loop() {
		for _, l := range ast.All[*ast.Load](n) {
			if err := s.Forget(l.URI()); err != nil {
				b.Fatal(err)
			}
		}
		p, err := s.Plan(ctx, n)
		if err == nil {
			err = p.RunInto(ctx, dst)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// turned rotates and scales about the middle.
func turned(side int, scale float64) geom.Transform {
	c := float64(side) / 2
	return geom.Translate(c, c).Mul(geom.Rotate(0.5)).Mul(geom.Scale(scale, scale)).Mul(geom.Translate(-c, -c))
}

func BenchmarkWorkloadA(b *testing.B) {
	for i := 1; i <= 3; i++ {
		n, err := rewarp.ReadTree(fmt.Sprintf("testdata/trees/tree%d.json", i))
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("tree%d/cold", i), func(b *testing.B) { anew(b, n) })
		b.Run(fmt.Sprintf("tree%d/repeated", i), func(b *testing.B) { repeated(b, n) })
	}
}

func BenchmarkWorkloadB(b *testing.B) {
	ctx := context.Background()
	const side = 2048
	for _, compress := range []string{"NONE", "DEFLATE"} {
		path := saved(b, raster.Uint8, side, 3, "COMPRESS="+compress)
		for _, size := range []int{256, 1024} {
			b.Run(fmt.Sprintf("%s/%d/open", compress, size), func(b *testing.B) {
				anew(b, tree(b, ast.FromURI(path, "").Crop(image.Rect(100, 100, 100+size, 100+size))))
			})
			b.Run(fmt.Sprintf("%s/%d/next", compress, size), func(b *testing.B) {
				p, err := opened(b, 1).Plan(ctx, tree(b, ast.FromURI(path, "")))
				if err != nil {
					b.Fatal(err)
				}
				dst := &raster.Buffer{}
				b.SetBytes(int64(size) * int64(size) * 3)
				for i := 0; b.Loop(); i++ {
					x, y := i*389%(side-size), i*757%(side-size)
					if err := p.Window(ctx, image.Rect(x, y, x+size, y+size), dst); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkWorkloadC(b *testing.B) {
	for _, interp := range []ast.Interpolation{ast.Linear, ast.Cubic, ast.Area} {
		b.Run("memory/"+interp.String(), func(b *testing.B) {
			s := ast.Sampling{Interp: interp, Antialias: true}
			repeated(b, tree(b, inMemory(b, raster.Uint8, workloadSide, 3).Sampling(s).Resize(379, 379)))
		})
	}
	path := saved(b, raster.Uint8, 2048, 3)
	b.Run("thumbnail", func(b *testing.B) { anew(b, tree(b, loaded(b, path).Resize(256, 256))) })
	if out, err := exec.Command("gdaladdo", "-q", "-r", "average", path, "2", "4", "8").CombinedOutput(); err != nil {
		b.Skipf("gdaladdo: %v: %s", err, out)
	}
	b.Run("overview", func(b *testing.B) { anew(b, tree(b, loaded(b, path).Resize(1024, 1024))) })
	b.Run("thumbnail-of-overviews", func(b *testing.B) { anew(b, tree(b, loaded(b, path).Resize(256, 256))) })
}

func BenchmarkWorkloadD(b *testing.B) {
	for _, interp := range []ast.Interpolation{ast.Linear, ast.Cubic} {
		b.Run(interp.String(), func(b *testing.B) {
			window := image.Rect(300, 300, 428, 428)
			repeated(b, tree(b, inMemory(b, raster.Uint8, workloadSide, 3).Crop(window).Sampling(ast.Sampling{Interp: interp}).Scale(6)))
		})
	}
}

func BenchmarkWorkloadE(b *testing.B) {
	size := geom.Size{W: workloadSide, H: workloadSide}
	for _, interp := range []ast.Interpolation{ast.Nearest, ast.Linear, ast.Cubic} {
		for _, c := range []struct {
			t     raster.DataType
			bands int
		}{{raster.Uint8, 1}, {raster.Uint8, 3}, {raster.Uint8, 4}, {raster.Uint16, 4}, {raster.Float32, 1}, {raster.Float32, 3}, {raster.Float32, 13}} {
			b.Run(fmt.Sprintf("%v/%vx%d", interp, c.t, c.bands), func(b *testing.B) {
				s := ast.Sampling{Interp: interp}
				repeated(b, tree(b, inMemory(b, c.t, workloadSide, c.bands).Sampling(s).WarpTo(turned(workloadSide, 1.2), size)))
			})
		}
	}
	b.Run("reduce/uint8x3", func(b *testing.B) {
		repeated(b, tree(b, inMemory(b, raster.Uint8, workloadSide, 3).WarpTo(turned(workloadSide, 0.5), size)))
	})
}

func BenchmarkWorkloadF(b *testing.B) {
	pix := noise(b, raster.Int16, workloadSide, workloadSide, 13)
	bands := ast.NumberedBands(13, raster.Int16)
	for i := range bands {
		bands[i].NoData, bands[i].HasNoData = 7, true
	}
	leaf, err := ast.NewRaster(pix, bands)
	if err != nil {
		b.Fatal(err)
	}
	q := ast.Quantization{OrigType: raster.Float32, OrigMax: 1, QuantMax: 10_000, NoData: 7, HasNoData: true}
	size := geom.Size{W: workloadSide, H: workloadSide}
	repeated(b, tree(b, ast.From(leaf).Dequantize(q).Sampling(ast.Sampling{Interp: ast.Linear}).WarpTo(turned(workloadSide, 1.2), size)))
}

func BenchmarkWorkloadG(b *testing.B) {
	const n = workloadSide
	m := geom.Transform{1.15, 0.1, -0.05 * n, 0.05, 1.2, -0.1 * n, 0.12 / n, 0.08 / n, 1}
	s := ast.Sampling{Interp: ast.Linear}
	repeated(b, tree(b, inMemory(b, raster.Uint8, n, 3).Sampling(s).WarpTo(m, geom.Size{W: n, H: n})))
}

func BenchmarkWorkloadH(b *testing.B) {
	var parts []ast.Node
	for _, side := range []int{workloadSide, workloadSide, workloadSide / 2, workloadSide / 2, workloadSide / 4, workloadSide / 4} {
		m := turned(workloadSide, 1.1).Mul(geom.Scale(float64(workloadSide)/float64(side), float64(workloadSide)/float64(side)))
		parts = append(parts, tree(b, ast.FromURI(saved(b, raster.Uint16, side, 1, "COMPRESS=NONE"), "").
			WarpTo(m, geom.Size{W: workloadSide, H: workloadSide})))
	}
	n, err := ast.NewConcat(parts...)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("open", func(b *testing.B) { anew(b, n) })
	b.Run("repeated", func(b *testing.B) { repeated(b, n) })
}

// BenchmarkSession is a tile of 128 pixels with the set-up in different places.
func BenchmarkSession(b *testing.B) {
	ctx := context.Background()
	n, err := rewarp.ReadTree("testdata/trees/tree1.json")
	if err != nil {
		b.Fatal(err)
	}
	dst := &raster.Buffer{}
	once := func(b *testing.B, s *eval.Session) {
		p, err := s.Plan(ctx, n)
		if err == nil {
			err = p.RunInto(ctx, dst)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.Run("inside", func(b *testing.B) {
		for b.Loop() {
			s, err := rewarp.Open(ctx, eval.WithThreads(1))
			if err != nil {
				b.Fatal(err)
			}
			once(b, s)
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("lazy", func(b *testing.B) {
		s := opened(b, 1)
		for b.Loop() {
			once(b, s)
		}
	})
	s := opened(b, 1)
	p, err := s.Plan(ctx, n)
	if err != nil {
		b.Fatal(err)
	}
	for name, window := range map[string]image.Rectangle{"outside": image.Rect(0, 0, 128, 128), "outside-one-pixel": image.Rect(50, 50, 51, 51)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Window(ctx, window, dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
