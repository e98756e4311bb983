package rewarp_test

import (
	"context"
	"errors"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

// pixels is a raster of one tile a row, where some samples are invalid.
type pixels struct {
	typ     raster.DataType
	bands   []ast.Band
	invalid func(x, y, band int) bool
	fail    error // instead of the last row
}

func (p *pixels) Size() geom.Size       { return geom.Size{W: 5, H: 4} }
func (p *pixels) Bands() []ast.Band     { return p.bands }
func (p *pixels) Type() raster.DataType { return p.typ }
func (p *pixels) Geo() *ast.GeoRef {
	return &ast.GeoRef{Transform: geom.Affine(2, 0, 100, 0, -2, 200)}
}

func (p *pixels) Stream(_ context.Context, emit func(image.Rectangle, *raster.Buffer) error, _ ...eval.RunOption) error {
	for y := range p.Size().H {
		if p.fail != nil && y == p.Size().H-1 {
			return p.fail
		}
		b := raster.New(p.typ, p.Size().W, 1, len(p.bands))
		if !p.typ.IsFloat() {
			b.EnsureMask()
		}
		for x := range b.W {
			for k := range b.Bands {
				b.Set(x, 0, k, float64(10*x+y+k+1))
				if p.invalid != nil && p.invalid(x, y, k) {
					b.SetInvalid(x, 0, k, p.bands[k].NoData)
				}
			}
		}
		if err := emit(image.Rect(0, y, b.W, y+1), b); err != nil {
			return err
		}
	}
	return nil
}

func corner(x, y, _ int) bool { return x == 0 && y == 3 }

func TestSave(t *testing.T) {
	nodata := func(values ...float64) []ast.Band {
		var b []ast.Band
		for _, v := range values {
			b = append(b, ast.Band{Name: string(rune('p' + len(b))), NoData: v, HasNoData: true})
		}
		return b
	}
	plain := func(n int) []ast.Band { return ast.NumberedBands(n, raster.Uint8) }
	for _, c := range []struct {
		name, file   string
		p            pixels
		mask, nodata bool
		bands        int
	}{
		{"all valid", "x.tif", pixels{typ: raster.Uint8, bands: plain(3)}, false, false, 3},
		{"mask", "x.tif", pixels{typ: raster.Uint8, bands: plain(3), invalid: corner}, true, false, 3},
		{"nodata", "x.tif", pixels{typ: raster.Int16, bands: nodata(-9, -9), invalid: corner}, false, true, 2},
		{"nodata of several values", "x.tif", pixels{typ: raster.Int16, bands: nodata(-9, -8), invalid: corner}, true, false, 2},
		{"nodata that the type has not", "x.tif", pixels{typ: raster.Uint8, bands: nodata(-9), invalid: corner}, true, false, 1},
		{"NaN", "x.tif", pixels{typ: raster.Float32, bands: nodata(-9), invalid: corner}, false, false, 1},
		{"alpha", "x.png", pixels{typ: raster.Uint8, bands: plain(3), invalid: corner}, true, false, 4},
		{"gray and alpha", "x.png", pixels{typ: raster.Uint16, bands: nodata(7), invalid: corner}, true, false, 2},
		{"opaque", "x.png", pixels{typ: raster.Uint8, bands: plain(1)}, false, false, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), c.file)
			if err := rewarp.Save(t.Context(), &c.p, path, rewarp.SaveOptions{}); err != nil {
				t.Fatal(err)
			}
			s, err := rewarp.NewOpener().Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			m := s.Meta()
			if len(m.Bands) != c.bands || m.HasMask != c.mask || m.Bands[0].HasNoData != c.nodata {
				t.Errorf("it has %d bands, mask %v, nodata %v", len(m.Bands), m.HasMask, m.Bands[0].HasNoData)
			}
			if m.Geo == nil || m.Geo.Transform != c.p.Geo().Transform {
				t.Errorf("it is placed %v", m.Geo)
			}
			var got raster.Buffer
			if err := s.ReadWindow(t.Context(), 0, image.Rect(0, 0, 5, 4), []int{0}, &got); err != nil {
				t.Fatal(err)
			}
			if v, ok := got.At(1, 3, 0); !ok || v != 14 {
				t.Errorf("a valid pixel is %v, %v", v, ok)
			}
			v, ok := got.At(0, 3, 0)
			ok = ok && !(c.nodata && v == m.Bands[0].NoData)
			if ok != (c.p.invalid == nil) {
				t.Errorf("the pixel in the corner is %v, valid %v", v, ok)
			}
		})
	}
}

func TestSaveFails(t *testing.T) {
	dir := t.TempDir()
	boom := errors.New("boom")
	for _, c := range []struct {
		path string
		o    rewarp.SaveOptions
		p    pixels
		want string
	}{
		{"x.tif", rewarp.SaveOptions{}, pixels{typ: raster.Uint8, bands: ast.NumberedBands(1, raster.Uint8), fail: boom}, "boom"},
		{"x.tif", rewarp.SaveOptions{}, pixels{typ: raster.Uint8, bands: ast.NumberedBands(1, raster.Uint8), invalid: func(x, y, _ int) bool { return y == 1 }, fail: boom}, "boom"},
		{"nowhere/x.tif", rewarp.SaveOptions{}, pixels{typ: raster.Uint8, bands: ast.NumberedBands(1, raster.Uint8)}, "o such file"},
		{"x.png", rewarp.SaveOptions{}, pixels{typ: raster.Float32, bands: ast.NumberedBands(1, raster.Float32)}, "float32"},
		{"x.tif", rewarp.SaveOptions{Driver: "NoSuchDriver"}, pixels{typ: raster.Uint8, bands: ast.NumberedBands(1, raster.Uint8)}, "NoSuchDriver"},
	} {
		err := rewarp.Save(t.Context(), &c.p, filepath.Join(dir, c.path), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want it to say %q", c.path, err, c.want)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Fatalf("%v is left, %v", left, err)
		}
	}
}

func TestRewrite(t *testing.T) {
	tree, err := rewarp.ReadTree("testdata/trees/tree1.json")
	if err != nil {
		t.Fatal(err)
	}
	if tree, err = ast.Prepare(t.Context(), tree, rewarp.NewOpener()); err != nil {
		t.Fatal(err)
	}
	for f, want := range map[ast.Fidelity]string{ast.Exact: "warp", ast.Geometric: "warp", ast.Resolution: "overview"} {
		n, err := rewarp.Rewrite(t.Context(), tree, f)
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		ast.Inspect(n, func(n ast.Node) bool {
			if found == "" && (n.Kind() == ast.KindWarp || n.Kind() == ast.KindOverview) {
				found = n.Op()
			}
			return true
		})
		if found != want {
			t.Errorf("at %v the tree reads by %s, want %s", f, found, want)
		}
	}
}

func TestReadTree(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "t.expr"), []byte("(crop [0 0 2 2] (load a.tif 4x4 bands=1 uint8))"), 0o666); err != nil {
		t.Fatal(err)
	}
	n, err := rewarp.ReadTree(filepath.Join(dir, "t.expr"))
	if err != nil {
		t.Fatal(err)
	}
	if uri := ast.All[*ast.Load](n)[0].URI(); uri != filepath.Join(dir, "a.tif") {
		t.Errorf("the uri is %s", uri)
	}
	if _, err := rewarp.ReadTree(filepath.Join(dir, "nothere.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := rewarp.ReadTree(dir); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Error(err)
	}
	var e *rewarp.TreeError
	var at *ast.FileError
	if _, err := rewarp.ParseTree("t.json", []byte("{")); !errors.As(err, &e) || !errors.As(err, &at) || at.Line != 1 || !strings.HasPrefix(err.Error(), "t.json:1:2: ") {
		t.Error(err)
	}
}

// The blocks that a cost estimates are those that a run decodes, where one window
// of a file is read.
func TestBlocksEstimated(t *testing.T) {
	const astro = "testdata/astro.tif" // 512×512 in blocks of 256×256, three overviews
	load := func() ast.Builder { return ast.FromURI(astro, "r|g|b") }
	for name, c := range map[string]struct {
		b      ast.Builder
		blocks int64
	}{
		"the whole":                {load(), 4},
		"inside a block":           {load().Crop(image.Rect(10, 20, 200, 256)), 1},
		"up to an edge and beyond": {load().Crop(image.Rect(255, 0, 257, 256)), 2},
		"around the middle":        {load().Crop(image.Rect(200, 200, 300, 300)), 4},
		"one band":                 {load().Crop(image.Rect(200, 200, 300, 250), 1), 2},
		"an overview":              {load().Overview(1).Crop(image.Rect(0, 0, 128, 128)), 1},
		"below a warp":             {load().Crop(image.Rect(0, 0, 256, 300)).Scale(0.9), 2},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := rewarp.Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			n, err := c.b.Node()
			if err != nil {
				t.Fatal(err)
			}
			p, err := s.Plan(t.Context(), n, eval.WithMaxFidelity(ast.Geometric))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := p.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			if e, m := rewrite.CostOf(p.Tree()).Blocks, p.Stats().Blocks; e != float64(c.blocks) || m != c.blocks {
				t.Errorf("%v blocks estimated, %d decoded, want %d", e, m, c.blocks)
			}
		})
	}
}

// A pipeline of one's own rewrites under the plan's cap, and never beyond its
// own.
func TestOptimizer(t *testing.T) {
	own, err := rules.New(rewrite.MaxFidelity(ast.Geometric), rewrite.Without("crop-into-warp"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := rewarp.ReadTree(filepath.Join("testdata", "trees", "tree1.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		pipeline *rewrite.Pipeline
		cap      ast.Fidelity
		want     []string
	}{
		{rules.Default(), ast.Resolution, []string{"crop", "overview", "load"}},
		{rules.Default(), ast.Geometric, []string{"warp", "crop", "load"}},
		{rules.Default(), ast.Exact, []string{"crop", "warp", "load"}},
		{own, ast.Resolution, []string{"crop", "warp", "load"}},
		{own, ast.Exact, []string{"crop", "warp", "load"}},
	} {
		s, err := rewarp.Open(t.Context(), eval.WithOptimizer(rewarp.Optimizer(c.pipeline)))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		p, err := s.Plan(t.Context(), n, eval.WithMaxFidelity(c.cap))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for n := p.Tree(); ; n = n.Input(0) {
			got = append(got, n.Op())
			if n.NumInputs() == 0 {
				break
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("at %v: %v, want %v", c.cap, got, c.want)
		}
	}
}
