package hostile_test

import (
	"context"
	"errors"
	"image"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// fake is an opener of one raster, whose samples are x + y, that misbehaves as
// its functions say.
type fake struct {
	meta   ast.Meta
	opened func() (ast.Meta, error)                                     // what Open finds, once it is set, instead of meta
	read   func(ctx context.Context, n int64, dst *raster.Buffer) error // before (n from 1) the samples are filled in
	reads  atomic.Int64
	open   atomic.Int64 // sources that were not closed
}

func (f *fake) Describe(context.Context, string) (ast.Meta, error) { return f.meta, nil }

func (f *fake) Open(context.Context, string) (eval.Source, error) {
	m := f.meta
	if f.opened != nil {
		var err error
		if m, err = f.opened(); err != nil {
			return nil, err
		}
	}
	f.open.Add(1)
	return &fakeSource{f, m}, nil
}

type fakeSource struct {
	*fake
	m ast.Meta
}

func (s *fakeSource) Meta() ast.Meta { return s.m }
func (s *fakeSource) Close() error   { s.open.Add(-1); return nil }

func (s *fakeSource) ReadWindow(ctx context.Context, level int, w image.Rectangle, bands []int, dst *raster.Buffer) error {
	dst.Reset(s.m.Bands[bands[0]].Type, w.Dx(), w.Dy(), len(bands))
	for y := range dst.H {
		for x := range dst.W {
			for b := range bands {
				dst.Set(x, y, b, float64((x+y)%200))
			}
		}
	}
	if s.read != nil {
		return s.read(ctx, s.reads.Add(1), dst)
	}
	return nil
}

func metaOf(w, h int, t raster.DataType, overviews ...geom.Size) ast.Meta {
	return ast.Meta{Size: geom.Size{W: w, H: h}, Bands: []ast.Band{{Name: "1", Type: t}}, Overviews: overviews, Block: geom.Size{W: 64, H: 64}}
}

func session(t *testing.T, o eval.Opener, more ...eval.Option) *eval.Session {
	t.Helper()
	all := append([]eval.Option{eval.WithOpener(o), eval.WithMemoryLimit(64 << 20), eval.WithThreads(4), eval.WithTileSize(64, 64)}, more...)
	s, err := rewarp.Open(bg, all...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func expr(t *testing.T, text string) ast.Node {
	t.Helper()
	n, err := ast.ParseExpr(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

var errDisk = errors.New("the disk has gone")

// TestSourcesThatFail runs over sources that fail in every way that there is.
// Afterwards the session runs a tree that is good, and nothing is left.
func TestSourcesThatFail(t *testing.T) {
	base := metaOf(700, 600, raster.Uint8)
	changed := func(m ast.Meta) func() (ast.Meta, error) { return func() (ast.Meta, error) { return m, nil } }
	on := func(n int64, err error) func(context.Context, int64, *raster.Buffer) error {
		return func(_ context.Context, k int64, _ *raster.Buffer) error {
			if k >= n {
				return err
			}
			return nil
		}
	}
	shape := func(f func(*raster.Buffer)) func(context.Context, int64, *raster.Buffer) error {
		return func(_ context.Context, _ int64, dst *raster.Buffer) error { f(dst); return nil }
	}
	for name, c := range map[string]struct {
		opened func() (ast.Meta, error)
		read   func(context.Context, int64, *raster.Buffer) error
		want   error  // found in the error
		says   string // in its text
	}{
		"vanished":        {opened: func() (ast.Meta, error) { return ast.Meta{}, fs.ErrNotExist }, want: fs.ErrNotExist},
		"smaller":         {opened: changed(metaOf(300, 600, raster.Uint8)), says: "700×600"},
		"larger":          {opened: changed(metaOf(7000, 6000, raster.Uint8)), says: "700×600"},
		"another type":    {opened: changed(metaOf(700, 600, raster.Float64)), says: "uint8"},
		"no bands":        {opened: changed(ast.Meta{Size: base.Size}), says: "band 0"},
		"first read":      {read: on(1, errDisk), want: errDisk},
		"later read":      {read: on(5, errDisk), want: errDisk},
		"unexpected end":  {read: on(3, io.ErrUnexpectedEOF), want: io.ErrUnexpectedEOF},
		"small buffer":    {read: shape(func(b *raster.Buffer) { b.Reset(raster.Uint8, 1, 1, 1) }), says: "1×1×1"},
		"buffer of bands": {read: shape(func(b *raster.Buffer) { b.Reset(raster.Uint8, b.W, b.H, 2) }), says: "samples of uint8"},
		"buffer of type":  {read: shape(func(b *raster.Buffer) { b.Reset(raster.Float32, b.W, b.H, 1) }), says: "float32"},
		"short mask":      {read: shape(func(b *raster.Buffer) { b.Mask = make([]byte, 3) }), says: "mask"},
	} {
		t.Run(name, func(t *testing.T) {
			left := leaks(t)
			f := &fake{meta: base, read: c.read}
			s := session(t, f)
			plan, err := s.Plan(bg, expr(t, `(warp scale=0.9 theta=0.1 (load image.tif))`))
			if err != nil {
				t.Fatal(err)
			}
			f.opened = c.opened
			if err := s.Forget("image.tif"); err != nil {
				t.Fatal(err)
			}
			err = plan.RunInto(bg, &raster.Buffer{})
			if err == nil || c.want != nil && !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("Run: %v", err)
			} else {
				clear(t, "image.tif", err)
			}
			dir := t.TempDir()
			if err := rewarp.Save(bg, plan, dir+"/out.tif", rewarp.SaveOptions{}); err == nil {
				t.Error("Save made no error of it")
			}
			empty(t, dir)
			f.opened, f.read = nil, nil
			if err := s.Forget("image.tif"); err != nil {
				t.Error(err)
			}
			if err := plan.RunInto(bg, &raster.Buffer{}); err != nil {
				t.Errorf("afterwards: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if n := f.open.Load(); n != 0 {
				t.Errorf("%d sources were left open", n)
			}
			left()
		})
	}
}

// TestTime ends runs by their context: before, between and during reads.
func TestTime(t *testing.T) {
	base := metaOf(700, 600, raster.Uint8)
	slow := func(ctx context.Context, _ int64, _ *raster.Buffer) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Second):
			return nil
		}
	}
	deaf := func(context.Context, int64, *raster.Buffer) error { time.Sleep(60 * time.Millisecond); return nil }
	for name, read := range map[string]func(context.Context, int64, *raster.Buffer) error{"slow": slow, "deaf": deaf} {
		for kind, end := range map[string]func() (context.Context, context.CancelFunc){
			"cancelled": func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(bg)
				cancel()
				return ctx, cancel
			},
			"cancelled later": func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(bg)
				time.AfterFunc(20*time.Millisecond, cancel)
				return ctx, cancel
			},
			"deadline": func() (context.Context, context.CancelFunc) { return context.WithTimeout(bg, 20*time.Millisecond) },
		} {
			t.Run(name+" "+kind, func(t *testing.T) {
				left := leaks(t)
				f := &fake{meta: base, read: read}
				s := session(t, f)
				plan, err := s.Plan(bg, expr(t, `(warp scale=0.9 theta=0.1 (load image.tif))`))
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				ctx, cancel := end()
				err = plan.RunInto(ctx, &raster.Buffer{})
				if want := ctx.Err(); want == nil || !errors.Is(err, want) {
					t.Errorf("Run: %v", err)
				}
				cancel()
				ctx, cancel = end()
				dir := t.TempDir()
				if err := rewarp.Save(ctx, plan, dir+"/out.tif", rewarp.SaveOptions{}); !errors.Is(err, ctx.Err()) {
					t.Errorf("Save: %v", err)
				}
				cancel()
				empty(t, dir)
				if d := time.Since(start); d > 2*time.Second {
					t.Errorf("it took %v", d)
				}
				f.read = nil
				if err := plan.RunInto(bg, &raster.Buffer{}); err != nil {
					t.Errorf("afterwards: %v", err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				left()
			})
		}
	}
}
