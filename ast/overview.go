package ast

import (
	"fmt"
	"math"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// MaxLevel is the largest overview level: a canvas of 2³¹ pixels is one pixel
// at level 31.
const MaxLevel = 31

// Overview is the level-th reduction of its input. Over a Load that stores the
// level it is that stored raster; over anything else it is a warp by its scale
// with default sampling onto ceil(size/2^level).
type Overview struct {
	Base
	input Node
	level int
}

// NewOverview is the level-th reduction of in; level 0 is in itself.
func NewOverview(in Node, level int) (*Overview, error) {
	if in == nil {
		return nil, fail(KindOverview, "input", nil, "is nil")
	}
	if level < 0 || level > MaxLevel {
		return nil, fail(KindOverview, "level", level, "is not between 0 and %d", MaxLevel)
	}
	return TrustedOverview(in, level), nil
}

// Level is the number of the reduction.
func (o *Overview) Level() int { return o.level }

// Stored reports whether the input is a Load that stores the level.
func (o *Overview) Stored() bool { return o.flags&stored != 0 }

// storedSize is the size of a level that a load stores.
func storedSize(in Node, level int) (s geom.Size, ok bool) {
	if l, isLoad := in.(*Load); isLoad {
		return l.LevelSize(level)
	}
	return geom.Size{}, false
}

// StoredLevel is the load and level that n reads as they are stored, or nil.
func StoredLevel(n Node) (*Load, int) {
	switch n := n.(type) {
	case *Load:
		return n, 0
	case *Overview:
		if l, ok := n.Input(0).(*Load); ok && n.Stored() {
			return l, n.Level()
		}
	}
	return nil, 0
}

func hasLevel(in Node, level int) bool {
	_, ok := storedSize(in, level)
	return ok
}

// Scale is the factor from the input's canvas to this one, along x and y.
func (o *Overview) Scale() (sx, sy float64) {
	in, out := o.input.Size(), o.Size()
	return float64(out.W) / float64(in.W), float64(out.H) / float64(in.H)
}

// Transform is the map from the input's coordinates to the canvas's.
func (o *Overview) Transform() geom.Transform { return geom.Scale(o.Scale()) }

// NumInputs is 1.
func (o *Overview) NumInputs() int { return 1 }

// Input is the node that is reduced.
func (o *Overview) Input(int) Node { return o.input }

// WithInputs returns the overview of another node.
func (o *Overview) WithInputs(inputs []Node) (Node, error) {
	if err := checkInputs(KindOverview, inputs, 1); err != nil {
		return nil, err
	}
	if inputs[0] == o.input {
		return o, nil
	}
	return NewOverview(inputs[0], o.level)
}

// Quantization maps stored integers to values:
//
//	s ↦ (s − QuantMin)·(OrigMax − OrigMin)/(QuantMax − QuantMin) + OrigMin
//
// The integer NoData, if HasNoData, is invalid.
type Quantization struct {
	OrigType           raster.DataType
	OrigMin, OrigMax   float64
	QuantMin, QuantMax float64
	NoData             float64
	HasNoData          bool
}

// Value is the value of the stored integer s, in float64.
func (q Quantization) Value(s float64) float64 {
	return (s-q.QuantMin)*(q.OrigMax-q.OrigMin)/(q.QuantMax-q.QuantMin) + q.OrigMin
}

// Affine is the same map as value = s·mul + add.
func (q Quantization) Affine() (mul, add float64) {
	mul = (q.OrigMax - q.OrigMin) / (q.QuantMax - q.QuantMin)
	return mul, q.OrigMin - q.QuantMin*mul
}

// Dequantize turns stored integers back to values. It applies to samples,
// before any interpolation, wherever it stands in the tree.
type Dequantize struct {
	Base
	input Node
	q     Quantization
}

// NewDequantize maps the integer samples of in to values.
func NewDequantize(in Node, q Quantization) (*Dequantize, error) {
	if in == nil {
		return nil, fail(KindDequantize, "input", nil, "is nil")
	}
	if q.OrigType == raster.Unknown || q.OrigType > raster.Float64 {
		return nil, fail(KindDequantize, "orig_dtype", q.OrigType, "is not a sample type")
	}
	for i, v := range [5]float64{q.OrigMin, q.OrigMax, q.QuantMin, q.QuantMax, q.NoData} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			arg := [5]string{"orig_min", "orig_max", "quant_min", "quant_max", "nodata"}[i]
			return nil, fail(KindDequantize, arg, v, "is not finite")
		}
	}
	if mul, add := q.Affine(); q.QuantMin == q.QuantMax || math.IsInf(mul, 0) || math.IsInf(add, 0) {
		return nil, fail(KindDequantize, "quant_max", q.QuantMax, "leaves no range above quant_min %v", q.QuantMin)
	}
	if !q.HasNoData {
		q.NoData = 0
	}
	for i, b := range in.base().bands() {
		if b.dequantized {
			return nil, fail(KindDequantize, "input", nil, "is dequantized already (band %d); a path takes one dequantize", i)
		}
		if b.Type.IsFloat() {
			return nil, fail(KindDequantize, "input", nil, "has %v in band %d, expected an integer type", b.Type, i)
		}
	}
	return TrustedDequantize(in, q), nil
}

// Quantization is the map from stored integers to values.
func (d *Dequantize) Quantization() Quantization { return d.q }

// NumInputs is 1.
func (d *Dequantize) NumInputs() int { return 1 }

// Input is the node that is dequantized.
func (d *Dequantize) Input(int) Node { return d.input }

// WithInputs returns the dequantize of another node.
func (d *Dequantize) WithInputs(inputs []Node) (Node, error) {
	if err := checkInputs(KindDequantize, inputs, 1); err != nil {
		return nil, err
	}
	if inputs[0] == d.input {
		return d, nil
	}
	return NewDequantize(inputs[0], d.q)
}

// Concat is the bands of its inputs one after another. All have one canvas.
type Concat struct {
	Base
	inputs []Node
}

// NewConcat joins the bands of the inputs, whose canvases must be equal.
func NewConcat(inputs ...Node) (*Concat, error) {
	if len(inputs) == 0 {
		return nil, fail(KindConcat, "inputs", 0, "must be at least 1")
	}
	bands := 0
	var first Node
	for i, in := range inputs {
		if in == nil {
			return nil, fail(KindConcat, "input", i, "is nil")
		}
		bands += in.NumBands()
		if !in.Known() {
			continue
		}
		if first == nil {
			first = in
		} else if in.Size() != first.Size() {
			return nil, fail(KindConcat, fmt.Sprintf("input %d (%s)", i, in.Op()), nil, "has canvas %v, the first has %v", in.Size(), first.Size())
		}
	}
	if bands > MaxBands {
		return nil, checkBandCount(KindConcat, bands)
	}
	return TrustedConcat(append([]Node(nil), inputs...)), nil
}

// NumInputs is the number of parts.
func (c *Concat) NumInputs() int { return len(c.inputs) }

// Input is the i-th part.
func (c *Concat) Input(i int) Node { return c.inputs[i] }

// Part finds the part that band i comes from, and its number in that part.
func (c *Concat) Part(i int) (part, band int) {
	for part, in := range c.inputs {
		if n := in.NumBands(); i >= n {
			i -= n
		} else {
			return part, i
		}
	}
	panic("ast: concat has no such band")
}

// WithInputs returns the concat of other nodes.
func (c *Concat) WithInputs(inputs []Node) (Node, error) {
	if err := checkInputs(KindConcat, inputs, len(c.inputs)); err != nil {
		return nil, err
	}
	same := true
	for i := range inputs {
		same = same && inputs[i] == c.inputs[i]
	}
	if same {
		return c, nil
	}
	return NewConcat(inputs...)
}
