package kernel

import (
	"bytes"

	"github.com/rewarp/rewarp/ast/raster"
)

// guardMap marks the pixels of the window from which a block of nx×ny taps,
// right and down, holds an invalid sample in any band. It is nil if no
// sample is invalid. NaN and infinity are not looked for: they show in the
// result.
func guardMap[T raster.Sample](s *sampler[T], scratch *Scratch, nx, ny int) []byte {
	return guardAround(s, scratch, nx, ny, false)
}

// guardAround is guardMap with nx−1 columns and ny−1 rows more to the left and
// above if around is set, for blocks that begin before the window; what lies
// there is not invalid.
func guardAround[T raster.Sample](s *sampler[T], scratch *Scratch, nx, ny int, around bool) []byte {
	if s.mask == nil && s.nodata == nil || len(s.pix) == 0 {
		return nil
	}
	src := s.job.Src
	scratch.guard = grow(scratch.guard, src.W*src.H)
	bad := scratch.guard
	clear(bad)
	found := false
	if s.mask != nil {
		if bytes.IndexByte(s.mask, 0) >= 0 {
			found = true
			for i := range bad {
				if bytes.IndexByte(s.mask[i*s.bands:][:s.bands], 0) >= 0 {
					bad[i] = 1
				}
			}
		}
	}
	for b := range s.nodata {
		for _, n := range s.nodata[b] {
			i := b
			for p := range bad {
				if s.pix[i] == n {
					bad[p] = 1
					found = true
				}
				i += s.bands
			}
		}
	}
	if !found {
		return nil
	}
	if !around {
		scratch.spread(bad, src.W, src.H, nx, ny)
		return bad
	}
	w, h := src.W+nx-1, src.H+ny-1
	scratch.around = grow(scratch.around, w*h)
	wide := scratch.around
	clear(wide)
	for y := range src.H {
		copy(wide[(y+ny-1)*w+nx-1:], bad[y*src.W:][:src.W])
	}
	scratch.spread(wide, w, h, nx, ny)
	return wide
}

// spread replaces each entry of a w×h map by whether any entry of the nx×ny
// block from it on is set. Blocks are cut at the edge.
func (s *Scratch) spread(m []byte, w, h, nx, ny int) {
	if nx > 1 {
		for y := range h {
			row, last := m[y*w:][:w], 1<<40
			for x := w - 1; x >= 0; x-- {
				if row[x] != 0 {
					last = x
				}
				if last-x < nx {
					row[x] = 1
				}
			}
		}
	}
	if ny > 1 {
		s.last = grow(s.last, w)
		last := s.last
		for x := range last {
			last[x] = 1 << 40
		}
		for y := h - 1; y >= 0; y-- {
			for x, v := range m[y*w:][:w] {
				if v != 0 {
					last[x] = y
				}
				if last[x]-y < ny {
					m[y*w+x] = 1
				}
			}
		}
	}
}
