package report

import (
	"cmp"
	"slices"

	"github.com/rewarp/rewarp/bench/internal/workload"
)

// row is one case at one number of threads: ours, and the peers that did it.
type row struct {
	*workload.Case
	threads int
	ours    *Measure // nil where it failed
	peers   []*Measure
}

// rows are the cases of the groups, one thread first.
func (r *Run) rows(groups ...string) (all []row) {
	for threads := 1; threads <= 2; threads++ {
		for i := range r.Cases {
			c := &r.Cases[i]
			if !slices.Contains(groups, c.Group) {
				continue
			}
			w := row{Case: c, threads: threads}
			for j := range r.Measures {
				m := &r.Measures[j]
				switch {
				case m.Case != c.ID || m.Threads != threads || m.Failed != "":
				case m.Peer == Ours:
					w.ours = m
				default:
					w.peers = append(w.peers, m)
				}
			}
			if w.ours != nil || len(w.peers) > 0 {
				all = append(all, w)
			}
		}
	}
	return all
}

// by is the measure of one peer, or nil.
func (w *row) by(name string) *Measure {
	for _, m := range w.peers {
		if m.Peer == name {
			return m
		}
	}
	return nil
}

// fastest is the fastest peer that computes no less, or of all peers.
func (w *row) fastest(all bool) *Measure {
	var best *Measure
	for _, m := range w.peers {
		if (all || m.SameWork()) && (best == nil || m.Median() < best.Median()) {
			best = m
		}
	}
	return best
}

// ratio is how many times as long as ours a peer takes.
func (w *row) ratio(m *Measure) float64 { return m.Median() / w.ours.Median() }

// limit is the share of the time that moving the bytes alone takes.
func (w *row) limit(r *Run) float64 {
	return float64(w.Moved) / r.Bandwidth[w.threads] / w.ours.Median()
}

// lead is a case in which a peer is ahead of ours, or nearer than the goal.
type lead struct {
	row
	peer  *Measure
	ratio float64
}

// measured are the groups in which peers are compared.
var measured = []string{"a", "b", "c", "d", "e", "f", "g", "h", "engine", "wrap"}

// leads are the cases in which a peer takes less than limit times our time,
// the worst first: every peer that is ahead, or only the fastest that does the
// same work.
func (r *Run) leads(limit float64, all bool) (found []lead) {
	for _, w := range r.rows(measured...) {
		if w.ours == nil {
			continue
		}
		for _, m := range w.peers {
			if !all && m != w.fastest(false) {
				continue
			}
			if x := w.ratio(m); x < limit {
				found = append(found, lead{w, m, x})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b lead) int { return cmp.Compare(a.ratio, b.ratio) })
	return found
}
