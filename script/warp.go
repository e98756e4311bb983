package script

import (
	"fmt"
	"math"
	"slices"

	"go.starlark.net/starlark"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// warp is t seen through m, sampled as the arguments say.
func (t *treeValue) warp(a *arguments, m geom.Transform, size geom.Size) (starlark.Value, error) {
	s, err := a.sampling()
	if err != nil {
		return nil, err
	}
	domain, err := a.domain()
	if err != nil {
		return nil, err
	}
	lazy, err := a.flag("lazy", false)
	if err != nil {
		return nil, err
	}
	keeps := size == geom.Size{} || t.node.Known() && size == t.node.Size()
	if lazy && keeps && domain == nil && m.IsIdentity() {
		return t, nil
	}
	return a.result(node(ast.NewWarp(t.node, m, size, s, domain)))
}

func scaleTree(t *treeValue, a *arguments) (starlark.Value, error) {
	s, ok := pair(a.values["scale"])
	if !ok {
		return nil, a.wrong("scale", "a number or (sx, sy)")
	}
	size, err := a.dsize()
	if err != nil {
		return nil, err
	}
	return t.warp(a, geom.Scale(s[0], s[1]), size)
}

func resizeTree(t *treeValue, a *arguments) (starlark.Value, error) {
	size, err := a.dsize()
	if err != nil {
		return nil, err
	}
	if size == (geom.Size{}) {
		return nil, a.wrong("dsize", "(width, height)")
	}
	if err := checkKnown(t.node); err != nil {
		return nil, err
	}
	in := t.node.Size()
	return t.warp(a, geom.Scale(float64(size.W)/float64(in.W), float64(size.H)/float64(in.H)), size)
}

func rotateTree(t *treeValue, a *arguments) (starlark.Value, error) {
	theta, err := a.number("theta", 0)
	if err != nil {
		return nil, err
	}
	if err := checkKnown(t.node); err != nil {
		return nil, err
	}
	x, y := t.node.Size().Center()
	return t.warp(a, geom.Translate(x, y).Mul(geom.Rotate(theta)).Mul(geom.Translate(-x, -y)), t.node.Size())
}

var partNames = []string{"scale", "theta", "shear", "shearx", "offset", "about", "matrix"}

func warpTree(t *treeValue, a *arguments) (starlark.Value, error) {
	if err := a.only("transform", partNames...); err != nil {
		return nil, err
	}
	size, err := a.dsize()
	if err != nil {
		return nil, err
	}
	var m geom.Transform
	switch v := a.values["transform"].(type) {
	case nil:
		m, err = parts(a.name, a.values)
	case *starlark.Dict:
		values := map[string]starlark.Value{}
		for k, v := range v.Entries() {
			name, ok := k.(starlark.String)
			if !ok || !slices.Contains(partNames, string(name)) {
				return nil, fmt.Errorf("%s: transform has the key %s, expected some of %v", a.name, short(k), partNames)
			}
			if v != starlark.None {
				values[string(name)] = v
			}
		}
		m, err = parts(a.name, values)
	default:
		var ok bool
		if m, ok = matrix(v); !ok {
			err = a.wrong("transform", "a dict such as {\"scale\": 0.5}, or a matrix of 6 or 9 numbers")
		}
	}
	if err != nil {
		return nil, err
	}
	return t.warp(a, m, size)
}

// parts is offset · about · theta · shear · scale · about⁻¹, or the matrix.
func parts(who string, v map[string]starlark.Value) (geom.Transform, error) {
	if given := v["matrix"]; given != nil {
		m, ok := matrix(given)
		if !ok {
			return m, fmt.Errorf("%s: matrix is %s, expected 6 or 9 numbers", who, short(given))
		}
		for _, name := range partNames[:6] {
			if v[name] != nil {
				return m, fmt.Errorf("%s: got both \"matrix\" and %q", who, name)
			}
		}
		return m, nil
	}
	p, about := geom.Unit, [2]float64{}
	for _, x := range []struct {
		name string
		to   *[2]float64
	}{{"scale", &p.Scale}, {"offset", &p.Offset}, {"about", &about}} {
		if v[x.name] == nil {
			continue
		}
		var ok bool
		if *x.to, ok = pair(v[x.name]); !ok {
			return geom.Identity, fmt.Errorf("%s: %s is %s, expected a number or a pair", who, x.name, short(v[x.name]))
		}
	}
	if v["shear"] != nil && v["shearx"] != nil {
		return geom.Identity, fmt.Errorf("%s: got both \"shear\" and \"shearx\"", who)
	}
	for _, x := range []struct {
		name string
		to   *float64
	}{{"theta", &p.Theta}, {"shear", &p.Shear}, {"shearx", &p.Shear}} {
		if v[x.name] == nil {
			continue
		}
		var ok bool
		if *x.to, ok = number(v[x.name]); !ok {
			return geom.Identity, fmt.Errorf("%s: %s is %s, expected a number", who, x.name, short(v[x.name]))
		}
	}
	if about == [2]float64{} {
		return p.Transform(), nil
	}
	offset := p.Offset
	p.Offset = [2]float64{}
	return geom.Translate(offset[0]+about[0], offset[1]+about[1]).Mul(p.Transform()).Mul(geom.Translate(-about[0], -about[1])), nil
}

// matrix is 6 or 9 numbers, or two or three rows of three.
func matrix(v starlark.Value) (geom.Transform, bool) {
	n, ok := numbers(v, 6, 9)
	if rows, is := v.(starlark.Indexable); !ok && is && (rows.Len() == 2 || rows.Len() == 3) {
		ok = true
		for i := range rows.Len() {
			row, good := numbers(rows.Index(i), 3)
			ok = ok && good
			n = append(n, row...)
		}
	}
	switch {
	case !ok:
		return geom.Identity, false
	case len(n) == 6:
		return geom.Affine(n[0], n[1], n[2], n[3], n[4], n[5]), true
	}
	return geom.Transform(n), true
}

// pair is a number, twice, or two.
func pair(v starlark.Value) ([2]float64, bool) {
	if f, ok := number(v); ok {
		return [2]float64{f, f}, true
	}
	n, ok := numbers(v, 2)
	if !ok {
		return [2]float64{}, false
	}
	return [2]float64(n), true
}

// dsize is the argument of that name, zero for "auto".
func (a *arguments) dsize() (geom.Size, error) {
	v := a.values["dsize"]
	if v == nil || v == starlark.String("auto") {
		return geom.Size{}, nil
	}
	s, ok := sizeOf(v)
	if !ok {
		return s, a.wrong("dsize", "(width, height) or \"auto\"")
	}
	if s == (geom.Size{}) {
		return s, a.wrong("dsize", "at least one pixel")
	}
	return s, nil
}

func sizeOf(v starlark.Value) (geom.Size, bool) {
	n, ok := numbers(v, 2)
	if !ok || n[0] != math.Trunc(n[0]) || n[1] != math.Trunc(n[1]) || math.Abs(n[0]) > ast.MaxExtent || math.Abs(n[1]) > ast.MaxExtent {
		return geom.Size{}, false
	}
	return geom.Size{W: int(n[0]), H: int(n[1])}, true
}

func (a *arguments) sampling() (ast.Sampling, error) {
	s := ast.DefaultSampling
	name, err := a.text("interpolation", "linear")
	if err != nil {
		return s, err
	}
	if s.Interp, err = ast.ParseInterpolation(name); err != nil {
		return s, fmt.Errorf("%s: %w", a.name, err)
	}
	if s.Antialias, err = a.flag("antialias", true); err != nil {
		return s, err
	}
	if err := a.only("border", "border_value"); err != nil {
		return s, err
	}
	for _, arg := range []string{"border", "border_value"} {
		if !a.has(arg) {
			continue
		}
		if f, ok := number(a.values[arg]); ok {
			if !math.IsNaN(f) {
				s.Border = ast.Border{Mode: ast.ValueBorder, Value: f}
			}
			continue
		}
		text, _ := a.values[arg].(starlark.String)
		mode, ok := borders[string(text)]
		if !ok {
			return s, a.wrong(arg, "\"nodata\", \"clamp\", \"reflect\", \"wrap\" or a number")
		}
		s.Border.Mode = mode
	}
	return s, nil
}

var borders = map[string]ast.BorderMode{
	"auto": ast.NoDataBorder, "nan": ast.NoDataBorder, "nodata": ast.NoDataBorder,
	"clamp": ast.ClampBorder, "reflect": ast.ReflectBorder, "wrap": ast.WrapBorder,
}

// domain is a list of dicts as the attribute of that name has it.
func (a *arguments) domain() (*geom.Domain, error) {
	if !a.has("domain") {
		return nil, nil
	}
	wrong := a.wrong("domain", "a list of {\"row\": [a, b, c], \"closed\": True}")
	list, ok := a.values["domain"].(starlark.Sequence)
	if !ok || list.Len() > 64 {
		return nil, wrong
	}
	var planes []geom.HalfPlane
	for v := range starlark.Elements(list) {
		d, ok := v.(*starlark.Dict)
		if !ok {
			return nil, wrong
		}
		row, _, _ := d.Get(starlark.String("row"))
		closed, _, _ := d.Get(starlark.String("closed"))
		n, ok := numbers(row, 3, 6)
		flag, isFlag := closed.(starlark.Bool)
		if !ok || closed != nil && !isFlag {
			return nil, wrong
		}
		h := geom.HalfPlane{Row: [3]float64(n[:3]), Closed: bool(flag)}
		copy(h.Den[:], n[3:])
		planes = append(planes, h)
	}
	return geom.NewDomain(planes...), nil
}
