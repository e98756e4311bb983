package oracle_test

import (
	"context"
	"errors"
	"image"
	"math"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/oracle"
)

var (
	bg  = context.Background()
	nan = math.NaN()
)

// levels is a Reader that keeps the levels of every load in memory.
type levels []*raster.Buffer

func (l levels) ReadWindow(_ context.Context, _ *ast.Load, level int, window image.Rectangle, band int) (*raster.Buffer, error) {
	if level >= len(l) {
		return nil, errors.New("no such level")
	}
	pix := raster.New(l[level].Type, window.Dx(), window.Dy(), 1)
	for y := range pix.H {
		for x := range pix.W {
			if v, ok := l[level].At(x+window.Min.X, y+window.Min.Y, band); ok {
				pix.Set(x, y, 0, v)
			} else {
				pix.SetInvalid(x, y, 0, 0)
			}
		}
	}
	return pix, nil
}

// must unwraps what a builder returns.
func must[N ast.Node](n N, err error) ast.Node {
	if err != nil {
		panic(err)
	}
	return n
}

// pixels is a raster of one band, w columns wide.
func pixels[T raster.Sample](w int, v ...T) ast.Node {
	b, err := raster.FromSlice(v, w, len(v)/w, 1)
	if err != nil {
		panic(err)
	}
	return must(ast.NewRaster(b, nil))
}

// withNoData is a row of int16 with a nodata value.
func withNoData(nodata float64, v ...int16) ast.Node {
	b, err := raster.FromSlice(v, len(v), 1, 1)
	if err != nil {
		panic(err)
	}
	return must(ast.NewRaster(b, []ast.Band{{Name: "1", NoData: nodata, HasNoData: true}}))
}

func ramp() ast.Node { return pixels(4, 0.0, 10, 20, 30) }

// by is a sampling without antialias.
func by(i ast.Interpolation) ast.Sampling { return ast.Sampling{Interp: i} }

func smooth(i ast.Interpolation) ast.Sampling { return ast.Sampling{Interp: i, Antialias: true} }

func bordered(i ast.Interpolation, m ast.BorderMode, v float64) ast.Sampling {
	return ast.Sampling{Interp: i, Border: ast.Border{Mode: m, Value: v}}
}

func warp(n ast.Node, m geom.Transform, w, h int, s ast.Sampling) ast.Node {
	return must(ast.NewWarp(n, m, geom.Size{W: w, H: h}, s, nil))
}

// slide is a row of w pixels that reads d pixels further right.
func slide(n ast.Node, d float64, w int, s ast.Sampling) ast.Node {
	return warp(n, geom.Translate(-d, 0), w, 1, s)
}

func crop(n ast.Node, x0, x1 int) ast.Node {
	return must(ast.NewCrop(n, image.Rect(x0, 0, x1, n.Size().H)))
}

type evaluator func(context.Context, ast.Node, oracle.Reader, oracle.Options) (*oracle.Result, error)

func values(t *testing.T, f evaluator, n ast.Node) []float64 {
	t.Helper()
	r, err := f(bg, n, nil, oracle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Values
}

func same(t *testing.T, got []float64, want ...float64) {
	t.Helper()
	ok := len(got) == len(want)
	for i := 0; ok && i < len(got); i++ {
		ok = math.Abs(got[i]-want[i]) < 1e-9 || got[i] != got[i] && want[i] != want[i]
	}
	if !ok {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// means checks what the tree means.
func means(t *testing.T, n ast.Node, want ...float64) {
	t.Helper()
	same(t, values(t, oracle.Reference, n), want...)
}

// both checks a tree of one sampling of floats, where both ways agree.
func both(t *testing.T, n ast.Node, want ...float64) {
	t.Helper()
	means(t, n, want...)
	same(t, values(t, oracle.Naive, n), want...)
}
