package eval_test

import (
	"context"
	"fmt"
	"image"
	"strings"
	"sync"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// stepsOf is a line a step: kind, node, what is fused into it.
func stepsOf(steps []eval.Step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "%v", s.Kind)
		if s.Node != nil {
			fmt.Fprintf(&b, " %s", s.Node.Op())
		}
		for _, n := range s.Fused {
			fmt.Fprintf(&b, " +%s", n.Op())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestProfileSteps(t *testing.T) {
	build := func(b ast.Builder) ast.Node {
		n, err := b.Node()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	q := ast.Quantization{OrigType: raster.Float32, OrigMax: 1, QuantMax: 255}
	images := picture(300, 200, 3)
	leaf := func() ast.Builder { return ast.From(images.Load("picture")) }
	half := build(leaf().Scale(0.5))
	twice, err := ast.NewConcat(half, build(leaf().Crop(image.Rect(0, 0, 150, 100))))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		n     ast.Node
		cap   ast.Fidelity
		steps string
	}{
		{"a crop is read", build(leaf().Crop(image.Rect(10, 20, 90, 70))), ast.Geometric, "copy\nread load +crop\n"},
		{"a chain is one kernel", build(leaf().Crop(image.Rect(0, 0, 90, 70)).Dequantize(q).Scale(0.5)), ast.Geometric,
			"sample warp +dequantize\nread load +crop\n"},
		{"warps are composed", build(leaf().Scale(0.7).Rotate(0.2)), ast.Geometric, "sample warp +warp\nread load\n"},
		{"node by node", build(leaf().Scale(0.7).Dequantize(q).Rotate(0.2)), ast.Exact,
			"sample warp\ncopy\ndequantize dequantize\nsample warp\nread load\n"},
		{"parts of a concat", twice, ast.Geometric, "copy concat\nread load +crop\nsample warp +concat\nread load\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, eval.WithOpener(picture(300, 200, 3)), eval.WithThreads(2), eval.WithTileSize(37, 29))
			p := plan(t, s, c.n, eval.WithMaxFidelity(c.cap))
			var f eval.Profile
			if _, err := p.Run(t.Context(), eval.WithProfile(&f)); err != nil {
				t.Fatal(err)
			}
			steps := f.Steps(p)
			if got := stepsOf(steps); got != c.steps {
				t.Errorf("the steps are\n%swant\n%s", got, c.steps)
			}
			// What the steps have read is what the plan has.
			var sum eval.StepCount
			for _, step := range steps {
				if step.Calls == 0 || step.Time <= 0 {
					t.Errorf("%v %v: %d calls in %v", step.Kind, step.Node, step.Calls, step.Time)
				}
				if step.Kind == eval.ReadStep {
					sum.Bytes += step.Bytes
					sum.Blocks += step.Blocks
					sum.Hits += step.Hits
				}
			}
			if m := p.Stats(); sum.Bytes != m.BytesRead || sum.Blocks != m.Blocks || sum.Hits != m.BlockHits {
				t.Errorf("the steps have read %d bytes, %d blocks, %d in memory; the plan %d, %d, %d",
					sum.Bytes, sum.Blocks, sum.Hits, m.BytesRead, m.Blocks, m.BlockHits)
			}
		})
	}
}

// A profile counts the runs that it is handed to, however many there are at a
// time, windows and streams alike, and no others.
func TestProfileRuns(t *testing.T) {
	s := open(t, eval.WithOpener(picture(300, 200, 3)), eval.WithThreads(2), eval.WithTileSize(50, 50))
	w, err := ast.NewWarp(load(t, "picture"), geom.Scale(0.5, 0.5), geom.Size{W: 150, H: 100}, ast.DefaultSampling, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := plan(t, s, w)
	var f eval.Profile
	if steps := f.Steps(p); len(steps) != 2 || steps[0].Samples != 0 {
		t.Errorf("before any run: %+v", steps)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := p.Run(context.Background(), eval.WithProfile(&f)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	const samples = 150 * 100 * 3
	if got := f.Steps(p)[0].Samples; got != 4*samples {
		t.Errorf("four runs computed %d samples, want %d", got, 4*samples)
	}
	if _, err := p.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	err = p.Stream(t.Context(), func(image.Rectangle, *raster.Buffer) error { return nil }, eval.WithProfile(&f))
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Steps(p)[0].Samples; got != 5*samples {
		t.Errorf("with a stream, and without a run that was not profiled, it is %d samples, want %d", got, 5*samples)
	}
	var other eval.Profile
	if err := p.Window(t.Context(), image.Rect(10, 10, 60, 30), &raster.Buffer{}, eval.WithProfile(&other)); err != nil {
		t.Fatal(err)
	}
	if got := other.Steps(p)[0].Samples; got != 50*20*3 {
		t.Errorf("a window of 50×20 computed %d samples", got)
	}
}
