package report

import (
	"fmt"
	"slices"

	"github.com/rewarp/rewarp/bench/internal/peer"
	"github.com/rewarp/rewarp/bench/internal/workload"
)

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
