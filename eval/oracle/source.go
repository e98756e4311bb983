package oracle

import (
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// quant is a dequantize that applies to the samples of a leaf, if on.
type quant struct {
	ast.Quantization
	on bool
}

// value is what the dequantize makes of a sample.
func (q quant) value(s float64) float64 {
	switch {
	case !q.on:
		return s
	case q.HasNoData && s == q.NoData:
		return nan
	}
	return finite(q.Value(s))
}

// computed is value for a sample that was computed: it is the nodata value where
// it differs by rounding only.
func (q quant) computed(s float64) float64 {
	if q.HasNoData && raster.Class(s) == raster.Class(q.NoData) {
		return nan
	}
	return q.value(s)
}

// leaf is one band of a Load, a Fill or a Raster.
type leaf struct {
	node  ast.Node
	level int // of a Load
	band  int
	size  geom.Size
	info  ast.Band
	q     quant
}

// sample is the sample that a stored number means, NaN where it is invalid.
func (l *leaf) sample(stored float64) float64 {
	if isNoData(l.info, stored) {
		return nan
	}
	return l.q.value(finite(stored))
}

// isNoData reports whether a stored number is the nodata value. Files declare
// it in double precision whatever their type.
func isNoData(b ast.Band, stored float64) bool {
	nodata := b.NoData
	return b.HasNoData && (stored == nodata || b.Type == raster.Float32 && stored == float64(float32(nodata)))
}

// read returns the samples of a window of the leaf.
func (l *leaf) read(r *run, window image.Rectangle) (func(x, y int) float64, error) {
	switch n := l.node.(type) {
	case *ast.Fill:
		v, ok := n.Value()
		if !ok {
			v = nan
		}
		v = l.sample(v)
		return func(int, int) float64 { return v }, nil
	case *ast.Raster:
		return func(x, y int) float64 { return l.decode(n.Buffer(), x, y, l.band) }, nil
	}
	load := l.node.(*ast.Load)
	pix, err := r.reader.ReadWindow(r.ctx, load, l.level, window, l.band)
	if err != nil {
		return nil, err
	}
	if pix.W != window.Dx() || pix.H != window.Dy() || pix.Bands != 1 {
		return nil, &ast.Error{Op: "load", Arg: "uri", Value: load.URI(), Limit: "was read with another size than asked for"}
	}
	return func(x, y int) float64 { return l.decode(pix, x-window.Min.X, y-window.Min.Y, 0) }, nil
}

func (l *leaf) decode(pix *raster.Buffer, x, y, band int) float64 {
	v, ok := pix.At(x, y, band)
	if !ok {
		return nan
	}
	return l.sample(v)
}

// source is samples of a leaf on the canvas of the nodes above it, which only
// cut, pad and permute them: canvas pixel p is leaf pixel toLeaf(p), invalid
// outside the window.
type source struct {
	canvas geom.Size
	leaf   *leaf
	toLeaf geom.Transform  // whole pixels to whole pixels
	window image.Rectangle // what all canvases on the way leave of the leaf
}

func newSource(l *leaf) *source {
	return &source{l.size, l, geom.Identity, image.Rect(0, 0, l.size.W, l.size.H)}
}

// seen is the source on another canvas, which inv maps onto the old one.
func (s *source) seen(canvas geom.Size, inv geom.Transform) *source {
	t := s.toLeaf.Mul(inv)
	at := pixels(t)
	first, last := at(0, 0), at(canvas.W-1, canvas.H-1)
	covered := image.Rect(
		min(first.X, last.X), min(first.Y, last.Y),
		max(first.X, last.X)+1, max(first.Y, last.Y)+1)
	return &source{canvas, s.leaf, t, s.window.Intersect(covered)}
}

// pixels is the map of whole pixels by a transform that maps pixel centres to
// pixel centres and whose entries are integers.
func pixels(t geom.Transform) func(x, y int) image.Point {
	a, b, c := int(t[0]), int(t[1]), int(t[2])
	d, e, f := int(t[3]), int(t[4]), int(t[5])
	// The pixel that begins at the image of (x+½, y+½) less half a pixel.
	c += (a + b - 1) / 2
	f += (d + e - 1) / 2
	return func(x, y int) image.Point { return image.Pt(a*x+b*y+c, d*x+e*y+f) }
}

// grid plans the samples on the canvas.
func (s *source) grid() *grid {
	return newGrid(s.leaf.node.Op(), s.canvas, func(r *run, g *grid) error {
		if s.window.Empty() {
			return g.each(r, func(int, int) (float64, error) { return nan, nil })
		}
		samples := int64(s.window.Dx()) * int64(s.window.Dy())
		if err := r.hold(g.op, samples); err != nil {
			return err
		}
		defer func() { r.held -= samples }()
		leaf, err := s.leaf.read(r, s.window)
		if err != nil {
			return err
		}
		at := pixels(s.toLeaf)
		return g.each(r, func(x, y int) (float64, error) {
			p := at(x, y)
			if !p.In(s.window) {
				return nan, nil
			}
			return leaf(p.X, p.Y), nil
		})
	})
}

// leafOf is the leaf under a node that is one, or a stored overview of one;
// nil for any other node.
func leafOf(n ast.Node, band int, q quant) *leaf {
	l := &leaf{node: n, band: band, size: n.Size(), info: n.Band(band), q: q}
	switch n := n.(type) {
	case *ast.Load, *ast.Fill, *ast.Raster:
	case *ast.Overview:
		if !n.Stored() {
			return nil
		}
		l.node, l.level = n.Input(0), n.Level()
	default:
		return nil
	}
	return l
}
