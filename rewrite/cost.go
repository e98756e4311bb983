package rewrite

import (
	"fmt"
	"image"
	"slices"

	"github.com/rewarp/rewarp/ast"
)

// Cost is an estimate of the work a tree takes.
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

// CostOf estimates the cost of a known tree, counting as a plan works. A crop
// directly on a load or a stored overview reads only its window, and a sample
// of a leaf that several nodes use is read once. A warp computes only what can
// be valid, and a band that stands several times on a node once. A node that
// several others use is computed for each of them.
//
// Blocks are those of the file's block size that the windows touch, a block
// counting once for all the bands and windows that are read of it, which is how
// eval.Stats counts what it decodes. The two agree where one window of blocks of
// 256 pixels or more is read; of smaller blocks eval decodes several at a time.
// A raster whose block size is not known counts none.
func CostOf(n ast.Node) Cost {
	var total Cost
	EachCost(n, func(_ ast.Node, c Cost) { total = total.Add(c) })
	return total
}

// EachCost calls f with every distinct node of a known tree, the root first, and
// with the node's own share of the tree's cost. A crop bears what its window
// reads, and the load or stored overview below it nothing more.
func EachCost(n ast.Node, f func(ast.Node, Cost)) {
	c := costing{
		reads: leafReads{},
		uses:  map[ast.Node]float64{n: 1}, whole: map[ast.Node]bool{n: true},
		bands: map[ast.Node][]int{}, joined: map[ast.Node]float64{}, fills: map[fillContent]int{},
	}
	var order []ast.Node
	_ = ast.Walk(n, func(n ast.Node) error {
		c.bands[n] = c.sameBands(n)
		order = append(order, n)
		return nil
	})
	for _, n := range slices.Backward(order) {
		f(n, c.of(n))
		c.use(n)
	}
}

// costing goes through the nodes of a tree, parents before their inputs.
type costing struct {
	reads leafReads
	uses  map[ast.Node]float64 // how often a node is computed
	whole map[ast.Node]bool    // nodes of which more than windows is read
	bands map[ast.Node][]int   // by node, see sameBands
	// joined is how many uses of a crop are one with those of another crop of
	// the same window, where a concat joins the bands that both pick.
	joined map[ast.Node]float64
	fills  map[fillContent]int // numbers that stand for what bands of fills hold
}

// use says how often the inputs of n are computed for it: each once, however
// often it stands there.
func (c *costing) use(n ast.Node) {
	windowed := false
	switch n := n.(type) {
	case *ast.Crop:
		l, _ := ast.StoredLevel(n.Input(0))
		windowed = l != nil
	case *ast.Overview:
		windowed = n.Stored()
	}
	_, concat := n.(*ast.Concat)
	joined := map[string]map[int]bool{} // bands that parts before have, by stem
	seen, crops := map[ast.Node]bool{}, map[cropKey]bool{}
	for i := range n.NumInputs() {
		in := n.Input(i)
		if seen[in] {
			continue
		}
		seen[in] = true
		uses := c.uses[n] - c.joined[n]
		if concat && n.NumInputs() > 1 {
			part := c.share(in, joined)
			crop, ok := in.(*ast.Crop)
			switch {
			case !ok:
				uses *= part
			case crops[cropKey{crop.Input(0), crop.Window()}]:
				c.joined[in] += uses
			default:
				crops[cropKey{crop.Input(0), crop.Window()}] = true
				uses *= part
			}
		}
		c.uses[in] += uses
		c.whole[in] = c.whole[in] || !windowed
	}
}

// cropKey is what crops have in common that only pick other bands.
type cropKey struct {
	of     ast.Node
	window image.Rectangle
}

// of is the cost of one node, as often as it is used.
func (c *costing) of(n ast.Node) Cost {
	if !c.whole[n] {
		return Cost{} // what is read of it the nodes above say
	}
	s := n.Size()
	pixels := float64(s.W) * float64(s.H)
	bytes, once := 0.0, 0.0 // of all bands, and of those that differ
	same := c.bands[n]
	for i := range n.NumBands() {
		b := pixels * float64(n.Band(i).Type.Size())
		bytes += b
		if same == nil || same[i] == i {
			once += b
		}
	}
	uses := c.uses[n]
	cost := Cost{Bytes: uses * bytes}
	switch t := n.(type) {
	case *ast.Load:
		return c.read(t, 0, s.Bounds(), nil, uses*bytes)
	case *ast.Crop:
		if l, level := ast.StoredLevel(t.Input(0)); l != nil {
			return c.read(l, level, t.Window(), ast.PicksOf(t), uses*once)
		}
	case *ast.Overview:
		switch l, level := ast.StoredLevel(n); {
		case l != nil:
			return c.read(l, level, s.Bounds(), nil, uses*bytes)
		case t.Size() == t.Input(0).Size():
			return Cost{}
		}
		cost.Resampled = uses * pixels * c.distinct(n)
	case *ast.Warp:
		switch {
		case t.IsNoOp():
			return Cost{}
		case !t.Copies():
			cost.Resampled = uses * visibleArea(t) * c.distinct(n)
		}
	case *ast.Dequantize:
		if ast.IsSource(t) {
			return Cost{} // samples are mapped as they are used
		}
	case *ast.Concat:
		return Cost{}
	}
	return cost
}

// read is the cost of a window of a level, of which bytes are written.
func (c *costing) read(l *ast.Load, level int, w image.Rectangle, bands []int, bytes float64) Cost {
	cost := c.reads.add(l, level, w, bands)
	cost.Bytes = bytes
	return cost
}

// sameBands gives, for every band of n, the first that has the same samples by
// the way it was picked; nil where all differ.
func (c *costing) sameBands(n ast.Node) []int {
	type sample struct {
		of   ast.Node
		band int
	}
	var from func(band int) sample
	switch n := n.(type) {
	case *ast.Pad, *ast.Warp, *ast.Overview, *ast.Dequantize:
		return c.bands[n.Input(0)]
	case *ast.Crop:
		if n.AllBands() {
			return c.bands[n.Input(0)]
		}
		from = func(band int) sample { return sample{n.Input(0), n.Pick(band)} }
	case *ast.Concat:
		from = func(band int) sample {
			part, k := n.Part(band)
			return sample{n.Input(part), k}
		}
	case *ast.Fill:
		return c.sameFills(n)
	default:
		return nil
	}
	first := make(map[sample]int, n.NumBands())
	same := make([]int, n.NumBands())
	for i := range same {
		s := from(i)
		if below := c.bands[s.of]; below != nil {
			s.band = below[s.band]
		}
		k, ok := first[s]
		if !ok {
			k = i
			first[s] = i
		}
		same[i] = k
	}
	if len(first) == len(same) {
		return nil
	}
	return same
}

// fillContent is what tells the bands of a fill apart: what the constant means.
type fillContent struct {
	noData float64
	has    bool
}

func contentOf(f *ast.Fill, band int) fillContent {
	b := f.Band(band)
	return fillContent{b.NoData, b.HasNoData}
}

// sameFills are the bands of a fill that hold the same: all but those that call
// the constant invalid.
func (c *costing) sameFills(f *ast.Fill) []int {
	if f.NumBands() == 1 {
		return nil
	}
	first := map[fillContent]int{}
	same := make([]int, f.NumBands())
	for i := range same {
		k := contentOf(f, i)
		if _, ok := first[k]; !ok {
			first[k] = i
		}
		same[i] = first[k]
	}
	return same
}

// distinct is how many bands of n differ.
func (c *costing) distinct(n ast.Node) float64 {
	same := c.bands[n]
	if same == nil {
		return float64(n.NumBands())
	}
	count := 0
	for i, k := range same {
		if i == k {
			count++
		}
	}
	return float64(count)
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
