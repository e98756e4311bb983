package oracle

import (
	"fmt"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

const (
	// edge is how close to a pixel's edge a position counts as on it.
	edge = geom.EdgeTolerance
	// enough is the share of the full kernel that must be valid for cubic and
	// lanczos.
	enough = 0.5 - 1e-6
	// equalVotes is how close two overlaps of mode, in source pixels, are equal.
	equalVotes = 1e-6
	// farAway bounds positions, so that they can be counted in pixels.
	farAway = 1 << 50
)

// sampler reads a grid between its samples.
type sampler struct {
	op       string
	pix      *grid
	interp   ast.Interpolation
	stretch  bool
	border   ast.BorderMode
	outside  float64 // the sample beyond the edge, NaN where there is none
	kx, ky   axis
	lx, ly   axis // linear, where the kernel must fall back to it
	contends []vote
}

// vote is the overlap that a value has gathered in mode.
type vote struct{ value, overlap float64 }

// newSampler samples pix; number is the sample that a number border stands for.
func newSampler(op string, pix *grid, s ast.Sampling, number float64) *sampler {
	s = s.Normalize()
	m := &sampler{op: op, pix: pix, interp: s.Interp, stretch: s.Antialias, border: s.Border.Mode, outside: nan}
	if m.border == ast.ValueBorder {
		m.outside = number
	}
	m.kx = axis{k: kernels[s.Interp], n: pix.size.W, border: m.border}
	m.ky = axis{k: kernels[s.Interp], n: pix.size.H, border: m.border}
	m.lx = axis{k: kernels[ast.Linear], n: pix.size.W, border: m.border}
	m.ly = axis{k: kernels[ast.Linear], n: pix.size.H, border: m.border}
	return m
}

// get is the sample at (x, y), which the border mode has mapped into the grid
// or to outside.
func (m *sampler) get(x, y int) float64 {
	if x == outside || y == outside {
		return m.outside
	}
	return m.pix.v[y*m.pix.size.W+x]
}

// at is the value at (u, v) of the grid; j is the linear part of the map from
// the canvas to the grid there.
func (m *sampler) at(u, v float64, j [4]float64) (float64, error) {
	if u != u || v != v {
		return nan, nil
	}
	u, v = max(-farAway, min(u, farAway)), max(-farAway, min(v, farAway))
	here := m.get(m.kx.index(int(math.Floor(u+edge))), m.ky.index(int(math.Floor(v+edge))))
	if here != here || m.interp == ast.Nearest {
		return here, nil
	}
	fx, fy := 1.0, 1.0
	if m.stretch {
		fx, fy = max(1, math.Hypot(j[0], j[1])), max(1, math.Hypot(j[2], j[3]))
	}
	if !m.kx.place(u, fx) || !m.ky.place(v, fy) {
		return nan, &ast.Error{Op: m.op, Arg: "transform", Limit: fmt.Sprintf("makes a pixel weigh %.3g×%.3g source pixels, the limit is %d a side", fx, fy, maxTaps)}
	}
	if m.interp == ast.Mode {
		return m.mode(), nil
	}
	mean, valid := m.mean(&m.kx, &m.ky, here)
	if (m.interp == ast.Cubic || m.interp == ast.Lanczos) && valid < enough*m.kx.sum*m.ky.sum {
		m.lx.place(u, fx)
		m.ly.place(v, fy)
		mean, _ = m.mean(&m.lx, &m.ly, here)
	}
	return mean, nil
}

// mean is the weighted mean of the valid taps, and their summed weight. It is
// taken about here, a sample among them, so that the mean of equal samples is
// exactly that sample.
func (m *sampler) mean(ax, ay *axis, here float64) (mean, valid float64) {
	var sum float64
	for _, ty := range ay.taps {
		for _, tx := range ax.taps {
			if s := m.get(tx.at, ty.at); s == s {
				w := tx.weight * ty.weight
				sum += w * (s - here)
				valid += w
			}
		}
	}
	return here + sum/valid, valid
}

// mode is the value of the largest summed overlap over the valid taps; of
// equal ones the smallest.
func (m *sampler) mode() float64 {
	votes := m.contends[:0]
	for _, ty := range m.ky.taps {
		for _, tx := range m.kx.taps {
			s := m.get(tx.at, ty.at)
			if s != s {
				continue
			}
			i := 0
			for i < len(votes) && votes[i].value != s {
				i++
			}
			if i == len(votes) {
				votes = append(votes, vote{value: s})
			}
			votes[i].overlap += tx.weight * ty.weight
		}
	}
	m.contends = votes
	var most float64
	for _, c := range votes {
		most = max(most, c.overlap)
	}
	best := nan
	for _, c := range votes {
		if c.overlap >= most-equalVotes && !(c.value >= best) {
			best = c.value
		}
	}
	return best
}
