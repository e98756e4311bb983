package rewrite

import (
	"fmt"

	"github.com/rewarp/rewarp/ast"
)

// Rule rewrites one shape of subtree into another of the same meaning.
type Rule interface {
	// Name identifies the rule in pipelines, traces and errors, such as
	// "fuse-warps".
	Name() string
	// Doc is one line: the shape before and after, and why it pays.
	Doc() string
	// Fidelity is how closely the rewrite keeps to the tree.
	Fidelity() ast.Fidelity
	// Ops are the operations of the nodes that the rule wants to see; "*" is
	// every operation.
	Ops() []string
	// Apply returns the node it was given, or one to put in its place: with
	// the same canvas, bands and types, and the same meaning.
	Apply(c *Context, n ast.Node) (ast.Node, error)
}

// On makes a rule of a function on one type of node. T is a built-in node such
// as *ast.Warp, or ast.Node for every node; see OnOp for custom ones.
func On[T ast.Node](name string, fidelity ast.Fidelity, apply func(c *Context, n T) (ast.Node, error)) *Func {
	var zero T
	return newFunc(name, fidelity, opOf(zero), apply)
}

// OnOp makes a rule of a function on nodes of a custom type, whose Op is op.
func OnOp[T ast.Node](op, name string, fidelity ast.Fidelity, apply func(c *Context, n T) (ast.Node, error)) *Func {
	return newFunc(name, fidelity, op, apply)
}

func newFunc[T ast.Node](name string, fidelity ast.Fidelity, op string, apply func(*Context, T) (ast.Node, error)) *Func {
	return &Func{
		name: name, fidelity: fidelity, ops: []string{op},
		apply: func(c *Context, n ast.Node) (ast.Node, error) {
			t, ok := n.(T)
			if !ok {
				return n, nil
			}
			return apply(c, t)
		},
	}
}

func opOf(zero any) string {
	switch zero.(type) {
	case *ast.Load:
		return ast.KindLoad.String()
	case *ast.Fill:
		return ast.KindFill.String()
	case *ast.Raster:
		return ast.KindRaster.String()
	case *ast.Crop:
		return ast.KindCrop.String()
	case *ast.Pad:
		return ast.KindPad.String()
	case *ast.Warp:
		return ast.KindWarp.String()
	case *ast.Overview:
		return ast.KindOverview.String()
	case *ast.Dequantize:
		return ast.KindDequantize.String()
	case *ast.Concat:
		return ast.KindConcat.String()
	}
	return anyOp
}

const anyOp = "*"

// Func is a rule made of a function by On.
type Func struct {
	name, doc string
	fidelity  ast.Fidelity
	ops       []string
	apply     func(*Context, ast.Node) (ast.Node, error)
}

// WithDoc returns the rule with a line of documentation.
func (f *Func) WithDoc(doc string) *Func {
	g := *f
	g.doc = doc
	return &g
}

// Name identifies the rule.
func (f *Func) Name() string { return f.name }

// Doc is the rule's line of documentation.
func (f *Func) Doc() string { return f.doc }

// Fidelity is how closely the rewrite keeps to the tree.
func (f *Func) Fidelity() ast.Fidelity { return f.fidelity }

// Ops are the operations that the rule wants to see.
func (f *Func) Ops() []string { return f.ops }

// Apply calls the function.
func (f *Func) Apply(c *Context, n ast.Node) (ast.Node, error) { return f.apply(c, n) }

// RuleError says which rule failed, and where.
type RuleError struct {
	Rule string
	Path string
	Err  error
}

// Error is for example "rule fuse-warps at crop/warp: …".
func (e *RuleError) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("rule %s: %v", e.Rule, e.Err)
	}
	return fmt.Sprintf("rule %s at %s: %v", e.Rule, e.Path, e.Err)
}

// Unwrap is the cause.
func (e *RuleError) Unwrap() error { return e.Err }
