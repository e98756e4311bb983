package eval_test

import (
	"context"
	"errors"
	"image"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

func TestCancel(t *testing.T) {
	m := picture(512, 512, 1)
	s := open(t, eval.WithOpener(m), eval.WithThreads(2), eval.WithTileSize(32, 32))
	p := plan(t, s, turned(t, load(t, "picture"), geom.Size{W: 500, H: 500}, ast.DefaultSampling))
	m.block = make(chan struct{})
	before := runtime.NumGoroutine()
	for _, run := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := p.Run(ctx); return err },
		func(ctx context.Context) error {
			return p.Stream(ctx, func(image.Rectangle, *raster.Buffer) error { return nil })
		},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
		if err := run(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a run whose time was up: %v", err)
		}
		cancel()
	}
	noLeak(t, before)
	close(m.block)
	if _, err := p.Run(context.Background()); err != nil {
		t.Errorf("the session is not usable after a cancelled run: %v", err)
	}
	stop := errors.New("enough")
	tiles := 0
	err := p.Stream(context.Background(), func(image.Rectangle, *raster.Buffer) error {
		if tiles++; tiles == 3 {
			return stop
		}
		return nil
	})
	if err != stop || tiles != 3 {
		t.Errorf("a stream that was stopped after 3 tiles: %v after %d", err, tiles)
	}
	// A callback may run plans of the same session.
	err = p.Stream(context.Background(), func(w image.Rectangle, _ *raster.Buffer) error {
		if w.Min.Y > 0 {
			return nil
		}
		var dst raster.Buffer
		return p.Window(context.Background(), image.Rect(0, 0, 100, 100), &dst)
	})
	if err != nil {
		t.Error(err)
	}
}

func TestReadError(t *testing.T) {
	m := picture(512, 512, 1)
	broken := errors.New("block is corrupt")
	m.fail = func(uri string, w image.Rectangle) error {
		if w.Overlaps(image.Rect(300, 300, 310, 310)) {
			return broken
		}
		return nil
	}
	s := open(t, eval.WithOpener(m), eval.WithThreads(2), eval.WithTileSize(64, 64))
	p := plan(t, s, load(t, "picture"))
	_, err := p.Run(context.Background())
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), `"picture"`) || !strings.Contains(err.Error(), "window [256 256") ||
		strings.Count(err.Error(), "corrupt") != 1 {
		t.Errorf("error %v does not name raster and window", err)
	}
	var dst raster.Buffer
	if err := p.Window(context.Background(), image.Rect(0, 0, 200, 200), &dst); err != nil {
		t.Errorf("a window that reads no corrupt block: %v", err)
	}
	if err := p.Stream(context.Background(), func(image.Rectangle, *raster.Buffer) error { return nil }); !errors.Is(err, broken) {
		t.Errorf("a stream over a corrupt block: %v", err)
	}
	m.fail = nil
	if _, err := p.Run(context.Background()); err != nil {
		t.Errorf("an error was kept: %v", err)
	}
}

func TestChangedFile(t *testing.T) {
	m := picture(64, 64, 1)
	l, err := ast.NewLoadMeta("picture", "", ast.Meta{Size: geom.Size{W: 80, H: 64}, Bands: ast.NumberedBands(1, raster.Uint8)})
	if err != nil {
		t.Fatal(err)
	}
	_, err = plan(t, open(t, eval.WithOpener(m)), l).Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "the tree says 80×64 at level 0, the file has 64×64") {
		t.Errorf("got %v", err)
	}
}

// panics is a custom node whose author made a mistake.
type panics struct {
	ast.Base
	in ast.Node
}

func (p *panics) Op() string                                 { return "x-panics" }
func (p *panics) NumInputs() int                             { return 1 }
func (p *panics) Input(int) ast.Node                         { return p.in }
func (p *panics) Traits() ast.Traits                         { return ast.Traits{} }
func (p *panics) WithInputs(in []ast.Node) (ast.Node, error) { return newPanics(in[0]) }

func (p *panics) EvalTile(*raster.Buffer, image.Rectangle, []ast.Tile) error {
	panic("index out of range")
}

func newPanics(in ast.Node) (ast.Node, error) {
	p := &panics{in: in}
	return p, ast.Define(p, in.Size(), ast.NumberedBands(1, raster.Float32))
}

func TestPanicInCustomNode(t *testing.T) {
	m := picture(64, 64, 1)
	in, err := ast.Prepare(context.Background(), load(t, "picture"), m)
	if err != nil {
		t.Fatal(err)
	}
	n, err := newPanics(in)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, eval.WithOpener(m), eval.WithThreads(2), eval.WithTileSize(16, 16))
	_, err = plan(t, s, n).Run(context.Background())
	if err == nil || !strings.Contains(err.Error(), "x-panics") || !strings.Contains(err.Error(), "panicked: index out of range") {
		t.Errorf("got %v", err)
	}
	if _, err := plan(t, s, in).Run(context.Background()); err != nil {
		t.Errorf("the session is not usable after a panic: %v", err)
	}
}
