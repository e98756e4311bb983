package eval_test

import (
	"context"
	"errors"
	"image"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// together opens images that can be read several windows at a time.
type together struct {
	*memory
	windows atomic.Int64 // read so
	broken  atomic.Bool  // all that is asked for together
}

func (o *together) Open(ctx context.Context, uri string) (eval.Source, error) {
	s, err := o.memory.Open(ctx, uri)
	return togetherSource{s, o}, err
}

type togetherSource struct {
	eval.Source
	o *together
}

func (s togetherSource) ReadWindows(ctx context.Context, level int, windows []image.Rectangle, bands []int, dst []*raster.Buffer) error {
	if s.o.broken.Load() {
		return errors.New("one of them is broken")
	}
	s.o.windows.Add(int64(len(windows)))
	for i, w := range windows {
		if err := s.ReadWindow(ctx, level, w, bands, dst[i]); err != nil {
			return err
		}
	}
	return nil
}

// TestTogether: cells are read together where a source can, with the same
// pixels, each once, also by runs at the same time.
func TestTogether(t *testing.T) {
	m := picture(1500, 1100, 2)
	tree := load(t, "picture")
	want, err := plan(t, open(t, eval.WithOpener(m)), tree).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	meta, err := m.Describe(context.Background(), "picture")
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 3} {
		o := &together{memory: m}
		p := plan(t, open(t, eval.WithOpener(o), eval.WithThreads(threads)), tree)
		before := m.reads.Load()
		var runs sync.WaitGroup
		for range 3 {
			runs.Go(func() {
				got, err := p.Run(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				equal(t, got, want)
			})
		}
		runs.Wait()
		cells := m.reads.Load() - before
		if most := int64((meta.Size.W/meta.Block.W + 1) * (meta.Size.H/meta.Block.H + 1)); cells > most {
			t.Errorf("%d threads: %d reads, expected each of at most %d cells once", threads, cells, most)
		}
		if n := o.windows.Load(); n < cells/2 {
			t.Errorf("%d threads: %d of %d cells are read together", threads, n, cells)
		}
	}
}

// TestTogetherBroken: what cannot be read together is read window by window, and
// an error names the one that fails.
func TestTogetherBroken(t *testing.T) {
	m := picture(1500, 1100, 2)
	o := &together{memory: m}
	o.broken.Store(true)
	p := plan(t, open(t, eval.WithOpener(o)), load(t, "picture"))
	if _, err := p.Run(context.Background()); err != nil {
		t.Errorf("each window by itself is fine: %v", err)
	}
	var bad image.Rectangle
	m.fail = func(_ string, w image.Rectangle) error {
		if at := image.Pt(700, 20); at.In(w) {
			bad = w
			return errors.New("damaged")
		}
		return nil
	}
	o.broken.Store(false)
	p = plan(t, open(t, eval.WithOpener(o)), load(t, "picture"))
	_, err := p.Run(context.Background())
	var failed *eval.ReadError
	if !errors.As(err, &failed) || failed.Window != bad {
		t.Errorf("got %v, expected the failure of %v", err, bad)
	}
	m.fail = nil
	if _, err := p.Run(context.Background()); err != nil {
		t.Errorf("the session does not read what can be read again: %v", err)
	}
}
