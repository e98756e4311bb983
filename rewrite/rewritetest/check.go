package rewritetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rewrite"
)

// Option changes how a rule is tried.
type Option func(*options)

type options struct {
	trees     int
	seed      uint64
	draw      asttest.Options
	among     *rewrite.Pipeline
	traversal rewrite.Traversal
}

// Trees is how many trees are drawn, 2000 by default.
func Trees(n int) Option { return func(o *options) { o.trees = n } }

// Seed draws other trees. The default is 1.
func Seed(s uint64) Option { return func(o *options) { o.seed = s } }

// Draw says what trees are drawn, so that a rule fires often.
func Draw(d asttest.Options) Option { return func(o *options) { o.draw = d } }

// Among fires the rule where a pipeline that has it does, so that it sees what
// the other rules make. A rule in the pipeline with the same name is replaced.
func Among(p *rewrite.Pipeline) Option { return func(o *options) { o.among = p } }

// OnGrid fires the rule only at nodes that are on their own grid, as a pass
// with that traversal does, and holds it to its meaning there. The default is
// everywhere, where a rewrite has to hold under any parent.
func OnGrid() Option { return func(o *options) { o.traversal = rewrite.OnGrid } }

// RuleReport is what came of trying a rule.
type RuleReport struct {
	Rule     rewrite.Rule
	Trees    int     // drawn
	Fired    int     // trees in which the rule fired
	Judged   int     // firings that were compared
	Worst    float64 // largest difference in value, of the range of the samples
	Failures []*Failure
}

// String says in a few lines how the rule did.
func (r *RuleReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%v): fired in %d of %d trees, %d firings compared, worst difference %.3g of the range",
		r.Rule.Name(), r.Rule.Fidelity(), r.Fired, r.Trees, r.Judged, r.Worst)
	for _, f := range r.Failures {
		b.WriteString("\n" + f.String())
	}
	return b.String()
}

// Check tries a rule, and fails the test with the smallest tree that the rule
// breaks. A rule that never fires fails too.
func Check(t testing.TB, rule rewrite.Rule, opts ...Option) {
	t.Helper()
	r, err := Try(rule, opts...)
	switch {
	case err != nil:
		t.Fatal(err)
	case len(r.Failures) > 0:
		t.Errorf("%v", r)
	case r.Fired == 0:
		t.Errorf("rule %s fired in none of %d trees; draw trees in which it does", rule.Name(), r.Trees)
	}
}

// Try fires a rule on random trees and judges every firing. It stops at the
// first failure, which it shrinks.
func Try(rule rewrite.Rule, opts ...Option) (*RuleReport, error) {
	o := options{trees: 2000, seed: 1}
	for _, f := range opts {
		f(&o)
	}
	t, err := newTrial(rule, &o)
	if err != nil {
		return nil, err
	}
	gen := asttest.NewGen(o.draw)
	t.judge.images = gen.Images()
	report := &RuleReport{Rule: rule}
	for i := range o.trees {
		seed := asttest.TreeSeed(o.seed, i)
		n := gen.Tree(seed)
		report.Trees++
		v := t.run(n)
		if t.firings > 0 {
			report.Fired++
		}
		if v == nil {
			continue
		}
		f := t.shrink(gen.Images(), v, n)
		f.Seed, f.Drawn = seed, n
		report.Failures = append(report.Failures, f)
		break
	}
	report.Judged, report.Worst = t.judged, t.worst
	return report, nil
}

// trial fires one rule and judges what it does.
type trial struct {
	rule      rewrite.Rule
	judge     judge
	pipeline  *rewrite.Pipeline
	traversal rewrite.Traversal

	firings   int // in the tree at hand
	violation *Violation
	result    ast.Node // what the rule made where it broke a law
	at        ast.Node // and of what

	judged int
	worst  float64
}

// trialBudget is how often rules may fire in a drawn tree before they are
// taken to run for ever.
const trialBudget = 1000

func newTrial(rule rewrite.Rule, o *options) (*trial, error) {
	t := &trial{rule: rule, traversal: o.traversal}
	judging := judgingRule{rule, t}
	// Under Trace nodes remember nothing, so that every firing is seen.
	with := []rewrite.Option{rewrite.Budget(trialBudget), rewrite.Trace()}
	var err error
	if o.among == nil {
		passes := []rewrite.Pass{{Name: "trial", Traversal: o.traversal, Rules: []rewrite.Rule{judging}}}
		t.pipeline, err = rewrite.New(passes, with...)
	} else {
		t.pipeline, err = o.among.With(append(with, rewrite.Replace(rule.Name(), judging))...)
	}
	return t, err
}

// judgingRule is a rule whose firings are judged as they happen.
type judgingRule struct {
	rewrite.Rule
	trial *trial
}

func (r judgingRule) Apply(c *rewrite.Context, n ast.Node) (ast.Node, error) {
	out, err := r.Rule.Apply(c, n)
	if err != nil || out == nil || out == n {
		return out, err
	}
	if v := r.trial.firing(n, out); v != nil {
		r.trial.violation, r.trial.at, r.trial.result = v, n, out
		return nil, v
	}
	return out, nil
}

// judgedFirings bounds the firings in one tree whose pixels are compared.
const judgedFirings = 8

func (t *trial) firing(before, after ast.Node) *Violation {
	t.firings++
	v := compareShapes(before, after)
	if v == nil && t.firings <= judgedFirings {
		t.judged++
		var d *Difference
		var err error
		v, d, err = t.judge.compare(before, after, t.rule.Fidelity(), t.traversal)
		if v == nil && d != nil {
			t.worst = max(t.worst, d.Worst)
		}
		if err != nil { // nothing can be said about a tree without a meaning
			v = nil
		}
	}
	if v != nil {
		v.Rule = t.rule.Name()
	}
	return v
}

// run fires the rule on a tree and returns the first law that it breaks.
func (t *trial) run(n ast.Node) *Violation {
	t.firings, t.violation, t.at, t.result = 0, nil, nil, nil
	_, err := optimize(t.pipeline, n)
	if err == nil || t.violation != nil {
		return t.violation
	}
	v := lawOf(err)
	if v.Rule == "" {
		v.Rule = t.rule.Name()
	}
	return v
}

// shrink looks for the smallest tree that breaks the same law, from the
// subtree that the rule fired on if that suffices.
func (t *trial) shrink(images *asttest.Images, v *Violation, n ast.Node) *Failure {
	fails := func(n ast.Node) bool {
		w := t.run(n)
		return w != nil && w.Law == v.Law
	}
	if at := t.at; at != nil && fails(at) {
		n = at
	}
	f := &Failure{Violation: *v, Tree: asttest.ShrinkOver(images, asttest.MaxTries, n, fails)}
	if w := t.run(f.Tree); w != nil {
		f.Violation, f.Result = *w, t.result
	}
	return f
}
