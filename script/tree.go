package script

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/rewarp/rewarp/ast"
)

// treeValue is a tree as a value of a script: the node at its root, with
// methods that build on it and attributes that tell about it.
type treeValue struct{ node ast.Node }

// String is for example "<warp 64×32, 3 bands>".
func (t *treeValue) String() string {
	if !t.node.Known() {
		return fmt.Sprintf("<%s of unknown size>", t.node.Op())
	}
	return fmt.Sprintf("<%s %v, %d bands>", t.node.Op(), t.node.Size(), t.node.NumBands())
}

// Type is "tree".
func (t *treeValue) Type() string { return "tree" }

// Freeze does nothing: trees do not change.
func (t *treeValue) Freeze() {}

// Truth is true.
func (t *treeValue) Truth() starlark.Bool { return true }

// Hash fails: trees are no keys of dicts.
func (t *treeValue) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable type: tree") }

// CompareSameType compares by structure.
func (t *treeValue) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	same := ast.Equal(t.node, y.(*treeValue).node)
	switch op {
	case syntax.EQL:
		return same, nil
	case syntax.NEQ:
		return !same, nil
	}
	return false, fmt.Errorf("tree %v tree is not implemented", op)
}

// Attr is an attribute or a method. An attribute that nodes of another
// operation have is an error.
func (t *treeValue) Attr(name string) (starlark.Value, error) {
	if m, ok := methods[name]; ok {
		return m.bound(t), nil
	}
	a, ok := attributes[name]
	if !ok {
		return nil, nil
	}
	v, err := a.get(t.node)
	if v == nil && err == nil {
		return nil, fmt.Errorf("a node of op %s has no .%s", t.node.Op(), name)
	}
	return v, err
}

// AttrNames are the attributes and methods that the node has.
func (t *treeValue) AttrNames() []string {
	var names []string
	for _, a := range attributeTable {
		if v, err := a.get(t.node); v != nil || err != nil {
			names = append(names, a.name)
		}
	}
	for _, m := range methodTable {
		names = append(names, m.name)
	}
	return names
}

// method builds on a tree.
type method struct {
	name string
	sig  signature
	doc  string
	call func(t *treeValue, a *arguments) (starlark.Value, error)
}

func (m *method) bound(tree *treeValue) starlark.Value {
	return starlark.NewBuiltin(m.name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := m.sig.bind(t, m.name, args, kwargs)
		if err != nil {
			return nil, err
		}
		return m.call(tree, a)
	})
}

var methods = map[string]*method{}

func init() {
	for i := range methodTable {
		m := &methodTable[i]
		methods[m.name] = m
	}
	for i := range attributeTable {
		a := &attributeTable[i]
		attributes[a.name] = a
	}
}

// sampled are the parameters of every method that warps. Of noop_eps and
// backend nothing depends.
const sampled = `antialias=True, interpolation="linear", border_value="auto", border="nodata", domain=None, noop_eps=0, backend="auto"`

var methodTable = []method{
	{"scale", sign(`scale, dsize="auto", lazy=False, ` + sampled), "Multiplies both sides by a number, or by a pair (sx, sy).", scaleTree},
	{"warp", sign(`transform=None, dsize="auto", lazy=False, ` + sampled + `, scale=1, theta=0, shear=0, shearx=0, offset=0, about=0, matrix=None`), "Maps by a transform: a dict or a matrix, or its parts as arguments.", warpTree},
	{"resize", sign("dsize, lazy=False, " + sampled), "Scales to a size (width, height).", resizeTree},
	{"rotate", sign("theta, " + sampled), "Turns by radians about the centre; the canvas keeps its size.", rotateTree},
	{"crop", sign("space_slice=None, chan_idxs=None, clip=True, wrap=True, pad=0, lazy=False, window=None, bands=None"), "Keeps a window: slices of rows and columns, as Python counts, or window=[x0, y0, x1, y1]; and the bands of chan_idxs or bands. With clip=False and wrap=False, what the slices want beyond the canvas is padded.", cropTree},
	{"pad", sign("left=0, top=0, right=0, bottom=0"), "Adds invalid pixels at the four sides.", padTree},
	{"get_overview", sign("overview"), "Takes a reduction by its level: of a load, or of bands picked of one, the level that the file stores.", overviewTree},
	{"overview", sign("overview"), "Is short for get_overview.", overviewTree},
	{"dequantize", sign(`quantization=None, orig_dtype="float32", orig_min=0, orig_max=1, quant_min=0, quant_max=None, nodata=None`), "Maps stored integers to values: a dict of the other arguments, or they themselves. quant_max must be given.", dequantizeTree},
	{"take_channels", sign(`channels, lazy=False, missing_channel_policy="return_nan"`), `Picks bands by a channel spec such as "r|g|b", by number, by a list of either, or by a slice. A missing name is an invalid band, or an error if the policy is "error".`, takeChannels},
	{"concat", sign(`others, axis="channels"`), "Appends the bands of another tree, or of a list of them.", concatWith},
	{"undo_warp", sign("remove=None, retain=None, squash_nans=False, return_warp=False"), `Removes parts of the transform to the leaf ("scale", "offset", "theta", "shearx"), all without arguments. With return_warp=True it returns the tree and the matrix that did it.`, undoWarp},
	{"undo_warps", sign("remove=None, retain=None, squash_nans=False, return_warps=False"), "Does the same to every part of a concat, and returns a list, or two.", undoWarps},
	{"get_transform_from_leaf", sign(""), "The matrix from the leaf's pixels to the canvas's; the tree has one leaf.", transformFromLeaf},
	{"with_inputs", sign("inputs"), "The same operation on other trees.", withInputs},
	{"write_network_text", sign(`fields="auto", with_labels=True`), "Prints the tree, an operation a line.", printTree},
	{"print_graph", sign(`fields="auto", with_labels=True`), "Is another name of write_network_text.", printTree},
	{"prepare", sign(""), "Returns the tree: loads know their metadata when they are made.", same},
	{"_validate", sign(""), "Returns the tree: every step is checked when it is made.", same},
	{"optimize", sign(""), "Returns the tree: what reads the script optimizes it.", same},
	{"evaluate", sign(""), "Returns the tree: nothing is computed in a script.", same},
	{"finalize", sign("optimize=True, interpolation=None, nodata=None, dtype=None, prepare=True"), "Returns the tree: nothing is computed in a script.", same},
}

func same(t *treeValue, _ *arguments) (starlark.Value, error) { return t, nil }

// result is the value of a new node, which counts towards the run's budget.
func (a *arguments) result(n ast.Node, err error) (starlark.Value, error) {
	if err != nil {
		return nil, err
	}
	bands := n.NumBands()
	if n.NumInputs() > 0 && bands > 0 {
		if in := ast.BandsOf(n.Input(0)); len(in) == bands && &in[0] == &ast.BandsOf(n)[0] {
			bands = 0 // shared
		}
	}
	if err := made(a.thread, bands); err != nil {
		return nil, err
	}
	return &treeValue{n}, nil
}

// node hides the nil in a pointer of a builder that failed.
func node[N ast.Node](n N, err error) (ast.Node, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}

// unknownSize is about a load, by its uri.
func unknownSize(uri string) error { return fmt.Errorf("size of %s is not known", uri) }

// checkKnown is an error that names the load whose metadata is missing.
func checkKnown(n ast.Node) error {
	if n.Known() {
		return nil
	}
	return unknownSize(unknownURI(n))
}

func unknownURI(n ast.Node) string {
	for _, l := range ast.All[*ast.Load](n) {
		if !l.Known() {
			return l.URI()
		}
	}
	return "the tree"
}

func padTree(t *treeValue, a *arguments) (starlark.Value, error) {
	var m [4]int
	for i, name := range []string{"left", "top", "right", "bottom"} {
		var err error
		if m[i], err = a.int(name, 0); err != nil {
			return nil, err
		}
	}
	return a.result(node(ast.NewPad(t.node, m[0], m[1], m[2], m[3])))
}

func overviewTree(t *treeValue, a *arguments) (starlark.Value, error) {
	level, err := a.int("overview", 0)
	if err != nil {
		return nil, err
	}
	// Bands that are picked of a load are picked of its stored level.
	if c, ok := t.node.(*ast.Crop); ok && c.Known() && c.Window() == c.Input(0).Size().Bounds() {
		if o, err := ast.NewOverview(c.Input(0), level); err == nil && o.Stored() {
			return a.result(node(ast.NewCrop(o, o.Size().Bounds(), c.Picks()...)))
		}
	}
	return a.result(node(ast.NewOverview(t.node, level)))
}

func withInputs(t *treeValue, a *arguments) (starlark.Value, error) {
	nodes, err := a.nodes("inputs")
	if err != nil {
		return nil, err
	}
	return a.result(t.node.WithInputs(nodes))
}

func printTree(t *treeValue, a *arguments) (starlark.Value, error) {
	if err := chargeWalk(a.thread, t.node); err != nil {
		return nil, err
	}
	a.thread.Print(a.thread, strings.TrimSuffix(ast.FormatText(t.node), "\n"))
	return starlark.None, nil
}

// chargeWalk takes what it costs to visit all nodes and their bands.
func chargeWalk(t *starlark.Thread, n ast.Node) error {
	cost := int64(0)
	ast.Inspect(n, func(n ast.Node) bool {
		cost += nodeCost + elementCost*int64(n.NumBands())
		return true
	})
	return alloc(t, cost)
}

// nodes are those of an argument that is a tree or a list of them.
func (a *arguments) nodes(name string) ([]ast.Node, error) {
	if t, ok := a.values[name].(*treeValue); ok {
		return []ast.Node{t.node}, nil
	}
	list, ok := a.values[name].(starlark.Sequence)
	if !ok || list.Len() > maxTuple {
		return nil, a.wrong(name, "a tree or a list of trees")
	}
	return treeNodes(a.name, list)
}

func treeNodes(who string, list starlark.Sequence) ([]ast.Node, error) {
	out := make([]ast.Node, 0, list.Len())
	for v := range starlark.Elements(list) {
		t, ok := v.(*treeValue)
		if !ok {
			return nil, fmt.Errorf("%s: got %s, expected a tree", who, short(v))
		}
		out = append(out, t.node)
	}
	return out, nil
}
