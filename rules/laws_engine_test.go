package rules_test

import (
	"context"
	"image"
	"sync"
	"testing"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
	"github.com/rewarp/rewarp/rules"
)

// doubling is a tree of 2^levels paths over a few nodes a level.
func doubling(levels int, level func(n ast.Node, i int) ast.Node) ast.Node {
	n := ast.Node(images.Load("elevation"))
	for i := range levels {
		n = level(n, i)
	}
	return n
}

func valid[T ast.Node](n T, err error) ast.Node {
	if err != nil {
		panic(err)
	}
	return n
}

var doublings = map[string]func(n ast.Node, i int) ast.Node{
	"concat": func(n ast.Node, i int) ast.Node {
		return valid(ast.NewCrop(valid(ast.NewConcat(n, n)), n.Size().Bounds(), i%2, 3))
	},
	"custom": func(n ast.Node, _ int) ast.Node { return valid(asttest.NewEither(n, n)) },
	"warp": func(n ast.Node, _ int) ast.Node {
		s := ast.Sampling{Interp: ast.Linear}
		w := valid(ast.NewWarp(n, geom.Translate(0.5, 0.25), n.Size(), s, nil))
		v := valid(ast.NewWarp(n, geom.Translate(-0.5, 0.5), n.Size(), s, nil))
		return valid(ast.NewCrop(valid(ast.NewConcat(w, v)), n.Size().Bounds(), 0, 3))
	},
	"crop above": func(n ast.Node, i int) ast.Node {
		e := valid(asttest.NewEither(n, n))
		return valid(ast.NewPad(valid(ast.NewCrop(e, image.Rect(i%2, 0, n.Size().W, n.Size().H))), i%2, 0, 0, 0))
	},
}

func TestLawSharingStaysLinear(t *testing.T) {
	for name, level := range doublings {
		t.Run(name, func(t *testing.T) {
			few, many := optimizeCounted(t, doubling(20, level)), optimizeCounted(t, doubling(40, level))
			if many.fired > 4*few.fired+40 || many.nodes > 4*few.nodes+40 {
				t.Errorf("20 levels take %d firings and leave %d nodes, 40 take %d and leave %d", few.fired, few.nodes, many.fired, many.nodes)
			}
			// The best of several runs, so that what else the machine does
			// hardly matters.
			for range 30 {
				many.took = min(many.took, optimizeCounted(t, doubling(40, level)).took)
			}
			if many.took > time.Millisecond*slowdown {
				t.Errorf("40 levels take %v", many.took)
			}
		})
	}
}

type counted struct {
	fired, nodes int
	took         time.Duration
}

func optimizeCounted(t *testing.T, n ast.Node) counted {
	t.Helper()
	start := time.Now()
	r, err := plain.Optimize(n)
	if err != nil {
		t.Fatal(err)
	}
	return counted{int(r.Fired), asttest.Count(r.Node), time.Since(start)}
}

// chains are long trees without branches.
var chains = map[string]func(length int) ast.Node{
	"crop": func(length int) ast.Node {
		n := wide(length + 10)
		for range length {
			n = valid(ast.NewCrop(n, image.Rect(1, 0, n.Size().W, 1)))
		}
		return n
	},
	"pad": func(length int) ast.Node {
		n := wide(10)
		for range length {
			n = valid(ast.NewPad(n, 0, 0, 1, 0))
		}
		return n
	},
	"warp": func(length int) ast.Node {
		n := wide(10)
		for i := range length {
			m := geom.Translate(0.25, 0)
			if i%2 == 1 {
				m = geom.Translate(-0.25, 0)
			}
			n = valid(ast.NewWarp(n, m, n.Size(), ast.DefaultSampling, nil))
		}
		return n
	},
	"barrier": func(length int) ast.Node {
		n := wide(10)
		for i := range length {
			s := ast.Sampling{Interp: ast.Linear, Antialias: i%2 == 0}
			n = valid(ast.NewWarp(n, geom.Translate(0.25, 0), n.Size(), s, nil))
		}
		return n
	},
	// Every canvas has a margin that the warp below leaves invalid.
	"barrier with margins": func(length int) ast.Node {
		n := wide(10)
		for i := range length {
			s := ast.Sampling{Interp: ast.Linear, Antialias: i%2 == 0}
			n = valid(ast.NewWarp(n, geom.Translate(1.25, 0), geom.Size{W: n.Size().W + 3, H: 1}, s, nil))
		}
		return n
	},
	"pad and crop": func(length int) ast.Node {
		n := wide(10)
		for i := range length {
			if i%2 == 0 {
				n = valid(ast.NewPad(n, 2, 0, 0, 0))
			} else {
				n = valid(ast.NewCrop(n, image.Rect(1, 0, 11, 1)))
			}
		}
		return n
	},
	"concat": func(length int) ast.Node {
		n := wide(10)
		for range length / 2 {
			n = valid(ast.NewConcat(n, wide(10)))
			n = valid(ast.NewCrop(n, n.Size().Bounds(), 0))
		}
		return n
	},
}

func wide(w int) ast.Node {
	return valid(ast.NewLoadMeta("wide", "", ast.Meta{Size: geom.Size{W: w, H: 1}, Bands: ast.NumberedBands(1, raster.Uint8)}))
}

func TestLawLongChains(t *testing.T) {
	length := 100_000
	if testing.Short() {
		length = 20_000
	}
	for name, chain := range chains {
		t.Run(name, func(t *testing.T) {
			quarter, whole := optimizeCounted(t, chain(length/4)), optimizeCounted(t, chain(length))
			// Four times the work is linear, sixteen times quadratic. What else the
			// machine does can stretch a try, not all of them.
			quadratic := func() bool { return whole.took > 10*quarter.took && whole.took > time.Second }
			for try := 0; quadratic() && try < 5; try++ {
				quarter.took = max(quarter.took, optimizeCounted(t, chain(length/4)).took)
				whole.took = min(whole.took, optimizeCounted(t, chain(length)).took)
			}
			if quadratic() {
				t.Errorf("%d nodes take %v, %d take %v", length/4, quarter.took, length, whole.took)
			}
			if whole.fired > 5*quarter.fired+100 {
				t.Errorf("%d nodes take %d firings, %d take %d", length/4, quarter.fired, length, whole.fired)
			}
		})
	}
}

// Many goroutines optimize trees that share subtrees, at several caps, and all
// of them get what one alone gets.
func TestLawConcurrentOptimize(t *testing.T) {
	gen := asttest.NewGen(asttest.Options{})
	caps := []*rewrite.Pipeline{mustPipeline(rewrite.MaxFidelity(ast.Exact)), plain, rules.Default()}
	for i := range 60 {
		n := gen.Tree(asttest.TreeSeed(11, i))
		roots := []ast.Node{
			n,
			valid(ast.NewPad(n, 1, 1, 1, 1)),
			valid(ast.NewConcat(n, n)),
			valid(ast.NewCrop(n, n.Size().Bounds(), 0)),
		}
		want := make([][]ast.Node, len(caps))
		for k, p := range caps {
			for _, root := range roots {
				r, err := p.Optimize(asttest.Copy(root))
				if err != nil {
					t.Fatal(err)
				}
				want[k] = append(want[k], r.Node)
			}
		}
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				k := g % len(caps)
				for i := range roots {
					root := (i + g) % len(roots)
					r, err := caps[k].Optimize(roots[root])
					if err != nil || !ast.Equal(r.Node, want[k][root]) {
						t.Errorf("root %d of tree %d: %v", root, i, err)
					}
				}
			})
		}
		wg.Wait()
	}
}

// Every law of the kit, on random trees at every cap.
func TestLawsOnRandomTrees(t *testing.T) {
	trees := 2000
	if testing.Short() {
		trees = 200
	}
	r, err := rewritetest.Campaign(context.Background(), rewritetest.Config{
		Pipeline: rules.Default(), Trees: trees, Seed: 1, MaxFidelity: ast.Resolution,
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Broken() > 0 {
		t.Errorf("%v", r)
	}
}
