package ast

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/internal/spelling"
)

func (r *reader) warp(id int32, in Node) (Node, error) {
	m := r.transform(r.need(id, "transform", "warp"))
	s := DefaultSampling
	if v := r.child(id, "interpolation"); v != 0 {
		var err error
		if s.Interp, err = ParseInterpolation(r.string(v)); err != nil {
			r.mismatch(v, "nearest, linear, cubic, lanczos, area or mode")
		}
	}
	if v := r.child(id, "antialias"); v != 0 {
		s.Antialias = r.bool(v)
	}
	if v := r.child(id, "border"); v != 0 {
		s.Border = r.border(v)
	}
	var size geom.Size
	if v := r.child(id, "size"); v != 0 {
		size = r.size(v)
	}
	var domain *geom.Domain
	if v := r.child(id, "domain"); v != 0 {
		domain = r.domain(v)
	}
	if r.err != nil {
		return nil, r.err
	}
	return nodeOr(NewWarp(in, m, size, s, domain))
}

func (r *reader) border(id int32) Border {
	if r.values[id].kind == stringValue {
		for m, name := range borderNames {
			if name == r.text(id) && BorderMode(m) != ValueBorder {
				return Border{Mode: BorderMode(m)}
			}
		}
	}
	return Border{Mode: ValueBorder, Value: r.float(id, `"nodata", "clamp", "reflect", "wrap" or a number`)}
}

func (r *reader) transform(id int32) geom.Transform {
	const what = "a transform: {\"matrix\"} or any of {\"scale\", \"theta\", \"shear\", \"offset\"}"
	if !r.object(id, what) {
		return geom.Identity
	}
	r.fields(id, "a transform", []string{"matrix", "scale", "theta", "shear", "offset"})
	if v := r.child(id, "matrix"); v != 0 {
		if r.values[id].count > 1 {
			r.fail(id, "a matrix beside other components", "one or the other")
		}
		return matrixOf(r.floats(v, 6, 9))
	}
	if r.values[id].count == 0 {
		r.fail(id, "an empty object", what)
	}
	p := geom.Unit
	if v := r.child(id, "scale"); v != 0 {
		if r.values[v].kind == arrayValue {
			copy(p.Scale[:], r.floats(v, 2))
		} else {
			p.Scale[0] = r.float(v, "a number or [sx, sy]")
			p.Scale[1] = p.Scale[0]
		}
	}
	if v := r.child(id, "theta"); v != 0 {
		p.Theta = r.float(v, "a number, in radians")
	}
	if v := r.child(id, "shear"); v != 0 {
		p.Shear = r.float(v, "a number")
	}
	if v := r.child(id, "offset"); v != 0 {
		copy(p.Offset[:], r.floats(v, 2))
	}
	return p.Transform()
}

// matrixOf makes six or nine numbers a transform.
func matrixOf(v []float64) geom.Transform {
	t := geom.Identity
	copy(t[:], v)
	return t
}

func (r *reader) domain(id int32) *geom.Domain {
	if r.values[id].kind != arrayValue {
		r.mismatch(id, "an array of half-planes {\"row\", \"closed\"}")
		return nil
	}
	planes := make([]geom.HalfPlane, 0, r.values[id].count)
	for k := r.values[id].child; k != 0 && r.err == nil; k = r.values[k].sibling {
		if !r.object(k, "a half-plane {\"row\", \"closed\"}") {
			break
		}
		r.fields(k, "a half-plane", []string{"row", "closed"})
		row := r.floats(r.need(k, "row", "a half-plane"), 3, 6)
		h := geom.HalfPlane{Closed: r.bool(r.need(k, "closed", "a half-plane"))}
		if r.err == nil {
			copy(h.Row[:], row)
			copy(h.Den[:], row[3:])
			planes = append(planes, h)
		}
	}
	return geom.NewDomain(planes...)
}

// The rest reads single values. After an error all of them return zero values.

// fields refuses the fields of an object that are not among the allowed.
func (r *reader) fields(id int32, what string, allowed []string) {
	for k := r.values[id].child; k != 0 && r.err == nil; k = r.values[k].sibling {
		name, ok := r.keyName(k), false
		for _, a := range allowed {
			ok = ok || a == name
		}
		if ok {
			continue
		}
		expected := "one of " + strings.Join(allowed, ", ") + " in " + what
		if near := spelling.Nearest(name, allowed); near != "" {
			expected += fmt.Sprintf(" (did you mean %q?)", near)
		}
		r.err = r.failAt(int(r.values[k].key), id, "field "+quoteShort(name), expected)
	}
}

// need is a field that must be there.
func (r *reader) need(id int32, name, what string) int32 {
	k := r.child(id, name)
	if k == 0 {
		r.fail(id, "no "+strconv.Quote(name)+" in "+what, "one")
	}
	return k
}

func (r *reader) object(id int32, expected string) bool {
	if r.err == nil && r.values[id].kind != objectValue {
		r.mismatch(id, expected)
	}
	return r.err == nil
}

func (r *reader) string(id int32) string {
	if r.err != nil {
		return ""
	}
	if r.values[id].kind != stringValue {
		r.mismatch(id, "a string")
		return ""
	}
	return r.text(id)
}

func (r *reader) bool(id int32) bool {
	if r.err == nil && r.values[id].kind != boolValue {
		r.mismatch(id, "true or false")
	}
	return r.err == nil && r.data[r.values[id].off] == 't'
}

func (r *reader) float(id int32, expected string) float64 {
	if r.err != nil {
		return 0
	}
	v := &r.values[id]
	if v.kind != numberValue {
		r.mismatch(id, expected)
		return 0
	}
	f, err := strconv.ParseFloat(string(r.data[v.off:v.end]), 64)
	if err != nil {
		r.mismatch(id, "a number within the range of float64")
	}
	return f
}

func (r *reader) int(id int32, lo, hi int) int {
	expected := fmt.Sprintf("a whole number from %d to %d", lo, hi)
	f := r.float(id, expected)
	if r.err == nil && (f != math.Trunc(f) || f < float64(lo) || f > float64(hi)) {
		r.mismatch(id, expected)
		return 0
	}
	return int(f)
}

// ints reads an array of n whole numbers, of any length if n is 0.
func (r *reader) ints(id int32, lo, hi, n int) []int {
	if r.err != nil {
		return nil
	}
	if v := &r.values[id]; v.kind != arrayValue || n > 0 && int(v.count) != n {
		if n > 0 {
			r.mismatch(id, fmt.Sprintf("an array of %d whole numbers", n))
		} else {
			r.mismatch(id, "an array of whole numbers")
		}
		return nil
	}
	out := make([]int, 0, r.values[id].count)
	for k := r.values[id].child; k != 0; k = r.values[k].sibling {
		out = append(out, r.int(k, lo, hi))
	}
	return out
}

// floats reads an array of numbers whose length is one of n.
func (r *reader) floats(id int32, n ...int) []float64 {
	if r.err != nil {
		return nil
	}
	v, ok := &r.values[id], false
	for _, n := range n {
		ok = ok || v.kind == arrayValue && int(v.count) == n
	}
	if !ok {
		expected := fmt.Sprintf("an array of %d numbers", n[0])
		if len(n) > 1 {
			expected = fmt.Sprintf("an array of %d or %d numbers", n[0], n[1])
		}
		r.mismatch(id, expected)
		return nil
	}
	out := make([]float64, 0, v.count)
	for k := v.child; k != 0; k = r.values[k].sibling {
		out = append(out, r.float(k, "a number"))
	}
	return out
}

// size reads [w, h].
func (r *reader) size(id int32) geom.Size {
	if v := r.ints(id, 1, MaxExtent, 2); r.err == nil {
		return geom.Size{W: v[0], H: v[1]}
	}
	return geom.Size{}
}

func (r *reader) dataType(id int32) raster.DataType {
	t, err := raster.ParseDataType(r.string(id))
	if r.err == nil && err != nil {
		r.mismatch(id, "uint8, int8, uint16, int16, uint32, int32, float32 or float64")
	}
	return t
}
