package eval_test

import (
	"context"
	"math"
	"testing"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// open is a session that the test closes.
func open(t testing.TB, opts ...eval.Option) *eval.Session {
	t.Helper()
	s, err := eval.Open(context.Background(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// same compares a buffer with values, NaN where invalid: equal masks, and
// values within a part of their range.
func same(t *testing.T, got *raster.Buffer, want []float64, tolerance float64) {
	t.Helper()
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, w := range want {
		if w == w {
			lo, hi = min(lo, w), max(hi, w)
		}
	}
	if len(want) != got.Len() {
		t.Fatalf("%d samples, want %d", got.Len(), len(want))
	}
	limit := 0.0
	if hi > lo {
		limit = tolerance * (hi - lo)
	} else if tolerance > 0 {
		limit = tolerance * math.Abs(hi)
	}
	masks, values := 0, 0
	worst := 0.0
	for i, w := range want {
		x, y, b := i/got.Bands%got.W, i/got.Bands/got.W, i%got.Bands
		g, ok := got.At(x, y, b)
		switch {
		case ok != (w == w):
			if masks++; masks < 4 {
				t.Errorf("(%d, %d) band %d: %v valid %v, want %v", x, y, b, g, ok, w)
			}
		case ok && !(math.Abs(g-w) <= limit):
			if values++; values < 4 {
				t.Errorf("(%d, %d) band %d: %v, want %v", x, y, b, g, w)
			}
			worst = max(worst, math.Abs(g-w))
		}
	}
	if masks+values > 0 {
		t.Errorf("%d masks and %d values of %d differ, values by up to %v; range %v to %v", masks, values, len(want), worst, lo, hi)
	}
}
