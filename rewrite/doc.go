// Package rewrite is the engine that rewrites trees: rules, ordered passes of
// rules, and pipelines of passes that run to a fixpoint. It knows no concrete
// rule; package rules has the built-in ones.
//
// A rule sees a node, the subtree below it and the pipeline's constants, never
// a parent. So what it does to a node is a fact about the node, and nodes
// remember, without locks, which pipelines found them canonical: optimizing an
// optimized tree, or a new node over one, costs nothing for what is done
// already.
package rewrite
