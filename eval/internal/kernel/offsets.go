package kernel

import "math"

// offsetsGo is positionsGo without the fractions.
func offsetsGo(g *grid, x int, off []int32) {
	for i := range off {
		px := float64(x+i) + 0.5
		u := float64(float64(float64(g.m[0]*px)+g.by)+g.m[2]) - g.sx
		v := float64(float64(float64(g.m[3]*px)+g.ey)+g.m[5]) - g.sy
		off[i] = int32(float64(math.Floor(u)*g.bands) + float64(math.Floor(v)*g.stride) + g.base)
	}
}
