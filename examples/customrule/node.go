package main

import (
	"encoding/json"
	"fmt"
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

const op = "x-contrast"

// Contrast is the normalized difference (a − b)/(a + b) of two bands of its
// input; with a near infrared and b red it is the vegetation index NDVI. It is
// invalid where a or b is, or where their sum is 0.
type Contrast struct {
	ast.Base
	input ast.Node
	a, b  int // bands of the input
}

// NewContrast is the contrast of two bands of in.
func NewContrast(in ast.Node, a, b int) (*Contrast, error) {
	if in == nil {
		return nil, &ast.Error{Op: op, Arg: "input", Limit: "is nil"}
	}
	if n := in.NumBands(); in.Known() && (min(a, b) < 0 || max(a, b) >= n) {
		return nil, &ast.Error{Op: op, Arg: "bands", Value: []int{a, b}, Limit: fmt.Sprintf("exceed the input's %d bands", n)}
	}
	c := &Contrast{input: in, a: a, b: b}
	if err := ast.Define(c, in.Size(), []ast.Band{{Name: "contrast", Type: raster.Float64}}); err != nil {
		return nil, err
	}
	return c, nil
}

// Op is the name in tree files.
func (c *Contrast) Op() string { return op }

// NumInputs is 1.
func (c *Contrast) NumInputs() int { return 1 }

// Input is the node whose bands are compared.
func (c *Contrast) Input(int) ast.Node { return c.input }

// WithInputs returns the contrast of the same bands of another node.
func (c *Contrast) WithInputs(inputs []ast.Node) (ast.Node, error) {
	switch {
	case len(inputs) != 1:
		return nil, &ast.Error{Op: op, Arg: "inputs", Value: len(inputs), Limit: "must be 1"}
	case inputs[0] == c.input:
		return c, nil
	}
	n, err := NewContrast(inputs[0], c.a, c.b)
	if err != nil {
		return nil, err // not n, which would be a Node that is not nil
	}
	return n, nil
}

// Traits promise what rules and evaluators may rely on: a pixel reads two bands
// at its own place only, and the node does the same everywhere.
func (c *Contrast) Traits() ast.Traits {
	return ast.Traits{
		Reads:          func(int) []int { return []int{c.a, c.b} },
		Validity:       ast.ValidOwn,
		ShiftInvariant: true,
	}
}

// EvalTile computes a window. A sum of 0 gives NaN, which is invalid.
func (c *Contrast) EvalTile(dst *raster.Buffer, window image.Rectangle, tiles []ast.Tile) error {
	out := raster.Samples[float64](dst)
	for y := range dst.H {
		for x := range dst.W {
			a := tiles[0].At(window.Min.X+x, window.Min.Y+y, c.a)
			b := tiles[0].At(window.Min.X+x, window.Min.Y+y, c.b)
			if a+b != 0 {
				out[y*dst.W+x] = (a - b) / (a + b)
			}
		}
	}
	return nil
}

// EqualNode compares the arguments; the inputs are ast.Equal's business.
func (c *Contrast) EqualNode(n ast.Node) bool {
	d, ok := n.(*Contrast)
	return ok && c.a == d.a && c.b == d.b
}

// FingerprintBytes are the arguments.
func (c *Contrast) FingerprintBytes() []byte { return fmt.Append(nil, c.a, " ", c.b) }

type fields struct {
	Bands [2]int `json:"bands"`
}

// MarshalFields writes the arguments to a tree file.
func (c *Contrast) MarshalFields() ([]byte, error) {
	return json.Marshal(fields{[2]int{c.a, c.b}})
}

// decode reads the node from a tree file; it is for ast.CustomDecoder.
func decode(name string, raw json.RawMessage, inputs []ast.Node) (ast.Node, error) {
	if name != op || len(inputs) != 1 {
		return nil, fmt.Errorf("%s with %d inputs is not known here", name, len(inputs))
	}
	var f fields
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	n, err := NewContrast(inputs[0], f.Bands[0], f.Bands[1])
	if err != nil {
		return nil, err
	}
	return n, nil
}
