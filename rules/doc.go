// Package rules has the built-in rewrite rules, a file a family, and the default
// pipeline.
//
// The canonical form of a path is
//
//	(Pad | copy | Warp)? ∘ Dequantize? ∘ Crop? ∘ Overview? ∘ leaf
//
// under Concat; above a sampling barrier the same again.
//
// Default is the pipeline that rewarp.Optimize runs. New is one with options: a
// cap on fidelity, rules disabled or replaced, a trace of every firing,
// verification. Passes are what both are made of, for a pipeline with passes of
// one's own around them:
//
//	own := rewrite.Pass{Name: "own", Traversal: rewrite.Everywhere, Rules: []rewrite.Rule{rule}}
//	p, err := rewrite.New(append([]rewrite.Pass{own}, rules.Passes()...))
//
// docs/rules.md lists every rule with what it does and its fidelity.
package rules
