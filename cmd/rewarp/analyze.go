package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/rewrite"
)

// analysis is what a run of the rewritten tree measured, beside the estimates.
type analysis struct {
	Estimated costJSON     `json:"estimated"`
	Measured  measuredJSON `json:"measured"`
	Rasters   []rasterJSON `json:"rasters"`
	Nodes     []nodeJSON   `json:"nodes"`
}

type measuredJSON struct {
	Seconds float64 `json:"seconds"`
	Threads int     `json:"threads"`
	Kernels string  `json:"kernels"`
	Tiles   int64   `json:"tiles"`
	Pixels  int64   `json:"pixels_read"` // of all bands at once
	Blocks  int64   `json:"blocks_decoded"`
	Hits    int64   `json:"block_hits"`
	Bytes   int64   `json:"bytes_read"`
	Read    float64 `json:"read_seconds"` // summed over threads, as is Kernel
	Kernel  float64 `json:"kernel_seconds"`
}

// String is for example "run in 1.8ms, 2 threads, avx2 kernels, 1 tile".
func (m measuredJSON) String() string {
	return fmt.Sprintf("run in %s, %s, %s kernels, %s", duration(m.Seconds), plural(int64(m.Threads), "thread"), m.Kernels, plural(m.Tiles, "tile"))
}

// rasterJSON is one level of one raster.
type rasterJSON struct {
	URI       string       `json:"uri"`
	Level     int          `json:"level"`
	Windows   []windowJSON `json:"planned"`
	Estimated int64        `json:"samples_estimated"` // of what is planned
	Samples   int64        `json:"samples_read"`
	Bytes     int64        `json:"bytes_read"`
	Reads     int64        `json:"reads"`
	Seconds   float64      `json:"read_seconds"`
}

type windowJSON struct {
	Window [4]int `json:"window"`
	Bands  []int  `json:"bands"`
}

// measure runs the tree once in a session that has nothing in memory.
func (x *explain) measure(ctx context.Context, n ast.Node) (*analysis, error) {
	watch := &watcher{Opener: x.opener(), seen: map[level]*rasterJSON{}}
	s, err := x.session(ctx, watch)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	p, err := s.Plan(ctx, n)
	if err != nil {
		return nil, err
	}
	bar := x.app.progress("run", "px")
	var profile eval.Profile
	start := time.Now()
	err = p.Stream(ctx, func(image.Rectangle, *raster.Buffer) error { return nil }, eval.WithProgress(bar.update), eval.WithProfile(&profile))
	bar.finish()
	if err != nil {
		return nil, err
	}
	seconds := time.Since(start).Seconds()
	m := p.Stats()
	return &analysis{
		Estimated: costJSON(rewrite.CostOf(p.Tree())),
		Measured: measuredJSON{
			seconds, s.Threads(), s.Kernels().String(), m.Tiles, m.PixelsRead, m.Blocks, m.BlockHits, m.BytesRead,
			m.ReadTime.Seconds(), m.KernelTime.Seconds(),
		},
		Rasters: watch.rasters(m.Reads),
		Nodes:   nodesOf(p.Tree(), profile.Steps(p)),
	}, nil
}

// watcher counts what is read of each raster.
type watcher struct {
	eval.Opener
	mu   sync.Mutex
	seen map[level]*rasterJSON
}

type level struct {
	uri   string
	level int
}

// Open opens a raster that is watched.
func (w *watcher) Open(ctx context.Context, uri string) (eval.Source, error) {
	s, err := w.Opener.Open(ctx, uri)
	if err != nil {
		return nil, err
	}
	return &watched{s, w, uri}, nil
}

type watched struct {
	eval.Source
	watcher *watcher
	uri     string
}

// ReadWindow reads, and counts.
func (s *watched) ReadWindow(ctx context.Context, l int, window image.Rectangle, bands []int, dst *raster.Buffer) error {
	start := time.Now()
	err := s.Source.ReadWindow(ctx, l, window, bands, dst)
	took := time.Since(start)
	s.watcher.mu.Lock()
	defer s.watcher.mu.Unlock()
	r := s.watcher.at(s.uri, l)
	r.Reads++
	r.Samples += int64(window.Dx()) * int64(window.Dy()) * int64(len(bands))
	r.Bytes += int64(len(dst.Bytes()) + len(dst.Mask))
	r.Seconds += took.Seconds()
	return err
}

func (w *watcher) at(uri string, l int) *rasterJSON {
	key := level{uri, l}
	if w.seen[key] == nil {
		w.seen[key] = &rasterJSON{URI: uri, Level: l, Windows: []windowJSON{}}
	}
	return w.seen[key]
}

// rasters is what was read beside what was planned.
func (w *watcher) rasters(planned []eval.Read) []rasterJSON {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range planned {
		if p.URI == "" {
			continue // in memory
		}
		r := w.at(p.URI, p.Level)
		c := p.Window
		r.Windows = append(r.Windows, windowJSON{[4]int{c.Min.X, c.Min.Y, c.Max.X, c.Max.Y}, p.Bands})
		r.Estimated += int64(c.Dx()) * int64(c.Dy()) * int64(len(p.Bands))
	}
	all := []rasterJSON{}
	for _, r := range w.seen {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b rasterJSON) int {
		return cmp.Or(cmp.Compare(a.URI, b.URI), cmp.Compare(a.Level, b.Level))
	})
	return all
}

func (a *analysis) text(out *bytes.Buffer) {
	m := a.Measured
	b := &bytes.Buffer{}
	var samples, reads int64
	for _, r := range a.Rasters {
		samples += r.Samples
		reads += r.Reads
	}
	fmt.Fprintf(b, "\n%s\n", m)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  \testimated\tmeasured\ttime\n")
	fmt.Fprintf(w, "  samples read\t%s\t%s in %s\t%s\n", count(a.Estimated.Read), count(float64(samples)), plural(reads, "read"), duration(m.Read))
	fmt.Fprintf(w, "  blocks decoded\t%s\t%s, %s found in memory\t\n", count(a.Estimated.Blocks), count(float64(m.Blocks)), count(float64(m.Hits)))
	fmt.Fprintf(w, "  samples resampled\t%s\t\t%s\n", count(a.Estimated.Resampled), duration(m.Kernel))
	fmt.Fprintf(w, "  bytes\t%s moved\t%s read\t\n", byteText(a.Estimated.Bytes), byteText(float64(m.Bytes)))
	for _, r := range a.Rasters {
		fmt.Fprintf(w, "  %s level %d\t%s\t%s in %s\t%s\n", filepath.Base(r.URI), r.Level, count(float64(r.Estimated)),
			count(float64(r.Samples)), plural(r.Reads, "read"), duration(r.Seconds))
	}
	w.Flush()
	nodeTable(b, a.Nodes)
	for line := range bytes.Lines(b.Bytes()) {
		out.Write(bytes.TrimRight(line, " \n"))
		out.WriteByte('\n')
	}
}

// duration has three digits.
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	for unit := time.Duration(1); unit < time.Hour; unit *= 10 {
		if d < unit*1000 {
			return d.Round(unit).String()
		}
	}
	return d.Round(time.Second).String()
}
