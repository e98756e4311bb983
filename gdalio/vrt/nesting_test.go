package vrt_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/imagefile"
	"github.com/rewarp/rewarp/eval/oracle"
	"github.com/rewarp/rewarp/gdalio/vrt"
)

// said is a tree with what there is to say about it, or the error.
func said(n ast.Node, notes []vrt.Note, err error) string {
	var u *vrt.UnsupportedError
	var b strings.Builder
	switch {
	case errors.As(err, &u):
		fmt.Fprintf(&b, "%s cannot express:\n", u.Format)
		notes = u.Notes
	case err != nil:
		return "error: " + err.Error() + "\n"
	case n != nil:
		fmt.Fprintln(&b, ast.FormatExpr(n))
	}
	for _, n := range notes {
		fmt.Fprintln(&b, "-", n)
	}
	return b.String()
}

// What delayed_image 0.4.7 gives for some trees reads as these.
func TestReadNesting(t *testing.T) {
	datadriven.RunTest(t, "testdata/nesting.txt", func(t *testing.T, d *datadriven.TestData) string {
		text := d.Input
		if d.HasArg("file") {
			var name string
			d.ScanArgs(t, "file", &name)
			data, err := os.ReadFile(filepath.Join("testdata", "nesting", name))
			if err != nil {
				t.Fatal(err)
			}
			text = string(data)
		}
		return said(vrt.ReadNesting(strings.NewReader(text)))
	})
}

// Delayed_image counts pixels from the corner, as trees do: a ramp that it
// warped has the values that the tree means.
func TestNestingConvention(t *testing.T) {
	f, err := os.Open("testdata/nesting/ramp.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, _, err := vrt.ReadNesting(f)
	if err != nil {
		t.Fatal(err)
	}
	n = must(t)(ast.Transform(n, func(n ast.Node) (ast.Node, error) {
		if l, ok := n.(*ast.Load); ok {
			return ast.NewLoad(filepath.Join("testdata", "nesting", l.URI()), l.Channels())
		}
		return n, nil
	}))
	n = must(t)(ast.Prepare(bg, n, imagefile.New()))
	images := map[string]*asttest.Image{}
	ast.Inspect(n, func(n ast.Node) bool {
		if l, ok := n.(*ast.Load); ok {
			s, err := imagefile.New().Open(bg, l.URI())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			b := &raster.Buffer{}
			if err := s.ReadWindow(bg, 0, image.Rect(0, 0, l.Size().W, l.Size().H), []int{0}, b); err != nil {
				t.Fatal(err)
			}
			images[l.URI()] = &asttest.Image{Meta: s.Meta(), Levels: []*raster.Buffer{b}}
		}
		return true
	})
	got, err := oracle.Reference(bg, n, asttest.NewImages(images), oracle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var want [][]*float64
	data, err := os.ReadFile("testdata/nesting/ramp.values.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	if got.Size.H != len(want) || got.Size.W != len(want[0]) {
		t.Fatalf("canvas %v, want %d×%d", got.Size, len(want[0]), len(want))
	}
	compared, most := 0, 0.0
	for y := range want {
		for x, w := range want[y] {
			g := got.At(x, y, 0)
			if w == nil || near(got, x, y, 0, 3) {
				continue // OpenCV mixes NaN in at the edge
			}
			compared++
			most = max(most, math.Abs(g-*w))
		}
	}
	// OpenCV's positions have five bits: 1/64 of a pixel is 8/64 + 3/64 here.
	// Half a pixel off would be 2.5 at least.
	if compared < 500 || most > 0.2 {
		t.Errorf("%d values compared, the largest difference is %v", compared, most)
	}
	t.Logf("%d values compared, the largest difference is %.3g", compared, most)
}

// What is written reads back as a tree of the same meaning.
func TestNestingRoundTrip(t *testing.T) {
	images := asttest.Standard()
	gen := asttest.NewGen(asttest.Options{
		NoProject: true, NoDomain: true, Leaves: []ast.Kind{ast.KindLoad, ast.KindFill},
		Interps: []ast.Interpolation{ast.Nearest, ast.Linear, ast.Cubic, ast.Lanczos, ast.Area},
		Kinds:   []ast.Kind{ast.KindCrop, ast.KindPad, ast.KindWarp, ast.KindOverview, ast.KindDequantize, ast.KindConcat},
	})
	const trees = 600
	written := 0
	for i := range trees {
		n := gen.Tree(asttest.TreeSeed(3, i))
		var b strings.Builder
		_, err := vrt.WriteNesting(&b, n)
		var u *vrt.UnsupportedError
		if errors.As(err, &u) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		written++
		back, _, err := vrt.ReadNesting(strings.NewReader(b.String()))
		if err != nil {
			t.Fatalf("tree %d: %v\n%s", i, err, ast.FormatText(n))
		}
		back = must(t)(ast.Prepare(bg, back, images))
		want, err := oracle.Reference(bg, n, images, oracle.Options{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := oracle.Reference(bg, back, images, oracle.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for k := range got.Bands {
			if n.Band(k).Type != got.Bands[k].Type && got.Bands[k].Type == raster.Float64 {
				got.Bands[k].Type = n.Band(k).Type // DelayedNans has one type
			}
		}
		if !sameMeaning(t, got, want, 1e-12) {
			t.Fatalf("tree %d:\n%s\n%s", i, ast.FormatText(n), ast.FormatText(back))
		}
	}
	if written < trees/4 {
		t.Errorf("only %d of %d trees were written", written, trees)
	}
	t.Logf("%d of %d trees written and read back", written, trees)
}
