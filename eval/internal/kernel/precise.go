package kernel

import (
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

const (
	edgeTolerance = geom.EdgeTolerance
	// modeTolerance is how close summed overlaps must be to count as equal.
	modeTolerance = 1e-6
	// halfKernel is the part of the full weight below which cubic and lanczos
	// give way to linear.
	halfKernel = 0.5 - 1e-6
)

// sampler computes single samples in float64, straight from the definition.
// It is what a Precise job runs on, and what every faster path falls back to
// at edges and next to invalid samples.
type sampler[T raster.Sample] struct {
	job    *Job
	pix    []T
	mask   []byte
	bands  int
	stride int
	ax, ay axis
	interp ast.Interpolation
	nodata [][]T // per band; nil where none
	mul    []float64
	add    []float64
	number []float64 // the border's number per band, scaled; NaN if it is nodata
	affine bool
	copies bool
	inv    geom.Transform
	fx, fy float64 // if affine

	lists          [][]T // the memory of nodata and number
	numbers        []float64
	tx, ty, lx, ly axisTaps
	votes          []vote
}

// reset makes s ready for a job.
func (s *sampler[T]) reset(j *Job) {
	src, n := j.Src, j.Src.Bands
	sampling := j.Sampling.Normalize()
	s.job, s.pix, s.mask, s.bands, s.stride = j, raster.Samples[T](src), src.Mask, n, src.W*n
	s.ax = axis{j.Canvas.W, sampling.Border.Mode, j.Origin.X, j.Origin.X + src.W}
	s.ay = axis{j.Canvas.H, sampling.Border.Mode, j.Origin.Y, j.Origin.Y + src.H}
	s.interp, s.mul, s.add = sampling.Interp, j.Mul, j.Add
	s.nodata, s.number = nil, nil
	s.inv, s.affine, s.copies = j.Inv, j.Inv.IsAffine(), false
	if exact, ok := j.Inv.Copy(); ok {
		s.inv, s.copies, s.interp = exact, true, ast.Nearest
	}
	if s.affine {
		s.fx, s.fy = sampling.Stretch(s.inv.Jacobian(0, 0))
	}
	if j.NoData != nil {
		for len(s.lists) < n {
			s.lists = append(s.lists, nil)
		}
		s.nodata = s.lists[:n]
		for b, values := range j.NoData {
			list := s.lists[b][:0]
			for _, v := range values {
				if t, ok := stored[T](v); ok {
					list = append(list, t)
				}
			}
			s.lists[b] = list
		}
	}
	if sampling.Border.Mode == ast.ValueBorder {
		s.number = grow(s.numbers, n)
		s.numbers = s.number
		for b := range s.number {
			s.number[b] = j.number(b)
		}
	}
}

// release lets go of the job and its samples.
func (s *sampler[T]) release() {
	s.job, s.pix, s.mask, s.mul, s.add = nil, nil, nil, nil, nil
}

// number is what the number of a value border is worth in a band, NaN if it is
// a nodata value there.
func (j *Job) number(band int) float64 {
	v := j.Sampling.Border.Value
	if j.NoData != nil {
		for _, n := range j.NoData[band] {
			if v == n || j.Src.Type == raster.Float32 && v == float64(float32(n)) {
				return math.NaN()
			}
		}
	}
	if j.Mul != nil {
		v = float64(v * j.Mul[band])
	}
	if j.Add != nil {
		v += j.Add[band]
	}
	return v
}

// stored is v in the stored type; ok is false if the type cannot hold it. A
// float32 holds the value nearest to v.
func stored[T raster.Sample](v float64) (t T, ok bool) {
	d := raster.TypeOf[T]()
	if v != v {
		return 0, false // NaN is invalid anyhow
	}
	if d.IsFloat() {
		return T(v), true
	}
	lo, hi := d.Range()
	if v < lo || v > hi || v != math.Trunc(v) {
		return 0, false
	}
	return T(v), true
}

func (s *sampler[T]) scale(v float64, band int) float64 {
	if s.mul != nil {
		v = float64(v * s.mul[band])
	}
	if s.add != nil {
		v += s.add[band]
	}
	return v
}

// at is the scaled sample of a band at window indices, NaN where invalid.
func (s *sampler[T]) at(ix, iy, band int) float64 {
	if ix < 0 || iy < 0 {
		// Beyond the canvas along either axis, the number counts.
		if ix == tapNumber || iy == tapNumber {
			return s.number[band]
		}
		return math.NaN()
	}
	i := iy*s.stride + ix*s.bands + band
	t := s.pix[i]
	if s.mask != nil && s.mask[i] == 0 {
		return math.NaN()
	}
	if s.nodata != nil {
		for _, n := range s.nodata[band] {
			if t == n {
				return math.NaN()
			}
		}
	}
	v := float64(t)
	if v-v != 0 {
		return math.NaN()
	}
	return s.scale(v, band)
}

// pixel computes the output pixel (x, y) into out, a value a band, NaN where
// invalid. The domain is the caller's.
func (s *sampler[T]) pixel(x, y int, out []float64) {
	px, py := float64(x)+0.5, float64(y)+0.5
	u, v := s.inv.Apply(px, py)
	// Not a number where a projective point is at infinity.
	if (!s.affine && !(s.inv.Denominator(px, py) > 0)) || u != u || v != v {
		invalidate(out)
		return
	}
	cx, cy := s.ax.contains(u), s.ay.contains(v)
	ready, spare := false, false
	for b := range out {
		out[b] = s.at(cx, cy, b)
		if s.interp == ast.Nearest || out[b] != out[b] {
			continue
		}
		if !ready {
			fx, fy := s.fx, s.fy
			if !s.affine {
				fx, fy = s.job.Sampling.Stretch(s.inv.Jacobian(px, py))
			}
			s.tx.set(s.interp, &s.ax, u, fx)
			s.ty.set(s.interp, &s.ay, v, fy)
			ready = true
		}
		if s.tx.beyond || s.ty.beyond {
			continue // the number itself
		}
		if s.interp == ast.Mode {
			out[b] = s.mode(b)
			continue
		}
		sum, weight := s.sum(&s.tx, &s.ty, b, out[b])
		if (s.interp == ast.Cubic || s.interp == ast.Lanczos) && weight < halfKernel*s.tx.all*s.ty.all {
			if !spare {
				fx, fy := s.fx, s.fy
				if !s.affine {
					fx, fy = s.job.Sampling.Stretch(s.inv.Jacobian(px, py))
				}
				s.lx.set(ast.Linear, &s.ax, u, fx)
				s.ly.set(ast.Linear, &s.ay, v, fy)
				spare = true
			}
			sum, weight = s.sum(&s.lx, &s.ly, b, out[b])
		}
		out[b] += sum / weight
	}
}

func invalidate(out []float64) {
	for b := range out {
		out[b] = math.NaN()
	}
}

// runPrecise fills the rectangle sample by sample.
func runPrecise[T raster.Sample](j *Job, scratch *Scratch) (invalid int) {
	r := runnerOf[T](scratch)
	s, w, n := r.sampler, r.rowWriter, j.Src.Bands
	s.reset(j)
	w.reset(j)
	scratch.f64 = grow(scratch.f64, j.Rect.Dx()*n)
	for y := j.Rect.Min.Y; y < j.Rect.Max.Y; y++ {
		a, b := j.Domain.Span(y, j.Rect.Min.X, j.Rect.Max.X)
		invalid += w.invalid(j.Rect.Min.X, a, y)
		row := scratch.f64[:(b-a)*n]
		for x := a; x < b; x++ {
			s.pixel(x, y, row[(x-a)*n:(x-a+1)*n])
		}
		invalid += w.write(image.Pt(a, y), row)
		invalid += w.invalid(b, j.Rect.Max.X, y)
	}
	return invalid
}

// grow returns a slice of length n, reusing s where it is large enough. What
// it holds is not defined.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n+n/4)[:n]
	}
	return s[:n]
}
