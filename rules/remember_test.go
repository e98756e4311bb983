package rules_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rewrite"
)

// TestNodesRememberEachPipelineApart: several pipelines over the same tree, and
// over its parts and results, at once and in any order, make of it what each does
// of a tree that nobody has seen.
func TestNodesRememberEachPipelineApart(t *testing.T) {
	options := [][]rewrite.Option{
		nil,
		{rewrite.MaxFidelity(ast.Exact)},
		{rewrite.MaxFidelity(ast.Geometric)},
		{rewrite.Without("fuse-warps")},
		{rewrite.MaxFidelity(ast.Exact), rewrite.Without("fuse-crops")},
	}
	var pipelines []*rewrite.Pipeline
	for _, o := range options {
		pipelines = append(pipelines, mustPipeline(o...))
	}
	gen := asttest.NewGen(asttest.Options{MaxDepth: 6})
	differ := 0
	for seed := range uint64(300) {
		tree := gen.Tree(seed)
		want := make([]ast.Node, len(options))
		for i, o := range options {
			r, err := mustPipeline(o...).Optimize(gen.Tree(seed))
			if err != nil {
				t.Fatal(err)
			}
			if want[i] = r.Node; !ast.Equal(want[i], want[0]) {
				differ++
			}
		}
		var all sync.WaitGroup
		for g := range 4 {
			all.Go(func() {
				r := rand.New(rand.NewPCG(seed, uint64(g)))
				for range 2 {
					for _, i := range r.Perm(len(pipelines)) {
						got, err := pipelines[i].Optimize(tree)
						if err != nil || !ast.Equal(got.Node, want[i]) {
							t.Errorf("seed %d, pipeline %d: %v, expected %v, error %v", seed, i, got.Node, want[i], err)
							return
						}
						// What another one makes of the result, or of a part, is not to matter.
						part := got.Node
						if tree.NumInputs() > 0 && r.IntN(2) == 0 {
							part = tree.Input(r.IntN(tree.NumInputs()))
						}
						if _, err := pipelines[r.IntN(len(pipelines))].Optimize(part); err != nil {
							t.Error(err)
						}
					}
				}
			})
		}
		all.Wait()
	}
	if differ < 50 {
		t.Errorf("%d results differ from one pipeline to another, expected many", differ)
	}
}
