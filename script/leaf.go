package script

import (
	"context"
	"fmt"
	"path"
	"slices"

	"go.starlark.net/starlark"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// world is what a run may reach: what its loads are described by, and from
// where their uris start.
type world struct {
	ctx       context.Context
	describer ast.Describer
	folder    string
	found     map[string]ast.Meta
	rules     *[]*rule   // nil where rules are only checked
	result    *treeValue // of the last statement that is a tree
}

const worldKey = "rewarp.world"

func worldOf(t *starlark.Thread) *world { return t.Local(worldKey).(*world) }

func (w *world) describe(uri string) (ast.Meta, error) {
	if m, ok := w.found[uri]; ok {
		return m, nil
	}
	if len(w.found) == maxLoads {
		return ast.Meta{}, fmt.Errorf("the script loads more than %d rasters, which is its limit", maxLoads)
	}
	m, err := w.describer.Describe(w.ctx, uri)
	if err != nil {
		return m, &ast.Error{Op: "load", Arg: "uri", Value: fmt.Sprintf("%q", uri), Err: err}
	}
	w.found[uri] = m
	return m, nil
}

func loadLeaf(a *arguments) (starlark.Value, error) {
	uri, err := a.text("uri", "")
	if err != nil {
		return nil, err
	}
	if ext := path.Ext(uri); slices.Contains([]string{".star", ".bzl", ".py", ".sky"}, ext) {
		return nil, fmt.Errorf("load: %q is a script; load reads rasters, and scripts load no modules", uri)
	}
	channels, err := a.channels()
	if err != nil {
		return nil, err
	}
	w := worldOf(a.thread)
	uri = ast.ResolveURI(w.folder, uri)
	if a.has("size") {
		meta, err := a.meta(channels)
		if err != nil {
			return nil, err
		}
		return a.result(node(namedLoad(uri, channels, meta)))
	}
	for _, name := range []string{"bands", "dtype", "nodata", "overviews"} {
		if a.has(name) {
			return nil, fmt.Errorf("%s: %s is given without size, expected both or neither", a.name, name)
		}
	}
	if w.describer == nil || uri == "" {
		return a.result(node(ast.NewLoad(uri, channels)))
	}
	meta, err := w.describe(uri)
	if err != nil {
		return nil, err
	}
	return a.result(node(namedLoad(uri, channels, meta)))
}

// meta is what the arguments of load say about the raster.
func (a *arguments) meta(channels string) (ast.Meta, error) {
	var m ast.Meta
	var ok bool
	if m.Size, ok = sizeOf(a.values["size"]); !ok {
		return m, a.wrong("size", "(width, height)")
	}
	count := 1
	if channels != "" {
		names, err := ast.ParseChannels(channels)
		if err != nil {
			return m, &ast.Error{Op: "load", Arg: "channels", Err: err}
		}
		count = len(names)
	}
	if !a.has("dtype") {
		return m, fmt.Errorf("%s: size is given without dtype, expected a type such as \"uint8\"", a.name)
	}
	var err error
	if m.Bands, err = a.bandList(count, ""); err != nil {
		return m, err
	}
	if a.has("nodata") {
		if err := a.nodata(m.Bands); err != nil {
			return m, err
		}
	}
	if !a.has("overviews") {
		return m, nil
	}
	list, ok := a.values["overviews"].(starlark.Sequence)
	if !ok || list.Len() > ast.MaxLevel {
		return m, a.wrong("overviews", "a list of sizes (width, height)")
	}
	for v := range starlark.Elements(list) {
		s, ok := sizeOf(v)
		if !ok {
			return m, a.wrong("overviews", "a list of sizes (width, height)")
		}
		m.Overviews = append(m.Overviews, s)
	}
	return m, nil
}

// bandList reads bands, a number or names, and dtype.
func (a *arguments) bandList(count int, missing string) ([]ast.Band, error) {
	dtype, err := a.text("dtype", missing)
	if err != nil {
		return nil, err
	}
	t, err := raster.ParseDataType(dtype)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.name, err)
	}
	var names starlark.Sequence
	if v := a.values["bands"]; v != nil {
		var ok bool
		if names, ok = v.(starlark.Sequence); ok {
			count = names.Len()
		} else if count, err = starlark.AsInt32(v); err != nil {
			return nil, a.wrong("bands", "a number of bands, or their names")
		}
	}
	if count < 1 || count > ast.MaxBands {
		return nil, fmt.Errorf("%s: %d bands, expected 1 to %d", a.name, count, ast.MaxBands)
	}
	bands := ast.NumberedBands(count, t)
	if names == nil {
		return bands, nil
	}
	i := 0
	for v := range starlark.Elements(names) {
		name, ok := v.(starlark.String)
		if !ok {
			return nil, a.wrong("bands", "a number of bands, or their names")
		}
		bands[i].Name = string(name)
		i++
	}
	return bands, nil
}

// nodata is a number for all bands, or a list with None where a band has none.
func (a *arguments) nodata(bands []ast.Band) error {
	v := a.values["nodata"]
	list, isList := v.(starlark.Indexable)
	if isList && list.Len() != len(bands) {
		return a.wrong("nodata", fmt.Sprintf("a number, or one for each of %d bands", len(bands)))
	}
	for i := range bands {
		if isList {
			v = list.Index(i)
		}
		if v == starlark.None {
			continue
		}
		f, ok := number(v)
		if !ok {
			return a.wrong("nodata", fmt.Sprintf("a number, or one for each of %d bands", len(bands)))
		}
		bands[i].NoData, bands[i].HasNoData = f, true
	}
	return nil
}

func fillLeaf(a *arguments) (starlark.Value, error) {
	size, ok := sizeOf(a.values["size"])
	if !ok {
		return nil, a.wrong("size", "(width, height)")
	}
	bands, err := a.bandList(1, "float32")
	if err != nil {
		return nil, err
	}
	if !a.has("value") {
		return a.result(node(ast.NewInvalid(size, bands)))
	}
	v, err := a.number("value", 0)
	if err != nil {
		return nil, err
	}
	return a.result(node(ast.NewFill(size, bands, v)))
}

// nansLeaf is delayed_image's DelayedNans.
func nansLeaf(a *arguments) (starlark.Value, error) {
	a.values["size"] = a.values["dsize"]
	if _, ok := a.values["channels"].(starlark.Int); !ok && a.has("channels") {
		channels, err := a.channels()
		if err != nil {
			return nil, err
		}
		names, err := ast.ParseChannels(channels)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", a.name, err)
		}
		var list starlark.Tuple
		for _, n := range names {
			list = append(list, starlark.String(n))
		}
		a.values["bands"] = list
	} else if v := a.values["channels"]; v != nil {
		a.values["bands"] = v
	}
	return fillLeaf(a)
}

func concatLeaves(a *arguments) (starlark.Value, error) {
	list := starlark.Sequence(a.rest)
	if len(a.rest) == 1 {
		if inner, ok := a.rest[0].(starlark.Sequence); ok {
			list = inner
		}
	}
	if list.Len() > maxTuple {
		return nil, fmt.Errorf("%s: got %d parts, at most %d", a.name, list.Len(), maxTuple)
	}
	parts, err := treeNodes(a.name, list)
	if err != nil {
		return nil, err
	}
	return a.concat(parts)
}
