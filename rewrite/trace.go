package rewrite

import (
	"github.com/rewarp/rewarp/ast"
)

// Firing is one application of a rule.
type Firing struct {
	Rule       Rule
	Pass       string
	Path       string // from the root of the tree as it then stood
	Before     ast.Node
	After      ast.Node
	CostBefore Cost
	CostAfter  Cost
}
