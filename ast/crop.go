package ast

import (
	"fmt"
	"image"
	"slices"

	"github.com/rewarp/rewarp/ast/geom"
)

// Crop is a window of its input's canvas, and a choice of its bands: point p
// of the crop is point p + window origin of the input.
type Crop struct {
	Base
	input  Node
	window window
	picks  []int // nil keeps the input's bands; shared
}

// window is a rectangle in half the room: coordinates are at most MaxExtent.
type window struct{ x0, y0, x1, y1 int32 }

func windowOf(r image.Rectangle) window {
	return window{int32(r.Min.X), int32(r.Min.Y), int32(r.Max.X), int32(r.Max.Y)}
}

// NewCrop is the window of in, which lies inside in's canvas and is not empty.
// Bands, if any are given, picks, reorders or repeats in's bands.
func NewCrop(in Node, window image.Rectangle, bands ...int) (*Crop, error) {
	if in == nil {
		return nil, fail(KindCrop, "input", nil, "is nil")
	}
	if window.Min.X < 0 || window.Min.Y < 0 || window.Dx() < 1 || window.Dy() < 1 ||
		window.Max.X > MaxExtent || window.Max.Y > MaxExtent {
		return nil, fail(KindCrop, "window", windowValue(window), "is not a window [x0 y0 x1 y1] with x0 < x1 and y0 < y1, of at most %d pixels a side", MaxExtent)
	}
	if len(bands) > MaxBands {
		return nil, checkBandCount(KindCrop, len(bands))
	}
	b := in.base()
	for _, k := range bands {
		if k < 0 || b.Known() && k >= b.NumBands() {
			return nil, fail(KindCrop, "bands", slices.Clone(bands), "has band %d, the input has %d (%s)", k, b.NumBands(), in.Op())
		}
	}
	if s := b.Size(); b.Known() && (window.Max.X > s.W || window.Max.Y > s.H) {
		return nil, fail(KindCrop, "window", windowValue(window), "exceeds canvas %v of its input (%s)", s, in.Op())
	}
	return TrustedCrop(in, window, bands), nil
}

func windowValue(r image.Rectangle) string {
	return fmt.Sprintf("[%d %d %d %d]", r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
}

// Window is the window in the input's pixels.
func (c *Crop) Window() image.Rectangle {
	w := c.window
	return image.Rectangle{Min: image.Point{X: int(w.x0), Y: int(w.y0)}, Max: image.Point{X: int(w.x1), Y: int(w.y1)}}
}

// AllBands reports whether the crop keeps the input's bands as they are.
func (c *Crop) AllBands() bool { return c.picks == nil }

// Pick is the input's band that becomes band i.
func (c *Crop) Pick(i int) int {
	if c.picks == nil {
		return i
	}
	return c.picks[i]
}

// Picks is a copy of the band choice, nil when the bands are kept.
func (c *Crop) Picks() []int { return slices.Clone(c.picks) }

// PicksOf is the band choice of a crop, nil when the bands are kept. The slice
// is shared and must not be changed.
func PicksOf(c *Crop) []int { return c.picks }

// NumInputs is 1.
func (c *Crop) NumInputs() int { return 1 }

// Input is the node that is cropped.
func (c *Crop) Input(int) Node { return c.input }

// WithInputs returns the crop of another node.
func (c *Crop) WithInputs(inputs []Node) (Node, error) {
	if err := checkInputs(KindCrop, inputs, 1); err != nil {
		return nil, err
	}
	if in := inputs[0]; in == c.input {
		return c, nil
	} else if SameShape(in, c.input) {
		return TrustedCropLike(c, in), nil
	}
	return NewCrop(inputs[0], c.Window(), c.picks...)
}

// Pad is its input inside a larger canvas. What is added is invalid.
type Pad struct {
	Base
	input                    Node
	left, top, right, bottom int
}

// NewPad adds pixels at the four sides of in.
func NewPad(in Node, left, top, right, bottom int) (*Pad, error) {
	if in == nil {
		return nil, fail(KindPad, "input", nil, "is nil")
	}
	for i, v := range [4]int{left, top, right, bottom} {
		arg := [4]string{"left", "top", "right", "bottom"}[i]
		if v < 0 {
			return nil, fail(KindPad, arg, v, "is negative")
		}
		if v > MaxExtent {
			return nil, fail(KindPad, arg, v, "exceeds %d", MaxExtent)
		}
	}
	if in.Known() {
		s := in.Size()
		if err := checkSize(KindPad, geom.Size{W: s.W + left + right, H: s.H + top + bottom}); err != nil {
			return nil, err
		}
	}
	return TrustedPad(in, left, top, right, bottom), nil
}

// Margins are the pixels added at each side.
func (p *Pad) Margins() (left, top, right, bottom int) { return p.left, p.top, p.right, p.bottom }

// Inner is the input's rectangle on the canvas.
func (p *Pad) Inner() image.Rectangle {
	s := p.input.Size()
	return image.Rect(p.left, p.top, p.left+s.W, p.top+s.H)
}

// NumInputs is 1.
func (p *Pad) NumInputs() int { return 1 }

// Input is the node that is padded.
func (p *Pad) Input(int) Node { return p.input }

// WithInputs returns the pad of another node.
func (p *Pad) WithInputs(inputs []Node) (Node, error) {
	if err := checkInputs(KindPad, inputs, 1); err != nil {
		return nil, err
	}
	if in := inputs[0]; in == p.input {
		return p, nil
	} else if SameShape(in, p.input) {
		return TrustedPad(in, p.left, p.top, p.right, p.bottom), nil
	}
	return NewPad(inputs[0], p.left, p.top, p.right, p.bottom)
}
