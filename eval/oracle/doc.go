// Package oracle evaluates trees as they stand, in plain float64, slowly and
// plainly, so that faster ways can be checked against it.
//
// Reference computes what a tree means: along each path from the root to a
// leaf it composes coordinates itself and samples the path's source once.
// Naive runs the steps by hand: it materializes every node in turn and rounds
// it to the node's type. Both share one sampler, and nothing else in the
// module: the package imports ast and never a rule, a rewriter or a kernel.
//
// A sample is a float64, NaN where it is invalid, so that the validity mask of
// a raster is never confused with a value of it.
package oracle
