// Package report turns measurements into docs/benchmarks.md and its chart.
package report

import (
	"math"
	"slices"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/bench/internal/peer"
	"github.com/rewarp/rewarp/bench/internal/workload"
)

// Ours is the name of the peer that the others are compared with.
const Ours = "rewarp"

// Run is everything that one run of the benchmark found.
type Run struct {
	Quick     bool              `json:"quick"`
	Commit    string            `json:"commit"`
	CPU       string            `json:"cpu"`
	Cores     int               `json:"cores"`
	Bandwidth map[int]float64   `json:"bandwidth"` // bytes read and written a second, by threads
	Processes float64           `json:"processes"` // throughput of the engine in two processes over one
	Adds      float64           `json:"adds"`      // additions in registers on two threads over one
	Minutes   float64           `json:"minutes"`
	Versions  map[string]string `json:"versions"` // by peer
	Missing   map[string]string `json:"missing"`  // peers that could not be started, and why
	Cases     []workload.Case   `json:"cases"`
	Measures  []Measure         `json:"measures"`
	Huge      []Huge            `json:"huge"`
	HugeDiff  *Difference       `json:"huge_diff,omitempty"`
}

// Measure is one case on one peer.
type Measure struct {
	Case     string      `json:"case"`
	Threads  int         `json:"threads"`
	Peer     string      `json:"peer"`
	Rounds   []float64   `json:"rounds,omitempty"` // seconds an operation took, a figure a round
	Batch    int         `json:"batch,omitempty"`  // operations a round
	Sampling string      `json:"sampling,omitempty"`
	Work     peer.Work   `json:"work,omitempty"`
	Diff     *Difference `json:"diff,omitempty"`
	Failed   string      `json:"failed,omitempty"`
	Unable   bool        `json:"unable,omitempty"` // it has no such operation
	Single   bool        `json:"single,omitempty"` // it has one thread only, whatever Threads says
}

// Median is the median round, in seconds.
func (m *Measure) Median() float64 { return quantile(m.Rounds, 0.5) }

// Spread is half the distance between the quartiles, as a share of the median.
func (m *Measure) Spread() float64 {
	return (quantile(m.Rounds, 0.75) - quantile(m.Rounds, 0.25)) / 2 / m.Median()
}

// SameWork reports whether the peer computes no less than the case asks for.
func (m *Measure) SameWork() bool { return m.Work != peer.Coarser }

// quantile interpolates between the sorted values.
func quantile(values []float64, q float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	v := slices.Sorted(slices.Values(values))
	at := q * float64(len(v)-1)
	i := int(at)
	if i+1 == len(v) {
		return v[i]
	}
	return v[i] + (at-float64(i))*(v[i+1]-v[i])
}

// Difference is how far an output is from the truth, as shares of the case's
// range, over the samples that are valid in both.
type Difference struct {
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
	Mask float64 `json:"mask"` // share of samples that are valid in one only
}

// tolerance is the mean difference, of the range, over which what a peer calls
// the same work is not taken for it: one and a quarter levels of 255.
const tolerance = 0.005

// Compare compares an output with the truth, which is unrounded and NaN where invalid.
func Compare(truth, got *raster.Buffer, full float64) *Difference {
	var d Difference
	n, masked := 0, 0
	for y := range truth.H {
		for x := range truth.W {
			for b := range truth.Bands {
				want, ok := truth.At(x, y, b)
				have, ok2 := got.At(x, y, b)
				if got.Type.IsFloat() && ok != ok2 {
					masked++
				}
				if !ok || !ok2 {
					continue
				}
				diff := math.Abs(got.Type.Round(want)-have) / full
				d.Mean += diff
				d.Max = max(d.Max, diff)
				n++
			}
		}
	}
	d.Mean /= max(1, float64(n))
	d.Mask = float64(masked) / float64(truth.Len())
	return &d
}

// Judge lowers a peer's word on its work to what its output shows.
func (m *Measure) Judge() {
	if m.Diff == nil || m.Work != peer.Same {
		return
	}
	if m.Diff.Mean > tolerance || m.Diff.Mask > 0.01 {
		m.Work = peer.Coarser
	}
}

// Huge is one run of workload i.
type Huge struct {
	Program string  `json:"program"`
	Threads int     `json:"threads"`
	Seconds float64 `json:"seconds"`
	Peak    int64   `json:"peak"` // bytes of memory
	Failed  string  `json:"failed,omitempty"`
}
