package kernel

import (
	"math"

	"github.com/rewarp/rewarp/ast/geom"
)

// aheadRows is how many rows of the output samples are fetched ahead.
const aheadRows = 4

// aheadBytes is the size of a pixel from which that is worth it.
const aheadBytes = 2

// ahead says where the samples lie that a map needs some rows of the
// output later. Processors do not foresee a walk across rows of the source.
type ahead struct {
	delta int // samples from those of a pixel to those of the one below by aheadRows
	step  int // pixels from one fetch to the next; 0 is none
}

// newAhead is for a grid whose pixels have the given number of bytes.
func newAhead(g *grid, pixel int) ahead {
	return aheadOf(g, pixel, g.m[0], g.m[3], aheadRows*g.m[1], aheadRows*g.m[4])
}

// aheadAt is newAhead for n pixels of a projective map from (x, y) on.
func aheadAt(g *grid, pixel, x, y, n int) ahead {
	if pixel < aheadBytes || n < 2 {
		return ahead{}
	}
	m := geom.Transform(g.m)
	px, py := float64(x)+0.5, float64(y)+0.5
	u, v := m.Apply(px, py)
	ru, rv := m.Apply(px+float64(n-1), py)
	du, dv := m.Apply(px, py+aheadRows)
	return aheadOf(g, pixel, (ru-u)/float64(n-1), (rv-v)/float64(n-1), du-u, dv-v)
}

// aheadOf is for pixels that are (a, d) apart, and (b, e) from those that are
// needed later.
func aheadOf(g *grid, pixel int, a, d, b, e float64) ahead {
	delta := math.Round(b)*g.bands + math.Round(e)*g.stride
	lines := max(math.Abs(d), math.Abs(a)*float64(pixel)/64) // of the cache, a pixel
	if pixel < aheadBytes || d == 0 || !(math.Abs(delta) < math.MaxInt32 && lines > 1.0/64) {
		return ahead{}
	}
	return ahead{int(delta), max(1, int(1/lines))}
}
