package eval_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// picture is a generated image of the given size, in blocks of 64 pixels.
func picture(w, h, bands int) *memory {
	pix := raster.New(raster.Uint8, w, h, bands)
	for i, s := 0, raster.Samples[uint8](pix); i < len(s); i++ {
		s[i] = uint8(i*7 + i/w*3 + i/251)
	}
	meta := ast.Meta{Size: geom.Size{W: w, H: h}, Block: geom.Size{W: 64, H: 64}, Bands: ast.NumberedBands(bands, raster.Uint8)}
	return &memory{Images: asttest.NewImages(map[string]*asttest.Image{"picture": {Meta: meta, Levels: []*raster.Buffer{pix}}})}
}

func turned(t testing.TB, in ast.Node, size geom.Size, s ast.Sampling) ast.Node {
	t.Helper()
	n, err := ast.NewWarp(in, geom.Parts{Scale: [2]float64{0.9, 0.8}, Theta: 0.3, Offset: [2]float64{20, 5}}.Transform(), size, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func load(t testing.TB, uri string) ast.Node {
	t.Helper()
	n, err := ast.NewLoad(uri, "")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func plan(t testing.TB, s *eval.Session, n ast.Node, opts ...eval.PlanOption) *eval.Plan {
	t.Helper()
	p, err := s.Plan(context.Background(), n, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// deep is a tree with a sampling barrier, a flip, a pad and two files' worth of
// bands.
func deep(t testing.TB, m *memory) ast.Node {
	t.Helper()
	prepared, err := ast.Prepare(context.Background(), load(t, "picture"), m)
	if err != nil {
		t.Fatal(err)
	}
	cubic := ast.Sampling{Interp: ast.Cubic, Antialias: true}
	a := turned(t, turned(t, prepared, geom.Size{W: 300, H: 260}, ast.DefaultSampling), geom.Size{W: 320, H: 200}, cubic)
	flip, err := ast.NewWarp(prepared, geom.Affine(-1, 0, 400, 0, 1, 0), geom.Size{W: 400, H: 300}, ast.DefaultSampling, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ast.NewCrop(flip, image.Rect(30, 20, 350, 220), 2, 0)
	if err != nil {
		t.Fatal(err)
	}
	n, err := ast.NewConcat(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func equal(t *testing.T, got, want *raster.Buffer) {
	t.Helper()
	if got.Type != want.Type || got.W != want.W || got.H != want.H || got.Bands != want.Bands {
		t.Fatalf("got %d×%d×%d %v, want %d×%d×%d %v", got.W, got.H, got.Bands, got.Type, want.W, want.H, want.Bands, want.Type)
	}
	if string(got.Bytes()) != string(want.Bytes()) || string(got.Mask) != string(want.Mask) {
		t.Fatal("pixels differ")
	}
}

// TestTilesAndThreads: what is computed does not depend on how.
func TestTilesAndThreads(t *testing.T) {
	m := picture(400, 300, 3)
	tree := deep(t, m)
	for _, f := range []ast.Fidelity{ast.Exact, ast.Geometric} {
		var want *raster.Buffer
		for _, opts := range [][]eval.Option{
			{eval.WithThreads(1), eval.WithTileSize(4096, 4096)},
			{eval.WithThreads(1), eval.WithTileSize(64, 64)},
			{eval.WithThreads(4), eval.WithTileSize(37, 11)},
			{eval.WithThreads(2), eval.WithTileSize(256, 16), eval.WithMemoryLimit(2 << 20)},
			{eval.WithKernels(eval.Portable)},
		} {
			p := plan(t, open(t, append(opts, eval.WithOpener(m))...), tree, eval.WithMaxFidelity(f))
			got, err := p.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			equal(t, got, want)

			again := raster.New(got.Type, got.W, got.H, got.Bands)
			if got.Mask != nil {
				again.EnsureMask()
			}
			next := image.Point{}
			err = p.Stream(context.Background(), func(w image.Rectangle, tile *raster.Buffer) error {
				if w.Min != next {
					t.Fatalf("tile at %v, expected %v", w.Min, next)
				}
				if next.X = w.Max.X; next.X == got.W {
					next = image.Pt(0, w.Max.Y)
				}
				insert(again, tile, w.Min)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			equal(t, again, want)

			var part raster.Buffer
			w := image.Rect(101, 57, 233, 120)
			if err := p.Window(context.Background(), w, &part); err != nil {
				t.Fatal(err)
			}
			check := want.Clone()
			insert(check, &part, w.Min)
			equal(t, check, want)
		}
	}
}

// insert copies a tile to its place.
func insert(dst, tile *raster.Buffer, at image.Point) {
	size := tile.Type.Size() * tile.Bands
	for y := range tile.H {
		d, s := (y+at.Y)*dst.W+at.X, y*tile.W
		copy(dst.Bytes()[d*size:(d+tile.W)*size], tile.Bytes()[s*size:])
		if tile.Mask != nil {
			copy(dst.Mask[d*tile.Bands:(d+tile.W)*tile.Bands], tile.Mask[s*tile.Bands:])
		}
	}
}

func TestConcurrentRuns(t *testing.T) {
	m := picture(400, 300, 3)
	s := open(t, eval.WithOpener(m), eval.WithThreads(3), eval.WithTileSize(50, 50))
	p := plan(t, s, deep(t, m))
	want, err := p.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var dst raster.Buffer
			for range 5 {
				if err := p.RunInto(context.Background(), &dst); err != nil {
					t.Error(err)
					return
				}
				if string(dst.Bytes()) != string(want.Bytes()) {
					t.Error("pixels differ")
				}
			}
		})
	}
	wg.Wait()
	if n := m.opened.Load(); n != 1 {
		t.Errorf("%d sources opened for one uri", n)
	}
}

// TestOpenedOnce: what a plan opens for its metadata, the runs read from, on
// however many threads.
func TestOpenedOnce(t *testing.T) {
	m := picture(512, 512, 1)
	s := open(t, eval.WithOpener(m), eval.WithThreads(2), eval.WithTileSize(50, 50))
	n := turned(t, load(t, "picture"), geom.Size{W: 400, H: 400}, ast.DefaultSampling)
	if _, err := s.Describe(context.Background(), "picture"); err != nil {
		t.Fatal(err)
	}
	p := plan(t, s, n)
	if got := m.opened.Load(); got != 1 {
		t.Errorf("planning opened the raster %d times", got)
	}
	if _, err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := plan(t, s, n).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := m.opened.Load(); got != 1 {
		t.Errorf("two plans and their runs opened the raster %d times", got)
	}
}

// TestReplaced: a plan sees a raster that was replaced since it was opened, and
// reads none of the old one's blocks.
func TestReplaced(t *testing.T) {
	m := picture(100, 80, 1)
	s := open(t, eval.WithOpener(m))
	if _, err := plan(t, s, load(t, "picture")).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	after := picture(90, 70, 1)
	img, _ := after.Image("picture")
	for i, v := range img.Levels[0].Bytes() {
		img.Levels[0].Bytes()[i] = ^v
	}
	m.Images = after.Images
	m.stale.Store(true)
	got, err := plan(t, s, load(t, "picture")).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), img.Levels[0].Bytes()) {
		t.Error("the run did not read what the raster was replaced by")
	}
	if m.opened.Load() != 2 || m.closed.Load() != 1 {
		t.Errorf("%d opened, %d closed, expected 2 and 1", m.opened.Load(), m.closed.Load())
	}
}

// TestDecodedOnce: tiles and threads share the blocks that they read.
func TestDecodedOnce(t *testing.T) {
	m := picture(512, 512, 1)
	s := open(t, eval.WithOpener(m), eval.WithThreads(2), eval.WithTileSize(50, 50))
	p := plan(t, s, turned(t, load(t, "picture"), geom.Size{W: 400, H: 400}, ast.DefaultSampling))
	if _, err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if n := m.reads.Load(); n > 4 {
		t.Errorf("%d reads of 4 blocks", n)
	}
	before := m.reads.Load()
	if _, err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if n := m.reads.Load(); n != before {
		t.Errorf("the second run read %d blocks", n-before)
	}
	if err := s.Forget("picture"); err != nil {
		t.Fatal(err)
	}
	if m.closed.Load() != 1 {
		t.Error("a forgotten source is open")
	}
	if _, err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if m.reads.Load() != 2*before {
		t.Error("a forgotten source was not read anew")
	}
}

func TestClose(t *testing.T) {
	m := picture(256, 256, 1)
	m.block = make(chan struct{})
	before := runtime.NumGoroutine()
	s, err := eval.Open(context.Background(), eval.WithOpener(m), eval.WithThreads(3), eval.WithTileSize(32, 32))
	if err != nil {
		t.Fatal(err)
	}
	p := plan(t, s, load(t, "picture"))
	done := make(chan error, 1)
	go func() { _, err := p.Run(context.Background()); done <- err }()
	for m.reads.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case <-closed:
		t.Fatal("Close did not wait for the run")
	case <-time.After(20 * time.Millisecond):
	}
	close(m.block)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if _, err := p.Run(context.Background()); !errors.Is(err, eval.ErrClosed) {
		t.Errorf("Run after Close: %v", err)
	}
	if _, err := s.Plan(context.Background(), load(t, "picture")); !errors.Is(err, eval.ErrClosed) {
		t.Errorf("Plan after Close: %v", err)
	}
	if _, err := s.Describe(context.Background(), "picture"); !errors.Is(err, eval.ErrClosed) {
		t.Errorf("Describe after Close: %v", err)
	}
	if err := p.Stream(context.Background(), nil); !errors.Is(err, eval.ErrClosed) {
		t.Errorf("Stream after Close: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if m.opened.Load() != m.closed.Load() {
		t.Errorf("%d sources opened, %d closed", m.opened.Load(), m.closed.Load())
	}
	noLeak(t, before)
}

// noLeak waits for goroutines to end.
func noLeak(t *testing.T, before int) {
	t.Helper()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// TestMaxOpen: more files than may be open at a time.
func TestMaxOpen(t *testing.T) {
	m := picture(64, 64, 1)
	img, _ := m.Image("picture")
	images := map[string]*asttest.Image{}
	var parts []ast.Node
	for i := range 9 {
		uri := fmt.Sprint("picture", i)
		images[uri] = img
		parts = append(parts, load(t, uri))
	}
	m.Images = asttest.NewImages(images)
	n, err := ast.NewConcat(parts...)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, eval.WithOpener(m), eval.WithMaxOpen(3), eval.WithThreads(2), eval.WithTileSize(16, 16))
	if _, err := plan(t, s, n).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if open := m.opened.Load() - m.closed.Load(); open > 3 {
		t.Errorf("%d sources are open, the limit is 3", open)
	}
}

func TestMemoryLimit(t *testing.T) {
	m := picture(1024, 1024, 3)
	s := open(t, eval.WithOpener(m), eval.WithMemoryLimit(2<<20))
	p := plan(t, s, load(t, "picture"))
	if _, err := p.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "use Stream or smaller windows") {
		t.Errorf("an output beyond the limit: %v", err)
	}
	if err := p.Stream(context.Background(), func(image.Rectangle, *raster.Buffer) error { return nil }); err != nil {
		t.Error(err)
	}
	// One pixel that reads the whole image cannot be cut further.
	n, err := ast.NewWarp(load(t, "picture"), geom.Scale(1./1024, 1./1024), geom.Size{W: 1, H: 1}, ast.Sampling{Interp: ast.Area}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan(t, s, n).Run(context.Background()); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("a pixel that reads more than the limit: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	ctx := context.Background()
	for _, o := range []eval.Option{eval.WithThreads(0), eval.WithThreads(100_000_000), eval.WithMemoryLimit(100), eval.WithTileSize(0, 5), eval.WithTileSize(1<<20, 5)} {
		if _, err := eval.Open(ctx, o); err == nil {
			t.Error("opened with nonsense")
		}
	}
	s := open(t)
	if _, err := s.Plan(ctx, load(t, "x")); err == nil || !strings.Contains(err.Error(), "no opener") {
		t.Errorf("a plan without an opener: %v", err)
	}
}

func TestProgress(t *testing.T) {
	m := picture(400, 300, 3)
	s := open(t, eval.WithOpener(m), eval.WithThreads(2), eval.WithTileSize(64, 64))
	p := plan(t, s, load(t, "picture"))
	var last int64
	watch := eval.WithProgress(func(done, total int64) {
		if done <= last || total != 400*300 {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	})
	if _, err := p.Run(context.Background(), watch); err != nil || last != 400*300 {
		t.Errorf("%v, %d pixels", err, last)
	}
	last = 0
	if err := p.Stream(context.Background(), func(image.Rectangle, *raster.Buffer) error { return nil }, watch); err != nil || last != 400*300 {
		t.Errorf("%v, %d pixels", err, last)
	}
}
