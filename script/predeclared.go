package script

import (
	"go.starlark.net/lib/math"
	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// function is a builtin that a script finds beside Starlark's own.
type function struct {
	name string
	sig  signature
	doc  string
	call func(a *arguments) (starlark.Value, error)
}

const loadParameters = "uri, channels=None, dsize=None, nodata_method=None, num_overviews=None, size=None, bands=None, dtype=None, nodata=None, overviews=None"

var functionTable = []function{
	{"load", sign(loadParameters), "A raster by its uri, which is relative to the script's folder. channels is a spec such as \"r|g|b\" or \"rgb\", a list of names, or a number, for the names u0, u1 and so on; where it names fewer bands than the raster has, they are the first ones. With size and dtype its metadata is what the arguments say; else it is looked up, if the program that reads the script does that. dsize, nodata_method and num_overviews say nothing.", loadLeaf},
	{"DelayedLoad", sign(loadParameters), "Is another name of load.", loadLeaf},
	{"fill", sign(`size, bands=1, dtype="float32", value=None`), "A constant, or a canvas that is all invalid. bands is a number or a list of names.", fillLeaf},
	{"DelayedNans", sign("dsize, channels=1"), "An invalid canvas.", nansLeaf},
	{"concat", sign(`*trees, axis="channels", dsize=None`), "The bands of several trees, or of a list of them, one after another. Their canvases are equal.", concatLeaves},
	{"DelayedChannelConcat", sign(`*trees, axis="channels", dsize=None`), "Is another name of concat.", concatLeaves},
	{"rule", sign(`name, fidelity, match, apply, doc=""`), "Declares a rewrite rule; see below.", declareRule},
}

// predeclared is what every script finds: its builtins, Starlark's behind
// guards, and the guards.
var predeclared = starlark.StringDict{}

func init() {
	for name, v := range starlark.Universe {
		if b, ok := v.(*starlark.Builtin); ok {
			switch name {
			case "sorted", "min", "max":
				b = ordered(b)
			}
			predeclared[name] = guarded(b, chargeFunction(name))
		}
	}
	predeclared["getattr"] = starlark.NewBuiltin("getattr", guardedGetattr)
	predeclared["slice"] = starlark.NewBuiltin("slice", makeSlice)
	predeclared["math"] = math.Module
	module := &starlarkstruct.Module{Name: "delayed_image", Members: starlark.StringDict{}}
	for i := range functionTable {
		f := &functionTable[i]
		b := builtinOf(f.name, f.sig, f.call)
		predeclared[f.name] = b
		if f.name[0] == 'D' {
			module.Members[f.name] = b
		}
	}
	predeclared["delayed_image"] = module
	for name, m := range modules {
		predeclared[name], predeclared[importNames[name]] = m, m
	}
	for name, f := range guards {
		predeclared[name] = starlark.NewBuiltin(name, f)
	}
	predeclared[guardNone] = starlark.None
	predeclared.Freeze()
}

func builtinOf(name string, sig signature, call func(a *arguments) (starlark.Value, error)) *starlark.Builtin {
	return starlark.NewBuiltin(name, func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		a, err := sig.bind(t, name, args, kwargs)
		if err != nil {
			return nil, err
		}
		return call(a)
	})
}

// guardedGetattr is getattr(x, name) or getattr(x, name, default).
func guardedGetattr(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var x, missing starlark.Value
	var name string
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 2, &x, &name, &missing); err != nil {
		return nil, err
	}
	if err := chargeTree(t, x); err != nil {
		return nil, err
	}
	v, err := attr(t, x, name)
	if err != nil && missing != nil {
		return missing, nil
	}
	return v, err
}
