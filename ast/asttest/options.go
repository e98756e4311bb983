package asttest

import (
	"slices"

	"github.com/rewarp/rewarp/ast"
)

// Options say what trees to draw. The zero value draws everything.
type Options struct {
	Images   *Images // what leaves load; nil is Standard
	MaxDepth int     // operations from leaf to root, 8 if zero
	MaxSide  int     // pixels a side of any canvas, 72 if zero
	MaxBands int     // bands of any node, 6 if zero
	MaxNodes int     // distinct nodes a tree, 24 if zero

	Kinds     []ast.Kind          // operations allowed over the leaves; nil allows all
	Leaves    []ast.Kind          // leaves allowed; nil allows all
	Interps   []ast.Interpolation // nil allows all
	Borders   []ast.BorderMode    // nil allows all
	URIs      []string            // images allowed; nil allows all
	NoProject bool                // affine transforms only
	NoDomain  bool                // no domains on warps
	NoShare   bool                // no shared subtrees
}

func (o Options) withDefaults() Options {
	if o.Images == nil {
		o.Images = Standard()
	}
	if o.MaxDepth == 0 {
		o.MaxDepth = 8
	}
	if o.MaxSide == 0 {
		o.MaxSide = 72
	}
	if o.MaxBands == 0 {
		o.MaxBands = 6
	}
	if o.MaxNodes == 0 {
		o.MaxNodes = 24
	}
	if o.Leaves == nil {
		o.Leaves = []ast.Kind{ast.KindLoad, ast.KindFill, ast.KindRaster}
	}
	if o.Interps == nil {
		o.Interps = []ast.Interpolation{ast.Nearest, ast.Linear, ast.Cubic, ast.Lanczos, ast.Area, ast.Mode}
	}
	if o.Borders == nil {
		o.Borders = []ast.BorderMode{ast.NoDataBorder, ast.ValueBorder, ast.ClampBorder, ast.ReflectBorder, ast.WrapBorder}
	}
	if o.URIs == nil {
		o.URIs = o.Images.URIs()
	}
	return o
}

func (o *Options) allows(k ast.Kind) bool { return o.Kinds == nil || slices.Contains(o.Kinds, k) }
