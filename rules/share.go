package rules

import (
	"slices"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

// Equal inputs of one node become one node:
//
//	Concat(x, x′) with x ≡ x′ → Concat(x, x)   share-parts
//	custom(x, x′) with x ≡ x′ → custom(x, x)   share-inputs
//
// so that what is below them is rewritten and evaluated once.
var shareRules = []rewrite.Rule{
	rewrite.On("share-parts", ast.Exact, shareParts).
		WithDoc("Concat(x, x′) → Concat(x, x) where x and x′ are equal, so that they are evaluated once"),
	rewrite.OnOp(ast.KindCustom.String(), "share-inputs", ast.Exact, shareInputs).
		WithDoc("custom(x, x′) → custom(x, x) where x and x′ are equal, so that they are evaluated once"),
}

func shareParts(c *rewrite.Context, n *ast.Concat) (ast.Node, error) {
	parts := shared(n)
	if parts == nil {
		return c.No(n, "no two parts are equal without being one")
	}
	return c.Concat(parts), nil
}

func shareInputs(c *rewrite.Context, n ast.Custom) (ast.Node, error) {
	inputs := shared(n)
	if inputs == nil {
		return c.No(n, "no two inputs are equal without being one")
	}
	return n.WithInputs(inputs)
}

// shared are the inputs of n with equal ones made one, nil where none are.
func shared(n ast.Node) []ast.Node {
	var inputs []ast.Node
	replace := func(i int, by ast.Node) {
		if inputs == nil {
			inputs = make([]ast.Node, n.NumInputs())
			for k := range inputs {
				inputs[k] = n.Input(k)
			}
		}
		inputs[i] = by
	}
	const few = 8 // beyond this many inputs sketches are cheaper than pairs
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
	} else if alike(n) {
		first := make(map[uint64]ast.Node, n.NumInputs()) // by sketch
		same := map[ast.Fingerprint]ast.Node{}            // those that share a sketch with another
		for i := range n.NumInputs() {
			in := n.Input(i)
			s := ast.Sketch(in)
			a, ok := first[s]
			if !ok {
				first[s] = in
			}
			if !ok || a == in {
				continue
			}
			same[ast.FingerprintOf(a)] = a
			f := ast.FingerprintOf(in)
			if b, ok := same[f]; !ok {
				same[f] = in
			} else if b != in && ast.Equal(b, in) {
				replace(i, b)
			}
		}
	}
	return inputs
}

// alike reports whether two inputs of n may be equal without being one: whether
// they have one sketch.
func alike(n ast.Node) bool {
	sketches := make([]uint64, n.NumInputs())
	for i := range sketches {
		sketches[i] = ast.Sketch(n.Input(i))
	}
	slices.Sort(sketches)
	return len(slices.Compact(sketches)) < n.NumInputs()
}
