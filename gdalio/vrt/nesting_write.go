package vrt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// nested is a node as delayed_image's nesting() shows it.
type nested struct {
	Type     string         `json:"type"`
	Meta     map[string]any `json:"meta"`
	Children []*nested      `json:"children,omitempty"`
}

// WriteNesting writes a tree, whose metadata is known, as the JSON that
// delayed_image's nesting() would give for it. Both count pixels from the
// corner, so that transforms stand as they are.
//
// A shared subtree is written out at each use.
func WriteNesting(w io.Writer, n ast.Node) ([]Note, error) {
	if n == nil {
		return nil, errors.New("no tree to write")
	}
	if !n.Known() {
		return nil, &ast.Error{Op: n.Op(), Arg: "canvas", Limit: "is unknown until the tree is prepared"}
	}
	e := &nester{left: maxElements}
	root := e.node(n, n.Op())
	if e.left < 0 {
		return nil, fmt.Errorf("nesting: more than %d nodes; a shared subtree is written out at each use", maxElements)
	}
	if err := e.err("nesting", false); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(root, "", " ")
	if err != nil {
		return nil, err
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("nesting: the text exceeds %d MiB; a shared subtree is written out at each use", MaxBytes>>20)
	}
	_, err = w.Write(append(data, '\n'))
	return e.notes, err
}

type nester struct {
	findings
	left int
}

func (e *nester) node(n ast.Node, path string) *nested {
	if e.left--; e.left < 0 {
		return nil
	}
	out := &nested{Meta: map[string]any{"channels": nil, "num_channels": nil, "dsize": dsize(n.Size())}}
	switch t := n.(type) {
	case *ast.Load:
		out.Type = "DelayedLoad"
		out.Meta["fpath"] = t.URI()
		out.Meta["num_overviews"] = t.NumOverviews()
		out.Meta["nodata_method"] = nodataMethod(t)
		out.channels(t)
	case *ast.Fill:
		if v, ok := t.Value(); ok {
			e.refuse(path, t.Op(), "a constant of %v has no form in delayed_image", v)
		}
		out.Type = "DelayedNans"
		out.channels(t)
	case *ast.Raster:
		e.refuse(path, t.Op(), "its pixels are in memory, and nesting() leaves those out")
	case *ast.Crop:
		w := t.Window()
		out.Type = "DelayedCrop"
		out.Meta["space_slice"] = [2][3]any{{w.Min.Y, w.Max.Y, nil}, {w.Min.X, w.Max.X, nil}}
		out.Meta["chan_idxs"] = nil
		if p := t.Picks(); p != nil {
			out.Meta["chan_idxs"] = p
			out.channels(t)
		}
	case *ast.Pad:
		left, top, _, _ := t.Margins()
		out.warp(geom.Translate(float64(left), float64(top)), "nearest", false, "auto")
	case *ast.Warp:
		e.warp(t, out, path)
	case *ast.Overview:
		out.Type = "DelayedOverview"
		out.Meta["overview"] = t.Level()
		e.overview(t, path)
	case *ast.Dequantize:
		out.Type = "DelayedDequantize"
		q := t.Quantization()
		out.Meta["quantization"] = map[string]any{
			"orig_dtype": q.OrigType.String(), "orig_min": q.OrigMin, "orig_max": q.OrigMax,
			"quant_min": q.QuantMin, "quant_max": q.QuantMax, "nodata": orNil(q.HasNoData, q.NoData),
		}
	case *ast.Concat:
		out.Type = "DelayedChannelConcat"
		out.Meta = map[string]any{"axis": 2}
	default:
		e.refuse(path, n.Op(), "a node of an application's own has no form in delayed_image")
	}
	for i := range n.NumInputs() {
		step := n.Input(i).Op()
		if n.Kind() == ast.KindConcat {
			step = fmt.Sprintf("%d/%s", i, step)
		}
		out.Children = append(out.Children, e.node(n.Input(i), join(path, step)))
	}
	return out
}

// overview tells where delayed_image's canvas is another.
func (e *nester) overview(o *ast.Overview, path string) {
	in := o.Input(0).Size()
	if l := in.Level(o.Level()); l != o.Size() {
		e.refuse(path, o.Op(), "the file stores %v for level %d, where delayed_image counts on %v", o.Size(), o.Level(), l)
	}
	if !o.Stored() && o.Level() > 0 {
		e.note(path, o.Op(), "the level is not stored: delayed_image takes the nearest pixels, a tree interpolates")
	}
}

func (e *nester) warp(w *ast.Warp, out *nested, path string) {
	s := w.Sampling()
	if w.Domain() != nil {
		e.refuse(path, w.Op(), "a domain has no form in delayed_image")
	}
	if !w.IsAffine() {
		e.refuse(path, w.Op(), "a projective transform has no form in delayed_image")
	}
	interp := ""
	for _, i := range nestedKernels {
		if i.interp == s.Interp {
			interp = i.name
		}
	}
	if interp == "" {
		e.refuse(path, w.Op(), "%v has no form in delayed_image", s.Interp)
	}
	if reason := otherKernel(s.Interp); reason != "" {
		e.note(path, w.Op(), "%s", reason)
	}
	var border any = "auto"
	switch s.Border.Mode {
	case ast.ValueBorder:
		border = s.Border.Value
	case ast.ClampBorder:
		border = "replicate"
	case ast.ReflectBorder:
		border = "reflect"
	case ast.WrapBorder:
		border = "wrap"
	}
	antialias := s.Antialias
	if s.Interp == ast.Nearest {
		// It changes nothing there, and tells a whole-pixel warp, which is a
		// barrier, from a pad, which is none.
		_, _, antialias = w.Transform().IntegerTranslation()
	}
	out.warp(w.Transform(), interp, antialias, border)
}

func (out *nested) warp(m geom.Transform, interp string, antialias bool, border any) {
	out.Type = "DelayedWarp"
	out.Meta["transform"] = concise(m)
	out.Meta["interpolation"] = interp
	out.Meta["antialias"] = antialias
	out.Meta["border_value"] = border
	out.Meta["noop_eps"] = 0
	out.Meta["backend"] = "auto"
}

// channels names the bands, where they have names that a spec can hold.
func (out *nested) channels(n ast.Node) {
	names := make([]string, n.NumBands())
	for i := range names {
		names[i] = n.Band(i).Name
	}
	out.Meta["num_channels"] = len(names)
	spec := ast.FormatChannels(names)
	back, err := ast.ParseChannels(spec)
	if err == nil && len(back) == len(names) {
		for i := range back {
			if back[i] != names[i] {
				return
			}
		}
		out.Meta["channels"] = spec
	}
}

func dsize(s geom.Size) [2]int { return [2]int{s.W, s.H} }

func orNil(ok bool, v any) any {
	if ok {
		return v
	}
	return nil
}

func nodataMethod(l *ast.Load) any {
	for i := range l.NumBands() {
		if l.Band(i).HasNoData {
			return "float"
		}
	}
	return orNil(l.HasMask(), "float")
}

// concise is a transform as kwimage's Affine.concise gives it, or the matrix
// itself where the parts do not multiply back to it exactly.
func concise(m geom.Transform) map[string]any {
	p, ok := m.Decompose()
	if !ok || p.Transform() != m {
		return map[string]any{"matrix": [3][]float64{m[0:3], m[3:6], m[6:9]}, "type": "affine"}
	}
	out := map[string]any{"type": "affine"}
	pair := func(name string, v [2]float64, unit float64) {
		switch {
		case v[0] == unit && v[1] == unit:
		case v[0] == v[1]:
			out[name] = v[0]
		default:
			out[name] = v
		}
	}
	pair("offset", p.Offset, 0)
	pair("scale", p.Scale, 1)
	if p.Shear != 0 {
		out["shearx"] = p.Shear
	}
	if p.Theta != 0 {
		out["theta"] = p.Theta
	}
	return out
}

// nestedKernels are delayed_image's interpolations, and OpenCV's numbers for
// them, which it takes as well.
var nestedKernels = []struct {
	interp ast.Interpolation
	name   string
	code   int
}{
	{ast.Nearest, "nearest", 0},
	{ast.Linear, "linear", 1},
	{ast.Cubic, "cubic", 2},
	{ast.Area, "area", 3},
	{ast.Lanczos, "lanczos", 4},
}

// otherKernel says where OpenCV's kernel of a name is another.
func otherKernel(i ast.Interpolation) string {
	switch i {
	case ast.Cubic:
		return "cubic is Keys' kernel with a = −0.5 here, with a = −0.75 in OpenCV"
	case ast.Lanczos:
		return "lanczos reaches 3 pixels here, 4 in OpenCV"
	case ast.Area:
		return "area is a mean over the footprint here; OpenCV warps linearly instead"
	}
	return ""
}
