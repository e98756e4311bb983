package rewritetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rewrite"
)

// outcome is what one tree showed.
type outcome struct {
	unjudged   bool // no oracle accepts the tree
	only       Law  // the one law that is asked about, or ""
	checked    []Law
	violations []*Violation

	differences [ast.Resolution + 1]Difference // rewritten against drawn, by cap
	executed    [ast.Resolution + 1]Difference // executed against oracles
	fired       int
	costBefore  rewrite.Cost
	costAfter   rewrite.Cost
}

// asks reports whether any of the laws is to be checked.
func (o *outcome) asks(laws ...Law) bool {
	for _, l := range laws {
		if o.only == "" || o.only == l {
			return true
		}
	}
	return false
}

// hold counts a check, and what it found broken.
func (o *outcome) hold(law Law, v *Violation) {
	o.checked = append(o.checked, law)
	if v != nil {
		o.violations = append(o.violations, v)
	}
}

// try puts a tree to every test, or to those that one law needs.
func (b *battery) try(ctx context.Context, n ast.Node, only Law) *outcome {
	o := &outcome{only: only}
	ref, err := b.judge.reference(n)
	if err != nil {
		o.unjudged = true
		return o
	}
	t := &trialTree{battery: b, outcome: o, ctx: ctx, tree: n, reference: ref, scales: scales(b.images, n, ref)}
	t.nth = b.parallel.Add(1)
	for i := range b.caps {
		if r := t.optimize(&b.caps[i]); r != nil {
			t.results = append(t.results, r)
		}
	}
	t.files(n)
	if o.asks(ConcatOrder) {
		t.reverseConcat()
	}
	if o.asks(Executed, ExecutedExact, Tiling) {
		t.execute()
	}
	return o
}

// trialTree is a tree under test.
type trialTree struct {
	*battery
	*outcome
	ctx       context.Context
	nth       int64
	tree      ast.Node
	reference []float64
	naive     []float64 // nil until it is needed
	scales    []float64
	results   []ast.Node // optimized, by cap
}

// optimize rewrites the tree at one cap and holds the result to the laws.
func (t *trialTree) optimize(k *capped) ast.Node {
	r, err := optimize(k.pipeline, t.tree)
	t.hold(Runs, nil)
	t.hold(Terminates, nil)
	t.hold(Budget, nil)
	if err != nil {
		v := lawOf(err)
		var be *rewrite.BudgetError
		if errors.As(err, &be) && t.only != Terminates {
			if _, err := optimize(k.patient, asttest.Copy(t.tree)); err == nil {
				v.Law = Budget
			}
		}
		t.violations = append(t.violations, v)
		return nil
	}
	t.fired += int(r.Fired)
	if k.fidelity == t.caps[len(t.caps)-1].fidelity && t.only == "" {
		t.costBefore, t.costAfter = rewrite.CostOf(t.tree), rewrite.CostOf(r.Node)
	}
	v := wellFormed(r.Node)
	if t.hold(Valid, v); v != nil {
		return nil
	}
	v = compareShapes(t.tree, r.Node)
	t.holdFirst(v, Shape, Bands, Type)
	if v != nil {
		return nil
	}
	if t.asks(LeafMap, Domain, Mask, Values) {
		t.holdFirst(comparePaths(t.tree, r.Node, true, invalidBands(t.tree, t.reference)), LeafMap, Domain)
	}
	if t.asks(Mask, Values, Exactness, Steps) {
		t.meaning(k.fidelity, r.Node)
	}
	if t.asks(Idempotent) {
		t.hold(Idempotent, idempotent(k.pipeline, t.tree, r))
	}
	if t.asks(Deterministic) {
		t.hold(Deterministic, t.deterministic(k.pipeline, r.Node))
	}
	t.files(r.Node)
	return r.Node
}

// holdFirst counts a check of several laws of which one may be broken.
func (t *trialTree) holdFirst(v *Violation, laws ...Law) {
	t.checked = append(t.checked, laws...)
	if v != nil {
		t.violations = append(t.violations, v)
	}
}

// meaning compares a rewritten tree with the drawn one by the oracle of the
// fidelity.
func (t *trialTree) meaning(f ast.Fidelity, after ast.Node) {
	if f == ast.Exact {
		t.hold(Steps, compareSteps(t.tree, after))
		was, err := t.naively()
		if err != nil {
			return
		}
		is, err := t.judge.naive(after)
		if err != nil {
			t.hold(Exactness, broken(Exactness, "what rewriting made cannot be evaluated step by step: %v", err))
			return
		}
		t.hold(Exactness, sameBits(Exactness, t.tree.Size(), was, is))
		return
	}
	is, err := t.judge.reference(after)
	if err != nil {
		t.hold(Values, broken(Values, "what rewriting made cannot be evaluated: %v", err))
		return
	}
	d := difference(t.tree.Size(), t.scales, t.reference, is)
	t.differences[f] = *d
	if f == ast.Geometric {
		t.holdFirst(d.violation(Mask, Values, tolerance), Mask, Values)
	}
}

func (t *trialTree) naively() ([]float64, error) {
	if t.naive != nil {
		return t.naive, nil
	}
	v, err := t.judge.naive(t.tree)
	t.naive = v
	return v, err
}

// idempotent optimizes again: the result, an equal tree that remembers
// nothing, and the drawn tree, which remembers unless the pipeline verifies or
// traces, and then comes to an equal result by the same firings.
func idempotent(p *rewrite.Pipeline, drawn ast.Node, r rewrite.Result) *Violation {
	again, err := optimize(p, r.Node)
	if err != nil {
		return broken(Idempotent, "a second time: %v", err)
	}
	if again.Changed || again.Node != r.Node || again.Fired != 0 {
		return broken(Idempotent, "the result, optimized again, is said to be changed (%v) by %d firings", again.Changed, again.Fired)
	}
	fresh := asttest.Copy(r.Node)
	if again, err = optimize(p, fresh); err != nil {
		return broken(Idempotent, "a second time: %v", err)
	}
	if again.Changed || again.Node != fresh {
		return broken(Idempotent, "an equal tree is rewritten by %d firings, to\n%s", again.Fired, ast.FormatExpr(again.Node))
	}
	if again, err = optimize(p, drawn); err != nil {
		return broken(Idempotent, "the same tree a second time: %v", err)
	}
	same := again.Node == r.Node && again.Fired == 0
	if !p.Remembers() {
		same = ast.Equal(again.Node, r.Node) && again.Fired == r.Fired
	}
	if !same || again.Changed != (r.Node != drawn) {
		return broken(Idempotent, "the same tree a second time took %d firings, changed %v", again.Fired, again.Changed)
	}
	return nil
}

const (
	parallelEvery = 16 // how many trees share one test from several goroutines
	parallelRuns  = 4
)

func (t *trialTree) deterministic(p *rewrite.Pipeline, want ast.Node) *Violation {
	c := asttest.Copy(t.tree)
	if t.nth%parallelEvery != 0 && t.only == "" {
		return sameAgain(p, c, want)
	}
	found := make([]*Violation, parallelRuns)
	var wg sync.WaitGroup
	for i := range found {
		wg.Go(func() { found[i] = sameAgain(p, c, want) })
	}
	wg.Wait()
	for _, v := range found {
		if v != nil {
			return v
		}
	}
	return nil
}

func sameAgain(p *rewrite.Pipeline, n, want ast.Node) *Violation {
	r, err := optimize(p, n)
	if err != nil {
		return broken(Deterministic, "an equal tree: %v", err)
	}
	if !ast.Equal(r.Node, want) {
		return broken(Deterministic, "an equal tree became\n%s", ast.FormatExpr(r.Node))
	}
	return nil
}

// files writes a tree to both of its text forms and reads it back.
func (t *trialTree) files(n ast.Node) {
	if t.asks(JSON) && t.gen.HasFiles() {
		t.hold(JSON, readsBack(n, ast.CustomDecoder(t.gen.Decode)))
	}
}

func readsBack(n ast.Node, decode ast.ReadOption) *Violation {
	data, err := ast.MarshalTree(n)
	if err != nil {
		return broken(JSON, "the tree cannot be written: %v", err)
	}
	back, err := ast.ParseJSON(data, decode)
	if err != nil {
		return broken(JSON, "the tree file cannot be read back: %v", err)
	}
	if d := differs(n, back); d != "" {
		return broken(JSON, "the tree file reads back %s", d)
	}
	text := ast.FormatExpr(n)
	if back, err = ast.ParseExpr(text, decode); err != nil {
		return broken(JSON, "the expression cannot be read back: %v", err)
	}
	if d := differs(n, back); d != "" {
		return broken(JSON, "the expression reads back %s", d)
	}
	return nil
}

func differs(n, back ast.Node) string {
	switch {
	case !ast.Equal(n, back):
		return fmt.Sprintf("as\n%s", ast.FormatExpr(back))
	case ast.FingerprintOf(n) != ast.FingerprintOf(back):
		return "with another fingerprint"
	case compareShapes(n, back) != nil:
		return "with another shape"
	case asttest.Count(n) != asttest.Count(back):
		return fmt.Sprintf("with %d nodes instead of %d", asttest.Count(back), asttest.Count(n))
	}
	return ""
}
