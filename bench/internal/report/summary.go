package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/rewarp/rewarp/bench/internal/peer"
)

func (r *Run) summary(p *page) {
	p.line("# Benchmarks")
	p.line("")
	p.line("Written by `make bench-peers`; change nothing by hand.")
	if r.Quick {
		p.line("")
		p.line("**This is a quick run: small images and few rounds. Its figures are for finding mistakes only.**")
	}
	r.ahead(p)
	r.short(p)
	p.line("")
	p.line("![Times of the peers as multiples of rewarp's](img/benchmarks.png)")
}

// ahead lists where a peer is ahead, in bold.
func (r *Run) ahead(p *page) {
	p.line("")
	found := r.leads(1, true)
	if len(found) == 0 {
		p.line("No peer is ahead of rewarp in any workload.")
		return
	}
	p.line("**Ahead of rewarp, in %d places:**", len(found))
	p.line("")
	for _, l := range found {
		note := ""
		switch l.peer.Work {
		case peer.Coarser:
			note = ", computing less: " + l.peer.Sampling
		case peer.Kernel, peer.More:
			note = ", by another kernel: " + l.peer.Sampling
		}
		p.line("- **%s, %s: %s is %.2f times as fast** (%s against %s%s). %s", l.ID, threadsText(l.threads), title(l.peer.Peer),
			1/l.ratio, duration(l.peer.Median()), duration(l.ours.Median()), note, reason(l.ID))
	}
}

// short lists where ours is ahead by less than the goal.
func (r *Run) short(p *page) {
	found := slices.DeleteFunc(r.leads(goal, false), func(l lead) bool { return l.Group == "engine" || l.Group == "wrap" })
	total, met := 0, 0
	for _, w := range r.rows("a", "b", "c", "d", "e", "f", "g", "h") {
		if best := w.fastest(false); w.ours != nil && best != nil {
			total++
			if w.ratio(best) >= goal {
				met++
			}
		}
	}
	p.line("")
	p.line("The goal for pixels is %d times the speed of the fastest peer that does the same work. It is met in %d of %d cases"+
		" (a case is a workload at one or two threads).", goal, met, total)
	if len(found) == 0 {
		return
	}
	p.line("Short of it:")
	var rows [][]string
	for _, l := range found {
		share := ""
		if l.Moved > 0 {
			share = percent(l.limit(r))
		}
		rows = append(rows, []string{l.ID + ", " + threadsText(l.threads), title(l.peer.Peer), fmt.Sprintf("%.2f", l.ratio), share, reason(l.ID)})
	}
	p.table([]string{"case", "fastest peer", "its time ÷ ours", "ours, of the copy limit", "what limits ours"}, rows)
}

func (r *Run) machine(p *page) {
	p.line("")
	p.line("## What was run")
	p.line("")
	p.line("    make bench-peers            # everything, about %d minutes, 2.5 GB on disk for workload i", max(1, int(math.Round(r.Minutes))))
	p.line("    make bench-peers QUICK=1    # small images, into bin/quick")
	p.line("    make bench                  # the Go benchmarks alone, for benchstat")
	p.line("")
	p.line("- Commit %s, %s, %d cores.", r.Commit, r.CPU, r.Cores)
	p.line("- Copying memory moves %.1f GB/s by one thread and %.1f GB/s by two, reading and writing added up. “Of the limit” below"+
		" is the time in which the bytes that a case has to read and write would move at that speed, over the time it took."+
		" It can pass 100 %% where they fit into a cache.", r.Bandwidth[1]/1e9, r.Bandwidth[2]/1e9)
	p.line("- Every library runs in one process for the whole run, and times itself. At one thread all are bound to the same core;" +
		" at two they are told to use two. Rounds go from library to library. A figure is the median of the rounds; ± is half the" +
		" distance between the quartiles. Pictures are generated; files are in the system's cache.")
	p.line("- GDAL and rasterio have a block cache of 128 MB, as rewarp has, and 256 MB of memory for warping. Results go to memory" +
		" that is there already, where the library can.")
	p.line("")
	for _, name := range append([]string{Ours}, names()...) {
		if v := r.Versions[name]; v != "" {
			p.line("- %s", v)
		} else if why := r.Missing[name]; why != "" {
			p.line("- %s did not run: %s", title(name), why)
		}
	}
}

func names() (all []string) {
	for _, t := range titles {
		all = append(all, t.name)
	}
	return all
}
