// Package rewrite is the engine that rewrites trees: rules, ordered passes of
// rules, and pipelines of passes that run to a fixpoint. It knows no concrete
// rule; package rules has the built-in ones.
//
// A rule sees a node, the subtree below it and the pipeline's constants, never
// a parent. So what it does to a node is a fact about the node, and nodes
// remember, without locks, which pipelines found them canonical: optimizing an
// optimized tree, or a new node over one, costs nothing for what is done
// already.
//
// A rule is one function on the shape that it rewrites, found through the types
// of its arguments, with a fidelity and a line of documentation:
//
//	var fuseCrops = rewrite.OnShape("fuse-crops", ast.Exact,
//		func(c *rewrite.Context, outer, inner *ast.Crop) (ast.Node, error) {
//			if outer.Window() == c.Whole(inner) {
//				return c.No(outer, "it keeps all of its input")
//			}
//			…
//		}).WithDoc("Crop(Crop(x)) → Crop'(x)")
//
// New compiles passes of rules to a pipeline; MaxFidelity, Without, Only and
// Replace choose among them. Optimize runs it. With Trace it returns every firing
// with its place and cost, with Verify it checks each one, and WhyNot says what
// kept a rule from firing. Package rewritetest tries to break a rule.
package rewrite
