package eval_test

import (
	"context"
	"fmt"
	"image"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/oracle"
)

// TestRandomTrees runs trees as they stand, at both meanings, in odd tiles and
// under little memory.
func TestRandomTrees(t *testing.T) {
	n := 1500
	if testing.Short() {
		n = 150
	}
	gen := asttest.NewGen(asttest.Options{})
	images := &memory{Images: gen.Images()}
	sessions := []*eval.Session{
		open(t, eval.WithOpener(images)),
		open(t, eval.WithOpener(images), eval.WithTileSize(13, 9), eval.WithThreads(3), eval.WithMemoryLimit(16<<20)),
	}
	for i := range n {
		seed := asttest.TreeSeed(campaign(), i)
		tree := gen.Tree(seed)
		check := func(tree ast.Node) error { return checkTree(sessions, images, tree) }
		if err := check(tree); err != nil {
			small := asttest.Shrink(tree, func(n ast.Node) bool { return check(n) != nil })
			text, _ := ast.MarshalTree(small, ast.WithoutMeta())
			t.Fatalf("tree %d: %v\nsmallest: %v\n%s", i, err, check(small), text)
		}
	}
}

func checkTree(sessions []*eval.Session, images *memory, tree ast.Node) error {
	ctx := context.Background()
	want, refErr := oracle.Reference(ctx, tree, images, oracle.Options{})
	naive, naiveErr := oracle.Naive(ctx, tree, images, oracle.Options{})
	for k, s := range sessions {
		plan, err := s.Plan(ctx, tree, eval.WithType(raster.Float64), eval.WithMaxFidelity(ast.Geometric))
		if (err != nil) != (refErr != nil) {
			return fmt.Errorf("session %d plan: %v, reference: %v", k, err, refErr)
		}
		if err == nil {
			got, err := plan.Run(ctx)
			if err != nil {
				return fmt.Errorf("session %d: %w", k, err)
			}
			tolerance := 2e-5
			if len(ast.All[ast.Custom](tree)) > 0 {
				tolerance = 1e-3 // a ratio makes more of its inputs' rounding
			}
			if err := compare(got, image.Point{}, want, nil, tolerance); err != nil {
				return fmt.Errorf("session %d: %w", k, err)
			}
		}
		if naiveErr != nil {
			continue
		}
		plan, err = s.Plan(ctx, tree, eval.WithMaxFidelity(ast.Exact))
		if err != nil {
			return fmt.Errorf("session %d exact: %w", k, err)
		}
		got, err := plan.Run(ctx)
		if err != nil {
			return fmt.Errorf("session %d exact: %w", k, err)
		}
		tolerance := 1e-6
		for _, w := range ast.All[*ast.Warp](tree) {
			if w.Sampling().Interp == ast.Mode {
				tolerance = math.MaxFloat32 // rounding makes a vote of its own of a value
			}
		}
		if err := compare(got, image.Point{}, naive, tree, tolerance); err != nil {
			return fmt.Errorf("session %d exact: %w", k, err)
		}
	}
	return nil
}

// compare checks equal masks, and values within a part of each band's range;
// bands of the tree that are integers have to be equal.
func compare(got *raster.Buffer, at image.Point, want *oracle.Result, exact ast.Node, tolerance float64) error {
	bands := got.Bands
	for b := range bands {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := b; i < len(want.Values); i += bands {
			if v := want.Values[i]; v == v {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		limit := 1e-9 + tolerance*max(hi-lo, math.Abs(hi), math.Abs(lo))
		if exact != nil && !exact.Band(b).Type.IsFloat() {
			limit = 0
			if exact.Band(b).Type.Size() == 4 {
				limit = 1 // sums of such values round in float64
			}
		}
		for y := range got.H {
			for x := range got.W {
				w := want.At(x+at.X, y+at.Y, b)
				g, ok := got.At(x, y, b)
				if ok != (w == w) {
					return fmt.Errorf("(%d, %d) band %d: %v valid %v, want %v", x, y, b, g, ok, w)
				}
				if ok && !(math.Abs(g-w) <= limit) {
					return fmt.Errorf("(%d, %d) band %d: %v, want %v within %.3g", x, y, b, g, w, limit)
				}
			}
		}
	}
	return nil
}

// campaign picks the trees; REWARP_CAMPAIGN picks others.
func campaign() uint64 {
	n, err := strconv.ParseUint(os.Getenv("REWARP_CAMPAIGN"), 10, 64)
	if err != nil {
		return 7
	}
	return n
}
