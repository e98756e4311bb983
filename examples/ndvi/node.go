package main

import (
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

const op = "x-ndvi"

// NDVI is the vegetation index (nir − red)/(nir + red) of an input with two
// bands in this order. It is invalid where one of them is, or where both are 0.
type NDVI struct {
	ast.Base
	input ast.Node
}

// NewNDVI is the index of an input of two bands.
func NewNDVI(in ast.Node) (*NDVI, error) {
	if in == nil {
		return nil, &ast.Error{Op: op, Arg: "input", Limit: "is nil"}
	}
	if n := in.NumBands(); in.Known() && n != 2 {
		return nil, &ast.Error{Op: op, Arg: "bands", Value: n, Limit: "must be 2: near infrared and red"}
	}
	n := &NDVI{input: in}
	if err := ast.Define(n, in.Size(), []ast.Band{{Name: "ndvi", Type: raster.Float32}}); err != nil {
		return nil, err
	}
	return n, nil
}

// Op is the name in tree files.
func (n *NDVI) Op() string { return op }

// NumInputs is 1.
func (n *NDVI) NumInputs() int { return 1 }

// Input is the near infrared and the red band.
func (n *NDVI) Input(int) ast.Node { return n.input }

// WithInputs returns the index of another input.
func (n *NDVI) WithInputs(inputs []ast.Node) (ast.Node, error) {
	switch {
	case len(inputs) != 1:
		return nil, &ast.Error{Op: op, Arg: "inputs", Value: len(inputs), Limit: "must be 1"}
	case inputs[0] == n.input:
		return n, nil
	}
	m, err := NewNDVI(inputs[0])
	if err != nil {
		return nil, err // not m, which would be a Node that is not nil
	}
	return m, nil
}

// Traits say that a pixel depends on both bands at its own place, and on
// nothing else: crops move below. The index is not affine in a band, so warps
// stay above, and mix indices instead of reflectances.
func (n *NDVI) Traits() ast.Traits {
	return ast.Traits{Validity: ast.ValidOwn, ShiftInvariant: true}
}

// EvalTile computes a window. NaN is invalid, and stays what 0/0 leaves.
func (n *NDVI) EvalTile(dst *raster.Buffer, window image.Rectangle, tiles []ast.Tile) error {
	out := raster.Samples[float64](dst)
	for y := range dst.H {
		for x := range dst.W {
			nir := tiles[0].At(window.Min.X+x, window.Min.Y+y, 0)
			red := tiles[0].At(window.Min.X+x, window.Min.Y+y, 1)
			out[y*dst.W+x] = (nir - red) / (nir + red)
		}
	}
	return nil
}

// EqualNode is true of every other index; the inputs are ast.Equal's business.
func (n *NDVI) EqualNode(m ast.Node) bool {
	_, ok := m.(*NDVI)
	return ok
}
