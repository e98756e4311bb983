package rewritetest

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rewrite"
)

// OptimalityConfig says how the fixpoints of a pipeline are compared with what
// other orders of firing reach.
type OptimalityConfig struct {
	Pipeline *rewrite.Pipeline
	Trees    int // 300 if zero
	Seed     uint64
	Draw     asttest.Options // small trees if zero
	States   int             // trees visited from each drawn one, at most; 400 if zero
	Workers  int             // goroutines; GOMAXPROCS if zero
	Gaps     int             // how many gaps are kept, the widest; 5 if zero

	// Cost is what is to be least, rewrite.CostOf if nil.
	Cost func(ast.Node) rewrite.Cost

	// Required names rules that fire for another reason than the cost. A tree in
	// which one of them can still fire, now or after others, is not compared.
	Required []string
}

// OptimalityReport says how often the pipeline's order of rules reached the
// least cost that any order reaches.
type OptimalityReport struct {
	Trees   int
	Reached int // trees whose result costs no more than any other that was visited
	Cut     int // trees of which not all orders were explored
	States  int // trees visited in all
	Worst   float64
	Gaps    []*Gap // the widest
}

// Gap is a tree for which another order of firing reaches a lower cost.
type Gap struct {
	Seed          uint64
	Tree          ast.Node
	Ordered, Best ast.Node // what the pipeline makes, and what another order does
	OrderedCost   rewrite.Cost
	BestCost      rewrite.Cost
	Ratio         float64 // of samples read and resampled, or of bytes where those are equal
}

// String is the tree and both results.
func (g *Gap) String() string {
	return fmt.Sprintf("seed %d: cost %.4g of the least:\n%s\n  the pipeline makes (%v):\n%s\n  another order (%v):\n%s",
		g.Seed, g.Ratio, indent(ast.FormatExpr(g.Tree)),
		g.OrderedCost, indent(ast.FormatExpr(g.Ordered)), g.BestCost, indent(ast.FormatExpr(g.Best)))
}

// String says how often the least cost was reached.
func (r *OptimalityReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d trees, %d states: the least cost is reached in %d, the worst is %.4g of the least; %d searches were cut short",
		r.Trees, r.States, r.Reached, r.Worst, r.Cut)
	for _, g := range r.Gaps {
		b.WriteString("\n" + g.String())
	}
	return b.String()
}

// Optimality searches, for small random trees, all orders in which rules can
// fire, breadth first, and compares the least cost among all trees that it
// meets with the cost of what the pipeline makes.
func Optimality(ctx context.Context, c OptimalityConfig) (*OptimalityReport, error) {
	if c.Trees == 0 {
		c.Trees = 300
	}
	if c.States == 0 {
		c.States = 400
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Gaps == 0 {
		c.Gaps = 5
	}
	if c.Cost == nil {
		c.Cost = rewrite.CostOf
	}
	if c.Draw.MaxDepth == 0 {
		c.Draw.MaxDepth, c.Draw.MaxNodes = 4, 8
	}
	gen := asttest.NewGen(c.Draw)
	report := &OptimalityReport{Worst: 1}
	var mu sync.Mutex
	var next atomic.Int64
	var firstErr error
	var workers sync.WaitGroup
	for range min(c.Workers, c.Trees) {
		workers.Go(func() {
			s, err := newStepper(c.Pipeline, c.Cost, c.Required)
			for err == nil && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= c.Trees {
					return
				}
				seed := asttest.TreeSeed(c.Seed, i)
				var o *orders
				if o, err = s.search(c.Pipeline, gen.Tree(seed), c.States); err == nil {
					mu.Lock()
					report.add(seed, o)
					mu.Unlock()
				}
			}
			if err != nil {
				mu.Lock()
				firstErr = cmp.Or(firstErr, err)
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	if firstErr != nil {
		return nil, firstErr
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(report.Gaps, func(a, b *Gap) int {
		return cmp.Or(cmp.Compare(b.Ratio, a.Ratio), cmp.Compare(a.Seed, b.Seed))
	})
	report.Gaps = report.Gaps[:min(len(report.Gaps), c.Gaps)]
	return report, nil
}

// orders is what the search from one tree found.
type orders struct {
	tree, ordered, best   ast.Node
	orderedCost, bestCost rewrite.Cost
	states                int
	cut                   bool
}

func (r *OptimalityReport) add(seed uint64, o *orders) {
	r.Trees++
	r.States += o.states
	if o.cut {
		r.Cut++
	}
	ratio := overhead(o.orderedCost, o.bestCost)
	if ratio <= 1 {
		r.Reached++
		return
	}
	r.Worst = max(r.Worst, ratio)
	r.Gaps = append(r.Gaps, &Gap{seed, o.tree, o.ordered, o.best, o.orderedCost, o.bestCost, ratio})
}

// overhead is how many times the least cost another one is, 1 where they differ
// by rounding.
func overhead(c, least rewrite.Cost) float64 {
	const rounding = 1e-9
	ratio := func(a, b float64) float64 {
		if a <= b*(1+rounding) {
			return 1
		}
		return a / max(b, 1)
	}
	if r := ratio(c.Read+c.Resampled, least.Read+least.Resampled); r > 1 || c.Read+c.Resampled < (least.Read+least.Resampled)*(1-rounding) {
		return r
	}
	return ratio(c.Bytes, least.Bytes)
}

// stepper lets a pipeline fire one rule once, at each place where it could.
type stepper struct {
	pipeline *rewrite.Pipeline
	cost     func(ast.Node) rewrite.Cost
	required []string
	target   int // which opportunity to take
	met      int // opportunities met so far
	taken    string
}

func newStepper(p *rewrite.Pipeline, cost func(ast.Node) rewrite.Cost, required []string) (*stepper, error) {
	s := &stepper{cost: cost, required: required}
	// Under Trace nodes remember nothing, which they must not: the rules
	// decline what they could do.
	with := []rewrite.Option{rewrite.Trace()}
	for _, info := range p.Rules() {
		if info.Enabled {
			with = append(with, rewrite.Replace(info.Rule.Name(), steppingRule{info.Rule, s}))
		}
	}
	var err error
	s.pipeline, err = p.With(with...)
	return s, err
}

// steppingRule fires only where the stepper says.
type steppingRule struct {
	rewrite.Rule
	s *stepper
}

func (r steppingRule) Apply(c *rewrite.Context, n ast.Node) (ast.Node, error) {
	if r.s.taken != "" {
		return n, nil
	}
	out, err := r.Rule.Apply(c, n)
	if err != nil || out == n {
		return n, err
	}
	if r.s.met < r.s.target {
		r.s.met++
		return n, nil
	}
	r.s.taken = r.Name()
	return out, nil
}

// next is every tree that one firing makes of n, and whether a required rule
// is among those that can fire.
func (s *stepper) next(n ast.Node) (out []ast.Node, unfinished bool, err error) {
	for s.target = 0; ; s.target++ {
		s.met, s.taken = 0, ""
		r, err := optimize(s.pipeline, n)
		if err != nil {
			return nil, false, err
		}
		if s.taken == "" {
			return out, unfinished, nil
		}
		unfinished = unfinished || slices.Contains(s.required, s.taken)
		out = append(out, r.Node)
	}
}

// state is a tree that some order of firings makes.
type state struct {
	tree       ast.Node
	from       []int // states that one firing makes it of
	unfinished bool  // a required rule can fire, now or after others
}

// search visits the trees that any order of firings makes of n.
func (s *stepper) search(p *rewrite.Pipeline, n ast.Node, limit int) (*orders, error) {
	r, err := optimize(p, n)
	if err != nil {
		return nil, err
	}
	o := &orders{tree: n, ordered: r.Node, orderedCost: s.cost(r.Node)}
	o.best, o.bestCost = o.ordered, o.orderedCost
	states := []*state{{tree: n}}
	index := map[ast.Fingerprint]int{ast.FingerprintOf(n): 0}
	for ; o.states < len(states) && !o.cut; o.states++ {
		at := states[o.states]
		more, unfinished, err := s.next(at.tree)
		if err != nil {
			return nil, err
		}
		at.unfinished = unfinished
		for _, m := range more {
			f := ast.FingerprintOf(m)
			k, seen := index[f]
			if !seen && (o.states >= limit || readsForeignAverages(n, m)) {
				o.cut = o.cut || o.states >= limit
				continue
			}
			if !seen {
				k = len(states)
				index[f] = k
				states = append(states, &state{tree: m})
			}
			states[k].from = append(states[k].from, o.states)
		}
	}
	unfinish(states)
	for _, at := range states[:o.states] {
		if at.unfinished {
			continue
		}
		if c := s.cost(at.tree); overhead(o.bestCost, c) > 1 {
			o.best, o.bestCost = at.tree, c
		}
	}
	return o, nil
}

// unfinish marks every state that leads to an unfinished one.
func unfinish(states []*state) {
	var queue []int
	for i, at := range states {
		if at.unfinished {
			queue = append(queue, i)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, k := range states[queue[0]].from {
			if !states[k].unfinished {
				states[k].unfinished = true
				queue = append(queue, k)
			}
		}
	}
}
