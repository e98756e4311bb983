package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rewarp/rewarp/bench/internal/peer"
	"github.com/rewarp/rewarp/bench/internal/workload"
)

// goal is how many times as fast as the fastest peer the pixels are to be.
const goal = 2

// Write writes benchmarks.md and img/benchmarks.png below a folder.
func (r *Run) Write(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "img"), 0o755); err != nil {
		return err
	}
	if err := r.chart(filepath.Join(dir, "img", "benchmarks.png")); err != nil {
		return err
	}
	p := &page{}
	r.summary(p)
	r.machine(p)
	r.engine(p)
	r.pixels(p)
	r.huge(p)
	r.besides(p)
	r.samplings(p)
	return os.WriteFile(filepath.Join(dir, "benchmarks.md"), []byte(p.String()), 0o644)
}

// page is Markdown.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

// table writes a table whose first column is text and the others figures.
func (p *page) table(head []string, rows [][]string) {
	p.line("")
	p.line("| %s |", strings.Join(head, " | "))
	p.line("|---%s|", strings.Repeat("|--:", len(head)-1))
	for _, cells := range rows {
		p.line("| %s |", strings.Join(cells, " | "))
	}
}

// titles are the peers' names for a person, in the order of columns.
var titles = []struct{ name, title string }{
	{"opencv", "OpenCV"}, {"gdal", "GDAL"}, {"rasterio", "rasterio"}, {"vips", "libvips"}, {"pillow", "Pillow"},
	{"skimage", "scikit-image"}, {"ximage", "x/image"}, {"delayed", "delayed_image"}, {"torchvision", "torchvision"},
}

func title(name string) string {
	for _, t := range titles {
		if t.name == name {
			return t.title
		}
	}
	return name
}

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
		p.line("- **%s, %s: %s is %.2f times as fast** (%s against %s%s)", l.ID, threadsText(l.threads), title(l.peer.Peer),
			1/l.ratio, duration(l.peer.Median()), duration(l.ours.Median()), note)
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
		rows = append(rows, []string{l.ID + ", " + threadsText(l.threads), title(l.peer.Peer), fmt.Sprintf("%.2f", l.ratio), share})
	}
	p.table([]string{"case", "fastest peer", "its time ÷ ours", "ours, of the copy limit"}, rows)
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

// engine is rewriting, beside delayed_image.
func (r *Run) engine(p *page) {
	rows := r.rows("engine")
	if len(rows) == 0 {
		return
	}
	p.line("")
	p.line("## Rewriting")
	p.line("")
	p.line("The three trees, metadata known, one core. “again” rewrites each result once more, “same-again” one result over and over.")
	goals := map[string]float64{"build": 300, "optimize": 300, "again": 5000, "same-again": 5000}
	var cells [][]string
	for _, w := range rows {
		if w.ours == nil {
			continue
		}
		d := w.by("delayed")
		line := []string{strings.TrimPrefix(w.ID, "engine/"), duration(w.ours.Median()) + spread(w.ours), "—", "—", fmt.Sprintf("%.0f", goals[w.What])}
		if d != nil {
			line[2], line[3] = duration(d.Median())+spread(d), fmt.Sprintf("%.0f", w.ratio(d))
		}
		cells = append(cells, line)
	}
	p.table([]string{"", "rewarp", "delayed_image", "times faster", "goal"}, cells)
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
	p.line("Building and rewriting tree 3 on two cores at once: %.2f times the throughput of one core (goal 1.9).", 2*one/two)
}

// groups say what the letters stand for.
var groups = []struct{ letter, title, note string }{
	{"a", "The three trees from their file", "Cold: the tree is built, rewritten, planned and run with the file opened anew. Repeated: the plan is run again."},
	{"b", "Windows of a large tiled GeoTIFF", "8-bit, three bands, tiles of 256. Open: the file is opened for each window. Next: it stays open, and every window is another one."},
	{"c", "Smaller", "By 0.37 from memory, the kernel stretched; half size through a stored overview; 256 pixels of the whole file, with and without overviews. Files are opened anew each time."},
	{"d", "Larger, six times, from a window of an image in memory", ""},
	{"e", "Rotation and scale from memory to memory", "By 1.2 (an enlargement, so that no kernel is stretched), and by 0.5 with a stretched kernel."},
	{"f", "Thirteen bands of int16 with nodata, dequantized and rotated to float32", ""},
	{"g", "A projective warp", ""},
	{"h", "Six files of three resolutions, each warped to one canvas", "The files are opened anew each time."},
}

func (r *Run) pixels(p *page) {
	p.line("")
	p.line("## Pixels")
	p.line("")
	p.line("Milliseconds. `*` marks a peer that computes less than the case asks for, `°` one with another kernel of about the same reach or" +
		" a wider one, `¹` one that has one thread only; — is no such operation. [What each one computes](#what-each-computes) has the" +
		" samplings and how far outputs are apart. The ratio is to the fastest peer without `*`.")
	for _, g := range groups {
		rows := r.rows(g.letter)
		if len(rows) == 0 {
			continue
		}
		p.line("")
		p.line("### %s. %s", g.letter, g.title)
		if g.note != "" {
			p.line("")
			p.line("%s", g.note)
		}
		r.times(p, rows)
	}
}

// times is the table of a group: a column for every peer that did any of it.
func (r *Run) times(p *page, rows []row) {
	var columns []string
	for _, name := range names() {
		if slices.ContainsFunc(rows, func(w row) bool { return w.by(name) != nil }) {
			columns = append(columns, name)
		}
	}
	head := []string{"case", "threads", "rewarp", "of the limit", "ratio"}
	for _, name := range columns {
		head = append(head, title(name))
	}
	var cells [][]string
	for _, w := range rows {
		line := []string{w.ID, fmt.Sprint(w.threads), "failed", "", ""}
		if w.ours != nil {
			line[2], line[3] = milliseconds(w.ours.Median())+spread(w.ours), percent(w.limit(r))
			if w.Moved == 0 {
				line[3] = ""
			}
			if best := w.fastest(false); best != nil {
				line[4] = fmt.Sprintf("%.2f", w.ratio(best))
				if w.ratio(best) < 1 {
					line[4] = "**" + line[4] + "**"
				}
			}
		}
		for _, name := range columns {
			line = append(line, w.cell(name))
		}
		cells = append(cells, line)
	}
	p.table(head, cells)
}

func (w *row) cell(name string) string {
	m := w.by(name)
	if m == nil {
		return "—"
	}
	text := milliseconds(m.Median()) + mark(m.Work)
	if m.Single {
		text += "¹"
	}
	return text
}

func mark(w peer.Work) string {
	switch w {
	case peer.Coarser:
		return "`*`"
	case peer.Kernel, peer.More:
		return "`°`"
	}
	return ""
}

func (r *Run) huge(p *page) {
	if len(r.Huge) == 0 {
		return
	}
	p.line("")
	p.line("### i. A file of 20,000² pixels, rotated into another")
	p.line("")
	p.line("Three bands of 8 bits, tiled, uncompressed, linear. Both times include that the file is on the disk. gdalwarp: `-multi -wo" +
		" NUM_THREADS=n -wm 256 --config GDAL_CACHEMAX 256`. The goal for memory is 256 MiB.")
	type key struct {
		program string
		threads int
	}
	times, peaks := map[key][]float64{}, map[key]int64{}
	var order []key
	for _, h := range r.Huge {
		k := key{h.Program, h.Threads}
		if h.Failed != "" {
			p.line("")
			p.line("%s failed at %s: %s", h.Program, threadsText(h.Threads), h.Failed)
			continue
		}
		if times[k] == nil {
			order = append(order, k)
		}
		times[k] = append(times[k], h.Seconds)
		peaks[k] = max(peaks[k], h.Peak)
	}
	var cells [][]string
	for _, k := range order {
		t := quantile(times[k], 0.5)
		cells = append(cells, []string{k.program, fmt.Sprint(k.threads), fmt.Sprintf("%.1f", t),
			fmt.Sprintf("%.1f", workload.HugeSide*workload.HugeSide/t/1e6), fmt.Sprint(peaks[k] >> 20)})
	}
	p.table([]string{"", "threads", "seconds", "megapixels a second", "peak memory, MiB"}, cells)
	if d := r.HugeDiff; d != nil {
		p.line("")
		p.line("The outputs differ by %s of the range on average in the middle.", percent(d.Mean))
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

func threadsText(n int) string {
	if n == 1 {
		return "1 thread"
	}
	return fmt.Sprintf("%d threads", n)
}

func milliseconds(t float64) string { return digits(1e3 * t) }

// digits writes three significant digits.
func digits(v float64) string {
	if v == 0 || math.IsNaN(v) {
		return fmt.Sprint(v)
	}
	places := max(0, 2-int(math.Floor(math.Log10(math.Abs(v)))))
	return fmt.Sprintf("%.*f", places, v)
}

func duration(t float64) string {
	switch {
	case t < 1e-6:
		return digits(1e9*t) + " ns"
	case t < 1e-3:
		return digits(1e6*t) + " µs"
	case t < 1:
		return digits(1e3*t) + " ms"
	}
	return digits(t) + " s"
}

func spread(m *Measure) string {
	if len(m.Rounds) < 2 {
		return ""
	}
	return fmt.Sprintf(" ± %.0f %%", 100*m.Spread())
}

func percent(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v < 0.0001:
		return "< 0.01 %"
	case v < 0.1:
		return fmt.Sprintf("%.2f %%", 100*v)
	}
	return fmt.Sprintf("%.0f %%", 100*v)
}
