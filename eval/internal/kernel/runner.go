package kernel

import (
	"bytes"
	"image"
	"unsafe"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// runner is a job on the fast path. Rows are cut into the pixels that are
// invalid, those near an edge of the canvas, which the sampler computes one by
// one, and inner ones, all of whose taps exist. Inner pixels are computed a
// chunk at a time as if all taps were valid; those with an invalid tap are
// found afterwards and computed again by the sampler.
//
// Where a row is cut, and which pixels are computed again, depends on the
// canvas and the samples only.
type runner[T raster.Sample] struct {
	*sampler[T]
	*rowWriter
	scratch *Scratch
	nodata0 bool   // outside the canvas is invalid
	guard   []byte // per window pixel, see guardMap
	float   bool   // results may be NaN because a tap is
	masked  bool   // lerpValid may be used
	grid    grid
	// per sample of a chunk; nil if values are stored as they are
	mulRow, addRow []float64
}

func newRunner[T raster.Sample](j *Job, scratch *Scratch) *runner[T] {
	r := runnerOf[T](scratch)
	s := r.sampler
	s.reset(j)
	r.rowWriter.reset(j)
	*r = runner[T]{
		sampler: s, rowWriter: r.rowWriter, scratch: scratch,
		nodata0: j.Sampling.Border.Mode == ast.NoDataBorder,
		float:   j.Src.Type.IsFloat(),
	}
	r.grid = grid{m: s.inv, bands: float64(s.bands), stride: float64(s.stride)}
	r.grid.base = -float64(s.ay.w0)*r.grid.stride - float64(s.ax.w0)*r.grid.bands
	if s.affine {
		scratch.steps.set(s.inv[0], s.inv[3])
		r.grid.steps = &scratch.steps
	}
	scratch.off = grow(scratch.off, chunk)
	scratch.fx, scratch.fy = grow(scratch.fx, chunk), grow(scratch.fy, chunk)
	if j.Mul != nil || j.Add != nil {
		n := min(chunk, j.Rect.Dx()) * s.bands
		scratch.mul, scratch.add = grow(scratch.mul, n), grow(scratch.add, n)
		r.mulRow, r.addRow = scratch.mul, scratch.add
		repeat(r.mulRow, j.Mul, s.bands, 1)
		repeat(r.addRow, j.Add, s.bands, 0)
	}
	return r
}

// repeat fills dst with pixels of the given values; nil is all of one.
func repeat(dst, pixel []float64, bands int, one float64) {
	if pixel == nil {
		for b := range bands {
			dst[b] = one
		}
	} else {
		copy(dst, pixel)
	}
	for n := bands; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// release lets go of the job and its samples.
func (r *runner[T]) release() {
	r.sampler.release()
	r.rowWriter.release()
}

// tracks are the paths of both source coordinates along the row that the grid
// is at.
func (g *grid) tracks(sx, sy float64) (u, v track) {
	return track{g.m[0], g.by, g.m[2], sx}, track{g.m[3], g.ey, g.m[5], sy}
}

// valid narrows a run of an affine row to pixels whose source pixel exists.
func (r *runner[T]) valid(a, b int) (int, int) {
	if !r.nodata0 {
		return a, b
	}
	u, v := r.grid.tracks(-edgeTolerance, -edgeTolerance)
	a, b = u.within(a, b, 0, float64(r.ax.size-1))
	return v.within(a, b, 0, float64(r.ay.size-1))
}

// inner narrows a run of an affine row to the pixels all of whose nx×ny taps
// are in the canvas, and in the window, which holds them. From [c, d) on, the
// taps leave out the window's last row, so that loads may pass the end of a
// row.
func (r *runner[T]) inner(a, b, nx, ny int) (a1, b1, c, d int) {
	u, v := r.grid.tracks(r.grid.sx, r.grid.sy)
	x0, x1 := max(0, r.ax.w0), min(r.ax.size, r.ax.w1)
	y0, y1 := max(0, r.ay.w0), min(r.ay.size, r.ay.w1)
	a, b = u.within(a, b, float64(x0), float64(x1-nx))
	a, b = v.within(a, b, float64(y0), float64(y1-ny))
	c, d = v.within(a, b, float64(y0), float64(r.ay.w1-1-ny))
	if c >= d {
		c, d = b, b
	}
	return a, b, c, d
}

// rows calls f for every row's run of pixels that are in the domain and, if
// the transform is affine, have a source pixel; what is left of the row is
// made invalid. f returns how many samples it found invalid.
func (r *runner[T]) rows(f func(y, a, b int) int) (invalid int) {
	return r.rowsOf(r.job.Rect, f)
}

// rowsOf is rows for a part of the job's rectangle.
func (r *runner[T]) rowsOf(rect image.Rectangle, f func(y, a, b int) int) (invalid int) {
	j := r.job
	for y := rect.Min.Y; y < rect.Max.Y; y++ {
		a, b := j.Domain.Span(y, rect.Min.X, rect.Max.X)
		r.grid.row(y)
		if r.affine {
			a, b = r.valid(a, b)
		}
		if a >= b {
			invalid += r.invalid(rect.Min.X, rect.Max.X, y)
			continue
		}
		invalid += r.invalid(rect.Min.X, a, y)
		invalid += f(y, a, b)
		invalid += r.invalid(b, rect.Max.X, y)
	}
	return invalid
}

// each has the sampler compute a run.
func (r *runner[T]) each(y, a, b int) (invalid int) {
	for a < b {
		n := min(chunk, b-a)
		r.scratch.f64 = grow(r.scratch.f64, chunk*r.bands)
		v := r.scratch.f64[:n*r.bands]
		for i := range n {
			r.pixel(a+i, y, v[i*r.bands:][:r.bands])
		}
		invalid += r.write(image.Pt(a, y), v)
		a += n
	}
	return invalid
}

// guarded has the sampler compute those of n pixels from x on that have an
// invalid tap; off are the offsets of their first taps.
func (r *runner[T]) guarded(y, x int, off []int32) (invalid int) {
	if r.guard == nil {
		return 0
	}
	for i, o := range off {
		if r.isGuarded(o) {
			invalid += r.each(y, x+i, x+i+1)
		}
	}
	return invalid
}

// isGuarded reports whether the pixel whose first tap is at the offset has an
// invalid tap that the guard knows of.
func (r *runner[T]) isGuarded(off int32) bool {
	switch {
	case r.guard == nil:
		return false
	case r.bands == 1:
		return r.guard[off] != 0
	}
	return r.guard[uint32(off)/uint32(r.bands)] != 0
}

// contiguous reports whether a row of the output is a row of the job's bands
// and nothing else.
func (w *rowWriter) contiguous() bool { return w.dst.Bands == w.width }

// target is where the unscaled values of n pixels of row y from x on are to be
// put before finish: in the output itself where that can be.
func (r *runner[T]) target(y, x, n int) []float32 {
	if r.dst.Type == raster.Float32 && r.contiguous() {
		at := r.index(x, y)
		return raster.Samples[float32](r.dst)[at:][: n*r.bands : n*r.bands]
	}
	r.scratch.row = grow(r.scratch.row, chunk*r.bands+8)
	return r.scratch.row[:n*r.bands]
}

// finish scales the values in v, which target gave, and stores them. off are
// the offsets of the first taps, to look up the guard.
func (r *runner[T]) finish(y, x int, v []float32, off []int32) (invalid int) {
	clean := !r.float || finite(r.scratch.set, v)
	bands := r.bands
	n := len(v) / bands
	if !clean {
		r.scratch.bad = r.scratch.bad[:0]
		for i := range n {
			if !finiteGo(v[i*bands:][:bands]) && !r.isGuarded(off[i]) {
				r.scratch.bad = append(r.scratch.bad, int32(i))
			}
		}
	}
	r.finishFinite(y, x, v)
	if !clean {
		for _, i := range r.scratch.bad {
			invalid += r.each(y, x+int(i), x+int(i)+1)
		}
	}
	return invalid + r.guarded(y, x, off)
}

// finishFinite is finish without a look at what is invalid.
func (r *runner[T]) finishFinite(y, x int, v []float32) {
	if r.mulRow != nil {
		scale(r.scratch.set, v, r.mulRow, r.addRow)
	}
	r.store(y, x, v)
}

// store converts v to the output's type, all valid.
func (r *runner[T]) store(y, x int, v []float32) {
	at := r.index(x, y)
	switch r.dst.Type {
	case raster.Uint8:
		packRow(r.rowWriter, r.scratch, raster.Samples[uint8](r.dst), at, v)
	case raster.Int8:
		packRow(r.rowWriter, r.scratch, raster.Samples[int8](r.dst), at, v)
	case raster.Uint16:
		packRow(r.rowWriter, r.scratch, raster.Samples[uint16](r.dst), at, v)
	case raster.Int16:
		packRow(r.rowWriter, r.scratch, raster.Samples[int16](r.dst), at, v)
	case raster.Float32:
		if !r.contiguous() {
			spreadRow(r.rowWriter, raster.Samples[float32](r.dst), at, v)
		}
	case raster.Float64:
		spreadRow(r.rowWriter, raster.Samples[float64](r.dst), at, v)
	}
}

func packRow[D uint8 | int8 | uint16 | int16](w *rowWriter, scratch *Scratch, dst []D, at int, v []float32) {
	set := scratch.set
	row := rowFor(w, scratch, dst, at, len(v))
	pack(set, row, v)
	keepRow(w, dst, at, row)
}

// rowFor is where a row of n samples is to be put before keepRow: in the output
// itself, from the index at on, where that can be.
func rowFor[D raster.Sample](w *rowWriter, scratch *Scratch, dst []D, at, n int) []D {
	if w.contiguous() && !w.stream {
		return dst[at:][:n:n]
	}
	return scratchSamples[D](scratch, n)
}

// keepRow brings a row that rowFor gave to the output, all valid. It may be in
// its place there already.
func keepRow[D raster.Sample](w *rowWriter, dst []D, at int, row []D) {
	switch {
	case unsafe.SliceData(row) == unsafe.SliceData(dst[at:]):
	case w.stream:
		streamCopy(bytesIn(dst[at:][:len(row)]), bytesIn(row))
	case !w.contiguous():
		scatter(dst[at:], w.dst.Bands, row, w.width)
		w.setValidPixels(at, len(row)/w.width)
		return
	}
	w.setValid(at, len(row))
}

func spreadRow[D float32 | float64](w *rowWriter, dst []D, at int, v []float32) {
	if f, ok := any(dst).([]float32); ok {
		scatter(f[at:], w.dst.Bands, v, w.width)
		return
	}
	for i := 0; i < len(v); i += w.width {
		for b, x := range v[i:][:w.width] {
			dst[at+b] = D(x)
		}
		at += w.dst.Bands
	}
}

// setValid marks n samples from the index at on as valid.
func (w *rowWriter) setValid(at, n int) {
	switch {
	case w.dst.Mask == nil:
	case w.stream:
		streamOnes(w.dst.Mask[at:][:n])
	default:
		for m := w.dst.Mask[at:][:n]; len(m) > 0; {
			m = m[copy(m, allValid[:]):]
		}
	}
}

// setValidPixels is setValid for the bands of n pixels.
func (w *rowWriter) setValidPixels(at, n int) {
	if w.dst.Mask == nil {
		return
	}
	if w.width == 1 {
		scatter(w.dst.Mask[at:], w.dst.Bands, allValid[:min(n, len(allValid))], 1)
		if n > len(allValid) {
			w.setValidPixels(at+len(allValid)*w.dst.Bands, n-len(allValid))
		}
		return
	}
	for range n {
		w.setValid(at, w.width)
		at += w.dst.Bands
	}
}

var allValid = [1024]byte(bytes.Repeat([]byte{255}, 1024))
