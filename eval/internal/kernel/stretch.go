package kernel

import (
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// stretchSamples is about how many samples of a row are computed at a time: the
// rows that a vertical sum needs, and the weights, stay in the second cache.
const stretchSamples = 6144

// stretcher computes an axis-aligned scale along x first: for maps that do not
// reduce along y, and for bytes, see canShrink. Each row of the source is
// stretched once for a block of columns and kept for as long as output rows
// need it.
type stretcher[T narrow] struct {
	*runner[T]
	cols, rows *axisPlan
	base       []int32 // of a vector's samples in the source's row
	taps       []int32 // of a sample's first tap, from its vector's base
	w          []float32
	near       bool // all indices are less than a vector
	shrinks    bool // a shrinker is in place of these
	shrinker   *shrinker
	lo, hi     int // columns of the source that the block reads
	source     []float32
	ring       []float32 // stretched rows
	held       []int     // the row in each slot of the ring
	peaks      []uint32  // of each slot, where the source is float
	step       int       // from one slot to the next
	at         []int
	wy         []float32
}

// run computes all of the job.
func (s *stretcher[T]) run() (invalid int) {
	rect := s.job.Rect
	pixels := max(chunk, stretchSamples/s.bands)
	sc := s.scratch
	slots := s.rows.n
	if s.shrinks { // those that come with one that is needed
		slots = (slots + 2*shrinkRows - 2) / shrinkRows * shrinkRows
	}
	sc.held, sc.ringAt, sc.ringW = grow(sc.held, slots), grow(sc.ringAt, s.rows.n), grow(sc.ringW, s.rows.n)
	sc.peaks = grow(sc.peaks, s.rows.n)
	s.held, s.at, s.wy, s.peaks = sc.held, sc.ringAt, sc.ringW, sc.peaks
	for x := rect.Min.X; x < rect.Max.X; x += pixels {
		part := rect
		part.Min.X, part.Max.X = x, min(x+pixels, rect.Max.X)
		a, b := max(x, s.cols.a), min(part.Max.X, s.cols.b)
		if a < b {
			s.prepare(a, b)
		}
		alone := func(y, x0, x1 int) int {
			lo, hi := max(a, x0), min(b, x1)
			if lo >= hi || y < s.rows.a || y >= s.rows.b {
				return s.each(y, x0, x1)
			}
			invalid := s.each(y, x0, lo) + s.each(y, hi, x1)
			return invalid + s.spans(s.cols, y, lo, hi, s.rows.share[y-s.rows.a], func(x0, x1 int) int { return s.row(y, x0, x1, a) })
		}
		steady := s.steady(a, b)
		for y := rect.Min.Y; y < rect.Max.Y; {
			part.Min.Y, part.Max.Y = y, y+1
			if n := s.alike(y, rect.Max.Y); steady && n > 0 {
				part.Max.Y = y + n
				if k, ok := s.together(part, a, b); ok {
					invalid += k
					y += n
					continue
				}
				part.Max.Y = y + 1
			}
			invalid += s.rowsOf(part, alone)
			y++
		}
	}
	if s.streams() {
		endStream(sc.set)
	}
	return invalid
}

// prepare lays out the taps of the columns [a, b).
func (s *stretcher[T]) prepare(a, b int) {
	sc, lanes := s.scratch, s.scratch.set.lanes()
	n := (b - a) * s.bands
	s.step = (n + 15) &^ 15
	if s.shrinks {
		s.step += 16 // what is written past a row's end
	}
	sc.ring = grow(sc.ring, s.step*len(s.held)+64)
	s.ring = sc.ring
	for i := range s.held {
		s.held[i] = math.MinInt
	}
	if s.shrinks {
		s.shrinker = sc.shrinkers.columns(sc.set, s.cols, a, b, s.ax.w0, s.job.Src.W, s.bands)
		return
	}
	s.lo, s.hi = s.cols.reach(a, b)
	sc.index, sc.base = grow(sc.index, s.step), grow(sc.base, s.step/lanes)
	sc.wx = grow(sc.wx, s.step*s.cols.n)
	s.taps, s.base, s.w = sc.index, sc.base, sc.wx
	for i := range b - a {
		first := int32((s.cols.first[a+i-s.cols.a] - s.lo) * s.bands)
		w := s.cols.weights(a + i)
		for c := range s.bands {
			s.taps[i*s.bands+c] = first + int32(c)
		}
		for k, v := range w {
			row := s.w[k*s.step+i*s.bands:][:s.bands]
			for c := range row {
				row[c] = v
			}
		}
	}
	for i := n; i < s.step; i++ { // what fills the last vector
		s.taps[i] = s.taps[n-1]
		for k := range s.cols.n {
			s.w[k*s.step+i] = 0
		}
	}
	s.near = true
	for g := range s.base {
		v := s.taps[g*lanes:][:lanes]
		lo, hi := v[0], v[0]
		for _, i := range v {
			lo, hi = min(lo, i), max(hi, i)
		}
		s.base[g] = lo
		s.near = s.near && hi-lo < int32(lanes)
		for k := range v {
			v[k] -= lo
		}
	}
	sc.column = grow(sc.column, (s.hi-s.lo)*s.bands+64)
	s.source = sc.column
}

// row computes the pixels [x0, x1) of row y; the block begins at column a.
func (s *stretcher[T]) row(y, x0, x1, a int) (invalid int) {
	top := s.rows.first[y-s.rows.a]
	s.at, s.wy = s.at[:0], s.wy[:0]
	for k, w := range s.rows.weights(y) {
		if w == 0 {
			continue
		}
		s.at = append(s.at, s.hold(top+k)*s.step+(x0-a)*s.bands)
		s.wy = append(s.wy, w)
	}
	return s.blend(y, x0, x1, top)
}

// hold has a row of the source stretched, and returns its slot.
func (s *stretcher[T]) hold(row int) (slot int) {
	slot = modulo(row, len(s.held))
	if s.held[slot] == row {
		return slot
	}
	if s.shrinks {
		s.shrink(row)
		return slot
	}
	s.held[slot] = row
	v := s.ring[slot*s.step:][:s.step]
	stretch(s.scratch.set, s.near, v, s.sourceRow(row), s.base, s.taps, s.w, s.cols.n, s.bands, s.step)
	if s.float {
		s.peaks[slot] = peak(s.scratch.set, v)
	}
	return slot
}

// shrink is hold for bytes: it takes in the rows beside the given one.
func (s *stretcher[T]) shrink(row int) {
	from := row &^ (shrinkRows - 1)
	lo, hi := max(from, 0, s.ay.w0), min(from+shrinkRows, s.ay.size, s.ay.w1)
	slot := modulo(lo, len(s.held))
	for i := range hi - lo {
		s.held[slot+i] = lo + i
	}
	pix, _ := any(s.pix).([]uint8)
	shrink(s.scratch.set, s.ring[slot*s.step:], s.step, pix, (lo-s.ay.w0)*s.stride, s.stride, hi-lo, s.shrinker)
}

// finishTaps is finish for pixels whose taps plans give, a chunk at a time.
func (r *runner[T]) finishTaps(cols, rows *axisPlan, y, x int, v []float32, top int) (invalid int) {
	for len(v) > 0 {
		m := min(chunk, len(v)/r.bands)
		invalid += r.finish(y, x, v[:m*r.bands], r.tapOffsets(cols, rows, x, m, top))
		v, x = v[m*r.bands:], x+m
	}
	return invalid
}

// tapOffsets are the offsets of the first taps of up to a chunk of pixels, in
// the guard where there is one; nil if nothing is looked up.
func (r *runner[T]) tapOffsets(cols, rows *axisPlan, x, n, top int) []int32 {
	if r.guard == nil && !r.float {
		return nil
	}
	off := r.scratch.off[:n]
	base := (top - r.ay.w0 + rows.n - 1) * (r.job.Src.W + cols.n - 1)
	for i := range off {
		off[i] = int32((base + cols.first[x+i-cols.a] - r.ax.w0 + cols.n - 1) * r.bands)
	}
	return off
}

// blend sums stretched rows to the pixels [x0, x1) of row y.
func (s *stretcher[T]) blend(y, x0, x1, top int) (invalid int) {
	n, set := (x1-x0)*s.bands, s.scratch.set
	if s.dst.Type == raster.Uint8 && s.mulRow == nil && !s.float {
		s.blendBytes(y, x0, n)
		for ; x0 < x1 && s.guard != nil; x0 += chunk {
			invalid += s.guarded(y, x0, s.tapOffsets(s.cols, s.rows, x0, min(chunk, x1-x0), top))
		}
		return invalid
	}
	var v []float32
	if s.dst.Type == raster.Float32 && s.contiguous() {
		v = raster.Samples[float32](s.dst)[s.index(x0, y):][:n:n]
	} else {
		s.scratch.row = grow(s.scratch.row, n)
		v = s.scratch.row[:n]
	}
	blend(set, v, n, 0, s.ring, s.at, s.wy)
	if s.mulRow == nil && s.guard == nil && (!s.float || finite(set, v)) {
		s.store(y, x0, v)
		return 0
	}
	return s.finishTaps(s.cols, s.rows, y, x0, v, top)
}

// blendBytes sums stretched rows to n samples of row y from x on.
func (s *stretcher[T]) blendBytes(y, x, n int) {
	dst, at := raster.Samples[uint8](s.dst), s.index(x, y)
	if s.contiguous() {
		blendUint8(s.scratch.set, dst[at:][:n], n, 0, s.ring, s.at, s.wy)
		s.setValid(at, n)
		return
	}
	packed := scratchSamples[uint8](s.scratch, n)
	blendUint8(s.scratch.set, packed, n, 0, s.ring, s.at, s.wy)
	scatter(dst[at:], s.dst.Bands, packed, s.width)
	s.setValidPixels(at, n/s.width)
}

// leastShare is the part of the kernel that has to exist for it to be used.
func (r *runner[T]) leastShare() float64 {
	if r.interp == ast.Cubic || r.interp == ast.Lanczos {
		return halfKernel + 1e-9
	}
	return 0
}

// spans calls f for the pixels [x0, x1) of a row of which this share of the
// kernel exists along y, leaving out those that the sampler computes: gaps of
// the plan, and where too little of the kernel exists, since linear is used
// there.
func (r *runner[T]) spans(cols *axisPlan, y, x0, x1 int, share float64, f func(x0, x1 int) int) (invalid int) {
	least := r.leastShare()
	// On a source narrower than the kernel one axis alone may leave too little.
	if share <= least {
		return r.each(y, x0, x1)
	}
	for _, x := range cols.part {
		if x < x0 || x >= x1 || share*cols.share[x-cols.a] > least {
			continue
		}
		if x0 < x {
			invalid += f(x0, x)
		}
		invalid += r.each(y, x, x+1)
		x0 = x + 1
	}
	if x0 < x1 {
		invalid += f(x0, x1)
	}
	return invalid
}

// sourceRow is what the block reads of a row of the source, and a vector more:
// the source's own memory where that will do.
func (s *stretcher[T]) sourceRow(row int) []float32 {
	pix, ok := any(s.pix).([]float32)
	iy := s.ay.index(row)
	if ok && iy >= 0 && s.lo >= max(0, s.ax.w0) && s.hi <= min(s.ax.size, s.ax.w1) {
		at, n := iy*s.stride+(s.lo-s.ax.w0)*s.bands, (s.hi-s.lo)*s.bands
		if at+n+16 <= len(pix) {
			return pix[at:][: n+16 : n+16]
		}
	}
	s.fetch(row)
	return s.source
}

// fetch converts what the block reads of a row of the source.
func (s *stretcher[T]) fetch(row int) {
	iy := s.ay.index(row)
	number := float32(s.job.Sampling.Border.Value)
	if iy == tapNumber {
		for i := range s.source[:(s.hi-s.lo)*s.bands] {
			s.source[i] = number
		}
		return
	}
	pix := s.pix[iy*s.stride:][:s.stride]
	x0, x1 := max(s.lo, 0, s.ax.w0), min(s.hi, s.ax.size, s.ax.w1)
	if x0 < x1 {
		n := (x1 - x0) * s.bands
		part, from := s.source[(x0-s.lo)*s.bands:], s.pix[iy*s.stride+(x0-s.ax.w0)*s.bands:]
		if f, ok := any(from).([]float32); ok {
			copy(part[:n], f)
		} else {
			// What comes after the row is written over, or not read.
			columns(s.scratch.set, part[:min((n+63)&^63, len(part), len(from))], from, 0, unit[:1])
		}
	}
	for x := s.lo; x < s.hi; x++ {
		if x == x0 && x0 < x1 {
			x = x1 - 1
			continue
		}
		d := s.source[(x-s.lo)*s.bands:][:s.bands]
		switch ix := s.ax.index(x); {
		case ix >= 0:
			for b, t := range pix[ix*s.bands:][:s.bands] {
				d[b] = float32(t)
			}
		case ix == tapNumber:
			for b := range d {
				d[b] = number
			}
		default:
			clear(d)
		}
	}
}
