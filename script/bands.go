package script

import (
	"fmt"

	"go.starlark.net/starlark"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

var quantizationNames = []string{"orig_dtype", "orig_min", "orig_max", "quant_min", "quant_max", "nodata"}

var quantization = sign(`quant_max, quant_min=0, orig_dtype="float32", orig_min=0, orig_max=1, nodata=None`)

func dequantizeTree(t *treeValue, a *arguments) (starlark.Value, error) {
	if err := a.only("quantization", quantizationNames...); err != nil {
		return nil, err
	}
	if a.has("quantization") {
		d, ok := a.values["quantization"].(*starlark.Dict)
		if !ok {
			return nil, a.wrong("quantization", "a dict such as {\"quant_max\": 255}")
		}
		// The dict's entries stand for the other arguments.
		var err error
		if a, err = quantization.bind(a.thread, a.name, nil, d.Items()); err != nil {
			return nil, err
		}
	} else if !a.has("quant_max") {
		return nil, fmt.Errorf("%s: needs \"quant_max\"", a.name)
	}
	var q ast.Quantization
	dtype, err := a.text("orig_dtype", "float32")
	if err != nil {
		return nil, err
	}
	if q.OrigType, err = raster.ParseDataType(dtype); err != nil {
		return nil, fmt.Errorf("%s: %w", a.name, err)
	}
	for _, x := range []struct {
		name    string
		to      *float64
		missing float64
	}{{"orig_min", &q.OrigMin, 0}, {"orig_max", &q.OrigMax, 1}, {"quant_min", &q.QuantMin, 0}, {"quant_max", &q.QuantMax, 0}, {"nodata", &q.NoData, 0}} {
		if *x.to, err = a.number(x.name, x.missing); err != nil {
			return nil, err
		}
	}
	q.HasNoData = a.has("nodata")
	return a.result(node(ast.NewDequantize(t.node, q)))
}

func takeChannels(t *treeValue, a *arguments) (starlark.Value, error) {
	policy, err := a.text("missing_channel_policy", "return_nan")
	if err != nil {
		return nil, err
	}
	missing := ast.MissingIsInvalid
	switch policy {
	case "return_nan":
	case "error":
		missing = ast.MissingIsError
	default:
		return nil, a.wrong("missing_channel_policy", "\"return_nan\" or \"error\"")
	}
	v := a.values["channels"]
	spec, isSpec := v.(starlark.String)
	if list, ok := v.(starlark.Indexable); ok && !isSpec && list.Len() > 0 {
		if _, named := list.Index(0).(starlark.String); named {
			if spec, isSpec = joinNames(list), true; spec == "" {
				return nil, a.wrong("channels", "a list of names, or one of numbers")
			}
		}
	}
	if isSpec {
		if err := checkKnown(t.node); err != nil {
			return nil, err
		}
		if err := work(a.thread, elementCost*int64(t.node.NumBands())); err != nil {
			return nil, err
		}
		return a.result(ast.Select(t.node, spelled(string(spec)), missing))
	}
	picks, err := t.bands(v)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.name, err)
	}
	if picks == nil {
		return t, nil
	}
	if err := checkKnown(t.node); err != nil {
		return nil, err
	}
	return a.result(node(ast.NewCrop(t.node, t.node.Size().Bounds(), picks...)))
}

// joinNames is the spec of a list of names, "" if one is no string.
func joinNames(list starlark.Indexable) starlark.String {
	var spec starlark.String
	for i := range list.Len() {
		name, ok := list.Index(i).(starlark.String)
		if !ok {
			return ""
		}
		if i > 0 {
			spec += "|"
		}
		if spec += name; len(spec) > MaxSource {
			return ""
		}
	}
	return spec
}

func concatWith(t *treeValue, a *arguments) (starlark.Value, error) {
	others, err := a.nodes("others")
	if err != nil {
		return nil, err
	}
	return a.concat(append([]ast.Node{t.node}, others...))
}

// concat joins nodes along the only axis that there is.
func (a *arguments) concat(parts []ast.Node) (starlark.Value, error) {
	if axis := a.values["axis"]; axis != nil && axis != starlark.String("channels") && axis != starlark.MakeInt(2) {
		return nil, a.wrong("axis", "\"channels\"")
	}
	if size, err := a.dsize(); err != nil {
		return nil, err
	} else if size != (geom.Size{}) && len(parts) > 0 && parts[0].Known() && parts[0].Size() != size {
		return nil, fmt.Errorf("%s: the parts have canvas %v, dsize says %v", a.name, parts[0].Size(), size)
	}
	return a.result(node(ast.NewConcat(parts...)))
}

var components = map[string]ast.Components{
	"offset": ast.OffsetComponent, "scale": ast.ScaleComponent, "shear": ast.ShearComponent,
	"shearx": ast.ShearComponent, "theta": ast.ThetaComponent,
}

// undone are the parts of t without the components that the arguments say.
func (t *treeValue) undone(a *arguments) ([]ast.Undone, error) {
	if err := a.only("remove", "retain"); err != nil {
		return nil, err
	}
	if err := checkKnown(t.node); err != nil {
		return nil, err
	}
	const all = ast.OffsetComponent | ast.ScaleComponent | ast.ShearComponent | ast.ThetaComponent
	var o ast.UndoOptions
	for _, arg := range []string{"remove", "retain"} {
		if !a.has(arg) {
			continue
		}
		list, ok := a.values[arg].(starlark.Sequence)
		if !ok {
			list = starlark.Tuple{a.values[arg]}
		}
		for v := range starlark.Elements(list) {
			name, _ := v.(starlark.String)
			c := components[string(name)]
			if c == 0 {
				return nil, a.wrong(arg, "some of \"offset\", \"scale\", \"shearx\" and \"theta\"")
			}
			o.Retain |= c
		}
		if arg == "remove" {
			o.Retain = all &^ o.Retain
		}
	}
	var err error
	if o.SquashInvalid, err = a.flag("squash_nans", false); err != nil {
		return nil, err
	}
	// A band is a part of its own at worst, with nodes of its own.
	if err := chargeWalk(a.thread, t.node); err != nil {
		return nil, err
	}
	depth := int64(0)
	for n := t.node; n.NumInputs() > 0; n = n.Input(0) {
		depth++
	}
	if err := alloc(a.thread, times(nodeCost*int64(t.node.NumBands()), depth+1)); err != nil {
		return nil, err
	}
	return ast.UndoWarp(t.node, o)
}

func undoWarp(t *treeValue, a *arguments) (starlark.Value, error) {
	parts, err := t.undone(a)
	if err != nil {
		return nil, err
	}
	if len(parts) != 1 {
		return nil, fmt.Errorf("%s: the tree has %d parts, each with a transform of its own; use undo_warps", a.name, len(parts))
	}
	tree, err := a.result(parts[0].Node, nil)
	if err != nil {
		return nil, err
	}
	if with, err := a.flag("return_warp", false); err != nil || !with {
		return tree, err
	}
	return starlark.Tuple{tree, matrixValue(parts[0].Applied)}, nil
}

func undoWarps(t *treeValue, a *arguments) (starlark.Value, error) {
	parts, err := t.undone(a)
	if err != nil {
		return nil, err
	}
	var trees, warps []starlark.Value
	for _, p := range parts {
		tree, err := a.result(p.Node, nil)
		if err != nil {
			return nil, err
		}
		trees, warps = append(trees, tree), append(warps, matrixValue(p.Applied))
	}
	if with, err := a.flag("return_warps", false); err != nil || !with {
		return starlark.NewList(trees), err
	}
	return starlark.Tuple{starlark.NewList(trees), starlark.NewList(warps)}, nil
}

func transformFromLeaf(t *treeValue, a *arguments) (starlark.Value, error) {
	if err := checkKnown(t.node); err != nil {
		return nil, err
	}
	if err := chargeWalk(a.thread, t.node); err != nil {
		return nil, err
	}
	maps, _ := ast.Leaves(t.node)
	if len(maps) != 1 {
		return nil, fmt.Errorf("%s: the tree has %d leaves, expected one", a.name, len(maps))
	}
	return matrixValue(maps[0].Transform), nil
}
