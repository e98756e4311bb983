package kernel

import (
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
)

// reference computes one sample from the definition in the design, with
// nothing shared with the kernels: loops over every pixel that could count, or
// is folded onto one that could.
type reference struct {
	*Job
	axes map[axisAt]*shares
	left int // pixels along an axis that may still be looped over
}

// A reference gives up on samples next to the horizon, where a single one could
// take longer than all others.
const (
	refStretch = 1e5 // the most, along either axis
	refLoops   = 1e7 // pixels along an axis that are looped over for one job
)

func newReference(j *Job) *reference {
	return &reference{Job: j, axes: map[axisAt]*shares{}, left: refLoops}
}

// sample is what a job should have computed; a valid NaN is not known.
type sample struct {
	v  float64
	ok bool
}

// all is every sample of the job, row by row.
func (r *reference) all() []sample {
	var all []sample
	for y := r.Rect.Min.Y; y < r.Rect.Max.Y; y++ {
		for x := r.Rect.Min.X; x < r.Rect.Max.X; x++ {
			for b := range r.Src.Bands {
				v, ok := r.at(x, y, b)
				all = append(all, sample{v, ok})
			}
		}
	}
	return all
}

// fold is where a pixel beyond the n of an axis is repeated from.
func (r *reference) fold(i, n int) (int, bool) {
	if i >= 0 && i < n {
		return i, true
	}
	switch r.Sampling.Border.Mode {
	case ast.ClampBorder:
		return max(0, min(i, n-1)), true
	case ast.WrapBorder:
		return ((i % n) + n) % n, true
	case ast.ReflectBorder:
		i = ((i % (2 * n)) + 2*n) % (2 * n)
		return min(i, 2*n-1-i), true
	}
	return 0, false
}

// stored is the source sample at canvas coordinates, scaled.
func (r *reference) stored(x, y, band int) (float64, bool) {
	b := r.Sampling.Border
	x, okx := r.fold(x, r.Canvas.W)
	y, oky := r.fold(y, r.Canvas.H)
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

func (r *reference) at(x, y, band int) (float64, bool) {
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
	own, ok := r.stored(cx, cy, band)
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

// axisAt is a kernel along one axis.
type axisAt struct {
	interp ast.Interpolation
	u, f   float64
	size   int
}

// shares is what the pixels of an axis weigh under a kernel. The pixel -1 stands
// for all beyond the border that are not folded back.
type shares struct {
	pixel  []int
	weight []float64
	all    float64
}

// along adds up the shares of an axis, or is nil where that takes too long.
func (r *reference) along(k axisAt) *shares {
	if s := r.axes[k]; s != nil {
		return s
	}
	lo, hi := k.u-3*k.f-2, k.u+3*k.f+2 // no kernel reaches farther
	if k.f > refStretch || hi-lo > float64(r.left) {
		return nil
	}
	r.left -= int(hi - lo)
	weight := make([]float64, k.size+1) // the first is for the pixel -1
	var s shares
	for i := int(math.Floor(lo)); i <= int(hi); i++ {
		w := refKernel(k.interp, (float64(i)+.5-k.u)/k.f)
		if k.interp == ast.Area || k.interp == ast.Mode {
			w = max(0, min(float64(i)+1, k.u+k.f/2)-max(float64(i), k.u-k.f/2))
		}
		s.all += w
		if at, ok := r.fold(i, k.size); ok {
			weight[at+1] += w
		} else {
			weight[0] += w
		}
	}
	for i, w := range weight {
		if w != 0 {
			s.pixel, s.weight = append(s.pixel, i-1), append(s.weight, w)
		}
	}
	r.axes[k] = &s
	return &s
}

// mean is the weighted mean of the samples under the kernel, or for mode the
// one that weighs most; NaN where that takes too long.
func (r *reference) mean(k ast.Interpolation, u, v, fx, fy float64, band int) (float64, bool) {
	sx, sy := r.along(axisAt{k, u, fx, r.Canvas.W}), r.along(axisAt{k, v, fy, r.Canvas.H})
	if sx == nil || sy == nil {
		return math.NaN(), true
	}
	var sum, valid float64
	full := sx.all * sy.all
	share := map[float64]float64{}
	for i, y := range sy.pixel {
		for j, x := range sx.pixel {
			w := sy.weight[i] * sx.weight[j]
			if s, ok := r.stored(x, y, band); ok && w != 0 {
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
