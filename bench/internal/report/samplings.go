package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rewarp/rewarp/bench/internal/peer"
	"github.com/rewarp/rewarp/bench/internal/workload"
)

// samplings says what each peer computes, and how far it is from the truth.
func (r *Run) samplings(p *page) {
	type key struct {
		group, peer, sampling string
		work                  peer.Work
	}
	type entry struct {
		cases     int
		mean, max float64
		mask      float64
		compared  bool
	}
	found := map[key]*entry{}
	var order []key
	for _, m := range r.Measures {
		i := slices.IndexFunc(r.Cases, func(c workload.Case) bool { return c.ID == m.Case })
		if m.Failed != "" || i < 0 || r.Cases[i].Truth == "" || m.Threads != 1 {
			continue
		}
		k := key{r.Cases[i].Group, m.Peer, m.Sampling, m.Work}
		e := found[k]
		if e == nil {
			e = &entry{}
			found[k] = e
			order = append(order, k)
		}
		e.cases++
		if d := m.Diff; d != nil {
			e.compared = true
			e.mean, e.max, e.mask = max(e.mean, d.Mean), max(e.max, d.Max), max(e.mask, d.Mask)
		}
	}
	slices.SortStableFunc(order, func(a, b key) int { return strings.Compare(a.group, b.group) })
	p.line("")
	p.line("## What each computes")
	p.line("")
	p.line("Differences are shares of the range of values, in the middle 128 pixels square, from the reference evaluator (a to c from"+
		" files: from rewarp, unrounded): the worst mean over the cases, and the worst sample. A mean over %s counts as computing less."+
		" Where a peer has masks, “mask” is the share of samples valid in one only.", percent(tolerance))
	p.line("")
	p.line("| | peer | sampling | | mean | worst | mask |")
	p.line("|---|---|---|---|--:|--:|--:|")
	for _, k := range order {
		e := found[k]
		cells := "— | — | —"
		if e.compared {
			cells = fmt.Sprintf("%s | %s | %s", percent(e.mean), percent(e.max), percent(e.mask))
		}
		p.line("| %s | %s | %s | %s | %s |", k.group, title(k.peer), k.sampling, mark(k.work), cells)
	}
	r.failures(p)
}

func (r *Run) failures(p *page) {
	var lines []string
	for _, m := range r.Measures {
		if m.Failed != "" && !m.Unable {
			lines = append(lines, fmt.Sprintf("- %s, %s, %s: %s", title(m.Peer), m.Case, threadsText(m.Threads), m.Failed))
		}
	}
	if len(lines) > 0 {
		p.line("")
		p.line("Failed, and left out above:")
		p.line("")
		p.line("%s", strings.Join(lines, "\n"))
	}
}
