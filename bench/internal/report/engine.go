package report

import (
	"fmt"
	"slices"
	"strings"
)

// engine is rewriting, beside delayed_image.
func (r *Run) engine(p *page) {
	rows := r.rows("engine")
	if len(rows) == 0 {
		return
	}
	p.line("")
	p.line("## Rewriting")
	p.line("")
	p.line("The three trees, metadata known, one core. A tree is built over a load that is there already; each one that is rewritten is new down to its load, so that nothing is remembered of another. “again” rewrites each result once more, “same-again” one result over and over.")
	goals := map[string]float64{"build": 300, "optimize": 300, "again": 5000, "same-again": 5000}
	var cells [][]string
	for _, w := range rows {
		if w.ours == nil {
			continue
		}
		d := w.by("delayed")
		line := []string{strings.TrimPrefix(w.ID, "engine/"), duration(w.ours.Median()) + spread(w.ours), "—", "—", fmt.Sprintf("%.0f", goals[w.What]), ""}
		if d != nil {
			line[2], line[3] = duration(d.Median())+spread(d), fmt.Sprintf("%.0f", w.ratio(d))
			if w.ratio(d) < goals[w.What] {
				line[5] = reason(w.ID)
			}
		}
		cells = append(cells, line)
	}
	p.table([]string{"", "rewarp", "delayed_image", "times faster", "goal", "what limits it"}, cells)
	r.curve(p)
	r.throughput(p)
}

func (r *Run) curve(p *page) {
	byNodes := map[int][]string{}
	var order []int
	for _, w := range r.rows("curve") {
		if byNodes[w.Nodes] == nil {
			order = append(order, w.Nodes)
			byNodes[w.Nodes] = []string{fmt.Sprint(w.Nodes), "—", "—", "—", "—"}
		}
		at := map[string]int{"wide": 1, "deep": 3}[w.What]
		if w.ours != nil {
			byNodes[w.Nodes][at] = duration(w.ours.Median() / float64(w.Nodes))
		}
		if d := w.by("delayed"); d != nil {
			byNodes[w.Nodes][at+1] = duration(d.Median() / float64(w.Nodes))
		}
	}
	if len(order) == 0 {
		return
	}
	slices.Sort(order)
	var cells [][]string
	for _, n := range order {
		cells = append(cells, byNodes[n])
	}
	p.line("")
	p.line("Time a node of larger trees. Wide: parts of five nodes under one concat. Deep: one chain of warps and crops.")
	p.table([]string{"nodes", "wide", "delayed_image", "deep", "delayed_image"}, cells)
}

func (r *Run) throughput(p *page) {
	rows := r.rows("throughput")
	if len(rows) != 2 || rows[0].ours == nil || rows[1].ours == nil {
		return
	}
	one, two := rows[0].ours.Median(), rows[1].ours.Median()
	p.line("")
	const goal = 1.9
	p.line("Building and rewriting tree 3 on two cores at once: %.2f times the throughput of one core (goal %.1f).", 2*one/two, goal)
	if 2*one/two < goal {
		p.line("%s", reason("throughput/2"))
	}
	if r.Processes > 0 {
		p.line("Two independent processes that do so, with nothing in common but the machine: %.2f times. Additions in registers on two threads, without any memory: %.2f times.", r.Processes, r.Adds)
	}
}

// besides are sessions and features.
func (r *Run) besides(p *page) {
	if rows := r.rows("session"); len(rows) > 0 {
		notes := map[string]string{
			"pixel": "one pixel of a plan: what a run costs besides its pixels", "outside": "session and plan made once, `RunInto`",
			"lazy": "session made once, planned in the loop", "inside": "session, plan and run in the loop",
		}
		p.line("")
		p.line("## Sessions")
		p.line("")
		p.line("A tile of 128 pixels from a file, the first tree, one thread.")
		var cells [][]string
		for _, w := range rows {
			if w.ours != nil {
				cells = append(cells, []string{notes[w.What], duration(w.ours.Median()) + spread(w.ours)})
			}
		}
		p.table([]string{"", "a run"}, cells)
	}
	for _, w := range r.rows("wrap") {
		if w.ours == nil {
			continue
		}
		// 1.2 million samples, 600 epochs, 8 processes.
		hours := func(t float64) string { return fmt.Sprintf("%.3g", t*1.2e6*600/8/3600) }
		p.line("")
		p.line("## Features")
		p.line("")
		p.line("Twenty wraps a sample: five results, each an image, a mask, boxes and points. A training is 600 epochs of 1.2 million samples in 8 processes.")
		cells := [][]string{{"rewarp", duration(w.ours.Median()), hours(w.ours.Median()), ""}}
		if t := w.by("torchvision"); t != nil {
			cells = append(cells, []string{"torchvision", duration(t.Median()), hours(t.Median()), fmt.Sprintf("%.0f", w.ratio(t))})
		}
		p.table([]string{"", "a sample", "hours a training", "its time ÷ ours"}, cells)
	}
}
