package script

import (
	"fmt"
	"image"

	"go.starlark.net/starlark"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

var everything = &slice{starlark.None, starlark.None, starlark.None}

// index is x[rows, columns, bands].
func (t *treeValue) index(thread *starlark.Thread, key starlark.Tuple) (starlark.Value, error) {
	if len(key) > 3 {
		return nil, fmt.Errorf("a tree has rows, columns and bands, got %d subscripts", len(key))
	}
	space := [2]*slice{everything, everything}
	for i, v := range key[:min(len(key), 2)] {
		s, ok := v.(*slice)
		if !ok {
			return nil, fmt.Errorf("a tree is cut by slices of %s such as 0:128, got %s", [2]string{"rows", "columns"}[i], short(v))
		}
		space[i] = s
	}
	var picks []int
	if len(key) == 3 {
		var err error
		if picks, err = t.bands(key[2]); err != nil {
			return nil, err
		}
	}
	a := &arguments{thread: thread, name: "slice"}
	return t.cut(a, space, picks)
}

// bands are the bands that a slice, a number or a list of numbers picks, nil
// for all.
func (t *treeValue) bands(v starlark.Value) ([]int, error) {
	n := -1
	if t.node.Known() {
		n = t.node.NumBands()
	}
	if s, ok := v.(*slice); ok {
		if n < 0 && *s == *everything {
			return nil, nil
		}
		from, to, err := s.run(n, "bands", unknownURI(t.node))
		if err != nil || from == 0 && to == n {
			return nil, err
		}
		if to-from > ast.MaxBands {
			return nil, fmt.Errorf("bands %s exceed %d", s.colons(), ast.MaxBands)
		}
		var picks []int
		for i := from; i < to; i++ {
			picks = append(picks, i)
		}
		return picks, nil
	}
	list, ok := v.(starlark.Sequence)
	if !ok {
		list = starlark.Tuple{v}
	}
	if list.Len() == 0 || list.Len() > ast.MaxBands {
		return nil, fmt.Errorf("%d bands are picked, expected 1 to %d", list.Len(), ast.MaxBands)
	}
	picks := make([]int, 0, list.Len())
	for e := range starlark.Elements(list) {
		i, err := starlark.AsInt32(e)
		if err != nil {
			return nil, fmt.Errorf("band %s is no number", short(e))
		}
		if i < 0 {
			if n < 0 {
				return nil, checkKnown(t.node)
			}
			i += n
		}
		picks = append(picks, i)
	}
	return picks, nil
}

// cut keeps slices of rows and columns, and picked bands.
func (t *treeValue) cut(a *arguments, space [2]*slice, picks []int) (starlark.Value, error) {
	h, w := -1, -1
	if t.node.Known() {
		h, w = t.node.Size().H, t.node.Size().W
	}
	y0, y1, err := space[0].run(h, "rows", unknownURI(t.node))
	if err != nil {
		return nil, err
	}
	x0, x1, err := space[1].run(w, "columns", unknownURI(t.node))
	if err != nil {
		return nil, err
	}
	window := image.Rect(x0, y0, x1, y1)
	if picks == nil && t.node.Known() && window == t.node.Size().Bounds() {
		return t, nil
	}
	return a.result(node(ast.NewCrop(t.node, window, picks...)))
}

func cropTree(t *treeValue, a *arguments) (starlark.Value, error) {
	for _, err := range []error{a.only("space_slice", "window"), a.only("chan_idxs", "bands")} {
		if err != nil {
			return nil, err
		}
	}
	var picks []int
	for _, name := range []string{"chan_idxs", "bands"} {
		if a.has(name) {
			var err error
			if picks, err = t.bands(a.values[name]); err != nil {
				return nil, err
			}
		}
	}
	clip, err := a.flag("clip", true)
	if err != nil {
		return nil, err
	}
	wrap, err := a.flag("wrap", true)
	if err != nil {
		return nil, err
	}
	if a.has("window") {
		w, err := a.ints("window")
		if err != nil || len(w) != 4 {
			return nil, a.wrong("window", "[x0, y0, x1, y1]")
		}
		window := image.Rectangle{Min: image.Pt(w[0], w[1]), Max: image.Pt(w[2], w[3])}
		return a.result(node(ast.NewCrop(t.node, window, picks...)))
	}
	space, err := a.spaceSlice()
	if err != nil {
		return nil, err
	}
	pad, err := a.padding()
	if err != nil {
		return nil, err
	}
	switch {
	case clip && wrap && pad == [4]int{}:
		return t.cut(a, space, picks)
	case clip || wrap:
		return nil, fmt.Errorf("crop: clip, wrap and pad work together: a crop beyond the canvas needs clip=False and wrap=False")
	}
	return t.cutPadded(a, space, pad, picks)
}

func (a *arguments) spaceSlice() ([2]*slice, error) {
	out := [2]*slice{everything, everything}
	if !a.has("space_slice") {
		return out, nil
	}
	list, ok := a.values["space_slice"].(starlark.Indexable)
	if !ok || list.Len() != 2 {
		return out, a.wrong("space_slice", "(slice of rows, slice of columns)")
	}
	for i := range out {
		if out[i], ok = list.Index(i).(*slice); !ok {
			return out, a.wrong("space_slice", "(slice of rows, slice of columns)")
		}
	}
	return out, nil
}

// padding is a number for all sides, or [(top, bottom), (left, right)], as
// left, top, right, bottom.
func (a *arguments) padding() (pad [4]int, err error) {
	if !a.has("pad") {
		return pad, nil
	}
	if n, err := starlark.AsInt32(a.values["pad"]); err == nil {
		return [4]int{n, n, n, n}, nil
	}
	wrong := a.wrong("pad", "a number or [(top, bottom), (left, right)]")
	list, ok := a.values["pad"].(starlark.Indexable)
	if !ok || list.Len() != 2 {
		return pad, wrong
	}
	for axis := range 2 {
		pair, ok := list.Index(axis).(starlark.Indexable)
		if !ok || pair.Len() != 2 {
			return pad, wrong
		}
		for end := range 2 {
			n, err := starlark.AsInt32(pair.Index(end))
			if err != nil {
				return pad, wrong
			}
			pad[1-axis+2*end] = n
		}
	}
	return pad, nil
}

// cutPadded keeps a window that may reach beyond the canvas.
func (t *treeValue) cutPadded(a *arguments, space [2]*slice, pad [4]int, picks []int) (starlark.Value, error) {
	if err := checkKnown(t.node); err != nil {
		return nil, err
	}
	canvas := t.node.Size()
	end := func(v starlark.Value, missing int) int {
		if i, ok := bound(v); ok {
			return i
		}
		return missing
	}
	want := image.Rectangle{
		Min: image.Pt(end(space[1].start, 0)-pad[0], end(space[0].start, 0)-pad[1]),
		Max: image.Pt(end(space[1].stop, canvas.W)+pad[2], end(space[0].stop, canvas.H)+pad[3]),
	}
	if want.Empty() {
		return nil, fmt.Errorf("crop: rows %s and columns %s have no pixel", space[0].colons(), space[1].colons())
	}
	keep := want.Intersect(canvas.Bounds())
	if keep.Empty() {
		bands := ast.BandsOf(t.node)
		if picks != nil {
			all := bands
			bands = nil
			for _, i := range picks {
				if i < 0 || i >= len(all) {
					return nil, fmt.Errorf("crop: band %d is picked, the input has %d", i, len(all))
				}
				bands = append(bands, all[i])
			}
		}
		return a.result(node(ast.NewInvalid(geom.Size{W: want.Dx(), H: want.Dy()}, bands)))
	}
	n := t.node
	if keep != canvas.Bounds() || picks != nil {
		crop, err := ast.NewCrop(n, keep, picks...)
		if err != nil {
			return nil, err
		}
		n = crop
	}
	if want == keep {
		if n == t.node {
			return t, nil
		}
		return a.result(n, nil)
	}
	return a.result(node(ast.NewPad(n, keep.Min.X-want.Min.X, keep.Min.Y-want.Min.Y, want.Max.X-keep.Max.X, want.Max.Y-keep.Max.Y)))
}
