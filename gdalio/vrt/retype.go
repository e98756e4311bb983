package vrt

import (
	"fmt"
	"slices"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// retype gives the bands of n the types that formats say.
func (in *importer) retype(n ast.Node, formats []bandFormat) (ast.Node, error) {
	same := true
	for i, f := range formats {
		same = same && n.Band(i).Type == f.typ
	}
	if same {
		return n, nil
	}
	if c, ok := n.(*ast.Concat); ok {
		parts := make([]ast.Node, c.NumInputs())
		for i := range parts {
			k := c.Input(i).NumBands()
			var err error
			if parts[i], err = in.retype(c.Input(i), formats[:k]); err != nil {
				return nil, err
			}
			formats = formats[k:]
		}
		return nodeOr(ast.NewConcat(parts...))
	}
	return in.retypeBands(n, formats)
}

// retypeBands gives all bands of n one type, or makes them one by one.
func (in *importer) retypeBands(n ast.Node, formats []bandFormat) (ast.Node, error) {
	t := formats[0].typ
	for _, f := range formats {
		if f.typ != t {
			parts := make([]ast.Node, len(formats))
			for i := range formats {
				one, err := only(n, i)
				if err != nil {
					return nil, err
				}
				if parts[i], err = in.retype(one, formats[i:i+1]); err != nil {
					return nil, err
				}
			}
			return nodeOr(ast.NewConcat(parts...))
		}
	}
	if d, err := ast.NewDequantize(n, quantization(0, 1, t, raster.Unknown)); err == nil {
		return d, nil
	}
	if r, ok := requantized(n, t); ok {
		return r, nil
	}
	if !t.IsFloat() {
		return nil, fmt.Errorf("turns %v samples into %v, which has no form in a tree", n.Band(0).Type, t)
	}
	in.note("", "VRTRasterBand", "the tree keeps the %v samples that the VRT turns into %v", n.Band(0).Type, t)
	return n, nil
}

// only is band i of n, with the choice of it moved down to the leaf.
func only(n ast.Node, i int) (ast.Node, error) {
	if n.NumBands() == 1 {
		return n, nil
	}
	down := n.NumInputs() > 0
	switch t := n.(type) {
	case *ast.Concat:
		part, band := t.Part(i)
		return only(t.Input(part), band)
	case *ast.Crop:
		in, err := only(t.Input(0), t.Pick(i))
		if err != nil {
			return nil, err
		}
		return nodeOr(ast.NewCrop(in, t.Window()))
	case *ast.Overview:
		down = !t.Stored()
	}
	if !down {
		return nodeOr(ast.NewCrop(n, n.Size().Bounds(), i))
	}
	in, err := only(n.Input(0), i)
	if err != nil {
		return nil, err
	}
	return n.WithInputs([]ast.Node{in})
}

// requantized is n with another type for its dequantize, or its constant.
func requantized(n ast.Node, t raster.DataType) (ast.Node, bool) {
	if d, ok := n.(*ast.Dequantize); ok {
		q := d.Quantization()
		q.OrigType = t
		r, err := ast.NewDequantize(d.Input(0), q)
		return r, err == nil
	}
	if f, ok := n.(*ast.Fill); ok {
		bands := slices.Clone(ast.BandsOf(f))
		for i := range bands {
			bands[i].Type = t
		}
		v, valid := f.Value()
		r, err := ast.NewInvalid(f.Size(), bands)
		if valid {
			r, err = ast.NewFill(f.Size(), bands, t.Round(v))
		}
		return r, err == nil
	}
	if n.NumInputs() == 0 {
		return nil, false
	}
	inputs := make([]ast.Node, n.NumInputs())
	for i := range inputs {
		var ok bool
		if inputs[i], ok = requantized(n.Input(i), t); !ok {
			return nil, false
		}
	}
	r, err := n.WithInputs(inputs)
	return r, err == nil
}
