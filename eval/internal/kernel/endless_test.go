package kernel

import (
	"fmt"
	"math"
	"testing"

	"github.com/rewarp/rewarp/ast"
)

// TestEndless holds the shares of pixels under kernels that are stretched far
// against sums over every tap.
func TestEndless(t *testing.T) {
	for _, interp := range []ast.Interpolation{ast.Linear, ast.Cubic, ast.Lanczos, ast.Area} {
		for _, border := range []ast.BorderMode{ast.NoDataBorder, ast.ValueBorder, ast.ClampBorder, ast.ReflectBorder, ast.WrapBorder} {
			for _, size := range []int{1, 2, 7, 1000, 9000} {
				for _, f := range []float64{manyTaps + 0.7, 70_000.3} {
					for _, at := range []float64{-1.2, -0.3, 0, 0.1, 0.7, 2} {
						u := at*f + float64(size)/2
						name := fmt.Sprintf("%v %v of %d stretched %g at %g", interp, border, size, f, u)
						compareShares(t, name, interp, &axis{size, border, 0, size}, u, f)
					}
				}
			}
		}
	}
}

func compareShares(t *testing.T, name string, interp ast.Interpolation, a *axis, u, f float64) {
	t.Helper()
	want, all := map[int]float64{}, 0.0
	first, last := tapRange(interp, u, f)
	for i := first; i <= last; i++ {
		w := tapWeight(interp, i, u, f)
		all += w
		want[a.index(i)] += w
	}
	var taps axisTaps
	taps.set(interp, a, u, f)
	if taps.beyond {
		if math.Abs(want[tapNumber]-all) > 1e-9*all {
			t.Errorf("%s: beyond, though other samples weigh %g of %g", name, all-want[tapNumber], all)
		}
		return
	}
	if all < 0.1*f {
		return // lobes alone
	}
	if math.Abs(taps.all/all-1) > 1e-7 {
		t.Errorf("%s: the weights add up to %g, expected %g", name, taps.all, all)
	}
	if len(taps.index) > a.size+3 {
		t.Errorf("%s: %d taps", name, len(taps.index))
	}
	got := map[int]float64{}
	for i, k := range taps.index {
		got[k] += taps.weight[i]
	}
	off := 0.0
	for k, w := range want {
		if k != tapInvalid {
			off += math.Abs(got[k]/taps.all - w/all)
		}
	}
	if off > 1e-6 {
		t.Errorf("%s: shares are off by %g in all", name, off)
	}
}

// TestFarStretch bounds the work of one kernel, whatever its stretch.
func TestFarStretch(t *testing.T) {
	for _, border := range []ast.BorderMode{ast.ClampBorder, ast.ReflectBorder, ast.WrapBorder} {
		for _, f := range []float64{1e9, 1e15, math.Inf(1)} {
			a := &axis{9, border, 0, 9}
			var taps axisTaps
			taps.set(ast.Lanczos, a, 0.1*min(f, farAway), f)
			left := 0.0
			for i, k := range taps.index {
				if k <= a.size/2 {
					left += taps.weight[i] / taps.all
				}
			}
			// The position lies to the right of the source: under clamp the pixels
			// on its left weigh what the kernel has there.
			want := 5.0 / 9
			if border == ast.ClampBorder {
				want = 0.5 - (mass(ast.Lanczos, 0, 0.1, 0, 1)-0.1)/integral[ast.Lanczos] - 0.1/integral[ast.Lanczos]
			}
			if math.Abs(left-want) > 1e-3 {
				t.Errorf("%v stretched %g: the left half weighs %g, expected %g", border, f, left, want)
			}
		}
	}
}
