package rewrite

import (
	"slices"

	"github.com/rewarp/rewarp/ast"
)

// pass is a compiled Pass: tables from the kind of a node, and of its input, to
// rules.
type pass struct {
	name      string
	traversal Traversal
	id        uint32
	index     int
	idle      kindTable
	byShape   [ast.NumKinds][ast.NumKinds][]compiled
	added     int                   // rules
	byOp      map[string][]compiled // custom operations; those not here have none of their own

	// byMarks is byShape without the rules that the node's marks exclude: numbers
	// of lists, so that all of it stays in the cache.
	byMarks [ast.NumKinds][ast.NumKinds][ast.AllMarks + 1]uint16
	lists   [][]compiled // the first is empty
}

// compiled is a rule with the way to apply it, and the marks without which, or
// with which, it does not fire.
type compiled struct {
	rule         Rule
	apply        func(*Context, ast.Node) (ast.Node, error)
	only, except ast.Marks
	number       int // of the rule in the pass
}

// excluded reports whether a node with these marks is none for the rule.
func (c *compiled) excluded(m ast.Marks) bool { return c.only&^m != 0 || c.except&m != 0 }

// rules are those that may fire at n. A node without inputs, or with several,
// counts as one over a custom node.
func (p *pass) rules(n ast.Node, s ast.Shape) []compiled {
	if s.Kind == ast.KindCustom {
		if rules, ok := p.byOp[n.Op()]; ok {
			return rules
		}
	}
	return p.byShape[s.Kind][s.Below]
}

func (p *pass) add(r Rule) {
	c := compiled{rule: r, apply: r.Apply, number: p.added}
	p.added++
	below := anyOp
	if f, ok := r.(*Func); ok {
		c.apply, c.only, c.except, below = f.apply, f.only, f.except, f.below
	}
	for _, op := range r.Ops() {
		p.idle.wake(kindsOf(op) | kindsOf(below))
		for k := range ast.NumKinds {
			if op != anyOp && kindOf(op) != k {
				continue
			}
			if k == ast.KindCustom && op != anyOp && op != k.String() {
				if _, ok := p.byOp[op]; !ok {
					p.byOp[op] = slices.Clone(p.byShape[k][ast.KindCustom])
				}
				p.byOp[op] = append(p.byOp[op], c)
				continue
			}
			for in := range ast.NumKinds {
				if below == anyOp || kindOf(below) == in {
					p.byShape[k][in] = append(p.byShape[k][in], c)
				}
			}
			if k == ast.KindCustom {
				for name := range p.byOp {
					p.byOp[name] = append(p.byOp[name], c)
				}
			}
		}
	}
}

// sort fills byMarks and lists, once all rules are added.
func (p *pass) sort() {
	p.lists = [][]compiled{nil}
	for k := range p.byShape {
		for in, rules := range p.byShape[k] {
			for m := range p.byMarks[k][in] {
				p.byMarks[k][in][m] = p.list(rules, ast.Marks(m))
			}
		}
	}
}

// list is the number of the list of those rules that the marks do not exclude.
func (p *pass) list(rules []compiled, m ast.Marks) uint16 {
	left := slices.DeleteFunc(slices.Clone(rules), func(c compiled) bool { return c.excluded(m) })
	same := func(c, d compiled) bool { return c.number == d.number }
	i := slices.IndexFunc(p.lists, func(l []compiled) bool { return slices.EqualFunc(l, left, same) })
	if i < 0 {
		i = len(p.lists)
		p.lists = append(p.lists, left)
	}
	return uint16(i)
}

func kindOf(op string) ast.Kind {
	for k := ast.KindCustom + 1; k < ast.NumKinds; k++ {
		if k.String() == op {
			return k
		}
	}
	return ast.KindCustom
}
