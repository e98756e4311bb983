package ast

import (
	"image"
	"slices"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// Custom is a node that is not built in. Its type embeds Base, is made ready
// with Define, and declares by its traits what rules may do to it. It is a
// sampling barrier: it is evaluated on its own pixel grid.
//
// Op returns a name that begins with "x-".
type Custom interface {
	Node
	// Traits declares how the node's pixels depend on its inputs'.
	Traits() Traits
	// EvalTile fills dst, which is float64, with the window of the canvas, NaN
	// where invalid. Tiles holds what the window needs of each input. It is
	// called from many goroutines at once and must not keep its arguments.
	EvalTile(dst *raster.Buffer, window image.Rectangle, tiles []Tile) error
}

// Tile is a window of an input's canvas, as float64 with NaN where invalid.
type Tile struct {
	Pix    *raster.Buffer
	Window image.Rectangle
}

// At is the sample at canvas position (x, y) of the tile's input, NaN where it
// is invalid or outside the tile.
func (t Tile) At(x, y, band int) float64 {
	if !(image.Point{X: x, Y: y}).In(t.Window) {
		return nan
	}
	v, _ := t.Pix.At(x-t.Window.Min.X, y-t.Window.Min.Y, band)
	return v
}

// WholeInput is the margin of a node whose every pixel may depend on every
// pixel of its inputs.
const WholeInput = -1

// Validity is how the validity of a custom node's pixels follows from that of
// the input pixels it reads.
type Validity uint8

// The kinds of validity.
const (
	ValidOwn Validity = iota // the node decides
	ValidAll                 // valid where every input sample at that pixel is
	ValidAny                 // valid where any is
)

// Traits is what a custom node promises. The zero value promises nothing but
// that a pixel depends on the pixel at its own place.
type Traits struct {
	// Margin is how many pixels around its own place an output pixel reads of
	// each input, or WholeInput.
	Margin int
	// Reads lists the input bands, counted through all inputs, that an output
	// band depends on; nil means all.
	Reads func(band int) []int
	// Affine says that each output value is a·x + b of one input value, a and b
	// constant for the band.
	Affine bool
	// Validity says how validity follows.
	Validity Validity
	// ShiftInvariant says that inputs and canvas have one size, and that the
	// node of inputs shifted by whole pixels is the node's output shifted.
	ShiftInvariant bool
}

// Define makes a custom node ready: it sets its canvas and bands. It is called
// once, by the node's constructor, before the node is used.
func Define(n Custom, size geom.Size, bands []Band) error {
	f, op, kinds := known, n.Op(), Kinds(1<<KindCustom)
	for i := range n.NumInputs() {
		if n.Input(i) == nil {
			return &Error{Op: op, Arg: "input", Value: i, Limit: "is nil"}
		}
		kinds |= n.Input(i).base().kinds
		if !n.Input(i).Known() {
			f &^= known
		}
	}
	*n.base() = Base{} // of a copy, what its original remembers
	n.base().init(KindCustom, geom.Size{}, nil, f&^known)
	n.base().kinds = kinds
	if f&known == 0 {
		return nil
	}
	if err := checkSize(KindCustom, size); err != nil {
		return named(err, op)
	}
	if err := checkBandCount(KindCustom, len(bands)); err != nil {
		return named(err, op)
	}
	n.base().init(KindCustom, size, listOf(slices.Clone(bands)), f)
	n.base().kinds = kinds
	return nil
}

func named(err error, op string) error {
	if e, ok := err.(*Error); ok {
		e.Op = op
	}
	return err
}

// InputWindow is the part of input i that a window of n's canvas needs.
func InputWindow(n Custom, i int, window image.Rectangle) image.Rectangle {
	s := n.Input(i).Size()
	whole := image.Rect(0, 0, s.W, s.H)
	m := n.Traits().Margin
	if m < 0 || s != n.Size() {
		return whole
	}
	return window.Inset(-m).Intersect(whole)
}
