package eval

import (
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// A plan is a small graph. A view is a canvas whose bands are computed by
// parts; a part samples a grid; a grid is a source, a view again where a
// sampling barrier or the exact cap asks for one, a custom node, or a view
// whose integers are mapped to values.

// grid is samples on a canvas, read by windows.
type grid interface {
	// extent is where samples can be valid, inside the canvas.
	extent() image.Rectangle
	// pixelBytes is the memory that a pixel of a window takes.
	pixelBytes() int64
	// nested is the number of levels of windows that reading one takes.
	nested() int
}

// view is a canvas of one sample type, materialized by windows.
type view struct {
	node  ast.Node // whose bands
	picks []int    // these are
	size  geom.Size
	typ   raster.DataType
	bands int
	parts []*part
	// repeats are copied when the parts have been computed.
	repeats []repeat
	// planes are the parts as they compute planes of one band, and planeOf says
	// which is that of each band. They are nil where bands are stored as they come.
	planes  []*part
	planeOf []int
	mask    bool // integer windows carry a mask
	depth   int  // levels of nested windows that computing it takes
}

func (v *view) extent() image.Rectangle { return canvasOf(v.size) }

func (v *view) pixelBytes() int64 {
	n := int64(v.typ.Size())
	if v.mask {
		n++
	}
	return n * int64(v.bands)
}

func (v *view) nested() int { return 1 + v.depth }

// part computes some bands of a view from one grid.
type part struct {
	// bands are the view's bands, one a band of the grid. Where they follow one
	// another first is the first of them, else −1.
	bands []int
	first int
	key   *part // that a profile counts it as

	// Pixel p of the view is pixel p+shift of the part's own canvas. Outside
	// clip, which is given on the view, nothing is valid.
	shift image.Point
	clip  image.Rectangle

	// The part's canvas is sampled from the grid, as in kernel.Job.
	grid     grid // nil where all is invalid
	canvas   geom.Size
	inv      geom.Transform
	sampling ast.Sampling
	domain   *geom.Domain
	noData   [][]float64
	mul, add []float64
	precise  bool
	classes  bool      // mode counts values that were computed: see raster.Class
	fill     []float64 // of the view's bands

	affine bool
	whole  bool       // inv is the identity, pixels outside the grid are invalid
	reach  [2]float64 // of the kernel, if affine
	guard  []row      // linear forms that are positive wherever the part can be valid
	plain  bool       // samples are only copied
}

// source is a window of one level of a leaf, seen through crops, pads and
// copies.
type source struct {
	leaf  ast.Node // a Load, Raster or Fill
	level int
	bands []int
	typ   raster.DataType // of the samples
	mask  bool            // integer samples may come with a mask

	place placement       // canvas to level
	valid image.Rectangle // on the canvas

	load   *feed // of a Load
	direct bool  // a Raster's own pixels serve as any window
}

func (s *source) extent() image.Rectangle { return s.valid }

func (s *source) pixelBytes() int64 {
	n := int64(s.typ.Size())
	if s.mask {
		n++
	}
	if _, ok := s.place.straight(); !ok {
		n *= 2
	}
	return n * int64(len(s.bands))
}

func (s *source) nested() int { return 1 }

// custom is a node that computes its own tiles, in float64.
type custom struct {
	node   ast.Custom
	inputs []*view
	bands  []int
	all    bool     // bands are the node's as they are
	noData *float64 // that a dequantize above takes for invalid
}

func (c *custom) extent() image.Rectangle { return canvasOf(c.node.Size()) }

func (c *custom) pixelBytes() int64 { return 8 * int64(c.node.NumBands()+len(c.bands)) }

func (c *custom) nested() int {
	d := 0
	for _, in := range c.inputs {
		d = max(d, in.depth)
	}
	return 1 + d
}

// mapped is a view of integers whose samples a dequantize maps, rounded to its
// type: the step as it stands in the tree, at the exact cap.
type mapped struct {
	node ast.Node
	view *view
	q    ast.Quantization
}

func (m *mapped) extent() image.Rectangle { return m.view.extent() }

func (m *mapped) pixelBytes() int64 {
	return m.view.pixelBytes() + int64(m.q.OrigType.Size()+1)*int64(m.view.bands)
}

func (m *mapped) nested() int { return 1 + m.view.depth }

func canvasOf(s geom.Size) image.Rectangle { return image.Rect(0, 0, s.W, s.H) }

// placement maps pixels of a canvas to pixels of what it shows, exactly: whole
// translations, flips and quarter turns, in corner coordinates.
type placement struct {
	xx, xy, x0 int
	yx, yy, y0 int
}

var upright = placement{xx: 1, yy: 1}

func placed(t geom.Transform) placement {
	return placement{int(t[0]), int(t[1]), int(t[2]), int(t[3]), int(t[4]), int(t[5])}
}

func shifted(dx, dy int) placement { return placement{xx: 1, x0: dx, yy: 1, y0: dy} }

// then is p followed by q.
func (p placement) then(q placement) placement {
	return placement{
		q.xx*p.xx + q.xy*p.yx, q.xx*p.xy + q.xy*p.yy, q.xx*p.x0 + q.xy*p.y0 + q.x0,
		q.yx*p.xx + q.yy*p.yx, q.yx*p.xy + q.yy*p.yy, q.yx*p.x0 + q.yy*p.y0 + q.y0,
	}
}

// inverse undoes p. The linear part is orthogonal.
func (p placement) inverse() placement {
	return placement{
		p.xx, p.yx, -(p.xx*p.x0 + p.yx*p.y0),
		p.xy, p.yy, -(p.xy*p.x0 + p.yy*p.y0),
	}
}

func (p placement) apply(q image.Point) image.Point {
	return image.Pt(p.xx*q.X+p.xy*q.Y+p.x0, p.yx*q.X+p.yy*q.Y+p.y0)
}

// rect is the image of a rectangle of pixels.
func (p placement) rect(r image.Rectangle) image.Rectangle {
	a, b := p.apply(r.Min), p.apply(r.Max)
	return image.Rect(a.X, a.Y, b.X, b.Y)
}

// straight reports whether p only translates, and by how much.
func (p placement) straight() (by image.Point, ok bool) {
	return image.Pt(p.x0, p.y0), p.xx == 1 && p.yy == 1
}
