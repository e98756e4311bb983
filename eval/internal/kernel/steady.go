package kernel

import (
	"image"
	"math"
	"slices"

	"github.com/rewarp/rewarp/ast/raster"
)

// calmPeak bounds stretched samples whose weighted sums are finite.
var calmPeak = math.Float32bits(0x1p100)

// streams reports whether rows that are computed together go past the caches.
func (s *stretcher[T]) streams() bool {
	switch s.dst.Type {
	case raster.Float32:
		return s.dst.Len() >= streamBytes/4
	case raster.Uint8:
		return s.dst.Len() >= streamUint8
	}
	return false
}

// steady reports whether rows whose taps all exist need nothing in the columns
// [a, b) but a sum of stretched rows.
func (s *stretcher[T]) steady(a, b int) bool {
	t := s.dst.Type
	if a >= b || s.job.Domain != nil || s.mulRow != nil || s.guard != nil || !s.contiguous() ||
		t != raster.Float32 && (t != raster.Uint8 || s.float) {
		return false
	}
	least := s.leastShare()
	return !slices.ContainsFunc(s.cols.part, func(x int) bool {
		return x >= a && x < b && s.cols.share[x-s.cols.a] <= least
	})
}

// alike is how many rows of the output, from y on and before y1, have the same
// taps along y, all of which exist and weigh something.
func (s *stretcher[T]) alike(y, y1 int) (n int) {
	r := s.rows
	if y < r.a {
		return 0
	}
	for y1 = min(y1, r.b); y+n < y1; n++ {
		i := y + n - r.a
		if r.first[i] != r.first[y-r.a] || r.share[i] != 1 || slices.Contains(r.weights(y+n), 0) {
			break
		}
	}
	return n
}

// together computes rows that are alike, in a block that is steady in the
// columns [a, b). It is not ok, and has done nothing, where a sum may not be
// finite.
func (s *stretcher[T]) together(part image.Rectangle, a, b int) (invalid int, ok bool) {
	s.grid.row(part.Min.Y)
	x0, x1 := s.valid(part.Min.X, part.Max.X)
	lo, hi := max(a, x0), min(b, x1)
	if lo >= hi {
		return 0, false
	}
	i := part.Min.Y - s.rows.a
	s.at = s.at[:0]
	for k := range s.rows.n {
		slot := s.hold(s.rows.first[i] + k)
		if s.float && s.peaks[slot] >= calmPeak {
			return 0, false
		}
		s.at = append(s.at, slot*s.step+(lo-a)*s.bands)
	}
	n, w := (hi-lo)*s.bands, s.rows.w[i*s.rows.n:][:part.Dy()*s.rows.n]
	set, at, step := s.scratch.set, s.index(lo, part.Min.Y), s.dst.W*s.dst.Bands
	switch {
	case s.dst.Type == raster.Uint8:
		sum := blendUint8
		if s.streams() {
			sum = blendUint8Stream
		}
		sum(set, raster.Samples[uint8](s.dst)[at:], n, step, s.ring, s.at, w)
		for y := range part.Dy() {
			s.setValid(at+y*step, n)
		}
	case s.streams():
		blendStream(set, raster.Samples[float32](s.dst)[at:], n, step, s.ring, s.at, w)
	default:
		blend(set, raster.Samples[float32](s.dst)[at:], n, step, s.ring, s.at, w)
	}
	if lo == part.Min.X && hi == part.Max.X {
		return 0, true
	}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		invalid += s.invalid(part.Min.X, x0, y) + s.each(y, x0, lo) + s.each(y, hi, x1) + s.invalid(x1, part.Max.X, y)
	}
	return invalid, true
}
