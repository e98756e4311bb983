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

// kinds are what the contrasts stand on: every band of a tree has one leaf.
var kinds = []ast.Kind{ast.KindCrop, ast.KindPad, ast.KindWarp, ast.KindOverview, ast.KindDequantize}

// contrasts are random trees of at least two bands with a contrast on top, and
// on some something above it.
func contrasts(t *testing.T, gen *asttest.Gen, count int, try func(ast.Node)) {
	t.Helper()
	found := 0
	for seed := uint64(1); found < count && seed < 100_000; seed++ {
		in := gen.Tree(seed)
		bands := in.NumBands()
		if bands < 2 {
			continue
		}
		found++
		n, err := NewContrast(in, int(seed)%bands, int(seed/7)%bands)
		if err != nil {
			t.Fatal(err)
		}
		b := ast.From(n)
		switch s := in.Size(); {
		case seed%3 == 1:
			b = b.Crop(s.Bounds().Inset(min(s.W, s.H) / 4))
		case seed%3 == 2:
			b = b.Pad(1, 0, 2, 1)
		}
		tree, err := b.Node()
		if err != nil {
			t.Fatal(err)
		}
		try(tree)
	}
}

// Every firing on random trees keeps what the rule's fidelity promises, by the
// oracles, and a rewritten tree is left alone.
func TestRule(t *testing.T) {
	p, err := pipeline(rewrite.Trace())
	if err != nil {
		t.Fatal(err)
	}
	gen := asttest.NewGen(asttest.Options{MaxDepth: 4, MaxSide: 24, Kinds: kinds})
	verify := rewritetest.Verifier(gen.Images())
	fired := 0
	contrasts(t, gen, 300, func(n ast.Node) {
		r, err := p.Optimize(n)
		if err != nil {
			t.Fatalf("%v\n%s", err, ast.FormatText(n))
		}
		for _, f := range r.Trace {
			if f.Rule != rewrite.Rule(narrow) {
				continue
			}
			fired++
			if err := verify(f.Rule, f.Before, f.After); err != nil {
				t.Fatalf("%v\n%s\n%s", err, ast.FormatText(f.Before), ast.FormatText(f.After))
			}
		}
		if again, err := p.Optimize(r.Node); err != nil || again.Changed {
			t.Fatalf("rewriting again: changed %v, %v\n%s", again.Changed, err, ast.FormatText(r.Node))
		}
	})
	if fired < 50 {
		t.Errorf("the rule fired %d times", fired)
	}
}

// The kit finds a rule that forgets to renumber the bands.
func TestWrongRuleIsFound(t *testing.T) {
	wrong := rewrite.OnOp(op, "narrow-wrongly", ast.Exact, func(c *rewrite.Context, n *Contrast) (ast.Node, error) {
		in := n.Input(0)
		if in.NumBands() <= 2 || n.a == n.b {
			return n, nil
		}
		return NewContrast(c.Crop(in, c.Whole(in), []int{min(n.a, n.b), max(n.a, n.b)}), 0, 1)
	})
	p, err := rewrite.New([]rewrite.Pass{{Name: "wrong", Rules: []rewrite.Rule{wrong}}}, rewrite.Trace())
	if err != nil {
		t.Fatal(err)
	}
	gen := asttest.NewGen(asttest.Options{MaxDepth: 2, MaxSide: 16, Kinds: kinds})
	verify := rewritetest.Verifier(gen.Images())
	var found error
	contrasts(t, gen, 200, func(n ast.Node) {
		r, err := p.Optimize(n)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range r.Trace {
			if err := verify(f.Rule, f.Before, f.After); err != nil {
				found = err
			}
		}
	})
	if found == nil {
		t.Error("a rule that swaps the bands passed")
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
