package rewrite

import (
	"fmt"
	"strings"

	"github.com/rewarp/rewarp/ast"
)

// Reason is why a rule did not fire at a node.
type Reason struct {
	Path string   // from the root
	Node ast.Node // where the rule looked
	Text string   // the condition that kept it from firing
}

// WhyNot asks the rule with the given name, enabled or not, at every distinct
// node of the tree that it would look at, and returns what kept it from
// firing. A rule that would fire at a node says so.
func (p *Pipeline) WhyNot(n ast.Node, name string) ([]Reason, error) {
	var rule Rule
	var grid bool
	for i, s := range p.source {
		for _, r := range s.Rules {
			if r.Name() == name {
				if q, ok := p.config.replaced[name]; ok {
					r = q
				}
				rule, grid = r, p.passes[i].traversal == OnGrid
			}
		}
	}
	if rule == nil {
		return nil, fmt.Errorf("rewrite: no rule is named %q", name)
	}
	if !n.Known() {
		return nil, unknown(n)
	}
	a := asker{rule: rule, grid: grid, seen: map[key]bool{}}
	a.run.pipeline = p
	if err := a.ask(n, 0, nil); err != nil {
		return nil, err
	}
	if rule.Fidelity() > p.config.max {
		for i := range a.reasons {
			a.reasons[i].Text += fmt.Sprintf(" (and the cap is %v, the rule is %v)", p.config.max, rule.Fidelity())
		}
	}
	return a.reasons, nil
}

type asker struct {
	run     run
	rule    Rule
	grid    bool
	seen    map[key]bool
	reasons []Reason
}

func (a *asker) ask(n ast.Node, above state, path []string) error {
	k := key{n.Memo(), 0, above}
	if a.seen[k] {
		return nil
	}
	a.seen[k] = true
	below, onGrid := a.run.descend(n, above)
	if a.looksAt(n) {
		text := "it is not evaluated on its own pixel grid: the warp above samples between its pixels"
		if onGrid || !a.grid {
			var err error
			if text, err = a.apply(n); err != nil {
				return err
			}
		}
		a.reasons = append(a.reasons, Reason{strings.Join(path, "/"), n, text})
	}
	for i := range n.NumInputs() {
		step := append(path[:len(path):len(path)], ast.Step(n, i))
		if err := a.ask(n.Input(i), below, step); err != nil {
			return err
		}
	}
	return nil
}

func (a *asker) looksAt(n ast.Node) bool {
	for _, op := range a.rule.Ops() {
		if op == anyOp || op == n.Op() || op == ast.KindCustom.String() && n.Kind() == ast.KindCustom {
			return true
		}
	}
	return false
}

func (a *asker) apply(n ast.Node) (string, error) {
	note := "it does not say why"
	c := Context{max: a.run.pipeline.config.max, note: &note}
	out, err := a.rule.Apply(&c, n)
	switch {
	case err != nil:
		return "", &RuleError{Rule: a.rule.Name(), Err: err}
	case out != n:
		return "it would fire here", nil
	}
	return note, nil
}
