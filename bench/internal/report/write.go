package report

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
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
