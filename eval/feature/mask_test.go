package feature_test

import (
	"math"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/feature"
	"pgregory.net/rapid"
)

// TestMasksAgreeWithPolygons paints a box into a mask, and holds every pixel of
// the resampled mask to the polygon that the same box became.
func TestMasksAgreeWithPolygons(t *testing.T) {
	s := open(t)
	inside, outside := 0, 0
	check(t, asttest.Options{Borders: []ast.BorderMode{ast.NoDataBorder}}, func(t *rapid.T, tree, leaf ast.Node) {
		canvas := leaf.Size()
		x0 := rapid.IntRange(0, canvas.W-1).Draw(t, "x0")
		y0 := rapid.IntRange(0, canvas.H-1).Draw(t, "y0")
		x1 := rapid.IntRange(x0+1, canvas.W).Draw(t, "x1")
		y1 := rapid.IntRange(y0+1, canvas.H).Draw(t, "y1")
		pix := raster.New(raster.Uint8, canvas.W, canvas.H, 1)
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				pix.Set(x, y, 0, 1)
			}
		}
		p := must(feature.NewPipeline(s, func(ast.Node) (ast.Node, error) { return tree, nil }))
		plan := planOrSkip(t, p, leaf)
		mask, err := plan.Mask(ctx, must(feature.NewMask(pix, feature.WithBackground(9))))
		if err != nil {
			if len(ast.All[*asttest.Op](tree)) > 0 && strings.Contains(err.Error(), "too close to singular") {
				t.Skip("the image stops at the custom node, the mask goes on")
			}
			t.Fatal(err)
		}
		if mask.Size() != tree.Size() || mask.Pix().Type != raster.Uint8 {
			t.Fatalf("mask is %v of %v, want %v of uint8", mask.Size(), mask.Pix().Type, tree.Size())
		}
		whole := outline(t, plan, geom.Rect(0, 0, float64(canvas.W), float64(canvas.H)))
		box := outline(t, plan, geom.Rect(float64(x0), float64(y0), float64(x1), float64(y1)))
		for y := range tree.Size().H {
			for x := range tree.Size().W {
				got, valid := mask.Pix().At(x, y, 0)
				cx, cy := float64(x)+0.5, float64(y)+0.5
				want := 0.0
				switch edge := 1e-3; {
				case depth(box, cx, cy) > edge:
					want = 1
					inside++
				case depth(box, cx, cy) > -edge || math.Abs(depth(whole, cx, cy)) < edge:
					continue
				case depth(whole, cx, cy) < 0:
					want = 9
				default:
					outside++
				}
				if got != want || valid != (want != 9) {
					t.Fatalf("(%d, %d) is %v, valid %v, want %v; the box is %v of %v\n%s", x, y, got, valid, want, box, whole, ast.FormatText(tree))
				}
			}
		}
	})
	if inside == 0 || outside == 0 {
		t.Errorf("%d pixels inside, %d beside the boxes; the test says little", inside, outside)
	}
}

// outline is what shows of a polygon, empty if nothing does.
func outline(t *rapid.T, plan *feature.Plan, p geom.Polygon) geom.Polygon {
	got, _, err := plan.Polygons(must(feature.NewPolygons([]geom.Polygon{p}, plan.Source())))
	if err != nil {
		t.Fatal(err)
	}
	if got.Len() == 0 {
		return nil
	}
	return got.At(0)
}

// depth is how far a position lies inside a convex polygon, negative outside.
func depth(p geom.Polygon, x, y float64) float64 {
	if p.Area() < 1e-9 {
		return math.Inf(-1)
	}
	var signed float64
	for i, v := range p {
		w := p[(i+1)%len(p)]
		signed += v[0]*w[1] - w[0]*v[1]
	}
	d := math.Inf(1)
	for i, v := range p {
		w := p[(i+1)%len(p)]
		ux, uy := w[0]-v[0], w[1]-v[1]
		if l := math.Hypot(ux, uy); l > 1e-9 {
			d = min(d, math.Copysign(1, signed)*(ux*(y-v[1])-uy*(x-v[0]))/l)
		}
	}
	return d
}

// labels are four quarters on 8×8 pixels.
func labels() feature.Mask {
	at := make([][]uint8, 8)
	for y := range at {
		at[y] = make([]uint8, 8)
		for x := range at[y] {
			at[y][x] = uint8(1 + x/4 + 2*(y/4))
		}
	}
	return must(feature.NewMask(at, feature.WithBackground(7)))
}

func row(pix *raster.Buffer, y int) []float64 {
	v := make([]float64, pix.W)
	for x := range v {
		v[x], _ = pix.At(x, y, 0)
	}
	return v
}

// TestMaskBorders: beyond the edge labels are what the pixels are, but a number
// is no label.
func TestMaskBorders(t *testing.T) {
	s := open(t)
	for _, c := range []struct {
		border ast.Border
		want   float64
	}{
		{ast.Border{}, 7},
		{ast.Border{Mode: ast.ValueBorder, Value: 3}, 7},
		{ast.Border{Mode: ast.ClampBorder}, 1},
		{ast.Border{Mode: ast.WrapBorder}, 2},
	} {
		for _, dx := range []float64{2.5, 2.25} {
			p := must(feature.NewPipeline(s, func(x ast.Node) (ast.Node, error) {
				return ast.NewWarp(x, geom.Translate(dx, 0), size(8, 8), ast.Sampling{Interp: ast.Cubic, Border: c.border}, nil)
			}))
			out, _, err := p.Apply(ctx, feature.Sample{Image: picture(8, 8), Masks: []feature.Mask{labels()}})
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := out.Masks[0].Pix().At(0, 0, 0); got != c.want {
				t.Errorf("border %v: %v, want %v", c.border, got, c.want)
			}
		}
	}
}

// TestMaskAboveCustom: a shift by whole pixels is no copy above a custom node,
// so its border counts, and it does for the mask.
func TestMaskAboveCustom(t *testing.T) {
	p := must(feature.NewPipeline(open(t), func(x ast.Node) (ast.Node, error) {
		c, err := asttest.NewBox(x)
		if err != nil {
			return nil, err
		}
		return ast.NewWarp(c, geom.Translate(2, 0), size(8, 8), ast.Sampling{Border: ast.Border{Mode: ast.ClampBorder}}, nil)
	}))
	out, _, err := p.Apply(ctx, feature.Sample{Image: picture(8, 8), Masks: []feature.Mask{labels()}})
	if err != nil {
		t.Fatal(err)
	}
	if _, valid := out.Image.Pix().At(0, 0, 0); !valid {
		t.Error("the image is invalid where its border repeats")
	}
	if got := row(out.Masks[0].Pix(), 0); got[0] != 1 || got[1] != 1 || got[6] != 2 {
		t.Errorf("labels %v, want the first repeated", got)
	}
}

// TestMaskMode: a pixel of a half-size mask under mode has the label that
// covers most of it, under nearest the one at its centre.
func TestMaskMode(t *testing.T) {
	at := [][]int{{5, 5, 1, 1}, {5, 2, 1, 9}, {5, 5, 9, 9}, {5, 3, 9, 4}}
	for _, c := range []struct {
		by   ast.Interpolation
		want [4]float64
	}{
		{ast.Nearest, [4]float64{2, 9, 3, 4}},
		{ast.Mode, [4]float64{5, 1, 5, 9}},
	} {
		p := must(feature.NewPipeline(open(t), steps(func(x ast.Builder) ast.Builder { return x.Scale(0.5) }), feature.WithMaskSampling(c.by)))
		out, _, err := p.Apply(ctx, feature.Sample{Image: picture(4, 4), Masks: []feature.Mask{must(feature.NewMask(at))}})
		if err != nil {
			t.Fatal(err)
		}
		pix := out.Masks[0].Pix()
		got := [4]float64{row(pix, 0)[0], row(pix, 0)[1], row(pix, 1)[0], row(pix, 1)[1]}
		if got != c.want {
			t.Errorf("%v: %v, want %v", c.by, got, c.want)
		}
	}
}

// TestMaskKeepsTypeAndBands: dequantizes and band choices are for the image.
func TestMaskKeepsTypeAndBands(t *testing.T) {
	p := must(feature.NewPipeline(open(t), steps(func(x ast.Builder) ast.Builder {
		return x.Bands(2).Dequantize(ast.Quantization{OrigType: raster.Float32, OrigMax: 1, QuantMax: 255}).Overview(1)
	})))
	deep := raster.New(raster.Int32, 6, 4, 2)
	for i := range raster.Samples[int32](deep) {
		raster.Samples[int32](deep)[i] = int32(-100000 + i)
	}
	out, _, err := p.Apply(ctx, feature.Sample{Image: picture(6, 4), Masks: []feature.Mask{must(feature.NewMask(deep))}})
	if err != nil {
		t.Fatal(err)
	}
	if img := out.Image.Pix(); img.Type != raster.Float32 || img.Bands != 1 || img.W != 3 {
		t.Errorf("image is %d×%d×%d of %v", img.W, img.H, img.Bands, img.Type)
	}
	pix := out.Masks[0].Pix()
	if pix.Type != raster.Int32 || pix.Bands != 2 || pix.W != 3 || pix.H != 2 {
		t.Fatalf("mask is %d×%d×%d of %v", pix.W, pix.H, pix.Bands, pix.Type)
	}
	for y := range 2 {
		for x := range 3 {
			for b := range 2 {
				want, _ := deep.At(2*x+1, 2*y+1, b) // a centre on a corner belongs to the right and below
				if got, _ := pix.At(x, y, b); got != want {
					t.Errorf("(%d, %d) band %d: %v, want %v", x, y, b, got, want)
				}
			}
		}
	}
}

// TestMaskBackground paints what does not show in the mask's own type.
func TestMaskBackground(t *testing.T) {
	p := must(feature.NewPipeline(open(t), steps(func(x ast.Builder) ast.Builder { return x.Pad(1, 0, 0, 0) })))
	for typ := raster.Uint8; !typ.IsFloat(); typ++ {
		pix := raster.New(typ, 2, 1, 1)
		pix.Set(0, 0, 0, 3)
		mask := must(feature.NewMask(pix, feature.WithBackground(99)))
		out, _, err := p.Apply(ctx, feature.Sample{Image: picture(2, 1), Masks: []feature.Mask{mask}})
		if err != nil {
			t.Fatal(err)
		}
		if got := row(out.Masks[0].Pix(), 0); out.Masks[0].Pix().Type != typ || got[0] != 99 || got[1] != 3 || got[2] != 0 {
			t.Errorf("%v: %v", typ, got)
		}
		if _, valid := out.Masks[0].Pix().At(0, 0, 0); valid {
			t.Errorf("%v: what does not show is valid", typ)
		}
	}
}
