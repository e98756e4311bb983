package main

import (
	"fmt"
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

const op = "x-box"

// Box is a smoothing filter: each sample becomes the mean of the valid samples
// of its band in a square around it. It is valid where the sample itself is.
type Box struct {
	ast.Base
	input  ast.Node
	radius int // pixels on each side
}

// NewBox smooths in by a square of 2·radius + 1 pixels a side.
func NewBox(in ast.Node, radius int) (*Box, error) {
	if in == nil {
		return nil, &ast.Error{Op: op, Arg: "input", Limit: "is nil"}
	}
	if radius < 1 || radius > 64 {
		return nil, &ast.Error{Op: op, Arg: "radius", Value: radius, Limit: "must be 1 to 64"}
	}
	b := &Box{input: in, radius: radius}
	var bands []ast.Band
	for i := range in.NumBands() {
		bands = append(bands, ast.Band{Name: in.Band(i).Name, Type: raster.Float32})
	}
	if err := ast.Define(b, in.Size(), bands); err != nil {
		return nil, err
	}
	return b, nil
}

// Op is the name in tree files.
func (b *Box) Op() string { return op }

// NumInputs is 1.
func (b *Box) NumInputs() int { return 1 }

// Input is what is smoothed.
func (b *Box) Input(int) ast.Node { return b.input }

// WithInputs smooths another input.
func (b *Box) WithInputs(inputs []ast.Node) (ast.Node, error) {
	switch {
	case len(inputs) != 1:
		return nil, &ast.Error{Op: op, Arg: "inputs", Value: len(inputs), Limit: "must be 1"}
	case inputs[0] == b.input:
		return b, nil
	}
	n, err := NewBox(inputs[0], b.radius)
	if err != nil {
		return nil, err // not n, which would be a Node that is not nil
	}
	return n, nil
}

// Traits say how far a sample looks. A crop then moves below the node and
// leaves the margin there, and tiles are read with it.
func (b *Box) Traits() ast.Traits {
	return ast.Traits{
		Margin:         b.radius,
		Reads:          func(band int) []int { return []int{band} },
		Validity:       ast.ValidOwn,
		ShiftInvariant: true,
	}
}

// EvalTile smooths a window. Beyond the canvas there is nothing: At is NaN.
func (b *Box) EvalTile(dst *raster.Buffer, window image.Rectangle, tiles []ast.Tile) error {
	out := raster.Samples[float64](dst)
	for y := range dst.H {
		for x := range dst.W {
			for band := range dst.Bands {
				px, py := window.Min.X+x, window.Min.Y+y
				if v := tiles[0].At(px, py, band); v == v {
					out[(y*dst.W+x)*dst.Bands+band] = b.mean(tiles[0], px, py, band)
				}
			}
		}
	}
	return nil
}

func (b *Box) mean(in ast.Tile, px, py, band int) float64 {
	sum, n := 0.0, 0
	for y := py - b.radius; y <= py+b.radius; y++ {
		for x := px - b.radius; x <= px+b.radius; x++ {
			if v := in.At(x, y, band); v == v {
				sum += v
				n++
			}
		}
	}
	return sum / float64(n)
}

// EqualNode compares the radius; the inputs are ast.Equal's business.
func (b *Box) EqualNode(n ast.Node) bool {
	c, ok := n.(*Box)
	return ok && b.radius == c.radius
}

// FingerprintBytes are the arguments.
func (b *Box) FingerprintBytes() []byte { return fmt.Append(nil, b.radius) }
