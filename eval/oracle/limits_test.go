package oracle_test

import (
	"context"
	"errors"
	"image"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/eval/oracle"
)

func fails(t *testing.T, f evaluator, n ast.Node, opts oracle.Options, text string) {
	t.Helper()
	_, err := f(bg, n, nil, opts)
	var e *ast.Error
	if !errors.As(err, &e) || !strings.Contains(err.Error(), text) {
		t.Errorf("got error %v, want an *ast.Error with %q", err, text)
	}
}

func TestDriftIsRefused(t *testing.T) {
	squeeze := func(n ast.Node, s ast.Sampling) ast.Node {
		return warp(n, geom.Scale(1, 1e5), 4, 1, s)
	}
	n := squeeze(squeeze(ramp(), by(ast.Linear)), by(ast.Linear))
	fails(t, oracle.Reference, n, oracle.Options{}, "too close to singular")
	// A barrier between them starts afresh.
	n = squeeze(squeeze(ramp(), by(ast.Linear)), by(ast.Nearest))
	if _, err := oracle.Reference(bg, n, nil, oracle.Options{}); err != nil {
		t.Error(err)
	}
}

func TestLimits(t *testing.T) {
	n := slide(ramp(), 0.5, 4, by(ast.Linear))
	large := must(ast.NewPad(n, 0, 0, 100_000, 100_000))
	unknown := must(ast.NewLoad("a.tif", ""))
	huge := warp(ramp(), geom.Scale(1e-7, 1), 1, 1, bordered(ast.Area, ast.WrapBorder, 0))
	for _, f := range []evaluator{oracle.Reference, oracle.Naive} {
		fails(t, f, large, oracle.Options{}, "the limit is 268435456")
		fails(t, f, n, oracle.Options{MaxSamples: 7}, "the limit is 7")
		fails(t, f, unknown, oracle.Options{}, "until the tree is prepared")
		fails(t, f, huge, oracle.Options{}, "source pixels")

		ctx, cancel := context.WithCancel(bg)
		cancel()
		if _, err := f(ctx, n, nil, oracle.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
	}
}

func TestDeepTrees(t *testing.T) {
	const depth = 100_000
	chain := func(step func(n ast.Node, i int) ast.Node) ast.Node {
		n := ramp()
		for i := range depth {
			n = step(n, i)
		}
		return n
	}
	whole := image.Rect(0, 0, 4, 1)
	for _, n := range []ast.Node{
		chain(func(n ast.Node, _ int) ast.Node { return must(ast.NewCrop(n, whole)) }),
		chain(func(n ast.Node, i int) ast.Node {
			return slide(n, float64(i%2)-0.5, 4, by(ast.Nearest))
		}),
		chain(func(n ast.Node, i int) ast.Node {
			return slide(n, 0.25, 4, by(ast.Interpolation(i%2)))
		}),
	} {
		for _, f := range []evaluator{oracle.Reference, oracle.Naive} {
			if _, err := f(bg, n, nil, oracle.Options{MaxSamples: 1000}); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestSharedSubtreesAreEvaluatedOnce(t *testing.T) {
	runs := 0
	n := must(ast.NewCrop(newSpread(ramp(), &runs), image.Rect(0, 0, 4, 1), 0))
	for range 100 {
		n = must(ast.NewCrop(must(ast.NewConcat(n, n)), image.Rect(0, 0, 4, 1), 1, 0))
		n = slide(n, 0.25, 4, by(ast.Linear))
		n = must(ast.NewConcat(n, slide(n, 0.5, 4, by(ast.Nearest))))
		n = must(ast.NewCrop(n, image.Rect(0, 0, 4, 1), 0, 2))
	}
	for _, f := range []evaluator{oracle.Reference, oracle.Naive} {
		runs = 0
		if _, err := f(bg, n, nil, oracle.Options{}); err != nil {
			t.Fatal(err)
		}
		if runs != 1 {
			t.Errorf("the shared node was evaluated %d times", runs)
		}
	}
}
