package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

// TestRules runs testdata/rules, one file a family. Its commands are
//
//	fire rule=NAME     the tree after that rule alone, or why it does not fire
//	optimize [max=F]   the canonical tree
//
// With -rewrite the expected outputs are written anew.
func TestRules(t *testing.T) {
	fired, declined := map[string]bool{}, map[string]bool{}
	datadriven.Walk(t, "testdata/rules", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			n, err := ast.ParseExpr(d.Input, ast.CustomDecoder(asttest.Decode))
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			switch d.Cmd {
			case "fire":
				var name string
				d.ScanArgs(t, "rule", &name)
				out, ok := fire(t, n, name)
				if ok {
					fired[name] = true
				} else {
					declined[name] = true
				}
				return out
			case "optimize":
				limit := "resolution"
				d.MaybeScanArgs(t, "max", &limit)
				f, err := ast.ParseFidelity(limit)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				return optimize(t, n, rewrite.MaxFidelity(f))
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		})
	})
	for _, r := range rules.Default().Rules() {
		if name := r.Rule.Name(); !fired[name] || !declined[name] {
			t.Errorf("rule %s: want a case that fires and a near miss that does not (fires %v, near miss %v)",
				name, fired[name], declined[name])
		}
	}
}

func fire(t *testing.T, n ast.Node, name string) (out string, fired bool) {
	t.Helper()
	p, err := rules.New(rewrite.Verify(), rewrite.Only(name))
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Optimize(n)
	if err != nil {
		return "error: " + err.Error() + "\n", false
	}
	if r.Changed {
		return ast.FormatExpr(r.Node) + "\n", true
	}
	reasons, err := p.WhyNot(n, name)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range reasons {
		fmt.Fprintf(&b, "no: %s\n", strings.TrimPrefix(r.Path+": "+r.Text, ": "))
	}
	return b.String(), false
}

func optimize(t *testing.T, n ast.Node, opts ...rewrite.Option) string {
	t.Helper()
	p, err := rules.New(append(opts, rewrite.Verify())...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Optimize(n)
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	again, err := p.Optimize(r.Node)
	if err != nil || again.Changed {
		t.Errorf("optimizing again: changed %v, %v", again.Changed, err)
	}
	return ast.FormatExpr(r.Node) + "\n"
}
