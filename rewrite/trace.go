package rewrite

import (
	"fmt"
	"image"

	"github.com/rewarp/rewarp/ast"
)

// Firing is one application of a rule.
type Firing struct {
	Rule       Rule
	Pass       string
	Path       string // from the root of the tree as it then stood
	Before     ast.Node
	After      ast.Node
	CostBefore Cost
	CostAfter  Cost
}

// Cost is an estimate of the work a tree takes, each node evaluated once onto
// its whole canvas.
type Cost struct {
	Read      float64 // samples read from leaves
	Blocks    float64 // storage blocks decoded: see CostOf
	Resampled float64 // samples computed by warps
	Bytes     float64 // bytes written, by readers and by nodes
}

// Add is the sum of two costs.
func (c Cost) Add(d Cost) Cost {
	return Cost{c.Read + d.Read, c.Blocks + d.Blocks, c.Resampled + d.Resampled, c.Bytes + d.Bytes}
}

// Less orders costs by samples read and resampled, then bytes.
func (c Cost) Less(d Cost) bool {
	if a, b := c.Read+c.Resampled, d.Read+d.Resampled; a != b {
		return a < b
	}
	return c.Bytes < d.Bytes
}

// String is for example "read 1024, resampled 4096, 20480 bytes".
func (c Cost) String() string {
	return fmt.Sprintf("read %.0f, resampled %.0f, %.0f bytes", c.Read, c.Resampled, c.Bytes)
}

// CostOf estimates the cost of a known tree. A crop directly on a load or a stored
// overview reads only its window; a warp computes only what can be valid.
// Shared nodes count once.
//
// Blocks are those of the file's block size that the windows touch, a block
// counting once for all the bands that are read of it, which is how
// eval.Stats counts what it decodes. The two agree where one window of blocks of
// 256 pixels or more is read. Of smaller blocks eval decodes several at a time,
// and where several windows share a block it may decode it once. A raster whose
// block size is not known counts none.
func CostOf(n ast.Node) Cost {
	var total Cost
	EachCost(n, func(_ ast.Node, c Cost) { total = total.Add(c) })
	return total
}

// EachCost calls f with every distinct node of a known tree, the root first, and
// with the node's own share of the tree's cost. A crop bears what its window
// reads, and the load or stored overview below it nothing more.
func EachCost(n ast.Node, f func(ast.Node, Cost)) {
	borne := map[ast.Node]bool{} // nodes whose cost a crop above them bears
	ast.Inspect(n, func(n ast.Node) bool {
		f(n, nodeCost(n, borne))
		return true
	})
}

func nodeCost(n ast.Node, borne map[ast.Node]bool) Cost {
	if borne[n] {
		return Cost{}
	}
	s := n.Size()
	pixels := float64(s.W) * float64(s.H)
	samples := pixels * float64(n.NumBands())
	bytes := 0.0
	for i := range n.NumBands() {
		bytes += pixels * float64(n.Band(i).Type.Size())
	}
	switch t := n.(type) {
	case *ast.Load:
		return read(t, s.Bounds(), samples, bytes)
	case *ast.Overview:
		if l, ok := t.Input(0).(*ast.Load); ok && t.Stored() {
			borne[l] = true
			return read(l, s.Bounds(), samples, bytes)
		}
		if t.Size() == t.Input(0).Size() {
			return Cost{}
		}
		return Cost{Resampled: samples, Bytes: bytes}
	case *ast.Crop:
		switch in := t.Input(0).(type) {
		case *ast.Load:
			borne[in] = true
			return readCrop(in, t)
		case *ast.Overview:
			if l, ok := in.Input(0).(*ast.Load); ok && in.Stored() {
				borne[in], borne[l] = true, true
				return readCrop(l, t)
			}
		}
		return Cost{Bytes: bytes}
	case *ast.Warp:
		if t.IsNoOp() {
			return Cost{}
		}
		if t.Copies() {
			return Cost{Bytes: bytes}
		}
		return Cost{Resampled: samples * visibleArea(t) / pixels, Bytes: bytes}
	case *ast.Dequantize:
		if ast.IsSource(t) {
			return Cost{} // samples are mapped as they are used
		}
	case *ast.Concat:
		return Cost{}
	}
	return Cost{Bytes: bytes}
}

// visibleArea is what the domain, and the edge of the input under a nodata
// border, leave of the warp's canvas, in pixels.
func visibleArea(w *ast.Warp) float64 {
	p := w.Size().Polygon().ClipDomain(w.Domain())
	if inv := w.Inverse(); w.Sampling().Border.Mode == ast.NoDataBorder {
		for _, e := range w.Input(0).Size().Edges() {
			p = p.Clip(e.Pullback(inv))
		}
	}
	return p.Area()
}

// readCrop is the cost of reading the window of a crop: a band that it repeats is
// read once.
func readCrop(l *ast.Load, c *ast.Crop) Cost {
	pixels := float64(c.Size().W) * float64(c.Size().H)
	seen := map[int]bool{}
	var samples, bytes float64
	for i := range c.NumBands() {
		if seen[c.Pick(i)] {
			continue
		}
		seen[c.Pick(i)] = true
		samples += pixels
		bytes += pixels * float64(c.Band(i).Type.Size())
	}
	return read(l, c.Window(), samples, bytes)
}

// read is the cost of a window of a level of l.
func read(l *ast.Load, w image.Rectangle, samples, bytes float64) Cost {
	c := Cost{Read: samples, Bytes: bytes}
	if b := l.BlockSize(); b.W > 0 && b.H > 0 && !w.Empty() {
		c.Blocks = float64((w.Max.X-1)/b.W-w.Min.X/b.W+1) * float64((w.Max.Y-1)/b.H-w.Min.Y/b.H+1)
	}
	return c
}
