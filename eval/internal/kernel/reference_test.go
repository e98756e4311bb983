package kernel

import (
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// reference computes one sample from the definition in the design, with
// nothing shared with the kernels: loops over every pixel that could count.
type reference struct{ *Job }

// sample is the stored source sample at canvas coordinates, scaled.
func (r reference) sample(x, y, band int) (float64, bool) {
	b := r.Sampling.Border
	fold := func(i, n int) (int, bool) {
		if i >= 0 && i < n {
			return i, true
		}
		switch b.Mode {
		case ast.ClampBorder:
			return max(0, min(i, n-1)), true
		case ast.WrapBorder:
			return ((i % n) + n) % n, true
		case ast.ReflectBorder:
			for i < 0 || i >= n {
				if i < 0 {
					i = -1 - i
				} else {
					i = 2*n - 1 - i
				}
			}
			return i, true
		}
		return 0, false
	}
	x, okx := fold(x, r.Canvas.W)
	y, oky := fold(y, r.Canvas.H)
	var v float64
	ok := true
	switch {
	case okx && oky:
		if !image.Pt(x, y).Sub(r.Origin).In(r.Src.Bounds()) {
			return 0, false
		}
		v, ok = r.Src.At(x-r.Origin.X, y-r.Origin.Y, band)
		ok = ok && !math.IsInf(v, 0)
	case b.Mode == ast.ValueBorder:
		v = b.Value
	default:
		return 0, false
	}
	if r.NoData != nil {
		for _, n := range r.NoData[band] {
			if v == n || r.Src.Type.Size() == 4 && r.Src.Type.IsFloat() && v == float64(float32(n)) {
				ok = false
			}
		}
	}
	if r.Mul != nil {
		v *= r.Mul[band]
	}
	if r.Add != nil {
		v += r.Add[band]
	}
	return v, ok
}

func refKernel(k ast.Interpolation, t float64) float64 {
	t = math.Abs(t)
	sinc := func(x float64) float64 {
		if x == 0 {
			return 1
		}
		return math.Sin(math.Pi*x) / (math.Pi * x)
	}
	const a = -0.5
	switch {
	case k == ast.Linear && t < 1:
		return 1 - t
	case k == ast.Cubic && t < 1:
		return (a+2)*t*t*t - (a+3)*t*t + 1
	case k == ast.Cubic && t < 2:
		return a*t*t*t - 5*a*t*t + 8*a*t - 4*a
	case k == ast.Lanczos && t < 3:
		return sinc(t) * sinc(t/3)
	}
	return 0
}

func (r reference) at(x, y, band int) (float64, bool) {
	px, py := float64(x)+.5, float64(y)+.5
	if r.Domain != nil {
		for _, h := range r.Domain.Planes() {
			if !h.Contains(px, py) {
				return 0, false
			}
		}
	}
	m := r.Inv
	exact, isCopy := m.Copy()
	if isCopy {
		m = exact
	}
	den := m[6]*px + m[7]*py + m[8]
	if !(den > 0) {
		return 0, false
	}
	u, v := (m[0]*px+m[1]*py+m[2])/den, (m[3]*px+m[4]*py+m[5])/den
	cx, cy := int(math.Floor(u+1e-6)), int(math.Floor(v+1e-6))
	if r.Sampling.Border.Mode == ast.NoDataBorder && (cx < 0 || cy < 0 || cx >= r.Canvas.W || cy >= r.Canvas.H) {
		return 0, false
	}
	own, ok := r.sample(cx, cy, band)
	if !ok || isCopy || r.Sampling.Interp == ast.Nearest {
		return own, ok
	}
	fx, fy := 1.0, 1.0
	if k := r.Sampling.Interp; r.Sampling.Antialias || k == ast.Area || k == ast.Mode {
		fx = max(1, math.Hypot((m[0]-u*m[6])/den, (m[1]-u*m[7])/den))
		fy = max(1, math.Hypot((m[3]-v*m[6])/den, (m[4]-v*m[7])/den))
	}
	return r.mean(r.Sampling.Interp, u, v, fx, fy, band)
}

func (r reference) mean(k ast.Interpolation, u, v, fx, fy float64, band int) (float64, bool) {
	if fx*fy > 1e5 {
		return math.NaN(), true // next to the horizon; too many taps to add up here
	}
	weight := func(i int, u, f float64) float64 {
		if k == ast.Area || k == ast.Mode {
			return max(0, min(float64(i)+1, u+f/2)-max(float64(i), u-f/2))
		}
		return refKernel(k, (float64(i)+.5-u)/f)
	}
	var sum, valid, full float64
	share := map[float64]float64{}
	for y := int(math.Floor(v - 3*fy - 2)); y <= int(v+3*fy+2); y++ {
		wy := weight(y, v, fy)
		for x := int(math.Floor(u - 3*fx - 2)); wy != 0 && x <= int(u+3*fx+2); x++ {
			w := wy * weight(x, u, fx)
			full += w
			if s, ok := r.sample(x, y, band); ok && w != 0 {
				valid += w
				sum += w * s
				share[s] += w
			}
		}
	}
	switch {
	case k == ast.Mode:
		most, best := 0.0, math.Inf(1)
		for _, w := range share {
			most = max(most, w)
		}
		for s, w := range share {
			if w >= most-1e-6 {
				best = min(best, s)
			}
		}
		return best, true
	case (k == ast.Cubic || k == ast.Lanczos) && valid < (0.5-1e-6)*full:
		return r.mean(ast.Linear, u, v, fx, fy, band)
	}
	return sum / valid, true
}

var _ = geom.Identity
