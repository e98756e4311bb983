package kernel

import (
	"math"
	"sync"

	"github.com/rewarp/rewarp/ast"
)

// profile is a kernel along one axis under a constant stretch, in float32. Its
// taps are those that can have a weight, a fixed number n, from a first one
// that is the integer part of position − shift.
type profile struct {
	interp  ast.Interpolation
	n       int
	shift   float64
	stretch float64
	f       float32 // the stretch
	inv     float32 // 1/f
	reach   float32 // of the stretched kernel
}

// snap is how close to 1 a stretch counts as 1: rotations come out a few ulp
// off. A weight changes by no more than that.
const snap = 1e-9

func newProfile(interp ast.Interpolation, f float64) profile {
	if f < 1+snap {
		f = 1
	}
	p := profile{interp: interp, stretch: f, f: float32(f), inv: float32(1 / f)}
	if interp == ast.Area {
		p.n, p.shift = int(math.Ceil(f))+1, f/2
		return p
	}
	r := kernelRadius[interp] * f
	p.n, p.shift, p.reach = int(math.Ceil(2*r)), r-0.5, float32(r)
	return p
}

// weights are the normalized weights at positions whose fractional parts,
// after the shift, are given: tap k of position i at w[k·chunk+i].
//
// Lanczos is read from a table, linear between its entries, which is within
// 2e-7 of the formula; the others are the formula in float32.
func (p *profile) weights(set Set, w, frac []float32) { weights(set, p, w, frac) }

// weightsGo is profile.weights in plain Go.
func weightsGo(p *profile, w, frac []float32) {
	if p.keys() {
		keysGo(w, frac)
		return
	}
	n := len(frac)
	var sum [chunk]float32
	total := sum[:n]
	for k := range p.n {
		row := w[k*chunk:][:n:n]
		next := float32(k) + 1
		d := next - p.reach
		switch p.interp {
		case ast.Area:
			for i, t := range frac {
				row[i] = max(0, min(next, t+p.f)-max(float32(k), t))
			}
		case ast.Linear:
			for i, t := range frac {
				row[i] = max(0, 1-abs32(float32((d-t)*p.inv)))
			}
		case ast.Cubic:
			for i, t := range frac {
				row[i] = cubic32(abs32(float32((d - t) * p.inv)))
			}
		default:
			table := lanczosTable()
			for i, t := range frac {
				row[i] = lanczos32(table, abs32(float32((d-t)*p.inv)))
			}
		}
		for i, v := range row {
			total[i] += v
		}
	}
	for i, v := range total {
		total[i] = 1 / v
	}
	for k := range p.n {
		row := w[k*chunk:][:n:n]
		for i, v := range total {
			row[i] *= v
		}
	}
}

// keys reports whether the profile is cubic without stretch, whose weights are
// polynomials of the fraction that add up to 1.
func (p *profile) keys() bool { return p.interp == ast.Cubic && p.stretch == 1 }

// keysGo is weightsGo for such a profile.
func keysGo(w, frac []float32) {
	n := len(frac)
	w0, w1, w2, w3 := w[:n], w[chunk:][:n], w[2*chunk:][:n], w[3*chunk:][:n]
	for i, t := range frac {
		h, s := float32(0.5*t), float32(1.5*t)
		w0[i] = float32(float32((1-h)*t)-0.5) * t
		w1[i] = float32(float32((s-2.5)*t)*t) + 1
		w2[i] = float32(float32((2-s)*t)+0.5) * t
		w3[i] = float32((h-0.5)*t) * t
	}
}

func abs32(t float32) float32 { return math.Float32frombits(math.Float32bits(t) &^ (1 << 31)) }

func cubic32(t float32) float32 {
	if t < 1 {
		return float32(float32((float32(1.5*t)-2.5)*t)*t) + 1
	}
	t = min(t, 2)
	return float32(float32(float32(-0.5*(t-1))*(t-2)) * (t - 2))
}

// lanczosSteps is the number of table entries from one tap to the next.
const lanczosSteps = 2048

// lanczosTable is the positive half of the kernel. It is built on first use.
var lanczosTable = sync.OnceValue(func() *[3*lanczosSteps + 2]float32 {
	t := new([3*lanczosSteps + 2]float32)
	for i := range t {
		t[i] = float32(weigh(ast.Lanczos, float64(i)/lanczosSteps))
	}
	return t
})

func lanczos32(table *[3*lanczosSteps + 2]float32, t float32) float32 {
	t = min(t, 3) * lanczosSteps
	i := int32(t)
	a := table[i]
	return a + float32((t-float32(i))*(table[i+1]-a))
}

// exact is weights for a single position u, computed in float64 by the
// formula, at w[k·step].
func (p *profile) exact(w []float32, step int, u float64) {
	first := int(math.Floor(u - p.shift))
	var sum float64
	for k := range p.n {
		sum += tapWeight(p.interp, first+k, u, p.stretch)
	}
	for k := range p.n {
		w[k*step] = float32(tapWeight(p.interp, first+k, u, p.stretch) / sum)
	}
}
