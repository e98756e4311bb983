package rules

import (
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

// Equal parts of a concat become one node:
//
//	Concat(x, x′) with x ≡ x′ → Concat(x, x)   share-parts
//
// so that what is below them is rewritten and evaluated once.
var shareRules = []rewrite.Rule{
	rewrite.On("share-parts", ast.Exact, shareParts).
		WithDoc("Concat(x, x′) → Concat(x, x) where x and x′ are equal, so that they are evaluated once"),
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
