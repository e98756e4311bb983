package kernel

import "math"

// Denominators in this range have a reciprocal that float32 holds.
const (
	leastDenominator    = 1e-30
	greatestDenominator = 1e30
)

// reciprocal is 1/w, to 1e-13 of it: the division is in single precision,
// which vectors do several times as fast, and a step of Newton's method does
// the rest. A position is off by far less than the tolerance of an edge.
func reciprocal(w float64) float64 {
	r := float64(1 / float32(w))
	return r * math.FMA(-w, r, 2)
}

// projectGo is positionsGo for a projective map. ok is −1 for pixels with a
// positive denominator, a first tap within the bounds, and a stretch within
// the limit; for others it is 0, and the rest undefined.
func projectGo(g *grid, x int, off []int32, fx, fy []float32, ok []int32) {
	c, f, h := g.by+g.m[2], g.ey+g.m[5], g.hy+g.m[8]
	for i := range off {
		px := float64(x+i) + 0.5
		w := math.FMA(g.m[6], px, h)
		r := reciprocal(w)
		nu, nv := math.FMA(g.m[0], px, c), math.FMA(g.m[3], px, f)
		u, v := float64(nu*r), float64(nv*r)
		ux, uy := g.m[0]-float64(u*g.m[6]), g.m[1]-float64(u*g.m[7])
		vx, vy := g.m[3]-float64(v*g.m[6]), g.m[4]-float64(v*g.m[7])
		most := float64(w*w) * g.limit
		u, v = math.FMA(nu, r, -g.sx), math.FMA(nv, r, -g.sy)
		iu, iv := math.Floor(u), math.Floor(v)
		ok[i] = 0
		if w >= leastDenominator && w <= greatestDenominator && iu >= g.x0 && iu <= g.x1 && iv >= g.y0 && iv <= g.y1 &&
			float64(ux*ux)+float64(uy*uy) <= most && float64(vx*vx)+float64(vy*vy) <= most {
			ok[i] = -1
			fx[i], fy[i] = float32(u-iu), float32(v-iv)
			off[i] = int32(float64(iu*g.bands) + float64(iv*g.stride) + g.base)
		}
	}
}

// projectInnerGo is projectGo for pixels that are known to be ok.
func projectInnerGo(g *grid, x int, off []int32, fx, fy []float32) {
	c, f, h := g.by+g.m[2], g.ey+g.m[5], g.hy+g.m[8]
	for i := range off {
		px := float64(x+i) + 0.5
		r := reciprocal(math.FMA(g.m[6], px, h))
		u := math.FMA(math.FMA(g.m[0], px, c), r, -g.sx)
		v := math.FMA(math.FMA(g.m[3], px, f), r, -g.sy)
		iu, iv := math.Floor(u), math.Floor(v)
		fx[i], fy[i] = float32(u-iu), float32(v-iv)
		off[i] = int32(float64(iu*g.bands) + float64(iv*g.stride) + g.base)
	}
}

// inner reports whether projectGo would find the n pixels from x on all ok. It
// looks at the two ends: between them the position runs one way, so that it
// and the terms of the stretch are largest at one of the two. Doubt is false.
func (g *grid) inner(x, n int) bool {
	const slack = 1e-6
	var most [4]float64
	least := math.Inf(1)
	for _, px := range [2]float64{float64(x) + 0.5, float64(x+n-1) + 0.5} {
		w := g.m[6]*px + g.hy + g.m[8]
		if !(w >= 2*leastDenominator && w <= greatestDenominator/2) {
			return false
		}
		u, v := (g.m[0]*px+g.by+g.m[2])/w, (g.m[3]*px+g.ey+g.m[5])/w
		su, sv := u-g.sx, v-g.sy
		if !(su >= g.x0+slack && su <= g.x1+1-slack && sv >= g.y0+slack && sv <= g.y1+1-slack) {
			return false
		}
		least = min(least, w)
		for k, d := range [4]float64{g.m[0] - u*g.m[6], g.m[1] - u*g.m[7], g.m[3] - v*g.m[6], g.m[4] - v*g.m[7]} {
			most[k] = max(most[k], math.Abs(d))
		}
	}
	limit := least * least * g.limit * (1 - 1e-8)
	return most[0]*most[0]+most[1]*most[1] <= limit && most[2]*most[2]+most[3]*most[3] <= limit
}
