// Package asttest draws random trees over generated images, and shrinks a tree
// that fails to the smallest one that still does.
//
// A tree is a function of its seed and the Options: the same seed gives the same
// tree everywhere, so a failure is reported as one number.
package asttest
