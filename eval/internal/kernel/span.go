package kernel

import "math"

// track is how one source coordinate runs along a row of the canvas: pixel x
// is at column or row ⌊a·(x+½) + b + c − shift⌋. It never turns back, so the
// pixels of any range of columns are one run.
type track struct{ a, b, c, shift float64 }

func (t *track) at(x int) float64 {
	return math.Floor(t.position(x) - t.shift)
}

// position is the source coordinate of the centre of pixel x.
func (t *track) position(x int) float64 {
	return float64(float64(t.a*(float64(x)+0.5))+t.b) + t.c
}

// within narrows [x0, x1) to the pixels whose column is from lo to hi.
func (t *track) within(x0, x1 int, lo, hi float64) (int, int) {
	if x0 >= x1 {
		return x0, x0
	}
	p, q := t.at(x0), t.at(x1-1)
	if p >= lo && p <= hi && q >= lo && q <= hi {
		return x0, x1 // and so is all between
	}
	if t.a == 0 {
		return x0, x0
	}
	// Where a falls, the far edge comes first.
	near, far := lo, hi+1
	inNear := func(x int) bool { return t.at(x) >= lo }
	inFar := func(x int) bool { return t.at(x) > hi }
	if t.a < 0 {
		near, far = far, near
		inNear = func(x int) bool { return t.at(x) <= hi }
		inFar = func(x int) bool { return t.at(x) < lo }
	}
	first := t.first(x0, x1, near, inNear)
	return first, t.first(first, x1, far, inFar)
}

// first is the first pixel of [x0, x1) past the edge at v, where past, false
// then true along the row, says what counts; x1 if there is none. It starts
// from the analytic crossing, so that it takes a few steps.
func (t *track) first(x0, x1 int, v float64, past func(int) bool) int {
	g := (v+t.shift-t.c-t.b)/t.a - 0.5
	lo, hi := x0-1, x1 // past(lo) is false or lo is before the row, past(hi) is true or hi is after it
	if g > float64(x0)-2 && g < float64(x1)+2 {
		for d := -2; d <= 2; d++ {
			k := int(math.Floor(g)) + d
			if k <= lo || k >= hi {
				continue
			}
			if past(k) {
				hi = k
			} else {
				lo = k
			}
		}
	}
	for hi-lo > 1 {
		if m := lo + (hi-lo)/2; past(m) {
			hi = m
		} else {
			lo = m
		}
	}
	return hi
}
