package oracle_test

import (
	"image"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/oracle"
)

func TestSourceNodesAreSamples(t *testing.T) {
	// Cuts and pads of samples are hard: no tap sees what was cut off.
	both(t, slide(crop(ramp(), 1, 3), 0.25, 2, by(ast.Linear)), 12.5, 20)
	padded := must(ast.NewPad(ramp(), 1, 0, 1, 0))
	both(t, padded, nan, 0, 10, 20, 30, nan)
	both(t, slide(padded, 0.25, 6, by(ast.Linear)), nan, 2.5, 12.5, 22.5, 30, nan)

	// What was cut off does not come back.
	both(t, must(ast.NewPad(crop(ramp(), 1, 3), 1, 0, 1, 0)), nan, 10, 20, nan)
}

func TestCopyPermutesSamples(t *testing.T) {
	flip := geom.Affine(-1, 0, 4, 0, 1, 0)
	turn := geom.Affine(0, -1, 2, 1, 0, 0)
	both(t, warp(ramp(), flip, 4, 1, by(ast.Lanczos)), 30, 20, 10, 0)
	both(t, warp(pixels(3, 1.0, 2, 3, 4, 5, 6), turn, 2, 3, smooth(ast.Linear)), 4, 1, 5, 2, 6, 3)
	// Whatever the border, a copy has nothing outside.
	both(t, slide(ramp(), -1, 6, bordered(ast.Linear, ast.ClampBorder, 0)), nan, 0, 10, 20, 30, nan)

	// A warp above a copy sees the permuted samples: its ties are theirs.
	both(t, slide(warp(ramp(), flip, 4, 1, by(ast.Nearest)), 0.5, 4, by(ast.Nearest)), 20, 10, 0, nan)

	// With a domain, or above a warp, it is a warp like any other.
	d := geom.NewDomain(geom.Always)
	n := must(ast.NewWarp(ramp(), flip, geom.Size{W: 4, H: 1}, by(ast.Nearest), d))
	means(t, slide(n, 0.5, 4, by(ast.Nearest)), 30, 20, 10, nan)
	shifted := slide(ramp(), 0.25, 4, by(ast.Linear))
	means(t, warp(shifted, flip, 4, 1, bordered(ast.Linear, ast.ClampBorder, 0)), 30, 22.5, 12.5, 2.5)
}

func TestWarpsOfOneSamplingSampleOnce(t *testing.T) {
	n := slide(slide(ramp(), 0.5, 4, by(ast.Linear)), 0.5, 4, by(ast.Linear))
	means(t, n, 10, 20, 30, nan) // the last lies outside the inner canvas
	same(t, values(t, oracle.Naive, n), 10, 20, nan, nan)

	// Overviews of anything but a load are linear warps onto a canvas that is
	// rounded up, with the stretch of their own scale.
	o := must(ast.NewOverview(pixels(5, 0.0, 10, 20, 30, 40), 1))
	both(t, o, values(t, oracle.Reference, warp(pixels(5, 0.0, 10, 20, 30, 40), geom.Affine(3/5.0, 0, 0, 0, 1, 0), 3, 1, ast.DefaultSampling))...)
	two := must(ast.NewOverview(must(ast.NewOverview(pixels(8, 0.0, 1, 2, 3, 4, 5, 6, 7), 1)), 1))
	means(t, two, values(t, oracle.Reference, warp(pixels(8, 0.0, 1, 2, 3, 4, 5, 6, 7), geom.Affine(0.25, 0, 0, 0, 1, 0), 2, 1, ast.DefaultSampling))...)
	// One pixel has no smaller level, and no level above another is no node.
	means(t, must(ast.NewOverview(pixels(1, 5.0), 3)), 5)
	means(t, must(ast.NewOverview(slide(ramp(), 0.25, 4, by(ast.Nearest)), 0)), 0, 10, 20, 30)
}

func TestCanvasesClip(t *testing.T) {
	inner := slide(ramp(), 0.25, 4, by(ast.Linear))

	// Above a warp a crop only clips: taps see the source beyond it.
	n := slide(crop(inner, 1, 3), 0.25, 3, by(ast.Linear))
	means(t, n, 15, 25, nan)
	// So does a pad, and nothing comes of what it added.
	n = slide(must(ast.NewPad(inner, 1, 0, 0, 0)), 0.25, 5, by(ast.Linear))
	means(t, n, nan, 5, 15, 25, nan)
	// So does the canvas of a warp.
	small := slide(ramp(), 0.25, 2, by(ast.Linear))
	means(t, slide(small, 0.25, 4, by(ast.Linear)), 5, 15, nan, nan)
	// The edge of the small canvas belongs to what lies outside it.
	means(t, slide(small, 0.5, 2, by(ast.Linear)), 7.5, nan)
	means(t, slide(small, 0.5-5e-7, 2, by(ast.Nearest)), values(t, oracle.Reference, slide(small, 0.5, 2, by(ast.Nearest)))...)
}

func TestDomain(t *testing.T) {
	cut := func(at float64, closed bool) ast.Node {
		d := geom.NewDomain(geom.HalfPlane{Row: [3]float64{1, 0, -at}, Closed: closed})
		return must(ast.NewWarp(ramp(), geom.Translate(-0.25, 0), geom.Size{W: 4, H: 1}, by(ast.Linear), d))
	}
	both(t, cut(2, true), nan, nan, 22.5, 30)
	both(t, cut(1.5, true), nan, 12.5, 22.5, 30)
	both(t, cut(1.5, false), nan, nan, 22.5, 30)
	both(t, cut(1.5+5e-7, true), nan, 12.5, 22.5, 30)
	// It clips what a warp above sees.
	means(t, slide(cut(2, true), 0.25, 4, by(ast.Linear)), nan, nan, 25, nan)
	// An identity with a domain is a node.
	d := geom.NewDomain(geom.HalfPlane{Row: [3]float64{1, 0, -2}, Closed: true})
	both(t, must(ast.NewWarp(ramp(), geom.Identity, geom.Size{W: 4, H: 1}, by(ast.Cubic), d)), nan, nan, 20, 30)
}

func TestBarriers(t *testing.T) {
	inner := slide(ramp(), 0.25, 4, by(ast.Linear)) // 2.5 12.5 22.5 30

	// Another sampling, or a border, samples the child's own canvas.
	both(t, slide(inner, 0.5, 4, by(ast.Nearest)), 12.5, 22.5, 30, nan)
	both(t, slide(inner, 0.5, 4, bordered(ast.Linear, ast.ClampBorder, 0)), 7.5, 17.5, 26.25, 30)
	twice := func(s ast.Sampling) ast.Node { return slide(slide(ramp(), 0.5, 4, s), 0.5, 4, s) }
	both(t, twice(bordered(ast.Linear, ast.ClampBorder, 0)), 10, 20, 27.5, 30)

	// There a crop of the child is a cut.
	both(t, slide(crop(inner, 1, 3), 0.25, 2, smooth(ast.Linear)), 15, 22.5)
	// Samplings are equal once normalized.
	means(t, slide(slide(ramp(), 0.5, 4, by(ast.Nearest)), 0.5, 4, smooth(ast.Nearest)), 10, 20, 30, nan)
	// What is no node is no barrier.
	n := warp(slide(ramp(), 0.5, 4, by(ast.Linear)), geom.Identity, 4, 1, by(ast.Nearest))
	means(t, slide(n, 0.5, 4, by(ast.Linear)), 10, 20, 30, nan)

	// The child is unrounded.
	bytes := slide(pixels[uint8](4, 0, 1, 2, 3), 0.25, 4, by(ast.Linear))
	means(t, slide(bytes, 0.25, 4, by(ast.Nearest)), 0.25, 1.25, 2.25, 3)
}

func quantization(lo, hi, qlo, qhi float64) ast.Quantization {
	return ast.Quantization{OrigType: raster.Float32, OrigMin: lo, OrigMax: hi, QuantMin: qlo, QuantMax: qhi, NoData: 99, HasNoData: true}
}

func TestDequantizeReachesTheLeaf(t *testing.T) {
	bytes := func() ast.Node { return pixels[uint8](4, 0, 10, 99, 30) }
	q := quantization(-1, 1, 0, 20)
	dequantize := func(n ast.Node) ast.Node { return must(ast.NewDequantize(n, q)) }
	both(t, dequantize(bytes()), -1, 0, nan, 2)

	over := func(n ast.Node) ast.Node {
		return slide(slide(n, 0.25, 4, by(ast.Linear)), 0.25, 4, by(ast.Nearest))
	}
	want := []float64{-0.75, 0, nan, 2}
	means(t, over(dequantize(bytes())), want...)
	means(t, dequantize(over(bytes())), want...) // through a barrier too
	// By hand, where it stands, 99 has been interpolated, to the bytes 3, 32 and
	// 82.
	f := func(v float32) float64 { return float64(v) }
	same(t, values(t, oracle.Naive, dequantize(over(bytes()))), f(-0.7), f(2.2), f(7.2), 2)
}

func TestDequantizeMapsNumberBorders(t *testing.T) {
	q := quantization(-1, 1, 0, 20)
	dequantize := func(n ast.Node) ast.Node { return must(ast.NewDequantize(n, q)) }
	numbered := func(n ast.Node, v float64) ast.Node {
		return slide(n, -1.25, 3, bordered(ast.Nearest, ast.ValueBorder, v))
	}
	bytes := func() ast.Node { return pixels[uint8](2, 0, 10) }
	// A number is in the units of what the warp samples: a dequantize above
	// maps it with the samples, one below has done its work.
	both(t, dequantize(numbered(bytes(), 40)), 3, -1, 0)
	both(t, numbered(dequantize(bytes()), 40), 40, -1, 0)
	both(t, dequantize(numbered(bytes(), 99)), nan, -1, 0)
	both(t, numbered(dequantize(bytes()), 99), 99, -1, 0)
	means(t, slide(dequantize(numbered(bytes(), 40)), 0, 2, by(ast.Nearest)), 3, -1)
}

func TestStoredOverviews(t *testing.T) {
	level0, _ := raster.FromSlice([]uint8{1, 2, 3, 4, 5, 6}, 3, 1, 2)
	level1, _ := raster.FromSlice([]uint8{10, 20, 30, 40}, 2, 1, 2)
	level1.EnsureMask()
	level1.Mask[0] = 0
	load := must(ast.NewLoadMeta("a.tif", "", ast.Meta{
		Size: geom.Size{W: 3, H: 1}, Bands: ast.NumberedBands(2, raster.Uint8), Overviews: []geom.Size{{W: 2, H: 1}},
	}))
	stored := must(ast.NewOverview(load, 1))
	for _, f := range []evaluator{oracle.Reference, oracle.Naive} {
		for _, c := range []struct {
			n    ast.Node
			want []float64
		}{
			{load, []float64{1, 2, 3, 4, 5, 6}},
			{must(ast.NewOverview(load, 0)), []float64{1, 2, 3, 4, 5, 6}},
			{stored, []float64{nan, 20, 30, 40}},
			{must(ast.NewCrop(stored, image.Rect(1, 0, 2, 1), 1, 0, 1)), []float64{40, 30, 40}},
		} {
			got, err := f(bg, c.n, levels{level0, level1}, oracle.Options{})
			if err != nil {
				t.Fatal(err)
			}
			same(t, got.Values, c.want...)
		}
	}
}

func TestConcatIsTransparent(t *testing.T) {
	// The first part is a source, so the flip above is a copy of it and a warp
	// of the other.
	c := must(ast.NewConcat(ramp(), slide(ramp(), 0.5, 4, by(ast.Linear))))
	flip := geom.Affine(-1, 0, 4, 0, 1, 0)
	n := warp(c, flip, 4, 1, by(ast.Linear))
	means(t, n, 30, nan, 20, 25, 10, 15, 0, 5)

	// Validity is per band.
	c = must(ast.NewConcat(pixels(2, nan, 1), pixels(2, 2, nan)))
	both(t, slide(c, 0.25, 2, by(ast.Linear)), nan, 2, 1, nan)
}

func TestFill(t *testing.T) {
	bands := ast.NumberedBands(1, raster.Uint8)
	size := geom.Size{W: 3, H: 1}
	both(t, must(ast.NewInvalid(size, bands)), nan, nan, nan)
	both(t, slide(must(ast.NewFill(size, bands, 4)), 1.5, 3, smooth(ast.Cubic)), 4, nan, nan)
	q := quantization(-1, 1, 0, 20)
	both(t, must(ast.NewDequantize(must(ast.NewFill(size, bands, 40)), q)), 3, 3, 3)
	both(t, must(ast.NewDequantize(must(ast.NewFill(size, bands, 99)), q)), nan, nan, nan)
	// Outside an invalid canvas a border of 7 is 7.
	both(t, slide(must(ast.NewInvalid(size, bands)), -1.25, 3, bordered(ast.Nearest, ast.ValueBorder, 7)), 7, nan, nan)
}
