package asttest

import (
	"encoding/json"
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

	// Custom draws an author's own nodes, where there are any in the place of
	// this package's, and often enough for rules on them to fire.
	Custom []CustomNode
	// Decode reads the nodes that Custom draws from tree files, as
	// ast.CustomDecoder takes it. Nil says that they have no file form.
	Decode func(op string, raw json.RawMessage, inputs []ast.Node) (ast.Node, error)
}

// CustomNode draws a node of an author's own over in, with arguments that draw
// chooses. An error says that it cannot stand over in, whose bands, types and
// canvas may be any, and another operation is drawn.
type CustomNode func(in ast.Node, draw Draw) (ast.Node, error)

// Draw is what an author's own node is drawn with.
type Draw struct {
	d    *drawing
	like ast.Node
}

// IntN is a number from 0 to n−1. Of the alternatives 0 should be the simplest.
func (d Draw) IntN(n int) int { return d.d.IntN(n) }

// Input is a further input: any tree with the canvas of the first.
func (d Draw) Input() (ast.Node, error) { return d.d.part(d.like, 1) }

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
