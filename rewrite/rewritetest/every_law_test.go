package rewritetest_test

import (
	"encoding/json"
	"image"
	"sync"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
)

// fusePadsWhen is a right rule that fires only now and then.
func fusePadsWhen(when func(*ast.Pad) bool) rewrite.Rule {
	return rewrite.On("fuse-some-pads", ast.Exact, func(c *rewrite.Context, n *ast.Pad) (ast.Node, error) {
		if !when(n) {
			return n, nil
		}
		return fusePads.Apply(c, n)
	})
}

// A campaign really makes every comparison: of each law that the planted rules
// and executors elsewhere do not break, a fault is found that breaks it.
func TestCampaignComparesByEveryLaw(t *testing.T) {
	for _, f := range []struct {
		law  rewritetest.Law
		rule func() rewrite.Rule
		draw asttest.Options
	}{
		{
			law: rewritetest.Valid, // a window that is not inside its input
			rule: func() rewrite.Rule {
				return rewrite.On("shift-window", ast.Geometric, func(c *rewrite.Context, n *ast.Crop) (ast.Node, error) {
					if s := n.Input(0).Size(); n.Window().Max != (image.Point{X: s.W, Y: s.H}) {
						return n, nil
					}
					return c.Crop(n.Input(0), n.Window().Add(image.Pt(1, 0)), n.Picks()), nil
				})
			},
			draw: asttest.Options{Kinds: []ast.Kind{ast.KindCrop}},
		},
		{
			law: rewritetest.Idempotent, // what is declined at first is done later
			rule: func() rewrite.Rule {
				var mu sync.Mutex
				seen := map[ast.Fingerprint]bool{}
				return fusePadsWhen(func(n *ast.Pad) bool {
					mu.Lock()
					defer mu.Unlock()
					k := ast.FingerprintOf(n)
					was := seen[k]
					seen[k] = true
					return was
				})
			},
			draw: asttest.Options{Kinds: []ast.Kind{ast.KindPad}},
		},
		{
			law: rewritetest.Deterministic, // every other time
			rule: func() rewrite.Rule {
				var mu sync.Mutex
				calls := 0
				return fusePadsWhen(func(*ast.Pad) bool {
					mu.Lock()
					defer mu.Unlock()
					calls++
					return calls%3 == 0
				})
			},
			draw: asttest.Options{Kinds: []ast.Kind{ast.KindPad}},
		},
		{
			law: rewritetest.ConcatOrder, // the last part is lost, in one of the two orders
			rule: func() rewrite.Rule {
				return rewrite.On("lose-part", ast.Geometric, func(c *rewrite.Context, n *ast.Concat) (ast.Node, error) {
					first, last := n.Input(0), n.Input(n.NumInputs()-1)
					a, b := ast.FingerprintOf(first), ast.FingerprintOf(last)
					if last.Kind() == ast.KindFill || string(a[:]) >= string(b[:]) {
						return n, nil
					}
					return c.WithInput(n, n.NumInputs()-1, c.Invalid(last))
				})
			},
			draw: asttest.Options{Kinds: []ast.Kind{ast.KindConcat}, Leaves: []ast.Kind{ast.KindLoad}},
		},
		{
			law:  rewritetest.JSON, // a node that forgets its argument in files
			rule: func() rewrite.Rule { return dropNoOps },
			draw: asttest.Options{
				Custom: []asttest.CustomNode{func(in ast.Node, draw asttest.Draw) (ast.Node, error) {
					return asttest.NewGain(in, float64(1+draw.IntN(3)), 0)
				}},
				Decode: func(_ string, _ json.RawMessage, inputs []ast.Node) (ast.Node, error) {
					return asttest.NewGain(inputs[0], 1, 0)
				},
			},
		},
	} {
		t.Run(string(f.law), func(t *testing.T) {
			t.Parallel()
			r, err := rewritetest.Campaign(t.Context(), rewritetest.Config{
				Pipeline: pipeline(t, f.rule()), Trees: 200, Seed: 1, MaxFidelity: ast.Geometric, Draw: f.draw, Workers: 1,
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range r.Laws {
				if l.Law == f.law && l.Broken > 0 {
					return
				}
			}
			t.Errorf("%v", r)
		})
	}
}
