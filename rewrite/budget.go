package rewrite

import (
	"errors"
	"fmt"
	"strings"

	"github.com/rewarp/rewarp/ast"
)

const (
	freeFirings    = 4096
	firingsPerNode = 64
)

// extend raises the limit to what the number of nodes allows, and reports
// whether it could. It counts no more nodes than a good part of the firings so
// far, so that counting stays cheap beside them.
func (r *run) extend() bool {
	if r.pipeline.config.budget > 0 {
		return false
	}
	enough := errors.New("enough")
	nodes, most := 0, r.fired/4
	_ = ast.Walk(r.root, func(ast.Node) error {
		if nodes++; nodes < most {
			return nil
		}
		return enough
	})
	r.limit = freeFirings + firingsPerNode*nodes
	if r.fired > r.limit {
		return false
	}
	r.last = [len(r.last)]Rule{}
	return true
}

// BudgetError says that rules fired more often than the budget allows, and
// which ones fired last: two that undo each other, as a rule.
type BudgetError struct {
	Firings int
	Rules   []string
}

// Error names the rules.
func (e *BudgetError) Error() string {
	if len(e.Rules) == 1 {
		return fmt.Sprintf("no fixpoint after %d firings: rule %s keeps firing on its own result", e.Firings, e.Rules[0])
	}
	return fmt.Sprintf("no fixpoint after %d firings: rules %s undo each other", e.Firings, strings.Join(e.Rules, " and "))
}

func (r *run) exhausted() error {
	e := &BudgetError{Firings: r.fired - 1}
	for i := range min(len(r.last), r.fired) {
		rule := r.last[(r.fired-i)%len(r.last)]
		if rule == nil { // a rule that went on by itself fired here
			continue
		}
		name, seen := rule.Name(), false
		for _, n := range e.Rules {
			seen = seen || n == name
		}
		if !seen {
			e.Rules = append(e.Rules, name)
		}
	}
	return e
}
