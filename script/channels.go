package script

import (
	"fmt"
	"strconv"
	"strings"

	"go.starlark.net/starlark"

	"github.com/rewarp/rewarp/ast"
)

// shorthands are names that stand for several bands in delayed_image's specs.
var shorthands = map[string]string{
	"rgb": "r|g|b", "rgba": "r|g|b|a", "dxdy": "dx|dy", "fxfy": "fx|fy",
}

// spelled is a channel spec with its shorthands spelled out.
func spelled(spec string) string {
	parts := strings.Split(spec, "|")
	for i, p := range parts {
		if names, ok := shorthands[p]; ok {
			parts[i] = names
		}
	}
	return strings.Join(parts, "|")
}

// channels reads the argument channels, "" where it is left out: a spec, a list
// of names, or a number of bands, which are called u0, u1 and so on.
func (a *arguments) channels() (string, error) {
	switch v := a.values["channels"].(type) {
	case nil:
		return "", nil
	case starlark.String:
		return spelled(string(v)), nil
	case starlark.Indexable:
		if spec := joinNames(v); spec != "" {
			return spelled(string(spec)), nil
		}
	case starlark.Int:
		n, err := starlark.AsInt32(v)
		if err != nil || n < 1 || n > ast.MaxBands {
			return "", a.wrong("channels", fmt.Sprintf("1 to %d of them", ast.MaxBands))
		}
		if err := work(a.thread, elementCost*int64(n)); err != nil {
			return "", err
		}
		names := make([]string, n)
		for i := range names {
			names[i] = "u" + strconv.Itoa(i)
		}
		return strings.Join(names, "|"), nil
	}
	return "", a.wrong("channels", "a spec such as \"r|g|b\", a list of names, or a number of bands")
}

// namedLoad is a load whose spec may name fewer bands than the raster has: then
// it shows the first ones.
func namedLoad(uri, spec string, meta ast.Meta) (ast.Node, error) {
	if spec == "" {
		return ast.NewLoadMeta(uri, "", meta)
	}
	names, err := ast.ParseChannels(spec)
	if err != nil {
		return nil, &ast.Error{Op: "load", Arg: "channels", Err: err}
	}
	if len(names) >= len(meta.Bands) {
		return ast.NewLoadMeta(uri, spec, meta)
	}
	picks := make([]int, len(names))
	for i := range picks {
		picks[i] = i
	}
	for i := len(names); i < len(meta.Bands); i++ {
		names = append(names, strconv.Itoa(i+1))
	}
	l, err := ast.NewLoadMeta(uri, ast.FormatChannels(names), meta)
	if err != nil {
		return nil, err
	}
	return ast.NewCrop(l, l.Size().Bounds(), picks...)
}
