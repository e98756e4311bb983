// Package tune finds out how a tree runs best on this machine: it measures
// variants of a session over the tree, compares their pixels with a reference,
// and tells, picks, saves and loads what it found.
//
//	table, err := tune.Run(ctx, session, tree, tune.WithReference(meaning, steps))
//	fmt.Print(table)
//	best, err := table.Best(tune.WithMaxError(0.01))
//
// A Variant is what is different from the session as it is: kernels, threads,
// tiles, the cap on fidelity, the block cache, or options of the caller's own.
// Each is measured in rounds that alternate between the variants, after a
// warm-up, and stands in the Table with its median time and spread, the memory
// that it holds, and the mean and the largest error of its pixels, as parts of
// the range of values. A variant that fails, or whose pixels are wrong, says so
// and is never the best; Best takes bounds on error, memory and threads.
//
// What was found holds for trees of one shape on one processor. Save keeps a
// Choice under both, among others in a file, Load finds it again, and its options
// open a session like it. Package rewarp has the reference ready: rewarp.Tune.
package tune
