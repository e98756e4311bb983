package script

import (
	"math"

	"go.starlark.net/starlark"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// attribute tells about a node. Get returns nil for nodes of another
// operation.
type attribute struct {
	name, of, doc string
	get           func(n ast.Node) (starlark.Value, error)
}

var attributes = map[string]*attribute{}

// of is an attribute of one type of node.
func of[N ast.Node](get func(n N) starlark.Value) func(ast.Node) (starlark.Value, error) {
	return func(n ast.Node) (starlark.Value, error) {
		if n, ok := n.(N); ok {
			return get(n), nil
		}
		return nil, nil
	}
}

// ofKnown is an attribute of every node whose metadata is known.
func ofKnown(get func(n ast.Node) starlark.Value) func(ast.Node) (starlark.Value, error) {
	return func(n ast.Node) (starlark.Value, error) {
		if err := checkKnown(n); err != nil {
			return nil, err
		}
		return get(n), nil
	}
}

var attributeTable = []attribute{
	{"op", "every node", `The operation, such as "warp".`, of(func(n ast.Node) starlark.Value { return starlark.String(n.Op()) })},
	{"inputs", "every node", "The trees below, a list.", of(func(n ast.Node) starlark.Value {
		var list []starlark.Value
		for i := range n.NumInputs() {
			list = append(list, &treeValue{n.Input(i)})
		}
		return starlark.NewList(list)
	})},
	{"input", "nodes with one input", "The tree below.", of(func(n ast.Node) starlark.Value {
		if n.NumInputs() != 1 {
			return nil
		}
		return &treeValue{n.Input(0)}
	})},
	{"known", "every node", "Whether size and bands are known.", of(func(n ast.Node) starlark.Value { return starlark.Bool(n.Known()) })},
	{"dsize", "every node", "The canvas, (width, height).", ofKnown(func(n ast.Node) starlark.Value { return sizeValue(n.Size()) })},
	{"size", "every node", "The same as dsize.", ofKnown(func(n ast.Node) starlark.Value { return sizeValue(n.Size()) })},
	{"shape", "every node", "(height, width, number of bands).", ofKnown(func(n ast.Node) starlark.Value {
		return starlark.Tuple{starlark.MakeInt(n.Size().H), starlark.MakeInt(n.Size().W), starlark.MakeInt(n.NumBands())}
	})},
	{"num_channels", "every node", "The number of bands.", ofKnown(func(n ast.Node) starlark.Value { return starlark.MakeInt(n.NumBands()) })},
	{"channels", "every node", `The names of the bands, such as "r|g|b".`, ofKnown(func(n ast.Node) starlark.Value {
		names := make([]string, n.NumBands())
		for i := range names {
			names[i] = n.Band(i).Name
		}
		return starlark.String(ast.FormatChannels(names))
	})},
	{"dtypes", "every node", "The types of the bands, a list.", ofKnown(func(n ast.Node) starlark.Value {
		var list []starlark.Value
		for i := range n.NumBands() {
			list = append(list, starlark.String(n.Band(i).Type.String()))
		}
		return starlark.NewList(list)
	})},
	{"num_overviews", "every node", "How many reductions the file stores below the node's own, 0 above a warp.", ofKnown(func(n ast.Node) starlark.Value { return starlark.MakeInt(storedBelow(n)) })},
	{"is_source", "every node", "Whether the tree is made of samples as they are stored, without a resampling.", ofKnown(func(n ast.Node) starlark.Value { return starlark.Bool(ast.IsSource(n)) })},

	{"fpath", "load", "The same as uri.", of(func(n *ast.Load) starlark.Value { return starlark.String(n.URI()) })},
	{"uri", "load", "What is loaded.", of(func(n *ast.Load) starlark.Value { return starlark.String(n.URI()) })},
	{"overviews", "load", "The sizes of the reductions that the file stores, a list.", of(func(n *ast.Load) starlark.Value {
		var list []starlark.Value
		for i := range n.NumOverviews() {
			s, _ := n.LevelSize(i + 1)
			list = append(list, sizeValue(s))
		}
		return starlark.NewList(list)
	})},
	{"value", "fill", "The constant, None where all is invalid.", of(func(n *ast.Fill) starlark.Value {
		if v, ok := n.Value(); ok {
			return numberValue(v)
		}
		return starlark.None
	})},
	{"window", "crop", "(x0, y0, x1, y1) on the input.", of(func(n *ast.Crop) starlark.Value {
		w := n.Window()
		return intTuple(w.Min.X, w.Min.Y, w.Max.X, w.Max.Y)
	})},
	{"bands", "crop", "The picked bands, a list, or None for all.", of(func(n *ast.Crop) starlark.Value {
		if n.AllBands() {
			return starlark.None
		}
		return starlark.NewList(intTuple(n.Picks()...))
	})},
	{"space_slice", "crop", "(slice of rows, slice of columns).", of(func(n *ast.Crop) starlark.Value {
		w := n.Window()
		return starlark.Tuple{
			&slice{starlark.MakeInt(w.Min.Y), starlark.MakeInt(w.Max.Y), starlark.None},
			&slice{starlark.MakeInt(w.Min.X), starlark.MakeInt(w.Max.X), starlark.None},
		}
	})},
	{"margins", "pad", "(left, top, right, bottom).", of(func(n *ast.Pad) starlark.Value { return intTuple(margins(n)...) })},
	{"transform", "warp", `A dict of "scale", "theta", "shear" and "offset", or of "matrix" for a projective one.`, of(func(n *ast.Warp) starlark.Value { return transformValue(n.Transform()) })},
	{"matrix", "warp", "The transform as six numbers, nine for a projective one.", of(func(n *ast.Warp) starlark.Value { return matrixValue(n.Transform()) })},
	{"inverse", "warp", "The matrix from the canvas to the input.", of(func(n *ast.Warp) starlark.Value { return matrixValue(n.Inverse()) })},
	{"interpolation", "warp", `Such as "linear".`, of(func(n *ast.Warp) starlark.Value { return starlark.String(n.Sampling().Interp.String()) })},
	{"antialias", "warp", "Whether the kernel grows with a downscale.", of(func(n *ast.Warp) starlark.Value { return starlark.Bool(n.Sampling().Antialias) })},
	{"border", "warp", `"nodata", "clamp", "reflect", "wrap" or a number.`, of(func(n *ast.Warp) starlark.Value { return borderValue(n.Sampling().Border) })},
	{"sampling", "warp", "A dict of interpolation, antialias and border, as arguments for warp.", of(func(n *ast.Warp) starlark.Value { return samplingValue(n.Sampling()) })},
	{"domain", "warp", `Where the canvas can be valid: a list of {"row": …, "closed": …}, or None.`, of(func(n *ast.Warp) starlark.Value { return domainValue(n.Domain()) })},
	{"copies", "warp", "Whether it only permutes the samples of a source.", of(func(n *ast.Warp) starlark.Value { return starlark.Bool(n.Copies()) })},
	{"level", "overview", "The number of the reduction.", of(func(n *ast.Overview) starlark.Value { return starlark.MakeInt(n.Level()) })},
	{"stored", "overview", "Whether the file stores the level.", of(func(n *ast.Overview) starlark.Value { return starlark.Bool(n.Stored()) })},
	{"quantization", "dequantize", "A dict, as dequantize takes it.", of(func(n *ast.Dequantize) starlark.Value { return quantizationValue(n.Quantization()) })},
}

// storedBelow is how many stored levels an overview of n could take.
func storedBelow(n ast.Node) int {
	above := 0
	for {
		switch t := n.(type) {
		case *ast.Load:
			return max(t.NumOverviews()-above, 0)
		case *ast.Overview:
			above += t.Level()
			n = t.Input(0)
		case *ast.Crop, *ast.Dequantize:
			n = t.Input(0)
		default:
			return 0
		}
	}
}

func margins(p *ast.Pad) []int {
	l, t, r, b := p.Margins()
	return []int{l, t, r, b}
}

func intTuple(v ...int) starlark.Tuple {
	out := make(starlark.Tuple, len(v))
	for i := range v {
		out[i] = starlark.MakeInt(v[i])
	}
	return out
}

func sizeValue(s geom.Size) starlark.Value { return intTuple(s.W, s.H) }

// numberValue is a whole number where it is one.
func numberValue(v float64) starlark.Value {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return starlark.MakeInt64(int64(v))
	}
	return starlark.Float(v)
}

func floatList(v []float64) starlark.Value {
	list := make([]starlark.Value, len(v))
	for i := range v {
		list[i] = starlark.Float(v[i])
	}
	return starlark.NewList(list)
}

func matrixValue(m geom.Transform) starlark.Value {
	if m.IsAffine() {
		return floatList(m[:6])
	}
	return floatList(m[:])
}

// dict is a dict of strings to values, in order.
func dict(pairs ...any) *starlark.Dict {
	d := starlark.NewDict(len(pairs) / 2)
	for i := 0; i < len(pairs); i += 2 {
		if err := d.SetKey(starlark.String(pairs[i].(string)), pairs[i+1].(starlark.Value)); err != nil {
			panic(err) // a string is a key
		}
	}
	return d
}

func transformValue(m geom.Transform) starlark.Value {
	p, ok := m.Decompose()
	if !ok {
		return dict("matrix", matrixValue(m))
	}
	pair := func(v [2]float64) starlark.Value { return starlark.Tuple{starlark.Float(v[0]), starlark.Float(v[1])} }
	return dict("scale", pair(p.Scale), "theta", starlark.Float(p.Theta), "shear", starlark.Float(p.Shear), "offset", pair(p.Offset))
}

func borderValue(b ast.Border) starlark.Value {
	if b.Mode == ast.ValueBorder {
		return numberValue(b.Value)
	}
	return starlark.String(b.String())
}

func samplingValue(s ast.Sampling) starlark.Value {
	return dict("interpolation", starlark.String(s.Interp.String()), "antialias", starlark.Bool(s.Antialias), "border", borderValue(s.Border))
}

func domainValue(d *geom.Domain) starlark.Value {
	if d == nil {
		return starlark.None
	}
	var list []starlark.Value
	for _, h := range d.Planes() {
		row := h.Row[:]
		if h.Den != ([3]float64{}) {
			row = append(row[:3:3], h.Den[:]...)
		}
		list = append(list, dict("row", floatList(row), "closed", starlark.Bool(h.Closed)))
	}
	return starlark.NewList(list)
}

func quantizationValue(q ast.Quantization) starlark.Value {
	var nodata starlark.Value = starlark.None
	if q.HasNoData {
		nodata = numberValue(q.NoData)
	}
	return dict("orig_dtype", starlark.String(q.OrigType.String()), "orig_min", numberValue(q.OrigMin), "orig_max", numberValue(q.OrigMax),
		"quant_min", numberValue(q.QuantMin), "quant_max", numberValue(q.QuantMax), "nodata", nodata)
}
