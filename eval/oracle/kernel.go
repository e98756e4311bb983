package oracle

import (
	"math"

	"github.com/rewarp/rewarp/ast"
)

// kernel is a reconstruction kernel: the weight of the pixel whose centre is d
// pixels away, under a stretch f.
type kernel struct {
	reach  func(f float64) float64 // beyond it the weight is zero
	weight func(d, f float64) float64
}

// kernels by interpolation. Nearest has none.
var kernels = [...]kernel{
	ast.Linear:  stretched(1, linear),
	ast.Cubic:   stretched(2, cubic),
	ast.Lanczos: stretched(3, lanczos),
	ast.Area:    {footprint, overlap},
	ast.Mode:    {footprint, overlap},
}

func stretched(radius float64, k func(x float64) float64) kernel {
	return kernel{
		reach:  func(f float64) float64 { return radius * f },
		weight: func(d, f float64) float64 { return k(math.Abs(d / f)) },
	}
}

func linear(x float64) float64 { return max(0, 1-x) }

// cubic is the kernel of Keys, "Cubic Convolution Interpolation for Digital
// Image Processing" (1981), with a = −½.
func cubic(x float64) float64 {
	const a = -0.5
	switch {
	case x < 1:
		return ((a+2)*x-(a+3))*x*x + 1
	case x < 2:
		return ((a*x-5*a)*x+8*a)*x - 4*a
	}
	return 0
}

// lanczos is the sinc windowed by the main lobe of a sinc three times as wide.
func lanczos(x float64) float64 {
	const a = 3
	switch {
	case x == 0:
		return 1
	case x < a:
		return a * math.Sin(math.Pi*x) * math.Sin(math.Pi*x/a) / (math.Pi * math.Pi * x * x)
	}
	return 0
}

// footprint is the reach of an interval f long over pixels one long.
func footprint(f float64) float64 { return f/2 + 0.5 }

// overlap is the length that [−f/2, f/2] and [d−½, d+½] share.
func overlap(d, f float64) float64 {
	return max(0, min(f/2, d+0.5)-max(-f/2, d-0.5))
}

const (
	// outside is the index of all pixels beyond the edge under a border that is
	// nodata or a number.
	outside = -1
	// maxTaps bounds the pixels that one kernel spans along an axis.
	maxTaps = 1 << 20
)

// tap is one pixel that a kernel weighs.
type tap struct {
	at     int // its index in the grid, or outside
	weight float64
}

// axis places a kernel along x or y of a grid.
type axis struct {
	k      kernel
	n      int // pixels of the grid
	border ast.BorderMode

	u, f float64 // where the kernel is placed, and its stretch
	taps []tap
	sum  float64 // of all weights, valid or not
}

// index is the pixel of the grid that stands at i under the border mode.
func (a *axis) index(i int) int {
	if i >= 0 && i < a.n {
		return i
	}
	switch a.border {
	case ast.ClampBorder:
		return max(0, min(i, a.n-1))
	case ast.ReflectBorder:
		i = modulo(i, 2*a.n)
		return min(i, 2*a.n-1-i)
	case ast.WrapBorder:
		return modulo(i, a.n)
	}
	return outside
}

func modulo(i, n int) int { return ((i % n) + n) % n }

// place computes the taps of the kernel at u under the stretch f; false if they
// are too many.
func (a *axis) place(u, f float64) bool {
	if a.taps != nil && a.u == u && a.f == f {
		return true
	}
	first := math.Floor(u - a.k.reach(f))
	last := math.Floor(u + a.k.reach(f))
	if !(last-first < maxTaps) {
		return false
	}
	a.u, a.f, a.taps, a.sum = u, f, a.taps[:0], 0
	for i := int(first); i <= int(last); i++ {
		w := a.k.weight(float64(i)+0.5-u, f)
		if w == 0 {
			continue
		}
		a.sum += w
		a.taps = append(a.taps, tap{a.index(i), w})
	}
	if len(a.taps) > 2*a.n {
		a.fold()
	}
	return true
}

// fold joins the taps that fall on the same pixel.
func (a *axis) fold() {
	sums := make([]float64, a.n+1)
	for _, t := range a.taps {
		sums[t.at+1] += t.weight
	}
	a.taps = a.taps[:0]
	for i, w := range sums {
		if w != 0 {
			a.taps = append(a.taps, tap{i - 1, w})
		}
	}
}
