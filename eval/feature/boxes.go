package feature

import (
	"fmt"
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// BoxFormat is what the four numbers of a box are.
type BoxFormat uint8

// The box formats.
const (
	XYXY   BoxFormat = iota // left, top, right, bottom
	XYWH                    // left, top, width, height
	CXCYWH                  // centre, width, height
)

// String is "xyxy", "xywh" or "cxcywh".
func (f BoxFormat) String() string {
	switch f {
	case XYXY:
		return "xyxy"
	case XYWH:
		return "xywh"
	case CXCYWH:
		return "cxcywh"
	}
	return fmt.Sprintf("boxformat(%d)", uint8(f))
}

// corners turns a box of the format to left, top, right, bottom.
func (f BoxFormat) corners(b [4]float64) [4]float64 {
	switch f {
	case XYWH:
		b[2], b[3] = b[0]+b[2], b[1]+b[3]
	case CXCYWH:
		w, h := b[2]/2, b[3]/2
		b = [4]float64{b[0] - w, b[1] - h, b[0] + w, b[1] + h}
	}
	return b
}

// format turns left, top, right, bottom to a box of the format.
func (f BoxFormat) format(b [4]float64) [4]float64 {
	w, h := b[2]-b[0], b[3]-b[1]
	switch f {
	case XYWH:
		b[2], b[3] = w, h
	case CXCYWH:
		b = [4]float64{b[0] + w/2, b[1] + h/2, w, h}
	}
	return b
}

// Boxes are upright boxes on a canvas. They may reach beyond it.
type Boxes struct {
	at   [][4]float64
	meta *boxesMeta
}

// boxesMeta is shared by all boxes that were wrapped like some, and immutable.
type boxesMeta struct {
	canvas geom.Size
	format BoxFormat
}

// NewBoxes makes boxes of [][4]float64, which is kept, of [][4]float32,
// [][4]int, a flat []float64, []image.Rectangle (always left, top, right,
// bottom, turned to the format), or other Boxes. All numbers must be finite,
// and every box must have an area.
func NewBoxes(from any, format BoxFormat, canvas geom.Size) (Boxes, error) {
	if err := checkCanvas("boxes", canvas); err != nil {
		return Boxes{}, err
	}
	if format > CXCYWH {
		return Boxes{}, fmt.Errorf("feature: unknown %v", format)
	}
	b := Boxes{meta: &boxesMeta{canvas, format}}
	switch from := from.(type) {
	case [][4]float64:
		b.at = from
	case [][4]float32:
		b.at = widen(from)
	case [][4]int:
		b.at = widen(from)
	case []float64:
		if len(from)%4 != 0 {
			return Boxes{}, fmt.Errorf("feature: %d numbers do not make boxes of four", len(from))
		}
		b.at = make([][4]float64, len(from)/4)
		for i := range b.at {
			b.at[i] = [4]float64(from[4*i:])
		}
	case []image.Rectangle:
		b.at = make([][4]float64, len(from))
		for i, r := range from {
			b.at[i] = format.format([4]float64{float64(r.Min.X), float64(r.Min.Y), float64(r.Max.X), float64(r.Max.Y)})
		}
	case Boxes:
		b.at = from.As(format).at
	default:
		return Boxes{}, fmt.Errorf("feature: boxes cannot be made of %T, expected [][4]float64, [][4]float32, [][4]int, []float64, []image.Rectangle or Boxes", from)
	}
	for i := range b.at {
		if !finite(b.at[i][:]) {
			return Boxes{}, fmt.Errorf("feature: box %d is %v, which is not finite", i, b.at[i])
		}
		if c := b.Corners(i); !(c[2] > c[0] && c[3] > c[1]) {
			return Boxes{}, fmt.Errorf("feature: box %d is %v in %v, which has no area", i, b.at[i], format)
		}
	}
	return b, nil
}

func widen[T float32 | int](from [][4]T) [][4]float64 {
	at := make([][4]float64, len(from))
	for i, b := range from {
		at[i] = [4]float64{float64(b[0]), float64(b[1]), float64(b[2]), float64(b[3])}
	}
	return at
}

func checkCanvas(what string, s geom.Size) error {
	if s.W < 1 || s.H < 1 || s.W > ast.MaxExtent || s.H > ast.MaxExtent {
		return fmt.Errorf("feature: canvas %v of %s, expected 1 to %d pixels a side", s, what, ast.MaxExtent)
	}
	return nil
}

func finite(v []float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// WrapLike is other boxes of the same format on the same canvas. Nothing is
// copied or read, and at must not change any more.
func (b Boxes) WrapLike(at [][4]float64) Boxes {
	return Boxes{at, b.meta}
}

// On is the same boxes on another canvas, as they stand.
func (b Boxes) On(canvas geom.Size) Boxes {
	return Boxes{b.at, &boxesMeta{canvas, b.Format()}}
}

// As is the boxes in another format.
func (b Boxes) As(f BoxFormat) Boxes {
	if f == b.Format() {
		return b
	}
	at := make([][4]float64, len(b.at))
	for i := range at {
		at[i] = f.format(b.Corners(i))
	}
	return Boxes{at, &boxesMeta{b.Canvas(), f}}
}

// Len is the number of boxes.
func (b Boxes) Len() int { return len(b.at) }

// At is the i-th box in the boxes' format.
func (b Boxes) At(i int) [4]float64 { return b.at[i] }

// Corners is left, top, right and bottom of the i-th box.
func (b Boxes) Corners(i int) [4]float64 { return b.Format().corners(b.at[i]) }

// Values is all boxes, shared: they must not be changed.
func (b Boxes) Values() [][4]float64 { return b.at }

// Format is what the four numbers are.
func (b Boxes) Format() BoxFormat {
	if b.meta == nil {
		return XYXY
	}
	return b.meta.format
}

// Canvas is the size of the canvas.
func (b Boxes) Canvas() geom.Size {
	if b.meta == nil {
		return geom.Size{}
	}
	return b.meta.canvas
}

// Polygons is the boxes as polygons, clockwise from the left top corner.
func (b Boxes) Polygons() Polygons {
	at := make([]geom.Polygon, len(b.at))
	for i := range at {
		c := b.Corners(i)
		at[i] = geom.Rect(c[0], c[1], c[2], c[3])
	}
	canvas := b.Canvas()
	return Polygons{at, &canvas}
}

// RotatedBoxes makes polygons of boxes (cx, cy, w, h, theta): the centre, the
// sides, and the angle in radians by which the box is turned about its centre,
// from the x axis towards the y axis.
func RotatedBoxes(boxes [][5]float64, canvas geom.Size) (Polygons, error) {
	at := make([]geom.Polygon, len(boxes))
	for i, b := range boxes {
		if !finite(b[:]) || !(b[2] > 0 && b[3] > 0) {
			return Polygons{}, fmt.Errorf("feature: rotated box %d is %v, expected a finite centre, angle, and positive sides", i, b)
		}
		w, h := b[2]/2, b[3]/2
		at[i] = geom.Rect(-w, -h, w, h).Map(geom.Translate(b[0], b[1]).Mul(geom.Rotate(b[4])))
	}
	return NewPolygons(at, canvas)
}
