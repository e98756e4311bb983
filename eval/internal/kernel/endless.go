package kernel

import (
	"math"

	"github.com/rewarp/rewarp/ast"
)

// manyTaps is the stretch from which a kernel changes so little from tap to tap
// that its sums are taken to be its integrals, by the midpoint rule: where the
// source is repeated, runs of taps of a manyTaps-th part of the stretch weigh
// what the middle of the run does.
const manyTaps = 1 << 14

// integral is the sum of all weights of a kernel over its stretch, by
// interpolation. Keys' cubic sums to one; the windowed sinc only nearly.
var integral = [...]float64{ast.Linear: 1, ast.Cubic: 1, ast.Lanczos: 0.99705534595434, ast.Area: 1, ast.Mode: 1}

// mass is the sum of the weights between the pixel edges lo and hi.
func mass(interp ast.Interpolation, lo, hi, u, f float64) float64 {
	if interp == ast.Area || interp == ast.Mode {
		return max(0, min(hi, u+f/2)-max(lo, u-f/2))
	}
	return (hi - lo) * weigh(interp, ((lo+hi)/2-u)/f)
}

// endless is set for a stretch of over manyTaps where the source never ends,
// because its border repeats or continues it. However far the kernel is
// stretched, as near the horizon of a projection, it costs no more than the
// source or some manyTaps, whichever is more.
func (t *axisTaps) endless(interp ast.Interpolation, a *axis, u, f float64) {
	run, smooth := 1, interp != ast.Area && interp != ast.Mode
	if smooth && a.border != ast.ClampBorder && float64(a.size) < 2*kernelRadius[interp]*f {
		run = int(max(1, min(f/manyTaps, float64(a.size))))
	}
	for k := 0; k < a.size; k += run {
		n := min(run, a.size-k)
		w := images(interp, a, float64(k), float64(k+n), u, f) / float64(n)
		for i := k; i < k+n; i++ {
			t.add(a.index(i), w)
		}
	}
	if a.border == ast.ClampBorder {
		t.add(a.index(0), tail(interp, u, f))
		t.add(a.index(a.size-1), tail(interp, float64(a.size)-u, f))
	}
}

func (t *axisTaps) add(index int, weight float64) {
	if weight != 0 {
		t.all += weight
		t.index = append(t.index, index)
		t.weight = append(t.weight, weight)
	}
}

// images is the sum of the weights of the pixels between the edges lo and hi,
// and of all places beyond the border where they appear again.
func images(interp ast.Interpolation, a *axis, lo, hi, u, f float64) float64 {
	size := float64(a.size)
	switch a.border {
	case ast.WrapBorder:
		return repeated(interp, lo, hi, size, u, f)
	case ast.ReflectBorder:
		return repeated(interp, lo, hi, 2*size, u, f) + repeated(interp, 2*size-hi, 2*size-lo, 2*size, u, f)
	}
	return mass(interp, lo, hi, u, f)
}

// repeated is the sum of the weights between lo and hi, and of all places that
// are whole periods away.
func repeated(interp ast.Interpolation, lo, hi, period, u, f float64) (sum float64) {
	switch {
	case interp == ast.Area || interp == ast.Mode:
		return covered(u+f/2, lo, hi, period) - covered(u-f/2, lo, hi, period)
	case period <= f/manyTaps:
		return f * integral[interp] * (hi - lo) / period
	}
	reach := kernelRadius[interp] * f
	last := math.Floor((u + reach - lo) / period)
	for k := math.Ceil((u - reach - hi) / period); k <= last; k++ {
		sum += mass(interp, lo+k*period, hi+k*period, u, f)
	}
	return sum
}

// covered is how much of what lies between lo and hi in each period is below x,
// counted from the period of 0.
func covered(x, lo, hi, period float64) float64 {
	whole := math.Floor(x / period)
	return whole*(hi-lo) + min(max(x-whole*period-lo, 0), hi-lo)
}

// tail is the sum of the weights of all pixels farther than d from the
// position on one side; d is negative where the position is among them.
func tail(interp ast.Interpolation, d, f float64) (sum float64) {
	if interp == ast.Area || interp == ast.Mode {
		return min(max(f/2-d, 0), f)
	}
	reach, step := kernelRadius[interp]*f, f/manyTaps
	for lo := max(d, -reach); lo < reach; lo += step {
		sum += mass(interp, lo, min(lo+step, reach), 0, f)
	}
	return sum
}
