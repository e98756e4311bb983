package oracle_test

import (
	"math"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/eval/oracle"
)

func TestInterpolations(t *testing.T) {
	half := geom.Affine(0.5, 0, 0, 0, 1, 0)
	quarter := slideOf(0.25)

	both(t, quarter(by(ast.Nearest)), 0, 10, 20, 30)
	both(t, quarter(by(ast.Linear)), 2.5, 12.5, 22.5, 30) // the last has one tap inside
	both(t, quarter(smooth(ast.Area)), 2.5, 12.5, 22.5, 30)

	// Keys' kernel reproduces a ramp where all four taps are inside. At the
	// first pixel the tap to the left is missing.
	const w0, w1, w2, w3 = 0.8671875, 0.2265625, -0.0234375, -0.0703125
	got := values(t, oracle.Reference, quarter(by(ast.Cubic)))
	same(t, got[:2], (10*w1+20*w2)/(w0+w1+w2), 12.5)
	same(t, []float64{w0 + w1 + w2 + w3}, 1)

	// Lanczos is symmetric: halfway in the middle of a ramp it is the mean.
	row := pixels(6, 0.0, 10, 20, 30, 40, 50)
	both(t, slide(row, 2.5, 1, by(ast.Lanczos)), 25)
	// Its weights at a quarter, windowed sinc written out.
	l := func(x float64) float64 {
		return math.Sin(math.Pi*x) / (math.Pi * x) * math.Sin(math.Pi*x/3) / (math.Pi * x / 3)
	}
	var sum, full float64
	for i := range 6 {
		w := l(float64(i) + 0.5 - 2.75)
		sum, full = sum+w*float64(10*i), full+w
	}
	both(t, slide(row, 2.25, 1, by(ast.Lanczos)), sum/full)

	// Halving: the kernel is stretched to twice its width under antialias.
	both(t, warp(ramp(), half, 2, 1, by(ast.Linear)), 5, 25)
	both(t, warp(ramp(), half, 2, 1, smooth(ast.Linear)), 12.5/1.75, 30-12.5/1.75)
	both(t, warp(ramp(), half, 2, 1, smooth(ast.Area)), 5, 25)
	both(t, warp(ramp(), half, 2, 1, by(ast.Area)), 5, 25) // area has antialias always
	both(t, warp(ramp(), half, 2, 1, smooth(ast.Nearest)), 10, 30)
}

func slideOf(d float64) func(ast.Sampling) ast.Node {
	return func(s ast.Sampling) ast.Node { return slide(ramp(), d, 4, s) }
}

// The stretch along the source's x is the length of J's first row: a quarter
// turn with a scale stretches the other axis.
func TestStretchFollowsRowsOfJ(t *testing.T) {
	turned := geom.Affine(0, -1, 2, 0.5, 0, 0) // source x runs down the canvas, halved
	n := warp(pixels(4, 0.0, 10, 20, 30, 40, 50, 60, 70), turned, 2, 2, smooth(ast.Area))
	both(t, n, 45, 5, 65, 25)
}

func TestTiesBelongToTheRightAndBelow(t *testing.T) {
	for _, c := range []struct {
		d     float64
		first float64
	}{{0.5, 10}, {0.5 - 5e-7, 10}, {0.5 - 2e-6, 0}} {
		got := values(t, oracle.Reference, slide(ramp(), c.d, 1, by(ast.Nearest)))
		same(t, got, c.first)
	}
	both(t, warp(pixels(1, 0.0, 10, 20), geom.Translate(0, -0.5), 1, 3, by(ast.Nearest)), 10, 20, nan)

	// A mirror about a pixel's centre puts centres on edges, at source
	// positions 3, 2, 1, 0.
	mirror := geom.Affine(-1, 0, 3.5, 0, 1, 0)
	both(t, warp(ramp(), mirror, 4, 1, by(ast.Nearest)), 30, 20, 10, 0)

	// A canvas edge is tied in the same way.
	both(t, slide(ramp(), -0.5-5e-7, 1, by(ast.Nearest)), 0)
	both(t, slide(ramp(), -0.5-2e-6, 1, by(ast.Nearest)), nan)
	both(t, slide(ramp(), 3.5-5e-7, 1, by(ast.Linear)), nan)
	both(t, slide(ramp(), 3.5-2e-6, 1, by(ast.Linear)), 30)
}

func TestCubicFallsBackToLinear(t *testing.T) {
	// Two valid pixels in a row; at (1.9, 1.05) the cubic weights of both sum to
	// 0.648·0.630 < ½, and linear sees only the near one.
	n := pixels(4,
		nan, nan, nan, nan,
		nan, 10, nan, 40,
		nan, nan, nan, nan,
		nan, nan, nan, nan)
	at := func(x, y float64) ast.Node {
		return warp(n, geom.Translate(0.5-x, 0.5-y), 1, 1, by(ast.Cubic))
	}
	both(t, at(1.9, 1.05), 10)
	// At the height of the row they sum to 0.648, and both count.
	both(t, at(1.9, 1.5), (0.696*10-0.048*40)/0.648)
}

func TestMode(t *testing.T) {
	third := geom.Affine(1/3.0, 0, 0, 0, 1, 0)
	half := geom.Affine(0.5, 0, 0, 0, 1, 0)
	both(t, warp(pixels(6, 1.0, 1, 2, 2, 3, 3), third, 2, 1, by(ast.Mode)), 1, 3)
	both(t, warp(pixels(4, 2.0, 1, 5, 5), half, 2, 1, by(ast.Mode)), 1, 5) // a tie takes the smallest
	both(t, slide(pixels(2, 1.0, 2), 0.5+2e-7, 1, by(ast.Mode)), 1)        // within 1e-6 is a tie
	both(t, slide(pixels(2, 1.0, 2), 0.5+2e-6, 1, by(ast.Mode)), 2)
	// Invalid taps have no vote.
	both(t, warp(pixels(6, nan, 4, nan, nan, 3, 3), third, 2, 1, by(ast.Mode)), 4, 3)
}

func TestNoDataNeverBleeds(t *testing.T) {
	n := withNoData(-9999, 10, -9999, 30)
	for _, s := range []ast.Sampling{by(ast.Linear), smooth(ast.Cubic), by(ast.Lanczos), by(ast.Area), by(ast.Mode)} {
		got := values(t, oracle.Reference, slide(n, 0.25, 3, s))
		if math.Abs(got[0]-10) > 25 || got[1] == got[1] || math.Abs(got[2]-30) > 25 {
			t.Errorf("%v: got %v", s, got)
		}
	}
	both(t, slide(n, 0.25, 3, by(ast.Linear)), 10, nan, 30)
	// Infinite samples are as invalid as nodata.
	both(t, slide(pixels(3, 10, math.Inf(1), 30), 0.25, 3, by(ast.Linear)), 10, nan, 30)
}

func TestBorders(t *testing.T) {
	far := func(m ast.BorderMode) ast.Node { return slide(ramp(), -2.25, 7, bordered(ast.Nearest, m, 7)) }
	both(t, far(ast.NoDataBorder), nan, nan, 0, 10, 20, 30, nan)
	both(t, far(ast.ValueBorder), 7, 7, 0, 10, 20, 30, 7)
	both(t, far(ast.ClampBorder), 0, 0, 0, 10, 20, 30, 30)
	both(t, far(ast.ReflectBorder), 10, 0, 0, 10, 20, 30, 30)
	both(t, far(ast.WrapBorder), 20, 30, 0, 10, 20, 30, 0)

	near := func(m ast.BorderMode) ast.Node { return slide(ramp(), -0.25, 1, bordered(ast.Linear, m, 8)) }
	both(t, near(ast.NoDataBorder), 0)
	both(t, near(ast.ValueBorder), 2)
	both(t, near(ast.ClampBorder), 0)
	both(t, near(ast.WrapBorder), 7.5)

	// The edge pixel's validity goes with it.
	both(t, slide(pixels(2, nan, 5), -2.25, 5, bordered(ast.Linear, ast.ClampBorder, 0)), nan, nan, nan, 5, 5)

	// A footprint many times the source.
	tiny := geom.Affine(0.001, 0, 0, 0, 1, 0)
	both(t, warp(ramp(), tiny, 1, 1, bordered(ast.Area, ast.WrapBorder, 0)), 15)
	both(t, warp(ramp(), tiny, 1, 1, bordered(ast.Area, ast.ValueBorder, 0)), 60/1000.0)
}

func TestNumberBorderIsASample(t *testing.T) {
	n := withNoData(7, 10, 20)
	both(t, slide(n, -1.25, 2, bordered(ast.Nearest, ast.ValueBorder, 7)), nan, 10)
	both(t, slide(n, -1.25, 2, bordered(ast.Nearest, ast.ValueBorder, 8)), 8, 10)
}

func TestProjective(t *testing.T) {
	// Canvas x is source x / (1 + x/4), so the horizon is at canvas x = 4, and
	// the line y = ½ is mapped to itself.
	m := geom.Transform{1, 0, 0, 0.125, 1, 0, 0.25, 0, 1}
	u := func(x float64) float64 { return x / (1 - x/4) }
	row := pixels(4, 0.0, 10, 20, 30)
	lin := func(x float64) float64 { return 10 * (u(x) - 0.5) }
	n := warp(row, m, 6, 1, by(ast.Linear))
	both(t, n, max(0, lin(0.5)), lin(1.5), nan, nan, nan, nan)

	// Points beyond the horizon are invalid under every border.
	n = warp(row, m, 6, 1, bordered(ast.Nearest, ast.ClampBorder, 0))
	both(t, n, 0, 20, 30, 30, nan, nan)

	// The stretch is that of the pixel: at x = 2.5, du/dx = (1 − x/4)⁻² = 7.1.
	f := math.Pow(1-2.5/4, -2)
	c := u(2.5)
	row = pixels(12, 0.0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	var sum float64
	for i := range 12 {
		sum += float64(i) * max(0, min(float64(i+1), c+f/2)-max(float64(i), c-f/2))
	}
	got := values(t, oracle.Reference, warp(row, m, 3, 1, by(ast.Area)))
	same(t, got[2:], sum/f)
}
