package eval

import (
	"image"
	"slices"
	"sync/atomic"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// Stats are what a plan has measured, over all its runs, and what it reads.
type Stats struct {
	Runs, Tiles int64
	PixelsRead  int64 // of sources
	BytesRead   int64
	Blocks      int64         // of the files' block sizes, decoded, each for all bands that are read of it
	BlockHits   int64         // found in the cache
	ReadTime    time.Duration // summed over goroutines, as is KernelTime
	KernelTime  time.Duration
	Reads       []Read
}

// Read is what computing the whole canvas reads of one leaf.
type Read struct {
	URI    string // empty for a raster in memory
	Level  int
	Window image.Rectangle // in pixels of the level
	Bands  []int
	Bytes  int64
}

// Stats tells what the plan reads and what its runs have measured so far.
func (p *Plan) Stats() Stats {
	m := &p.measured
	return Stats{
		Runs: m.runs.Load(), Tiles: m.tiles.Load(), PixelsRead: m.pixels.Load(), BytesRead: m.bytes.Load(),
		Blocks: m.blocks.Load(), BlockHits: m.hits.Load(),
		ReadTime: time.Duration(m.read.Load()), KernelTime: time.Duration(m.kernel.Load()),
		Reads: p.root.reads(p.root.extent(), nil),
	}
}

// reads lists what a window of a view reads.
func (v *view) reads(w image.Rectangle, list []Read) []Read {
	for _, p := range v.parts {
		r := w.Intersect(p.clip)
		if p.grid == nil || r.Empty() {
			continue
		}
		need, ok := p.need(r.Add(p.shift))
		if !ok || need.Empty() {
			continue
		}
		switch g := p.grid.(type) {
		case *view:
			list = g.reads(need, list)
		case *mapped:
			list = g.view.reads(need, list)
		case *custom:
			for i, in := range g.inputs {
				list = in.reads(ast.InputWindow(g.node, i, need), list)
			}
		case *source:
			if _, ok := g.leaf.(*ast.Fill); ok {
				continue
			}
			window := g.place.rect(need)
			read := Read{Level: g.level, Window: window, Bands: slices.Clone(g.bands)}
			read.Bytes = int64(window.Dx()) * int64(window.Dy()) * int64(len(g.bands)*g.typ.Size())
			if g.load != nil {
				read.URI = g.load.uri
			}
			list = append(list, read)
		}
	}
	return list
}

// counters are what one goroutine counts during a run.
type counters struct {
	Tiles, Pixels, Bytes, Blocks, Hits int64
	Read, Kernel                       time.Duration
}

func (c *counters) read(f *feed, w image.Rectangle, pix *raster.Buffer) {
	c.Pixels += int64(w.Dx()) * int64(w.Dy())
	c.Blocks += f.blocks(w)
	c.Bytes += int64(len(pix.Bytes()) + len(pix.Mask))
}

// measures are a plan's counters over all runs.
type measures struct {
	runs, tiles, pixels, bytes, blocks, hits, read, kernel atomic.Int64
}

func (m *measures) add(c *counters) {
	for _, v := range [...]struct {
		to *atomic.Int64
		n  int64
	}{
		{&m.tiles, c.Tiles}, {&m.pixels, c.Pixels}, {&m.bytes, c.Bytes}, {&m.blocks, c.Blocks},
		{&m.hits, c.Hits}, {&m.read, int64(c.Read)}, {&m.kernel, int64(c.Kernel)},
	} {
		if v.n != 0 {
			v.to.Add(v.n)
		}
	}
	*c = counters{}
}
