package rewritetest

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
)

// Failure is a tree by which a law is broken.
type Failure struct {
	Violation
	Seed   uint64   // of the drawn tree, for asttest.Gen
	Drawn  ast.Node // the tree that was drawn
	Tree   ast.Node // the smallest tree found that breaks the same law
	Result ast.Node // what became of Tree, if anything
}

// String is the law, the seed, and the smallest tree before and after.
func (f *Failure) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n  seed %d, smallest tree (%d nodes):\n%s", f.Violation.Error(), f.Seed, asttest.Count(f.Tree), indent(ast.FormatExpr(f.Tree)))
	if f.Result != nil {
		fmt.Fprintf(&b, "\n  became:\n%s", indent(ast.FormatExpr(f.Result)))
	}
	return b.String()
}

// Error is String.
func (f *Failure) Error() string { return f.String() }

// sameAs reports whether both are the same failure, found from two trees.
func (f *Failure) sameAs(g *Failure) bool {
	return f.Law == g.Law && f.Rule == g.Rule && ast.Equal(f.Tree, g.Tree)
}

func indent(s string) string {
	return "    " + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n    ")
}

// MarshalJSON writes the trees as tree files and expressions.
func (f *Failure) MarshalJSON() ([]byte, error) {
	file, err := ast.MarshalTree(f.Tree, ast.Compact())
	if err != nil {
		file = nil // a custom node that cannot be written; the expression shows it
	}
	out := failureJSON{
		Law: f.Law, Rule: f.Rule, Detail: f.Detail, Seed: f.Seed,
		Nodes: asttest.Count(f.Tree), Expr: ast.FormatExpr(f.Tree), Tree: file,
	}
	if f.Result != nil {
		out.Result = ast.FormatExpr(f.Result)
	}
	return json.Marshal(out)
}

type failureJSON struct {
	Law    Law             `json:"law"`
	Rule   string          `json:"rule,omitempty"`
	Detail string          `json:"detail"`
	Seed   uint64          `json:"seed"`
	Nodes  int             `json:"nodes"`
	Expr   string          `json:"expr"`
	Result string          `json:"result,omitempty"`
	Tree   json.RawMessage `json:"tree,omitempty"`
}
