package rewrite

import (
	"fmt"
	"strings"

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
	return OnOp(opOf(zero), name, fidelity, apply)
}

// OnOp makes a rule of a function on nodes of a custom type, whose Op is op, or
// on every custom node where it is "custom".
func OnOp[T ast.Node](op, name string, fidelity ast.Fidelity, apply func(c *Context, n T) (ast.Node, error)) *Func {
	return &Func{
		name: name, fidelity: fidelity, op: op, below: anyOp,
		apply: func(c *Context, n ast.Node) (ast.Node, error) {
			t, ok := n.(T)
			if !ok {
				return c.No(n, "it is not the rule's type of node")
			}
			return apply(c, t)
		},
	}
}

// OnShape makes a rule of a function on a node over a node of another type:
// OnShape[*ast.Crop, *ast.Warp] sees every Crop(Warp(…)). The engine finds it
// by both types, so that nodes of another shape cost nothing. P has one input;
// C may be ast.Custom for every custom node.
func OnShape[P, C ast.Node](name string, fidelity ast.Fidelity, apply func(c *Context, n P, in C) (ast.Node, error)) *Func {
	var parent P
	var child C
	below := opOf(child)
	if _, custom := any(&child).(*ast.Custom); custom {
		below = ast.KindCustom.String()
	}
	article := "a "
	if strings.ContainsRune("aeiou", rune(below[0])) {
		article = "an "
	}
	wrongInput := "its input is not " + article + below
	return &Func{
		name: name, fidelity: fidelity, op: opOf(parent), below: below,
		apply: func(c *Context, n ast.Node) (ast.Node, error) {
			p, ok := n.(P)
			if !ok || n.NumInputs() != 1 {
				return c.No(n, "it is not the rule's type of node")
			}
			in, ok := n.Input(0).(C)
			if !ok {
				return c.No(n, wrongInput)
			}
			return apply(c, p, in)
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

// Func is a rule made of a function by On, OnOp or OnShape.
type Func struct {
	name, doc string
	fidelity  ast.Fidelity
	op, below string // the operations of the node and of its input, or "*"
	only      ast.Marks
	except    ast.Marks
	apply     func(*Context, ast.Node) (ast.Node, error)
}

// Only returns the rule for nodes that have all of the marks: it would not fire
// at others, and is not asked there.
func (f *Func) Only(m ast.Marks) *Func {
	g := *f
	g.only |= m
	return &g
}

// Except returns the rule for nodes that have none of the marks: it would not
// fire at others, and is not asked there.
func (f *Func) Except(m ast.Marks) *Func {
	g := *f
	g.except |= m
	return &g
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
func (f *Func) Ops() []string { return []string{f.op} }

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
