package main

import (
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
)

func TestRun(t *testing.T) {
	var w strings.Builder
	if err := run(t.Context(), &w, "../../testdata/astro.tif"); err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(w.String(), "after:")
	for _, s := range []string{"bands=[2,0]", "Load"} {
		if !strings.Contains(after, s) {
			t.Errorf("no %s in\n%s", s, w.String())
		}
	}
	if !strings.Contains(w.String(), "narrow-contrast: ") {
		t.Errorf("the rule did not fire:\n%s", &w)
	}
}

// The kit tries whether the node keeps what its traits promise.
func TestTraits(t *testing.T) {
	load := asttest.Standard().Load("mixed")
	n, err := NewContrast(load, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	rewritetest.CheckCustom(t, n)
}

// contrasts are random trees in which the contrast stands anywhere.
var contrasts = asttest.Options{
	MaxDepth: 5, MaxSide: 24,
	Custom: []asttest.CustomNode{func(in ast.Node, draw asttest.Draw) (ast.Node, error) {
		return NewContrast(in, draw.IntN(in.NumBands()), draw.IntN(in.NumBands()))
	}},
	Decode: decode,
}

// Every firing on random trees keeps what the rule's fidelity promises, by the
// oracles: alone, and where the built-in rules have been before.
func TestRule(t *testing.T) {
	rewritetest.Check(t, narrow, rewritetest.Draw(contrasts))
	p, err := pipeline()
	if err != nil {
		t.Fatal(err)
	}
	rewritetest.Check(t, narrow, rewritetest.Draw(contrasts), rewritetest.Among(p), rewritetest.Trees(500))
}

// The whole pipeline keeps every law: a rewritten tree is left alone, equal
// trees become equal ones, all of them come back from files.
func TestPipeline(t *testing.T) {
	p, err := pipeline()
	if err != nil {
		t.Fatal(err)
	}
	r, err := rewritetest.Campaign(t.Context(), rewritetest.Config{
		Pipeline: p, Draw: contrasts, Trees: 200, Seed: 1, MaxFidelity: ast.Resolution,
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Broken() > 0 {
		t.Error(r)
	}
}

// The kit finds a rule that forgets to renumber the bands, and a small tree in
// which that shows: one contrast over stacked loads.
func TestWrongRuleIsFound(t *testing.T) {
	wrong := rewrite.OnOp(op, "narrow-wrongly", ast.Exact, func(c *rewrite.Context, n *Contrast) (ast.Node, error) {
		in := n.Input(0)
		if in.NumBands() <= 2 || n.a == n.b {
			return n, nil
		}
		return NewContrast(c.Crop(in, c.Whole(in), []int{min(n.a, n.b), max(n.a, n.b)}), 0, 1)
	})
	r, err := rewritetest.Try(wrong, rewritetest.Draw(contrasts))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failures) != 1 {
		t.Fatalf("a rule that swaps the bands passed: %v", r)
	}
	f := r.Failures[0]
	if _, ok := f.Tree.(*Contrast); !ok || asttest.Count(f.Tree) > 4 || f.Rule != wrong.Name() {
		t.Errorf("%v", f)
	}
}

// The node stands in tree files.
func TestFile(t *testing.T) {
	n, err := NewContrast(asttest.Standard().Load("mixed"), 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	data, err := ast.MarshalTree(n)
	if err != nil {
		t.Fatal(err)
	}
	back, err := ast.ParseJSON(data, ast.CustomDecoder(decode))
	if err != nil || !ast.Equal(n, back) {
		t.Errorf("it reads back as another tree (%v):\n%s", err, data)
	}
	if _, err := NewContrast(asttest.Standard().Load("mixed"), 0, 9); err == nil || !strings.Contains(err.Error(), "bands [0 9] exceed") {
		t.Errorf("band 9 gives %v", err)
	}
}
