package hostile_test

import (
	"image"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// empty asks for a folder without files.
func empty(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		t.Errorf("%s was left", f.Name())
	}
}

const most = math.MaxInt32

// oneLine asks for an error that fits on a line and is no crash.
func oneLine(t *testing.T, name string, err error) {
	t.Helper()
	if text := err.Error(); strings.ContainsAny(text, "\n\x00") || len(text) > 600 || strings.Contains(text, "runtime error") {
		t.Errorf("%s: %.300q", name, text)
	}
}

// usable asks a session for a tree that is good.
func usable(t *testing.T, name string, s *eval.Session) {
	t.Helper()
	p, err := s.Plan(bg, expr(t, `(warp scale=0.5 (fill 8x8 uint8 value=3))`))
	if err != nil {
		t.Fatalf("after %s: %v", name, err)
	}
	if b, err := p.Run(bg); err != nil || b.W != 4 {
		t.Fatalf("after %s: %v", name, err)
	}
}

// TestMetadata plans over rasters that claim what cannot be.
func TestMetadata(t *testing.T) {
	left := leaks(t)
	for name, m := range map[string]ast.Meta{
		"no size":         metaOf(0, 0, raster.Uint8),
		"negative":        metaOf(-1, 5, raster.Uint8),
		"2³² wide":        metaOf(1<<32, 5, raster.Uint8),
		"most wide":       metaOf(math.MaxInt, math.MaxInt, raster.Uint8),
		"unknown type":    metaOf(5, 5, raster.Unknown),
		"no such type":    metaOf(5, 5, 77),
		"no bands":        {Size: geom.Size{W: 5, H: 5}},
		"bands":           {Size: geom.Size{W: 5, H: 5}, Bands: make([]ast.Band, ast.MaxBands+1)},
		"large overview":  metaOf(5, 5, raster.Uint8, geom.Size{W: most, H: most}),
		"empty overview":  metaOf(5, 5, raster.Uint8, geom.Size{}),
		"overview 2 of 1": metaOf(5, 5, raster.Uint8, geom.Size{W: -1, H: 1}),
	} {
		f := &fake{meta: m}
		s := session(t, f)
		p, err := s.Plan(bg, expr(t, `(warp scale=0.5 (load image.tif))`))
		if err == nil {
			err = p.RunInto(bg, &raster.Buffer{})
		}
		if err == nil {
			t.Errorf("%s: no error", name)
		} else {
			oneLine(t, name, err)
		}
		usable(t, name, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	left()
}

// TestHuge computes a few pixels of canvases that claim to be huge, under
// samplings that read as much as they can. Working memory stays within the
// session's limit of 64 MiB.
func TestHuge(t *testing.T) {
	const limit = 64 << 20
	left := leaks(t)
	half := geom.Size{W: most / 2, H: most / 2}
	blocks := metaOf(most, most, raster.Uint16)
	blocks.Block = geom.Size{W: most, H: most}
	endless := metaOf(most, most, raster.Float64)
	endless.Block = geom.Size{W: math.MaxInt, H: math.MaxInt}
	odd := metaOf(most, most, raster.Float32)
	odd.Block = geom.Size{W: -5, H: math.MinInt}
	metas := map[string]ast.Meta{
		"plain":      metaOf(most, most, raster.Uint8),
		"narrower":   metaOf(4e8, 4e8, raster.Uint8), // transforms are accurate enough on it
		"pyramid":    metaOf(4e8, 4e8, raster.Float32, geom.Size{W: 2e8, H: 2e8}, geom.Size{W: 4e5, H: 4e5}, geom.Size{W: 400, H: 400}),
		"levels":     metaOf(most, most, raster.Uint8, half, half, half, geom.Size{W: 1, H: 1}),
		"strips":     {Size: geom.Size{W: most, H: most}, Bands: []ast.Band{{Type: raster.Float64}}, Block: geom.Size{W: most, H: 1}},
		"one block":  blocks,
		"max block":  endless,
		"odd block":  odd,
		"wide":       metaOf(most, 1, raster.Int32),
		"high":       metaOf(1, most, raster.Int32),
		"many bands": {Size: geom.Size{W: most, H: most}, Bands: make([]ast.Band, 400)},
	}
	for i := range metas["many bands"].Bands {
		metas["many bands"].Bands[i].Type = raster.Float64
	}
	trees := []string{
		`(load image.tif)`,
		`(crop [0 0 1 1] (load image.tif))`,
		`(overview 1 (load image.tif))`,
		`(overview 31 (load image.tif))`,
		`(warp scale=1e-3 lanczos (load image.tif))`,
		`(warp scale=1e-6 size=3x3 area (load image.tif))`,
		`(warp scale=4e-10 size=1x1 (load image.tif))`,
		`(warp scale=4e-10 size=1x1 mode (load image.tif))`,
		`(warp theta=0.5 scale=0.9 size=2147483647x2147483647 (load image.tif))`,
		`(warp scale=0.5 cubic border=wrap (warp theta=0.1 scale=0.7 border=clamp (load image.tif)))`,
		`(pad 1 1 1 1 (crop [0 0 1 1] (load image.tif)))`,
	}
	for name, m := range metas {
		f := &fake{meta: m}
		s := session(t, f)
		ran := 0
		for _, text := range trees {
			tree := expr(t, text)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p, err := s.Plan(bg, tree)
			if err != nil {
				oneLine(t, name+": "+text, err)
				continue
			}
			for _, at := range []image.Point{{}, {p.Size().W - 2, p.Size().H - 2}} {
				w := image.Rectangle{at, at.Add(image.Pt(2, 2))}.Intersect(p.Size().Bounds())
				if err = p.Window(bg, w, &raster.Buffer{}); err != nil {
					oneLine(t, name+": "+text, err)
					continue
				}
				ran++
			}
			if err := p.RunInto(bg, &raster.Buffer{}); p.Size().W > 1<<20 && p.Size().H > 1<<20 && err == nil {
				t.Errorf("%s: %s: all of %v was computed", name, text, p.Size())
			}
			runtime.ReadMemStats(&after)
			if held := int64(after.HeapInuse) - int64(before.HeapInuse); held > limit {
				t.Errorf("%s: %s: the heap grew by %d MiB", name, text, held>>20)
			}
		}
		if ran == 0 {
			t.Errorf("%s: nothing ran", name)
		}
		usable(t, name, s)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	left()
}
