package ast_test

import (
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

func TestBuilder(t *testing.T) {
	load := parse(t, "(load a.tif 100x60 channels=r|g|b uint8 overviews=[50x30])")
	cubic := ast.Sampling{Interp: ast.Cubic}
	for _, c := range []struct {
		name string
		b    ast.Builder
		want string // without the load
	}{
		{"nothing", ast.From(load), ""},
		{"scale", ast.From(load).Scale(.5).Crop(image.Rect(0, 0, 20, 10), 2, 0), "(crop [0 0 20 10] bands=[2 0] (warp scale=0.5 "},
		{"two scales", ast.From(load).ScaleXY(2, 3), "(warp scale=[2 3] "},
		{"translate", ast.From(load).Translate(3, -2), "(warp offset=[3 -2] "},
		{"resize", ast.From(load).Resize(50, 90), "(warp scale=[0.5 1.5] size=50x90 "},
		{"sampling", ast.From(load).Sampling(cubic).Scale(2).Overview(1), "(overview 1 (warp scale=2 cubic aliased "},
		{"warp to", ast.From(load).WarpTo(geom.Scale(2, 2), geom.Size{W: 7, H: 8}), "(warp scale=2 size=7x8 "},
		{"pad", ast.From(load).Pad(1, 2, 3, 4).Bands(2, 2), "(crop [0 0 104 66] bands=[2 2] (pad 1 2 3 4 "},
		{"select", ast.From(load).Select("b|r"), "(crop [0 0 100 60] bands=[2 0] "},
		{"slices", ast.From(load).CropSlice(ast.SliceFrom(-10), ast.SliceTo(-50)), "(crop [0 50 50 60] "},
		{
			"dequantize", ast.From(load).Dequantize(ast.Quantization{OrigType: raster.Float32, OrigMax: 1, QuantMax: 255}),
			"(dequantize float32 0..255 -> 0..1 ",
		},
		{"concat", ast.From(load).Concat(load), "(concat #1=(load) #1#)"},
	} {
		n, err := c.b.Node()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		want := c.want + "(load a.tif 100x60 channels=r|g|b uint8 overviews=[50x30])" + strings.Repeat(")", strings.Count(c.want, "("))
		if strings.Contains(c.want, "(load)") {
			want = strings.Replace(c.want, "(load)", "(load a.tif 100x60 channels=r|g|b uint8 overviews=[50x30])", 1)
		}
		if diff := cmp.Diff(ast.FormatExpr(parse(t, want)), ast.FormatExpr(n)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestRotateTurnsAboutTheCentre(t *testing.T) {
	n, err := ast.From(parse(t, "(load a.tif 100x60 uint8)")).Rotate(0.7).Node()
	if err != nil {
		t.Fatal(err)
	}
	w := n.(*ast.Warp)
	if x, y := w.Transform().Apply(50, 30); w.Size() != (geom.Size{W: 100, H: 60}) || max(x-50, 50-x) > 1e-9 || max(y-30, 30-y) > 1e-9 {
		t.Errorf("the centre went to (%v, %v) of %v", x, y, w.Size())
	}
}

func TestBuilderErrors(t *testing.T) {
	load := parse(t, "(load a.tif 100x60 uint8)")
	boom := errors.New("boom")
	for _, c := range []struct {
		name string
		b    ast.Builder
		want string
	}{
		{"nil", ast.From(nil), "from input is nil"},
		{"uri", ast.FromURI("", ""), "load uri is empty"},
		{"window", ast.From(load).Scale(.5).Crop(image.Rect(0, 0, 80, 10)).Scale(2), "crop window [0 0 80 10] exceeds canvas 50×30 of its input (warp) (at step 2)"},
		{"later", ast.From(load).Scale(0).Crop(image.Rect(0, 0, 80, 10)), "is singular (at step 1)"},
		{"resize", ast.From(load).Resize(0, 5), "warp size 0×5 has no pixels (at step 1)"},
		{"unknown", ast.FromURI("a.tif", "").Scale(2).Resize(5, 5), "resize input has no known canvas to resize (at step 2)"},
		{"rotate", ast.FromURI("a.tif", "").Rotate(1), "(at step 1)"},
		{"bands", ast.FromURI("a.tif", "").Bands(1), "no known bands"},
		{"no bands", ast.From(load).Bands(), "must be at least 1"},
		{"select", ast.From(load).Select("q"), "(at step 1)"},
		{"slice", ast.From(load).CropSlice(ast.SliceOf(5, 5)), "crop rows 5:5 are none of 60 (at step 1)"},
	} {
		if n, err := c.b.Node(); err == nil || !strings.Contains(err.Error(), c.want) || n != nil {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := ast.From(load).Apply(func(ast.Node) (ast.Node, error) { return nil, boom }).Node(); !errors.Is(err, boom) {
		t.Errorf("error %v", err)
	}
}

func TestBuildersFork(t *testing.T) {
	b := ast.From(parse(t, "(load a.tif 100x60 uint8)")).Scale(2)
	x, err1 := b.Pad(1, 1, 1, 1).Node()
	y, err2 := b.Overview(1).Node()
	if err1 != nil || err2 != nil || x.Input(0) != y.Input(0) {
		t.Errorf("%v %v", err1, err2)
	}
}

func TestSlice(t *testing.T) {
	for _, c := range []struct {
		s           ast.Slice
		n           int
		start, stop int
		text        string
	}{
		{ast.Slice{}, 10, 0, 10, ":"},
		{ast.SliceOf(2, 5), 10, 2, 5, "2:5"},
		{ast.SliceOf(-3, -1), 10, 7, 9, "-3:-1"},
		{ast.SliceOf(2, 99), 10, 2, 10, "2:99"},
		{ast.SliceOf(-99, 3), 10, 0, 3, "-99:3"},
		{ast.SliceFrom(4), 10, 4, 10, "4:"},
		{ast.SliceFrom(-4), 10, 6, 10, "-4:"},
		{ast.SliceTo(-4), 10, 0, 6, ":-4"},
		{ast.SliceTo(0), 10, 0, 0, ":0"},
		{ast.SliceOf(7, 3), 10, 7, 3, "7:3"},
	} {
		if start, stop := c.s.Bounds(c.n); start != c.start || stop != c.stop || c.s.String() != c.text {
			t.Errorf("%v of %d is %d:%d, want %d:%d as %q", c.s, c.n, start, stop, c.start, c.stop, c.text)
		}
	}
}

func TestCropSlice(t *testing.T) {
	load := parse(t, "(load a.tif 10x6 bands=3 uint8)")
	for _, c := range []struct {
		slices []ast.Slice
		want   string
	}{
		{nil, "(load a.tif 10x6 bands=3 uint8)"},
		{[]ast.Slice{{}, {}, {}}, "(load a.tif 10x6 bands=3 uint8)"},
		{[]ast.Slice{ast.SliceTo(3)}, "(crop [0 0 10 3]\n  (load a.tif 10x6 bands=3 uint8))"},
		{[]ast.Slice{{}, ast.SliceFrom(-3)}, "(crop [7 0 10 6]\n  (load a.tif 10x6 bands=3 uint8))"},
		{[]ast.Slice{{}, {}, ast.SliceFrom(1)}, "(crop [0 0 10 6] bands=[1 2]\n  (load a.tif 10x6 bands=3 uint8))"},
		{[]ast.Slice{ast.SliceOf(99, 100)}, "crop rows 99:100 are none of 6"},
		{[]ast.Slice{{}, {}, ast.SliceTo(-3)}, "crop bands :-3 are none of 3"},
		{make([]ast.Slice, 4), "crop slices 4 exceed rows, columns and bands"},
	} {
		n, err := ast.CropSlice(load, c.slices...)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = ast.FormatExpr(n)
		}
		if got != c.want {
			t.Errorf("CropSlice%v is %s, want %s", c.slices, got, c.want)
		}
	}
	if n, err := ast.CropSlice(load); err != nil || n != load {
		t.Error("a crop of everything is another node")
	}
}
