package eval_test

import (
	"context"
	"image"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/imagefile"
)

// BenchmarkSession is one 128-pixel tile of a TIFF of 512×512 pixels, with the
// setting up inside the loop or outside: all of it lazily in each run, with a
// new output too; a session in each run; a session for all runs and a plan in
// each; a session and a plan for all runs. Tiny reads a window of 8×8 pixels,
// copy the whole tile as it is stored, warp resamples it.
func BenchmarkSession(b *testing.B) {
	m := imagefile.New()
	prepared, err := ast.Prepare(context.Background(), load(b, "../testdata/astro.tif"), m)
	if err != nil {
		b.Fatal(err)
	}
	size := geom.Size{W: 128, H: 128}
	crop, err := ast.NewCrop(prepared, image.Rect(64, 64, 192, 192))
	if err != nil {
		b.Fatal(err)
	}
	for _, work := range []struct {
		name   string
		tree   ast.Node
		window image.Rectangle
	}{
		{"tiny", crop, image.Rect(0, 0, 8, 8)},
		{"copy", crop, image.Rect(0, 0, 128, 128)},
		{"warp", turned(b, prepared, size, ast.DefaultSampling), image.Rect(0, 0, 128, 128)},
	} {
		ctx := context.Background()
		opts := []eval.Option{eval.WithOpener(m), eval.WithThreads(2)}
		once := func(b *testing.B, s *eval.Session, tree ast.Node, dst *raster.Buffer) {
			p, err := s.Plan(ctx, tree)
			if err == nil {
				err = p.Window(ctx, work.window, dst)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		b.Run(work.name+"/lazy", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := opened(b, opts...)
				tree, err := ast.Prepare(ctx, work.tree, m)
				if err != nil {
					b.Fatal(err)
				}
				once(b, s, tree, &raster.Buffer{})
				s.Close()
			}
		})
		b.Run(work.name+"/session-inside", func(b *testing.B) {
			var dst raster.Buffer
			b.ReportAllocs()
			for b.Loop() {
				s := opened(b, opts...)
				once(b, s, work.tree, &dst)
				s.Close()
			}
		})
		b.Run(work.name+"/plan-inside", func(b *testing.B) {
			var dst raster.Buffer
			s := opened(b, opts...)
			defer s.Close()
			b.ReportAllocs()
			for b.Loop() {
				once(b, s, work.tree, &dst)
			}
		})
		b.Run(work.name+"/outside", func(b *testing.B) {
			var dst raster.Buffer
			s := opened(b, opts...)
			defer s.Close()
			p := plan(b, s, work.tree)
			if err := p.Window(ctx, work.window, &dst); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := p.Window(ctx, work.window, &dst); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSessionOpen is the opening and closing of a session that claims a
// process-wide setting.
func BenchmarkSessionOpen(b *testing.B) {
	d := &dial{name: "bench", value: 3}
	b.ReportAllocs()
	for b.Loop() {
		opened(b, eval.WithThreads(2), eval.WithSetting(d, 2)).Close()
	}
}
