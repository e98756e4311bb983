package kernel

import (
	"math"
	"slices"
)

// sum is the weighted sum of how far the valid taps of a band are from here, one
// of them, and the sum of their weights. So the mean of equal samples is exactly
// that sample.
func (s *sampler[T]) sum(tx, ty *axisTaps, band int, here float64) (sum, weight float64) {
	one, none := s.oneNoData(band)
	if s.mask != nil || !one && !none || len(tx.index) == 0 || tx.index[0] < 0 || tx.index[len(tx.index)-1] < 0 {
		return s.sumAny(tx, ty, band, here)
	}
	// The common case, without a call for each tap. Taps inside the window are
	// inside throughout, except where a border folds them back.
	var nodata T
	if one {
		nodata = s.nodata[band][0]
	}
	mul, add := 1.0, 0.0
	if s.mul != nil {
		mul = s.mul[band]
	}
	if s.add != nil {
		add = s.add[band]
	}
	for r, iy := range ty.index {
		if iy < 0 {
			return s.sumAny(tx, ty, band, here)
		}
		wy, row := ty.weight[r], s.pix[iy*s.stride+band:]
		for c, ix := range tx.index {
			if ix < 0 {
				return s.sumAny(tx, ty, band, here)
			}
			t := row[ix*s.bands]
			v := float64(t)
			if one && t == nodata || v-v != 0 {
				continue
			}
			w := wy * tx.weight[c]
			sum += float64(w * (float64(v*mul) + add - here))
			weight += w
		}
	}
	return sum, weight
}

// oneNoData reports whether a band has a single nodata value, or none.
func (s *sampler[T]) oneNoData(band int) (one, none bool) {
	if s.nodata == nil {
		return false, true
	}
	n := len(s.nodata[band])
	return n == 1, n == 0
}

// sumAny is sum, for any taps.
func (s *sampler[T]) sumAny(tx, ty *axisTaps, band int, here float64) (sum, weight float64) {
	for r, iy := range ty.index {
		wy := ty.weight[r]
		for c, ix := range tx.index {
			if v := s.at(ix, iy, band); v == v {
				w := wy * tx.weight[c]
				sum += float64(w * (v - here))
				weight += w
			}
		}
	}
	return sum, weight
}

type vote struct{ value, weight float64 }

// mode is the value with the largest summed overlap over the valid taps.
func (s *sampler[T]) mode(band int) float64 {
	s.votes = s.votes[:0]
	same := true
	for r, iy := range s.ty.index {
		for c, ix := range s.tx.index {
			if v := s.at(ix, iy, band); v == v {
				s.votes = append(s.votes, vote{v, s.ty.weight[r] * s.tx.weight[c]})
				same = same && v == s.votes[0].value
			}
		}
	}
	if same && len(s.votes) > 0 {
		return s.votes[0].value
	}
	if len(s.votes) <= 32 {
		// By insertion, which keeps equal ones in order.
		for i := 1; i < len(s.votes); i++ {
			v, k := s.votes[i], i
			for ; k > 0 && s.votes[k-1].value > v.value; k-- {
				s.votes[k] = s.votes[k-1]
			}
			s.votes[k] = v
		}
	} else {
		slices.SortStableFunc(s.votes, func(a, b vote) int {
			switch {
			case a.value < b.value:
				return -1
			case a.value > b.value:
				return 1
			}
			return 0
		})
	}
	n := 0
	for _, v := range s.votes {
		if n > 0 && s.votes[n-1].value == v.value {
			s.votes[n-1].weight += v.weight
			continue
		}
		s.votes[n] = v
		n++
	}
	best := 0.0
	for _, v := range s.votes[:n] {
		best = max(best, v.weight)
	}
	for _, v := range s.votes[:n] {
		if v.weight >= best-modeTolerance {
			return v.value
		}
	}
	return math.NaN()
}
