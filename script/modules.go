package script

import (
	gomath "math"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// modules are what scripts written for Python import beside delayed_image: as
// much of each as the arguments of the methods take.
var modules = map[string]*starlarkstruct.Module{
	"numpy": {Name: "numpy", Members: starlark.StringDict{
		"pi": starlark.Float(gomath.Pi), "nan": starlark.Float(gomath.NaN()), "inf": starlark.Float(gomath.Inf(1)),
	}},
	"kwimage": {Name: "kwimage", Members: starlark.StringDict{
		"Affine": &starlarkstruct.Module{Name: "Affine", Members: transforms()},
	}},
}

// importNames are the modules that a script may import, and the name that it may
// import each as.
var importNames = map[string]string{
	"delayed_image": "delayed_image", "kwimage": "kwimage", "math": "math", "numpy": "np",
}

// transforms are the constructors of kwimage.Affine. Each makes what warp takes.
func transforms() starlark.StringDict {
	members := starlark.StringDict{"coerce": builtinOf("Affine.coerce", sign("data"), func(a *arguments) (starlark.Value, error) {
		return a.values["data"], nil
	})}
	for name, parameters := range map[string]string{
		"scale": "scale", "translate": "offset", "rotate": "theta", "eye": "",
		"affine": "scale=1, offset=0, theta=0, shear=0, about=0, shearx=0",
	} {
		sig := sign(parameters)
		members[name] = builtinOf("Affine."+name, sig, func(a *arguments) (starlark.Value, error) {
			d := starlark.NewDict(len(a.values))
			for _, part := range sig.names {
				if v := a.values[part]; v != nil {
					if err := d.SetKey(starlark.String(part), v); err != nil {
						return nil, err
					}
				}
			}
			return d, nil
		})
	}
	return members
}
