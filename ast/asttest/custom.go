package asttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

var errSingular = errors.New("asttest: the drawn transform has no inverse")

// Op is a custom node for tests. What it computes, and the traits it
// declares, come from its Kernel.
type Op struct {
	ast.Base
	kernel Kernel
	inputs []ast.Node
}

// Kernel is what an Op computes.
type Kernel struct {
	Name   string    // the op without its "x-"
	Params []float64 // arguments, which tell apart nodes of one name
	Traits ast.Traits
	// Shape is the canvas and the bands over the inputs; nil keeps those of the
	// first input, as float64.
	Shape func(inputs []ast.Node) (geom.Size, []ast.Band, error)
	// Pixel is the value of a band at a canvas position, NaN if invalid. Bands
	// counts through all inputs in at.
	Pixel func(at func(x, y, band int) float64, x, y, band int) float64
}

// NewOp is a custom node over inputs.
func NewOp(k Kernel, inputs ...ast.Node) (*Op, error) {
	o := &Op{kernel: k, inputs: append([]ast.Node(nil), inputs...)}
	var size geom.Size
	var bands []ast.Band
	known := len(inputs) > 0
	for _, in := range inputs {
		known = known && in != nil && in.Known()
	}
	if known {
		var err error
		if size, bands, err = shape(k, inputs); err != nil {
			return nil, err
		}
	}
	if err := ast.Define(o, size, bands); err != nil {
		return nil, err
	}
	return o, nil
}

func shape(k Kernel, inputs []ast.Node) (geom.Size, []ast.Band, error) {
	if k.Shape != nil {
		return k.Shape(inputs)
	}
	bands := make([]ast.Band, inputs[0].NumBands())
	for i := range bands {
		bands[i] = ast.Band{Name: inputs[0].Band(i).Name, Type: raster.Float64}
	}
	return inputs[0].Size(), bands, nil
}

// Op is the kernel's name behind "x-".
func (o *Op) Op() string { return "x-" + o.kernel.Name }

// NumInputs is the number of inputs.
func (o *Op) NumInputs() int { return len(o.inputs) }

// Input is the i-th input.
func (o *Op) Input(i int) ast.Node { return o.inputs[i] }

// WithInputs returns the node over other inputs.
func (o *Op) WithInputs(inputs []ast.Node) (ast.Node, error) {
	same := len(inputs) == len(o.inputs)
	for i := range inputs {
		same = same && inputs[i] == o.inputs[i]
	}
	if same {
		return o, nil
	}
	if len(inputs) != len(o.inputs) {
		return nil, &ast.Error{Op: o.Op(), Arg: "inputs", Value: len(inputs), Limit: fmt.Sprintf("must be %d", len(o.inputs))}
	}
	n, err := NewOp(o.kernel, inputs...)
	if err != nil {
		return nil, err
	}
	return n, nil
}

// Traits are the kernel's.
func (o *Op) Traits() ast.Traits { return o.kernel.Traits }

// EqualNode compares what the nodes compute.
func (o *Op) EqualNode(n ast.Node) bool {
	p, ok := n.(*Op)
	if !ok || o.kernel.Name != p.kernel.Name || len(o.kernel.Params) != len(p.kernel.Params) {
		return false
	}
	for i, v := range o.kernel.Params {
		if v != p.kernel.Params[i] {
			return false
		}
	}
	return true
}

// FingerprintBytes are the node's arguments.
func (o *Op) FingerprintBytes() []byte { return fmt.Append(nil, o.kernel.Params) }

// MarshalFields writes the arguments for a tree file.
func (o *Op) MarshalFields() ([]byte, error) {
	return json.Marshal(opJSON{Params: o.kernel.Params})
}

type opJSON struct {
	Params []float64 `json:"params,omitempty"`
}

// Decode reads the custom nodes of this package; it is what ast.CustomDecoder
// takes.
func Decode(op string, raw json.RawMessage, inputs []ast.Node) (ast.Node, error) {
	var j opJSON
	if err := json.Unmarshal(raw, &j); err != nil {
		return nil, err
	}
	param := func(i int) float64 {
		if i < len(j.Params) {
			return j.Params[i]
		}
		return 0
	}
	if len(inputs) == 0 {
		return nil, fmt.Errorf("%s has no input", op)
	}
	var n *Op
	var err error
	switch op {
	case "x-gain":
		n, err = NewGain(inputs[0], param(0), param(1))
	case "x-ratio":
		n, err = NewRatio(inputs[0], int(param(0)), int(param(1)))
	case "x-box":
		n, err = NewBox(inputs[0])
	case "x-colors":
		n, err = NewColors(inputs[0], int(param(0)))
	case "x-either":
		n, err = NewEither(inputs...)
	default:
		return nil, fmt.Errorf("unknown custom node %q", op)
	}
	if err != nil {
		return nil, err
	}
	return n, nil
}

// EvalTile computes the window pixel by pixel.
func (o *Op) EvalTile(dst *raster.Buffer, window image.Rectangle, tiles []ast.Tile) error {
	at := func(x, y, band int) float64 {
		for i := range tiles {
			if n := o.inputs[i].NumBands(); band >= n {
				band -= n
			} else {
				return tiles[i].At(x, y, band)
			}
		}
		return math.NaN()
	}
	pix := raster.Samples[float64](dst)
	for y := range dst.H {
		for x := range dst.W {
			for b := range dst.Bands {
				pix[(y*dst.W+x)*dst.Bands+b] = o.kernel.Pixel(at, window.Min.X+x, window.Min.Y+y, b)
			}
		}
	}
	return nil
}

func own(band int) []int { return []int{band} }

// NewGain is x·mul + add of every band.
func NewGain(in ast.Node, mul, add float64) (*Op, error) {
	return NewOp(Kernel{
		Name: "gain", Params: []float64{mul, add},
		Traits: ast.Traits{Reads: own, Affine: true, Validity: ast.ValidAll, ShiftInvariant: true},
		Pixel: func(at func(x, y, band int) float64, x, y, band int) float64 {
			return float64(at(x, y, band)*mul) + add
		},
	}, in)
}

// NewRatio is the normalized difference (a − b)/(|a| + |b| + 1) of two bands; the
// one keeps it continuous, so that rounding does not show.
func NewRatio(in ast.Node, a, b int) (*Op, error) {
	if in != nil && in.Known() && (a < 0 || b < 0 || a >= in.NumBands() || b >= in.NumBands()) {
		return nil, &ast.Error{Op: "x-ratio", Arg: "bands", Value: []int{a, b}, Limit: fmt.Sprintf("exceed the input's %d", in.NumBands())}
	}
	return NewOp(Kernel{
		Name: "ratio", Params: []float64{float64(a), float64(b)},
		Traits: ast.Traits{Reads: func(int) []int { return []int{a, b} }, Validity: ast.ValidAll, ShiftInvariant: true},
		Shape: func(inputs []ast.Node) (geom.Size, []ast.Band, error) {
			return inputs[0].Size(), []ast.Band{{Name: "ratio", Type: raster.Float32}}, nil
		},
		Pixel: func(at func(x, y, band int) float64, x, y, _ int) float64 {
			p, q := at(x, y, a), at(x, y, b)
			return (p - q) / (math.Abs(p) + math.Abs(q) + 1)
		},
	}, in)
}

// NewBox is the mean of the valid samples among a sample and its eight
// neighbours, valid where the sample itself is.
func NewBox(in ast.Node) (*Op, error) {
	return NewOp(Kernel{
		Name:   "box",
		Traits: ast.Traits{Margin: 1, Reads: own, Validity: ast.ValidAll, ShiftInvariant: true},
		Pixel: func(at func(x, y, band int) float64, x, y, band int) float64 {
			sum, n := 0.0, 0.0
			if v := at(x, y, band); v != v {
				return v
			}
			for j := y - 1; j <= y+1; j++ {
				for i := x - 1; i <= x+1; i++ {
					if v := at(i, j, band); v == v {
						sum, n = sum+v, n+1
					}
				}
			}
			return sum / n
		},
	}, in)
}

// NewColors maps the values 0 to 255 of one band to colours from black over red
// and yellow to white.
func NewColors(in ast.Node, band int) (*Op, error) {
	if in != nil && in.Known() && (band < 0 || band >= in.NumBands()) {
		return nil, &ast.Error{Op: "x-colors", Arg: "band", Value: band, Limit: fmt.Sprintf("exceeds the input's %d", in.NumBands())}
	}
	return NewOp(Kernel{
		Name: "colors", Params: []float64{float64(band)},
		Traits: ast.Traits{Reads: func(int) []int { return []int{band} }, Validity: ast.ValidAll, ShiftInvariant: true},
		Shape: func(inputs []ast.Node) (geom.Size, []ast.Band, error) {
			return inputs[0].Size(), []ast.Band{
				{Name: "r", Type: raster.Uint8}, {Name: "g", Type: raster.Uint8}, {Name: "b", Type: raster.Uint8},
			}, nil
		},
		Pixel: func(at func(x, y, band int) float64, x, y, c int) float64 {
			v := at(x, y, band)
			if v != v {
				return v
			}
			return min(max(3*v-float64(255*c), 0), 255)
		},
	}, in)
}

// NewEither lays inputs of one shape over another: each sample is that of the
// first input where it is valid.
func NewEither(inputs ...ast.Node) (*Op, error) {
	if len(inputs) == 0 {
		return nil, &ast.Error{Op: "x-either", Arg: "inputs", Value: 0, Limit: "must be at least 1"}
	}
	bands := inputs[0].NumBands()
	for i, in := range inputs {
		if in.Known() && (in.Size() != inputs[0].Size() || in.NumBands() != bands) {
			return nil, &ast.Error{Op: "x-either", Arg: "input", Value: i, Limit: "has another shape than the first"}
		}
	}
	reads := func(band int) []int {
		r := make([]int, len(inputs))
		for i := range r {
			r[i] = i*bands + band
		}
		return r
	}
	return NewOp(Kernel{
		Name:   "either",
		Traits: ast.Traits{Reads: reads, Validity: ast.ValidAny, ShiftInvariant: true},
		Pixel: func(at func(x, y, band int) float64, x, y, band int) float64 {
			for i := range inputs {
				if v := at(x, y, i*bands+band); v == v {
					return v
				}
			}
			return math.NaN()
		},
	}, inputs...)
}
