// Package eval runs trees. A Session is opened once: it picks the kernels,
// owns the worker goroutines, working memory, open sources and a cache of
// decoded blocks. It compiles a tree to a Plan, which runs any number of
// times, whole, into memory that the caller owns, one window at a time, or as
// a stream of tiles:
//
//	session, err := eval.Open(ctx, eval.WithOpener(opener))
//	defer session.Close()
//	plan, err := session.Plan(ctx, tree)
//	pixels, err := plan.Run(ctx)
//
// A plan means what its tree means, whatever shape the tree has: rewriting it
// first only makes it cheaper. Results do not depend on tile size, on the
// number of threads, or on what ran before.
//
// Stats sums up what a plan has read and computed. A Profile tells it step by
// step, each beside the nodes of the tree that it works for.
package eval
