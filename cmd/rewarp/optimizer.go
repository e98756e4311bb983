package main

import (
	"context"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/rewrite"
)

// optimizer is the rules of a pipeline as a session's optimizer: one pipeline
// for each cap that a plan may have.
func optimizer(p *rewrite.Pipeline) (eval.Optimizer, error) {
	var capped []*rewrite.Pipeline
	for f := ast.Exact; f <= ast.Resolution; f++ {
		q, err := p.With(rewrite.MaxFidelity(f))
		if err != nil {
			return nil, err
		}
		capped = append(capped, q)
	}
	return func(_ context.Context, n ast.Node, f ast.Fidelity) (ast.Node, error) {
		r, err := capped[f].Optimize(n)
		return r.Node, err
	}, nil
}
