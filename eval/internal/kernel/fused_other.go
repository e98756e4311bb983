//go:build !arm64

package kernel

import "math"

// fused is a·b + c, rounded once, as processors do in one step.
func fused(a, b, c float32) float32 {
	p := float64(a) * float64(b) // exact
	s := p + float64(c)
	if doubtful(s) {
		return roundedOnce(p, float64(c))
	}
	return float32(s)
}

// doubtful reports whether rounding s to float32 may differ from rounding what
// was rounded to s: where s looks like a tie, or is so small that float32 has
// fewer bits for it.
func doubtful(s float64) bool {
	bits := math.Float64bits(s)
	return bits&(1<<29-1) == 1<<28 || bits<<1>>53 < 1023-126
}

// roundedOnce is p + q in float32.
//
//go:noinline
func roundedOnce(p, q float64) float32 {
	s := p + q
	r := s - p
	e := (p - (s - r)) + (q - r) // what rounding lost
	bits := math.Float64bits(s)
	// A last bit that is set if anything was lost keeps the second rounding from
	// taking the sum for a tie.
	switch {
	case !(e > 0 || e < 0) || bits&1 != 0:
	case (e > 0) == (s > 0):
		bits++
	default:
		bits--
	}
	return float32(math.Float64frombits(bits))
}
