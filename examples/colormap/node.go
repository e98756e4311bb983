package main

import (
	"fmt"
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

const op = "x-colormap"

// Stop is a value with its colour.
type Stop struct {
	Value   float64
	R, G, B uint8
}

// Colormap paints a band: between two stops the colour is mixed linearly, and
// beyond the first and the last it stays. It is invalid where the band is.
type Colormap struct {
	ast.Base
	input ast.Node
	band  int
	stops []Stop
}

// NewColormap paints a band of in by stops in increasing order.
func NewColormap(in ast.Node, band int, stops ...Stop) (*Colormap, error) {
	if in == nil {
		return nil, &ast.Error{Op: op, Arg: "input", Limit: "is nil"}
	}
	if n := in.NumBands(); in.Known() && (band < 0 || band >= n) {
		return nil, &ast.Error{Op: op, Arg: "band", Value: band, Limit: fmt.Sprintf("exceeds the input's %d bands", n)}
	}
	if len(stops) < 2 {
		return nil, &ast.Error{Op: op, Arg: "stops", Value: len(stops), Limit: "must be at least 2"}
	}
	for i, s := range stops {
		if math.IsNaN(s.Value) || math.IsInf(s.Value, 0) || i > 0 && s.Value <= stops[i-1].Value {
			return nil, &ast.Error{Op: op, Arg: "stops", Value: s.Value, Limit: "must be finite, and increase"}
		}
	}
	c := &Colormap{input: in, band: band, stops: append([]Stop{}, stops...)}
	bands := []ast.Band{{Name: "r", Type: raster.Uint8}, {Name: "g", Type: raster.Uint8}, {Name: "b", Type: raster.Uint8}}
	if err := ast.Define(c, in.Size(), bands); err != nil {
		return nil, err
	}
	return c, nil
}

// Op is the name in tree files.
func (c *Colormap) Op() string { return op }

// NumInputs is 1.
func (c *Colormap) NumInputs() int { return 1 }

// Input is what is painted.
func (c *Colormap) Input(int) ast.Node { return c.input }

// WithInputs paints the same band of another input.
func (c *Colormap) WithInputs(inputs []ast.Node) (ast.Node, error) {
	switch {
	case len(inputs) != 1:
		return nil, &ast.Error{Op: op, Arg: "inputs", Value: len(inputs), Limit: "must be 1"}
	case inputs[0] == c.input:
		return c, nil
	}
	n, err := NewColormap(inputs[0], c.band, c.stops...)
	if err != nil {
		return nil, err // not n, which would be a Node that is not nil
	}
	return n, nil
}

// Traits say that all three bands depend on one band of the same pixel, valid
// where it is. Colours are no affine function of the value, so that a warp above
// mixes colours, and one below values: the rules leave it where it stands.
func (c *Colormap) Traits() ast.Traits {
	return ast.Traits{
		Reads:          func(int) []int { return []int{c.band} },
		Validity:       ast.ValidAll,
		ShiftInvariant: true,
	}
}

// EvalTile paints a window.
func (c *Colormap) EvalTile(dst *raster.Buffer, window image.Rectangle, tiles []ast.Tile) error {
	out := raster.Samples[float64](dst)
	for y := range dst.H {
		for x := range dst.W {
			if v := tiles[0].At(window.Min.X+x, window.Min.Y+y, c.band); v == v {
				i := (y*dst.W + x) * 3
				out[i], out[i+1], out[i+2] = c.colour(v)
			}
		}
	}
	return nil
}

// colour is not rounded: that is done once, at the end.
func (c *Colormap) colour(v float64) (r, g, b float64) {
	last := len(c.stops) - 1
	v = min(max(v, c.stops[0].Value), c.stops[last].Value)
	i := 1
	for i < last && v > c.stops[i].Value {
		i++
	}
	p, q := c.stops[i-1], c.stops[i]
	t := (v - p.Value) / (q.Value - p.Value)
	mix := func(a, b uint8) float64 { return float64(a) + t*(float64(b)-float64(a)) }
	return mix(p.R, q.R), mix(p.G, q.G), mix(p.B, q.B)
}

// EqualNode compares the arguments; the inputs are ast.Equal's business.
func (c *Colormap) EqualNode(n ast.Node) bool {
	d, ok := n.(*Colormap)
	return ok && string(c.FingerprintBytes()) == string(d.FingerprintBytes())
}

// FingerprintBytes are the arguments.
func (c *Colormap) FingerprintBytes() []byte { return fmt.Append(nil, c.band, c.stops) }
