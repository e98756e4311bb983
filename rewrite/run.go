package rewrite

import (
	"fmt"
	"strings"

	"github.com/rewarp/rewarp/ast"
)

// run is the state of one Optimize. It is pooled, so that a run allocates
// nothing but the nodes it makes.
type run struct {
	pipeline *Pipeline
	ctx      Context
	remember bool
	root     ast.Node
	at       int // the pass at work
	fired    int
	limit    int            // firings allowed, 0 until it is needed
	last     [8]Rule        // the last to fire when the limit is near
	results  table          // rewritten nodes of this run, by node and pass
	settled  map[key]bool   // what nodes would remember, when they may not
	samples  []ast.Sampling // samplings of enclosing warps, by state − 1
	path     []string       // steps to the node at hand, under trace and verify
	trace    []Firing
}

// key is a node seen by a pass, under warps of one sampling.
type key struct {
	node  *ast.Memo
	pass  int
	state state
}

// state says which sampling the nearest warp above has: 0 for none that could
// sample the node between its pixel centres, else an index into samples + 1.
type state int

func (r *run) start(p *Pipeline, root ast.Node) {
	r.pipeline, r.root = p, root
	r.ctx.max = p.config.max
	r.fired, r.limit = 0, freeFirings
	if p.config.budget > 0 {
		r.limit = p.config.budget
	}
	if r.remember = p.Remembers(); r.remember {
		r.ctx.run = r
	} else {
		r.settled = map[key]bool{}
	}
}

func (r *run) release() {
	r.results.clear()
	r.samples = r.samples[:0]
	r.pipeline, r.root, r.settled, r.trace = nil, nil, nil, nil
	r.ctx.run, r.ctx.inverted = nil, nil
	if r.fired > r.limit-len(r.last) {
		r.last = [len(r.last)]Rule{}
	}
	r.path = r.path[:0]
	runs.Put(r)
}

func (r *run) fixpoint(n ast.Node) (ast.Node, error) {
	for {
		before := n
		for i := range r.pipeline.passes {
			p := r.pipeline.passes[i]
			if r.isSettled(p, n) {
				continue
			}
			r.results.clear()
			r.at = i
			var err error
			if n, err = r.rewrite(p, n, 0); err != nil {
				return nil, err
			}
		}
		if n == before {
			return n, nil
		}
	}
}

// ready rewrites a node that a rule of the pass at work made by the passes so
// far that go everywhere.
func (r *run) ready(n ast.Node) (ast.Node, error) {
	for i := range r.pipeline.passes[:r.at+1] {
		p := r.pipeline.passes[i]
		if p.traversal == OnGrid || r.isSettled(p, n) {
			continue
		}
		var err error
		if n, err = r.everywhere(p, n); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// rewritten is n, an input of the node at hand, rewritten by the pass at work.
func (r *run) rewritten(n ast.Node) (ast.Node, error) {
	p := r.pipeline.passes[r.at]
	if p.traversal == OnGrid || r.isSettled(p, n) {
		return n, nil
	}
	return r.visit(p, n, 0)
}

// isSettled reports whether no rule of the pass fires in the subtree of n.
func (r *run) isSettled(p *pass, n ast.Node) bool {
	m := n.Memo()
	return p.idle.has(m.Kinds()) || r.remember && m.Canonical(p.id) ||
		!r.remember && r.settled[key{m, p.index, 0}]
}

func (r *run) settle(p *pass, n ast.Node) {
	if m := n.Memo(); r.remember {
		m.SetCanonical(p.id)
	} else {
		r.settled[key{m, p.index, 0}] = true
	}
}

// visit is rewrite, once a node.
func (r *run) visit(p *pass, n ast.Node, above state) (ast.Node, error) {
	k := key{n.Memo(), p.index, above}
	if out := r.results.get(k); out != nil {
		return out, nil
	}
	out, err := r.rewrite(p, n, above)
	if err == nil && out != n {
		r.results.put(k, out)
	}
	return out, err
}

// rewrite rewrites n, which is not settled, as the pass traverses.
func (r *run) rewrite(p *pass, n ast.Node, above state) (ast.Node, error) {
	if p.traversal == OnGrid {
		return r.onGrid(p, n, above)
	}
	return r.everywhere(p, n)
}

// everywhere rewrites n until no rule of the pass fires in it. Parents go
// first: a crop that has shrunk the canvas makes all that follows cheaper.
func (r *run) everywhere(p *pass, n ast.Node) (ast.Node, error) {
	for {
		next, err := r.fire(p, n)
		if err != nil {
			return nil, err
		}
		if next != n {
			if n = next; r.isSettled(p, n) {
				return n, nil
			}
			continue
		}
		if next, err = r.visitInputs(p, n, 0); err != nil {
			return nil, err
		}
		if next == n {
			r.settle(p, n)
			return n, nil
		}
		n = next
	}
}

// onGrid visits n, whose nearest warp above samples as state says, lets rules
// fire where n is on its own grid, and goes on to the inputs.
func (r *run) onGrid(p *pass, n ast.Node, above state) (ast.Node, error) {
	below, own := r.descend(n, above)
	for own {
		next, err := r.fire(p, n)
		if err != nil {
			return nil, err
		}
		if next == n {
			break
		}
		if n = next; r.isSettled(p, n) {
			return n, nil
		}
		below, own = r.descend(n, above)
	}
	out, err := r.visitInputs(p, n, below)
	if err != nil {
		return nil, err
	}
	switch {
	case out == n && own:
		r.settle(p, n)
	case out == n:
		r.results.put(key{n.Memo(), p.index, above}, n)
	}
	return out, nil
}

// visitInputs rewrites the inputs of n by the pass, and returns n over them, n
// itself where none changed. Below is their state, for a pass on grids.
func (r *run) visitInputs(p *pass, n ast.Node, below state) (ast.Node, error) {
	count := n.NumInputs()
	var inputs []ast.Node
	for i := range count {
		old := n.Input(i)
		if r.isSettled(p, old) {
			continue
		}
		r.push(n, i)
		in, err := r.visit(p, old, below)
		r.pop()
		if err != nil {
			return nil, err
		}
		if in == old {
			continue
		}
		if count == 1 {
			return ast.Substitute(n, 0, in)
		}
		if inputs == nil {
			inputs = inputsOf(n)
		}
		inputs[i] = in
	}
	return withInputs(n, inputs)
}

// descend tells whether n is evaluated at its own pixel centres only, and
// which state its inputs are in.
func (r *run) descend(n ast.Node, above state) (below state, onGrid bool) {
	var s ast.Sampling
	switch n := n.(type) {
	case *ast.Warp:
		if n.Copies() || n.IsNoOp() {
			return above, above == 0
		}
		s = n.Sampling()
	case *ast.Overview:
		if n.Stored() || n.Size() == n.Input(0).Size() {
			return above, above == 0
		}
		s = ast.DefaultSampling
	case *ast.Crop, *ast.Pad, *ast.Dequantize, *ast.Concat:
		return above, above == 0
	default: // a leaf or a custom node
		return 0, true
	}
	onGrid = above == 0 || r.samples[above-1] != s
	if s.Border.Mode != ast.NoDataBorder {
		return 0, onGrid
	}
	for i := range r.samples {
		if r.samples[i] == s {
			return state(i + 1), onGrid
		}
	}
	r.samples = append(r.samples, s)
	return state(len(r.samples)), onGrid
}

func inputsOf(n ast.Node) []ast.Node {
	inputs := make([]ast.Node, n.NumInputs())
	for i := range inputs {
		inputs[i] = n.Input(i)
	}
	return inputs
}

func withInputs(n ast.Node, inputs []ast.Node) (ast.Node, error) {
	if inputs == nil {
		return n, nil
	}
	return n.WithInputs(inputs)
}

// fire applies the first rule of the pass that changes n.
func (r *run) fire(p *pass, n ast.Node) (ast.Node, error) {
	s := ast.ShapeOf(n)
	if !r.remember || s.Kind == ast.KindCustom {
		return r.fireAny(p, n, s)
	}
	rules := p.lists[p.byMarks[s.Kind][s.Below][s.Marks&ast.AllMarks]]
	for i := range rules {
		c := &rules[i]
		if out, err := c.apply(&r.ctx, n); err != nil || out != n {
			return r.took(p, c, n, out, err)
		}
	}
	return n, nil
}

// fireAny is fire for a custom node, and for a run that traces or verifies: there
// a rule is asked about nodes, too, that it says it is not for.
func (r *run) fireAny(p *pass, n ast.Node, s ast.Shape) (ast.Node, error) {
	rules := p.rules(n, s)
	for i := range rules {
		c := &rules[i]
		excluded := c.excluded(s.Marks)
		if excluded && r.remember {
			continue
		}
		out, err := c.apply(&r.ctx, n)
		if err == nil && out == n {
			continue
		}
		if err == nil && excluded {
			err = fmt.Errorf("fires at a node whose marks it excludes")
		}
		return r.took(p, c, n, out, err)
	}
	return n, nil
}

// took is what a rule made of n, once it is recorded.
func (r *run) took(p *pass, c *compiled, n, out ast.Node, err error) (ast.Node, error) {
	if err == nil && out == nil {
		err = fmt.Errorf("returned no node")
	}
	if err == nil {
		err = r.record(p, c.rule, n, out)
	}
	if err != nil {
		return nil, r.ruleError(c.rule, err)
	}
	return out, nil
}

// record counts a firing and, when asked, traces and verifies it.
func (r *run) record(p *pass, rule Rule, before, after ast.Node) error {
	r.fired++
	if left := r.limit - r.fired; left < len(r.last) {
		if r.last[r.fired%len(r.last)] = rule; left < 0 && !r.extend() {
			return r.exhausted()
		}
	}
	if r.remember {
		return nil
	}
	c := &r.pipeline.config
	if c.trace {
		r.trace = append(r.trace, Firing{
			Rule: rule, Pass: p.name, Path: r.where(),
			Before: before, After: after,
			CostBefore: CostOf(before), CostAfter: CostOf(after),
		})
	}
	if c.verify {
		if err := verify(rule, before, after); err != nil {
			return err
		}
		if c.verifier != nil {
			return c.verifier(rule, before, after)
		}
	}
	return nil
}

func (r *run) ruleError(rule Rule, err error) error {
	return &RuleError{Rule: rule.Name(), Path: r.where(), Err: err}
}

func (r *run) push(n ast.Node, i int) {
	if !r.remember {
		r.path = append(r.path, ast.Step(n, i))
	}
}

func (r *run) pop() {
	if !r.remember {
		r.path = r.path[:len(r.path)-1]
	}
}

func (r *run) where() string { return strings.Join(r.path, "/") }
