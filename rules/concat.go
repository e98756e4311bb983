package rules

import (
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

// Concat stands on top, flat, over parts that are each a path of their own:
//
//	Concat(x)                  → x                  drop-concat
//	Concat(Concat(x, y), z)    → Concat(x, y, z)    flatten-concat
//	Concat(x, x') with x ≡ x'  → Concat(x, x)       share-parts
//	Overview(Concat(x, …))     → Concat(Warp(x), …) overview-below-concat
//
// An overview over a concat is a warp by its scale, also where the parts are
// loads that store the level: their stored canvas may be another one.
var concatRules = []rewrite.Rule{
	rewrite.On("drop-concat", ast.Exact, dropConcat).
		WithDoc("Concat(x) → x"),
	rewrite.On("flatten-concat", ast.Exact, flattenConcat).
		WithDoc("Concat(Concat(x, y), z) → Concat(x, y, z)"),
	rewrite.On("share-parts", ast.Exact, shareParts).
		WithDoc("Concat(x, x') → Concat(x, x) where x and x' are equal, so that it is evaluated once"),
}

func dropConcat(c *rewrite.Context, n *ast.Concat) (ast.Node, error) {
	if n.NumInputs() != 1 {
		return c.No(n, "it has several parts")
	}
	return n.Input(0), nil
}

func flattenConcat(c *rewrite.Context, n *ast.Concat) (ast.Node, error) {
	total, nested := 0, false
	for i := range n.NumInputs() {
		if in, ok := n.Input(i).(*ast.Concat); ok {
			total, nested = total+in.NumInputs(), true
		} else {
			total++
		}
	}
	if !nested {
		return c.No(n, "no part is a concat")
	}
	parts := make([]ast.Node, 0, total)
	for i := range n.NumInputs() {
		if in, ok := n.Input(i).(*ast.Concat); ok {
			for k := range in.NumInputs() {
				parts = append(parts, in.Input(k))
			}
		} else {
			parts = append(parts, n.Input(i))
		}
	}
	return c.Concat(parts), nil
}

func shareParts(c *rewrite.Context, n *ast.Concat) (ast.Node, error) {
	var parts []ast.Node
	replace := func(i int, by ast.Node) {
		if parts == nil {
			parts = make([]ast.Node, n.NumInputs())
			for k := range parts {
				parts[k] = n.Input(k)
			}
		}
		parts[i] = by
	}
	const few = 8 // beyond this many parts fingerprints are cheaper than pairs
	if n.NumInputs() <= few {
		for i := 1; i < n.NumInputs(); i++ {
			for k := range i {
				a, b := n.Input(k), n.Input(i)
				if a == b {
					break
				}
				if a.Kind() == b.Kind() && ast.SameShape(a, b) && ast.Equal(a, b) {
					replace(i, a)
					break
				}
			}
		}
	} else {
		first := make(map[ast.Fingerprint]ast.Node, n.NumInputs())
		for i := range n.NumInputs() {
			in := n.Input(i)
			f := ast.FingerprintOf(in)
			if a, ok := first[f]; !ok {
				first[f] = in
			} else if a != in && ast.Equal(a, in) {
				replace(i, a)
			}
		}
	}
	if parts == nil {
		return c.No(n, "no two parts are equal without being one")
	}
	return c.Concat(parts), nil
}
