package geom_test

import (
	"image"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/rewarp/rewarp/ast/geom"
)

func number(t *rapid.T, lo, hi float64, name string) float64 {
	return rapid.Float64Range(lo, hi).Draw(t, name)
}

func affine(t *rapid.T) geom.Transform {
	p := geom.Parts{
		Offset: [2]float64{number(t, -50, 50, "tx"), number(t, -50, 50, "ty")},
		Scale:  [2]float64{number(t, 0.1, 8, "sx"), number(t, 0.1, 8, "sy")},
		Shear:  number(t, -1, 1, "shear"), Theta: number(t, -3.1, 3.1, "theta"),
	}
	if rapid.Bool().Draw(t, "mirrored") {
		p.Scale[1] = -p.Scale[1]
	}
	return p.Transform()
}

func projective(t *rapid.T) geom.Transform {
	m := affine(t)
	m[6], m[7] = number(t, -0.01, 0.01, "g"), number(t, -0.01, 0.01, "h")
	return m
}

func near(t interface{ Fatalf(string, ...any) }, what string, got, want, tol float64) {
	if !(math.Abs(got-want) <= tol) {
		t.Fatalf("%s: got %v, want %v (tolerance %g)", what, got, want, tol)
	}
}

func TestInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := projective(t)
		if rapid.Bool().Draw(t, "affine") {
			m = affine(t)
		}
		inv, ok := m.Inverse()
		if !ok {
			t.Skip("singular")
		}
		x, y := number(t, 0, 20, "x"), number(t, 0, 20, "y")
		if m.Denominator(x, y) < 0.2 {
			t.Skip("near the horizon")
		}
		u, v := inv.Apply(m.Apply(x, y))
		near(t, "x", u, x, 1e-6)
		near(t, "y", v, y, 1e-6)
	})
	if _, ok := geom.Affine(1, 2, 0, 2, 4, 0).Inverse(); ok {
		t.Error("a singular transform has an inverse")
	}
}

func TestMulAppliesTheRightOneFirst(t *testing.T) {
	m := geom.Scale(2, 3).Mul(geom.Translate(1, 1))
	if x, y := m.Apply(0, 0); x != 2 || y != 3 {
		t.Errorf("got (%v, %v), want (2, 3)", x, y)
	}
}

func TestShift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := projective(t)
		if rapid.Bool().Draw(t, "affine") {
			m = affine(t)
		}
		dx, dy := number(t, -50, 50, "dx"), number(t, -50, 50, "dy")
		after, before := m, m
		after.Shift(dx, dy)
		before.ShiftInput(dx, dy)
		d := geom.Translate(dx, dy)
		for i := range m {
			near(t, "shifted", after[i], d.Mul(m)[i], 1e-9)
			near(t, "of a shifted input", before[i], m.Mul(d)[i], 1e-9)
		}
	})
}

func TestDecompose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := affine(t)
		p, ok := m.Decompose()
		if !ok {
			t.Fatalf("%v does not decompose", m)
		}
		if p.Scale[0] <= 0 {
			t.Fatalf("x scale %v is not positive", p.Scale[0])
		}
		for i, v := range p.Transform() {
			near(t, "entry", v, m[i], 1e-9)
		}
	})
	// Section 9 of the design: the composite of the third tree.
	p, _ := geom.Affine(0.5192649729, 0.2726003336, -0.9438706838, -0.1725409491, 0.5177115169, -0.3422101753).Decompose()
	near(t, "sx", p.Scale[0], 0.54718, 5e-6)
	near(t, "sy", p.Scale[1], 0.57726, 5e-6)
	near(t, "shear", p.Shear, 0.16534, 5e-6)
	near(t, "theta", p.Theta, -0.32080, 5e-6)
}

func TestCopy(t *testing.T) {
	for _, c := range []struct {
		m  geom.Transform
		ok bool
	}{
		{geom.Translate(3, -4), true},
		{geom.Affine(-1, 0, 8, 0, 1, 0), true},
		{geom.Affine(0, -1, 8, 1, 0, 0), true},
		{geom.Translate(3+5e-10, 0), true},
		{geom.Translate(3+5e-9, 0), false},
		{geom.Translate(0.5, 0), false},
		{geom.Affine(1, 1, 0, 0, 1, 0), false},
		{geom.Scale(2, 1), false},
		{geom.Rotate(math.Pi / 2), true},
		{geom.Transform{1, 0, 0, 0, 1, 0, 1e-12, 0, 1}, false},
	} {
		exact, ok := c.m.Copy()
		if ok != c.ok {
			t.Errorf("%v: copy %v, want %v", c.m, ok, c.ok)
		}
		for _, v := range exact {
			if ok && v != math.Round(v) {
				t.Errorf("%v: entry %v is not whole", c.m, v)
			}
		}
	}
}

func TestFitSize(t *testing.T) {
	for _, c := range []struct {
		m    geom.Transform
		want geom.Size
		ok   bool
	}{
		{geom.Scale(0.5, 0.5), geom.Size{W: 5, H: 4}, true},
		{geom.Scale(0.1*3, 1), geom.Size{W: 3, H: 7}, true}, // 3.0000000000000004 is 3
		{geom.Translate(-100, 0), geom.Size{W: 1, H: 7}, true},
		{geom.Affine(-1, 0, 10, 0, 1, 0), geom.Size{W: 10, H: 7}, true},
		{geom.Transform{1, 0, 0, 0, 1, 0, -0.1, 0, 1}, geom.Size{}, false},
		{geom.Scale(1e9, 1), geom.Size{}, false},
	} {
		got, ok := c.m.FitSize(geom.Size{W: 10, H: 7})
		if got != c.want || ok != c.ok {
			t.Errorf("%v: got %v %v, want %v %v", c.m, got, ok, c.want, c.ok)
		}
	}
}

func TestLevel(t *testing.T) {
	s := geom.Size{W: 61, H: 1}
	for k, want := range []geom.Size{{W: 61, H: 1}, {W: 31, H: 1}, {W: 16, H: 1}, {W: 8, H: 1}} {
		if got := s.Level(k); got != want {
			t.Errorf("level %d: got %v, want %v", k, got, want)
		}
	}
}

func TestJacobianIsTheDerivative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := projective(t)
		x, y := number(t, 0, 20, "x"), number(t, 0, 20, "y")
		if m.Denominator(x, y) < 0.5 {
			t.Skip("near the horizon")
		}
		const h = 1e-5
		u, v := m.Apply(x, y)
		ux, vx := m.Apply(x+h, y)
		uy, vy := m.Apply(x, y+h)
		j := m.Jacobian(x, y)
		for i, want := range [4]float64{(ux - u) / h, (uy - u) / h, (vx - v) / h, (vy - v) / h} {
			near(t, "entry", j[i], want, 1e-2*(1+math.Abs(want)))
		}
		w := m.Denominator(x, y)
		for row := range 2 {
			a, b := m.JacobianNumerator(row, x, y)
			near(t, "numerator", a/(w*w), j[2*row], 1e-9*(1+math.Abs(a)))
			near(t, "numerator", b/(w*w), j[2*row+1], 1e-9*(1+math.Abs(b)))
		}
	})
}

func planes(t *rapid.T) []geom.HalfPlane {
	var out []geom.HalfPlane
	for range rapid.IntRange(0, 5).Draw(t, "planes") {
		inv := affine(t)
		if rapid.Bool().Draw(t, "projective") {
			inv = projective(t)
		}
		s := geom.Size{W: rapid.IntRange(1, 40).Draw(t, "w"), H: rapid.IntRange(1, 40).Draw(t, "h")}
		out = append(out, s.Edges()[rapid.IntRange(0, 3).Draw(t, "edge")].Pullback(inv))
	}
	return out
}

func TestSpanIsContains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := geom.NewDomain(planes(t)...)
		j := rapid.IntRange(0, 30).Draw(t, "row")
		a, b := d.Span(j, 2, 37)
		for i := 2; i < 37; i++ {
			if in := d.Contains(float64(i)+0.5, float64(j)+0.5); in != (i >= a && i < b) {
				t.Fatalf("pixel (%d, %d): contains %v, span [%d, %d)", i, j, in, a, b)
			}
		}
	})
}

func TestReduceKeepsTheSamePoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		canvas := geom.Size{W: 30, H: 25}
		all, implied := planes(t), planes(t)
		full := geom.NewDomain(append(append([]geom.HalfPlane(nil), all...), implied...)...)
		d := geom.Reduce(canvas, all, implied)
		less := geom.NewDomain(append(d.Planes(), implied...)...)
		const open = 2 * geom.EdgeTolerance // the canvas is, to the right and below
		for range 40 {
			x, y := number(t, 0, 30-open, "x"), number(t, 0, 25-open, "y")
			if full.Contains(x, y) != less.Contains(x, y) && !byTolerance(full, x, y) {
				t.Fatalf("(%v, %v): %v before, %v after\nall %v\nimplied %v\nd %v", x, y, full.Contains(x, y), less.Contains(x, y), all, implied, d.Planes())
			}
		}
		if got := geom.Reduce(canvas, d.Planes(), implied); got.Len() != d.Len() {
			t.Fatalf("reducing again leaves %d of %d half-planes\nall %v\nimplied %v\nd %v", got.Len(), d.Len(), all, implied, d.Planes())
		}
	})
}

// byTolerance reports whether a point is off the edge of some half-plane of d
// and the edge's tolerance alone decides on it.
func byTolerance(d *geom.Domain, x, y float64) bool {
	return slices.ContainsFunc(d.Planes(), func(h geom.HalfPlane) bool {
		off, _ := h.Distance(x, y)
		return off != 0 && math.Abs(off) <= geom.EdgeTolerance
	})
}

// TestReduceOfASliver: of what the canvas and the first half-plane leave, no
// more than 5e-7 pixels high, all is in the second, which goes. The tolerance
// of the first then lets in a point beyond.
func TestReduceOfASliver(t *testing.T) {
	den := [3]float64{0.01, 0.01, 1}
	planes := []geom.HalfPlane{
		{Row: [3]float64{-9.54e-7, -0.999999, 4.77e-7}, Den: den, Closed: true},
		{Row: [3]float64{-0.84, -0.3, 0.5}, Den: den, Closed: true},
	}
	d := geom.Reduce(geom.Size{W: 30, H: 25}, planes, nil)
	if d.Len() != 1 || !d.Contains(1, 0) {
		t.Errorf("%v are left", d.Planes())
	}
	if full := geom.NewDomain(planes...); full.Contains(1, 0) || !byTolerance(full, 1, 0) {
		t.Error("the point is not one that a tolerance lets in")
	}
}

// TestReduceAgain: all that is left is a corner, which an open half-plane goes
// through, and whether anything is left without another depends on a third.
func TestReduceAgain(t *testing.T) {
	planes := []geom.HalfPlane{
		{Row: [3]float64{0.5403023058681398, -0.30116867893975674, -4.440892098500626e-16}, Closed: true},
		{Row: [3]float64{0.5403023058681398, -1.3817732906760363, 8.881784197001252e-16}, Closed: true},
		{Row: [3]float64{-0.8414709848078965, -1.3817732906760363, 0}},
	}
	canvas := geom.Size{W: 30, H: 25}
	d := geom.Reduce(canvas, planes, nil)
	if again := geom.Reduce(canvas, d.Planes(), nil); again.Len() != d.Len() {
		t.Errorf("%v are left, and reducing again leaves %v", d.Planes(), again.Planes())
	}
}

// TestReduceOfACorner: implied edges leave one corner, and tolerances decide
// both ways whether the first half-plane does. It goes, and the other with it.
func TestReduceOfACorner(t *testing.T) {
	planes := []geom.HalfPlane{
		{Row: [3]float64{0.54, -0.3, -4.7e-10}, Closed: true},
		{Row: [3]float64{0.54, -0.3, 1}, Closed: true},
	}
	corner := []geom.HalfPlane{{Row: [3]float64{-1, -1, 4.7e-10}, Closed: true}}
	if d := geom.Reduce(geom.Size{W: 30, H: 25}, planes, corner); d.Len() != 0 {
		t.Errorf("%v are left", d.Planes())
	}
}

func TestReduce(t *testing.T) {
	canvas := geom.Size{W: 10, H: 10}
	left := func(c float64, closed bool) geom.HalfPlane {
		return geom.HalfPlane{Row: [3]float64{1, 0, -c}, Closed: closed}
	}
	right := func(c float64, closed bool) geom.HalfPlane {
		return geom.HalfPlane{Row: [3]float64{-1, 0, c}, Closed: closed}
	}
	for name, c := range map[string]struct {
		planes []geom.HalfPlane
		want   int
	}{
		"the canvas's own edges":           {edges(canvas), 0},
		"inside":                           {[]geom.HalfPlane{left(3, true), right(8, false)}, 2},
		"weaker than another":              {[]geom.HalfPlane{left(3, true), left(2, true)}, 1},
		"open, where the canvas is closed": {[]geom.HalfPlane{left(0, false)}, 1},
		"closed, where the canvas is open": {[]geom.HalfPlane{right(10, true)}, 0},
		"twice the same open edge":         {[]geom.HalfPlane{right(8, false), right(8, false)}, 1},
		"the open one of two":              {[]geom.HalfPlane{right(8, true), right(8, false)}, 1},
		"always":                           {[]geom.HalfPlane{geom.Always}, 0},
		"nothing left":                     {[]geom.HalfPlane{left(20, true)}, 1},
	} {
		if got := geom.Reduce(canvas, c.planes, nil); got.Len() != c.want {
			t.Errorf("%s: %d half-planes left, want %d", name, got.Len(), c.want)
		}
	}
}

// Half-planes that leave nothing do not pile up: three are enough to say so.
func TestReduceOfNothingStaysSmall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		canvas := geom.Size{W: 30, H: 25}
		all := planes(t)
		all = append(all, geom.HalfPlane{Row: [3]float64{-1, 0, -rapid.Float64Range(1, 50).Draw(t, "beyond")}})
		d := geom.Reduce(canvas, all, nil)
		if d.Len() < 1 || d.Len() > 3 {
			t.Fatalf("%d half-planes are left", d.Len())
		}
		for range 20 {
			if x, y := number(t, 0, 30, "x"), number(t, 0, 25, "y"); d.Contains(x, y) {
				t.Fatalf("(%v, %v) is in a domain that holds nothing", x, y)
			}
		}
	})
}

func edges(s geom.Size) []geom.HalfPlane { e := s.Edges(); return e[:] }

func TestCoversCenter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := geom.NewDomain(planes(t)...)
		w := image.Rect(1, 2, 1+rapid.IntRange(1, 20).Draw(t, "w"), 2+rapid.IntRange(1, 20).Draw(t, "h"))
		want := false
		for j := w.Min.Y; j < w.Max.Y; j++ {
			for i := w.Min.X; i < w.Max.X; i++ {
				want = want || d.Contains(float64(i)+0.5, float64(j)+0.5)
			}
		}
		if got := d.CoversCenter(w); got != want {
			t.Fatalf("covers %v, want %v", got, want)
		}
	})
}

func TestTies(t *testing.T) {
	e := geom.Size{W: 10, H: 10}.Edges()
	d := geom.NewDomain(e[:]...)
	for _, c := range []struct {
		x    float64
		want bool
	}{{0, true}, {-0.9e-6, true}, {-1.1e-6, false}, {10, false}, {10 - 0.9e-6, false}, {10 - 1.1e-6, true}} {
		if got := d.Contains(c.x, 5); got != c.want {
			t.Errorf("x = %v: contains %v, want %v", c.x, got, c.want)
		}
	}
}

func TestWellConditioned(t *testing.T) {
	s := geom.Size{W: 500, H: 500}
	for _, c := range []struct {
		m  geom.Transform
		ok bool
	}{
		{geom.Scale(1e-6, 1e-6), true},
		{geom.Scale(1, 1e-5), true},
		{geom.Scale(1, 1e-7), false},
		{geom.Affine(1, 1, 0, 1, 1+1e-9, 0), false},
		{geom.Rotate(1), true},
	} {
		if got := c.m.WellConditioned(s); got != c.ok {
			t.Errorf("%v: %v, want %v (drift %g)", c.m, got, c.ok, c.m.Drift(s))
		}
	}
}

func TestPolygon(t *testing.T) {
	p := geom.Rect(0, 0, 4, 2).Clip(geom.HalfPlane{Row: [3]float64{-1, -1, 4}})
	near(t, "area", p.Area(), 6, 1e-12)
	x0, y0, x1, y1 := p.Map(geom.Scale(2, -1)).Bounds()
	if x0 != 0 || y0 != -2 || x1 != 8 || y1 != 0 {
		t.Errorf("bounds %v %v %v %v", x0, y0, x1, y1)
	}
	if q := p.Clip(geom.HalfPlane{Row: [3]float64{1, 0, -9}}); q != nil {
		t.Errorf("clipped away, but %v is left", q)
	}
}
