package kernel

import "math"

// steps says how far an affine map moves along both axes of the source from
// the first pixel of a block of chunk pixels to each of the others, in fixed
// point. Positions are then a sum each, and hold for any row.
type steps struct {
	a, d float64 // a pixel's step
	bits int32   // after the point; 0 if they are of no use
	u, v [chunk]int32
}

// Fixed-point positions are within a unit of those in float64, of which there
// are 2²¹ to 2²³ to a pixel; fractions take 2^fineBits at least, so that the
// widest integers are not rounded otherwise in more than a few thousandths of
// all samples. Those within stepMargin of an edge are in doubt. stepLimit
// bounds what float64 rounds on the way, to far less than a unit.
const (
	fineBits   = 22
	stepMargin = 2
	stepLimit  = 1 << 26
)

// set makes the steps those of a map.
func (s *steps) set(a, d float64) {
	if s.a == a && s.d == d {
		return
	}
	s.a, s.d, s.bits = a, d, 0
	switch most := max(math.Abs(a), math.Abs(d)); {
	case most <= 0.99:
		s.bits = 23
	case most <= 1.98:
		s.bits = 22
	case most <= 3.96:
		s.bits = 21
	default:
		return
	}
	one := float64(int(1) << s.bits)
	for i := range s.u {
		s.u[i] = int32(math.Round(float64(i) * a * one))
		s.v[i] = int32(math.Round(float64(i) * d * one))
	}
}

// rail is a block of an affine row in fixed point.
type rail struct {
	u, v          int32   // the fractions of the first position, and the margin
	off           int32   // of the sample that it falls on
	bands, stride int32   // samples from one column, and row, to the next
	bits          int32   // after the point
	fraction      int32   // the bits after the point
	margin        int32   // stepMargin
	unit          float32 // 2^−bits
	clear         int32   // bits, of which one is set unless a fraction is within the margin of 0 or 1
}

// rail makes r the block of the grid's row that begins at x. It returns false
// if fixed point is too coarse for it.
func (g *grid) rail(r *rail, x int) bool {
	s := g.steps
	if s == nil || s.bits == 0 {
		return false
	}
	px := float64(x) + 0.5
	u, v := float64(g.m[0]*px), float64(g.m[3]*px)
	if !(math.Abs(u)+math.Abs(g.by)+math.Abs(g.m[2]) <= stepLimit && math.Abs(v)+math.Abs(g.ey)+math.Abs(g.m[5]) <= stepLimit) {
		return false
	}
	u, v = float64(u+g.by)+g.m[2]-g.sx, float64(v+g.ey)+g.m[5]-g.sy
	iu, iv := math.Floor(u), math.Floor(v)
	one := float64(int(1) << s.bits)
	// Field by field, as they are read.
	r.u, r.v = int32((u-iu)*one+0.5)+stepMargin, int32((v-iv)*one+0.5)+stepMargin
	r.off = int32(int64(float64(iu*g.bands) + float64(iv*g.stride) + g.base))
	r.bands, r.stride = int32(g.bands), int32(g.stride)
	r.bits, r.fraction, r.margin, r.unit = s.bits, 1<<s.bits-1, stepMargin, float32(1/one)
	r.clear = r.fraction &^ (2*stepMargin - 1)
	return true
}

// clearGo reports whether no fraction of the pixels at the steps u and v is
// within the margin of 0 or 1.
func clearGo(r *rail, u, v []int32) bool {
	for i := range u {
		if (u[i]+r.u)&r.clear == 0 || (v[i]+r.v)&r.clear == 0 {
			return false
		}
	}
	return true
}

// stepsGo is positionsGo for the pixels at the steps u and v of a rail. It
// returns whether they are clear.
func stepsGo(r *rail, u, v, off []int32, fx, fy []float32) bool {
	for i := range off {
		p, q := u[i]+r.u, v[i]+r.v
		fx[i], fy[i] = float32(p&r.fraction-r.margin)*r.unit, float32(q&r.fraction-r.margin)*r.unit
		off[i] = p>>r.bits*r.bands + q>>r.bits*r.stride + r.off
	}
	return clearGo(r, u[:len(off)], v)
}

// stepOffsetsGo is stepsGo without the fractions.
func stepOffsetsGo(r *rail, u, v, off []int32) bool {
	for i := range off {
		off[i] = (u[i]+r.u)>>r.bits*r.bands + (v[i]+r.v)>>r.bits*r.stride + r.off
	}
	return clearGo(r, u[:len(off)], v)
}

// blocks cuts n pixels from x on where blocks begin, and calls f with the
// first pixel of each run, its place in the n and in its block, and its length.
func blocks(x, n int, f func(x, at, in, n int)) {
	for at := 0; at < n; {
		in := (x + at) & (chunk - 1)
		m := min(n-at, chunk-in)
		f(x+at, at, in, m)
		at += m
	}
}

// positions is positionsGo, to a unit of steps. Positions are in
// fixed point in blocks that are clear throughout, even where only a part is
// needed, so that they do not depend on what that is.
func positions(set Set, g *grid, x int, off []int32, fx, fy []float32) {
	blocks(x, len(off), func(x, at, in, n int) {
		off, fx, fy := off[at:][:n], fx[at:][:n], fy[at:][:n]
		var r rail
		if g.rail(&r, x-in) && r.bits >= fineBits {
			u, v := g.steps.u[:], g.steps.v[:]
			if (n == chunk || clearOf(set, &r, u, v)) && stepPositions(set, &r, u[in:], v[in:], off, fx, fy) {
				return
			}
		}
		floatPositions(set, g, x, off, fx, fy)
	})
}

// offsets is offsetsGo.
func offsets(set Set, g *grid, x int, off []int32) {
	blocks(x, len(off), func(x, at, in, n int) {
		off := off[at:][:n]
		if n >= 32 {
			var r rail
			if g.rail(&r, x-in) && stepOffsets(set, &r, g.steps.u[in:], g.steps.v[in:], off) {
				return
			}
		}
		floatOffsets(set, g, x, off)
	})
}
