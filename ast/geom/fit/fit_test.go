package fit_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/geom/fit"
)

func pairs(t *rapid.T, m geom.Transform, n int) []fit.Pair {
	out := make([]fit.Pair, n)
	for i := range out {
		// On a jittered grid, so that no three are nearly on a line.
		x := float64(i%3)*100 + rapid.Float64Range(0, 30).Draw(t, "x")
		y := float64(i/3)*100 + float64(i%3)*37 + rapid.Float64Range(0, 30).Draw(t, "y")
		u, v := m.Apply(x, y)
		out[i] = fit.Pair{From: [2]float64{x, y}, To: [2]float64{u, v}}
	}
	return out
}

func TestExactPointsGiveTheTransformBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		theta := rapid.Float64Range(-3, 3).Draw(t, "theta")
		s := rapid.Float64Range(0.1, 9).Draw(t, "scale")
		m := geom.Translate(5, -7).Mul(geom.Rotate(theta)).Mul(geom.Scale(s, s))
		fits := []func([]fit.Pair) (geom.Transform, float64, error){fit.Similarity, fit.Affine, fit.Projective}
		kind := rapid.IntRange(0, 2).Draw(t, "kind")
		if kind >= 1 {
			m = m.Mul(geom.Affine(1, 0.3, 0, 0, 0.7, 0))
		}
		if kind == 2 {
			m[6], m[7] = 0.0004, -0.0003
		}
		got, rms, err := fits[kind](pairs(t, m, 9))
		if err != nil {
			t.Fatal(err)
		}
		if rms > 1e-6 {
			t.Fatalf("rms %g on exact points", rms)
		}
		for _, p := range pairs(t, m, 9) {
			x, y := got.Apply(p.From[0], p.From[1])
			if math.Hypot(x-p.To[0], y-p.To[1]) > 1e-5 {
				t.Fatalf("%v maps to (%v, %v), want %v", p.From, x, y, p.To)
			}
		}
	})
}

func TestNoiseIsAveraged(t *testing.T) {
	// Four corners, moved by ±1 so that the mean is right.
	ps := []fit.Pair{
		{[2]float64{0, 0}, [2]float64{1, 0}}, {[2]float64{10, 0}, [2]float64{9, 0}},
		{[2]float64{0, 10}, [2]float64{-1, 10}}, {[2]float64{10, 10}, [2]float64{11, 10}},
	}
	m, rms, err := fit.Affine(ps)
	if err != nil {
		t.Fatal(err)
	}
	if x, y := m.Apply(5, 5); math.Abs(x-5) > 1e-9 || math.Abs(y-5) > 1e-9 {
		t.Errorf("centre at (%v, %v), want (5, 5)", x, y)
	}
	if math.Abs(rms-1) > 1e-9 {
		t.Errorf("rms %v, want 1", rms)
	}
}

func TestDegenerate(t *testing.T) {
	line := []fit.Pair{
		{[2]float64{0, 0}, [2]float64{0, 0}}, {[2]float64{1, 1}, [2]float64{1, 1}},
		{[2]float64{2, 2}, [2]float64{2, 2}}, {[2]float64{3, 3}, [2]float64{3, 3}},
	}
	point := []fit.Pair{{}, {}, {}, {}}
	for name, f := range map[string]func() error{
		"affine line":      func() error { _, _, err := fit.Affine(line); return err },
		"projective line":  func() error { _, _, err := fit.Projective(line); return err },
		"similarity point": func() error { _, _, err := fit.Similarity(point); return err },
		"polar":            func() error { _, _, _, err := fit.Polar(geom.Affine(1, 1, 0, 1, 1, 0)); return err },
	} {
		if err := f(); !errors.Is(err, fit.ErrDegenerate) && name != "polar" {
			t.Errorf("%s: error %v, want %v", name, err, fit.ErrDegenerate)
		}
	}
	if _, _, err := fit.Affine(line[:2]); err == nil {
		t.Error("two points are enough for an affine transform")
	}
	line[2].To[1] = math.NaN()
	if _, _, err := fit.Affine(line); err == nil {
		t.Error("NaN is accepted")
	}
}

func TestPolar(t *testing.T) {
	m := geom.Rotate(0.4).Mul(geom.Scale(3, 0.5))
	theta, mirrored, f, err := fit.Polar(m)
	if err != nil || mirrored || math.Abs(theta-0.4) > 1e-12 || math.Abs(f[0]-3) > 1e-12 || math.Abs(f[1]-0.5) > 1e-12 {
		t.Errorf("theta %v, mirrored %v, factors %v, %v", theta, mirrored, f, err)
	}
	if _, mirrored, _, _ := fit.Polar(geom.Affine(-1, 0, 0, 0, 1, 0)); !mirrored {
		t.Error("a flip is not mirrored")
	}
}

func ExampleAffine() {
	m, rms, _ := fit.Affine([]fit.Pair{
		{From: [2]float64{0, 0}, To: [2]float64{10, 20}},
		{From: [2]float64{100, 0}, To: [2]float64{60, 20}},
		{From: [2]float64{0, 100}, To: [2]float64{10, 70}},
	})
	p, _ := m.Decompose()
	fmt.Printf("scale %.2f offset %.2f, off by %.2f pixels\n", p.Scale, p.Offset, rms)
	// Output: scale [0.50 0.50] offset [10.00 20.00], off by 0.00 pixels
}
