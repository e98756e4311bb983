package script_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
	"github.com/rewarp/rewarp/script"
)

// TestRules runs the cases in testdata/rules: "rules" loads a script of rules,
// "optimize" rewrites the tree of a script by them alone and prints the firings
// and the tree, and "with-built-in" has the built-in rules after them.
func TestRules(t *testing.T) {
	ctx := context.Background()
	datadriven.Walk(t, "testdata/rules/cases", func(t *testing.T, path string) {
		var loaded []rewrite.Rule
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var out strings.Builder
			switch d.Cmd {
			case "rules":
				var err error
				if loaded, err = script.LoadRules(ctx, "r.star", []byte(d.Input), script.Options{Print: &out}); err != nil {
					return err.Error() + "\n"
				}
				for _, r := range loaded {
					fmt.Fprintf(&out, "%s %v %v: %s\n", r.Name(), r.Fidelity(), r.Ops(), r.Doc())
				}
				return out.String()
			case "optimize", "with-built-in":
				n, err := script.ReadTree(ctx, "x.star", []byte(d.Input), script.Options{Describer: shelf{}})
				if err != nil {
					t.Fatal(err)
				}
				var passes []rewrite.Pass
				if d.Cmd == "with-built-in" {
					passes = rules.Passes()
				}
				p, err := script.Compile(loaded, passes, rewrite.Trace(), rewrite.Budget(50))
				if err != nil {
					return err.Error() + "\n"
				}
				r, err := p.Optimize(n)
				if err != nil {
					return err.Error() + "\n"
				}
				for _, f := range r.Trace() {
					fmt.Fprintln(&out, f.Rule.Name())
				}
				return out.String() + ast.FormatExpr(r.Node) + "\n"
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

// TestRuleErrors checks what callers can take from an error in a rule.
func TestRuleErrors(t *testing.T) {
	src := "def apply(n):\n    return n.input.crop(window=[0, 0, 9000, 1])\n\nrule(\"too-wide\", \"exact\", \"crop\", apply)\n"
	loaded, err := script.LoadRules(context.Background(), "wide.star", []byte(src), script.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := script.Compile(loaded, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Optimize(tree(t, "load('small.tif')[0:4, 0:4].pad(1)"))
	var rule *rewrite.RuleError
	var own *script.Error
	var cause *ast.Error
	if !errors.As(err, &rule) || !errors.As(err, &own) || !errors.As(err, &cause) {
		t.Fatalf("error %v has not the three types", err)
	}
	if rule.Rule != "too-wide" || own.Line != 2 || own.Column != 24 || cause.Op != "crop" {
		t.Errorf("error %v, rule %s, %d:%d, op %s", err, rule.Rule, own.Line, own.Column, cause.Op)
	}
}

// TestRuleConcurrent fires one rule from many goroutines.
func TestRuleConcurrent(t *testing.T) {
	src, err := os.ReadFile("testdata/rules/fuse.star")
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := script.LoadRules(context.Background(), "rules.star", src, script.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := script.Compile(loaded, rules.Passes())
	if err != nil {
		t.Fatal(err)
	}
	n := tree(t, "load('astro.tif')[0:100, 0:100][5:50, 5:50].scale(2)")
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if r, err := p.Optimize(n); err != nil || !r.Changed {
				t.Error(r.Changed, err)
			}
		})
	}
	wait.Wait()
}

func tree(t *testing.T, expr string) ast.Node {
	t.Helper()
	n, err := script.EvalExpr(context.Background(), expr, script.Options{Describer: shelf{}})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
