package vrt

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

func (in *denester) warp(g *given, parts []part, path string) (part, error) {
	child := parts[0]
	m, err := g.transform()
	if err != nil {
		return part{}, err
	}
	size, err := g.dsize()
	if err != nil {
		return part{}, err
	}
	s := ast.Sampling{Antialias: true}
	if err := g.meta("antialias", &s.Antialias); err != nil {
		return part{}, err
	}
	var ok bool
	if s.Interp, ok = g.interpolation(); !ok {
		in.refuse(path, g.Type, "interpolation %s has no form in a tree", short(g.Meta["interpolation"]))
	}
	if s.Border, ok = g.border(); !ok {
		in.refuse(path, g.Type, "border_value %s has no form in a tree", short(g.Meta["border_value"]))
	}
	if len(in.unsupported) > 0 {
		return part{}, nil
	}
	if reason := otherKernel(s.Interp); reason != "" {
		in.note(path, g.Type, "%s", reason)
	}
	dx, dy, whole := m.IntegerTranslation()
	right, bottom := size.W-child.size.W-dx, size.H-child.size.H-dy
	if whole && s.Interp == ast.Nearest && !s.Antialias && s.Border.Mode == ast.NoDataBorder &&
		child.size != (geom.Size{}) && size != (geom.Size{}) && dx >= 0 && dy >= 0 && right >= 0 && bottom >= 0 {
		p, err := ast.NewPad(child.node, dx, dy, right, bottom)
		if err != nil {
			return part{}, err
		}
		return part{p, size}, nil
	}
	w, err := ast.NewWarp(child.node, m, size, s, nil)
	if err != nil {
		return part{}, err
	}
	if size == (geom.Size{}) {
		size, _ = m.FitSize(child.size)
	}
	return part{w, size}, nil
}

// transform reads what kwimage's Affine.coerce reads.
func (g *given) transform() (geom.Transform, error) {
	raw := g.Meta["transform"]
	var rows [][]float64
	if json.Unmarshal(raw, &rows) == nil && rows != nil {
		return matrix(rows)
	}
	var t struct {
		Matrix        [][]float64     `json:"matrix"`
		Scale, Offset json.RawMessage // a number or a pair
		Theta, Shearx float64
		About, Shear  json.RawMessage
	}
	if err := json.Unmarshal(raw, &t); err != nil {
		return geom.Identity, fmt.Errorf("transform cannot be %s", short(raw))
	}
	if t.Matrix != nil {
		return matrix(t.Matrix)
	}
	if t.About != nil || t.Shear != nil {
		return geom.Identity, fmt.Errorf("transform %s has a part that nesting() does not write", short(raw))
	}
	p := geom.Unit
	p.Theta, p.Shear = t.Theta, t.Shearx
	for _, v := range []struct {
		raw json.RawMessage
		to  *[2]float64
	}{{t.Scale, &p.Scale}, {t.Offset, &p.Offset}} {
		if len(v.raw) == 0 || string(v.raw) == "null" {
			continue
		}
		var one float64
		var two []float64
		if json.Unmarshal(v.raw, &one) == nil {
			*v.to = [2]float64{one, one}
		} else if json.Unmarshal(v.raw, &two) == nil && len(two) == 2 {
			*v.to = [2]float64(two)
		} else {
			return geom.Identity, fmt.Errorf("transform %s: %s is not a number or two", short(raw), short(v.raw))
		}
	}
	return p.Transform(), nil
}

func matrix(rows [][]float64) (geom.Transform, error) {
	if len(rows) < 2 || len(rows) > 3 || len(rows[0]) != 3 || len(rows[1]) != 3 || len(rows) == 3 && len(rows[2]) != 3 {
		return geom.Identity, errors.New("transform is not a matrix of 3×3 or 2×3")
	}
	m := geom.Affine(rows[0][0], rows[0][1], rows[0][2], rows[1][0], rows[1][1], rows[1][2])
	if len(rows) == 3 {
		copy(m[6:], rows[2])
	}
	return m, nil
}

func (g *given) interpolation() (ast.Interpolation, bool) {
	if !g.has("interpolation") {
		return ast.Linear, true
	}
	raw := string(g.Meta["interpolation"])
	for _, k := range nestedKernels {
		if raw == strconv.Quote(k.name) || raw == strconv.Itoa(k.code) {
			return k.interp, true
		}
	}
	return 0, false
}

// border reads a border_value: "auto", a number, one number for each channel
// where all are equal, or the name of a mode.
func (g *given) border() (ast.Border, bool) {
	raw := g.Meta["border_value"]
	if len(raw) == 0 {
		return ast.Border{}, true
	}
	var name string
	if json.Unmarshal(raw, &name) == nil {
		switch name {
		case "auto", "NaN":
			return ast.Border{}, true
		case "replicate":
			return ast.Border{Mode: ast.ClampBorder}, true
		case "reflect":
			return ast.Border{Mode: ast.ReflectBorder}, true
		case "wrap":
			return ast.Border{Mode: ast.WrapBorder}, true
		case "constant":
			return ast.Border{Mode: ast.ValueBorder}, true
		}
		return ast.Border{}, false
	}
	var v float64
	if json.Unmarshal(raw, &v) == nil {
		return ast.Border{Mode: ast.ValueBorder, Value: v}, string(raw) != "null"
	}
	var each []json.RawMessage
	if json.Unmarshal(raw, &each) != nil || len(each) == 0 {
		return ast.Border{}, false
	}
	for _, e := range each {
		if string(e) != string(each[0]) {
			return ast.Border{}, false
		}
	}
	if string(each[0]) == `"NaN"` {
		return ast.Border{}, true
	}
	err := json.Unmarshal(each[0], &v)
	return ast.Border{Mode: ast.ValueBorder, Value: v}, err == nil && string(each[0]) != "null"
}

func (in *denester) overview(g *given, parts []part, path string) (part, error) {
	level := 0
	if err := g.meta("overview", &level); err != nil {
		return part{}, err
	}
	child := parts[0]
	if child.node.Kind() != ast.KindLoad && level > 0 {
		in.note(path, g.Type, "the level is not stored: delayed_image takes the nearest pixels, a tree interpolates")
	}
	o, err := ast.NewOverview(child.node, level)
	if err != nil {
		return part{}, err
	}
	size := geom.Size{}
	if child.size != size {
		size = child.size.Level(level)
	}
	return part{o, size}, nil
}

func (in *denester) dequantize(g *given, parts []part, path string) (part, error) {
	if !g.has("quantization") {
		return parts[0], nil
	}
	v := struct {
		Type     string   `json:"orig_dtype"`
		OrigMin  float64  `json:"orig_min"`
		OrigMax  float64  `json:"orig_max"`
		QuantMin float64  `json:"quant_min"`
		QuantMax *float64 `json:"quant_max"`
		NoData   *float64 `json:"nodata"`
	}{Type: "float32", OrigMax: 1}
	if err := g.meta("quantization", &v); err != nil {
		return part{}, err
	}
	if v.QuantMax == nil {
		return part{}, errors.New("quantization has no quant_max")
	}
	if *v.QuantMax == v.QuantMin {
		in.refuse(path, g.Type, "quant_min and quant_max are equal, which makes a constant, and a tree has no form for that")
		return part{}, nil
	}
	typ, err := raster.ParseDataType(v.Type)
	if err != nil {
		in.refuse(path, g.Type, "orig_dtype %s has no form in a tree", quote(v.Type))
		return part{}, nil
	}
	q := ast.Quantization{OrigType: typ, OrigMin: v.OrigMin, OrigMax: v.OrigMax, QuantMin: v.QuantMin, QuantMax: *v.QuantMax}
	if v.NoData != nil {
		q.HasNoData, q.NoData = true, *v.NoData
	}
	d, err := ast.NewDequantize(parts[0].node, q)
	if err != nil {
		return part{}, err
	}
	return part{d, parts[0].size}, nil
}

// pySlice is a slice of Python; nil is None.
type pySlice struct{ start, stop, step *int }

// slices are those of a crop: rows, then columns.
func (g *given) slices() (rows, cols pySlice, err error) {
	if !g.has("space_slice") {
		return rows, cols, nil
	}
	var both []json.RawMessage
	if err := g.meta("space_slice", &both); err != nil {
		return rows, cols, err
	}
	if len(both) != 2 {
		return rows, cols, fmt.Errorf("space_slice %s is not two slices", short(g.Meta["space_slice"]))
	}
	if rows, err = parseSlice(both[0]); err == nil {
		cols, err = parseSlice(both[1])
	}
	return rows, cols, err
}

func parseSlice(raw json.RawMessage) (s pySlice, err error) {
	bad := fmt.Errorf("%s is not a slice", short(raw))
	var list []*int
	var text string
	switch {
	case json.Unmarshal(raw, &list) == nil && list != nil:
	case json.Unmarshal(raw, &text) == nil && text != "":
		inner, ok := strings.CutPrefix(strings.TrimSpace(text), "slice(")
		if inner, ok2 := strings.CutSuffix(inner, ")"); ok && ok2 {
			for _, p := range strings.Split(inner, ",") {
				p = strings.TrimSpace(p)
				if p == "None" {
					list = append(list, nil)
					continue
				}
				if _, num, ok := strings.Cut(p, "("); ok { // np.int64(128)
					p = strings.TrimSuffix(num, ")")
				}
				v, err := strconv.Atoi(p)
				if err != nil {
					return s, bad
				}
				list = append(list, &v)
			}
		}
	default:
		var v struct{ Start, Stop, Step *int }
		if json.Unmarshal(raw, &v) != nil {
			return s, bad
		}
		return pySlice{v.Start, v.Stop, v.Step}, nil
	}
	if len(list) < 2 || len(list) > 3 {
		return s, bad
	}
	s.start, s.stop = list[0], list[1]
	if len(list) == 3 {
		s.step = list[2]
	}
	return s, nil
}

// bounds is what the slice takes of n pixels, 0 when n is unknown.
func (s pySlice) bounds(n int) (start, stop int, err error) {
	if s.step != nil && *s.step != 1 {
		return 0, 0, fmt.Errorf("a step of %d has no form in a tree", *s.step)
	}
	given := ast.Slice{}
	negative := s.start != nil && *s.start < 0 || s.stop != nil && *s.stop < 0
	switch {
	case n == 0 && (s.stop == nil || negative):
		return 0, 0, errors.New("a slice from the end needs the dsize of what it cuts")
	case n == 0:
		n = math.MaxInt32
	}
	switch {
	case s.start != nil && s.stop != nil:
		given = ast.SliceOf(*s.start, *s.stop)
	case s.start != nil:
		given = ast.SliceFrom(*s.start)
	case s.stop != nil:
		given = ast.SliceTo(*s.stop)
	}
	start, stop = given.Bounds(n)
	if stop <= start {
		return 0, 0, fmt.Errorf("the slice %s leaves nothing of %d pixels", given, n)
	}
	return start, stop, nil
}
