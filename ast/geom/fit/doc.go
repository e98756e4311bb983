// Package fit finds transforms from control points, and factors them, with
// gonum's linear algebra. It is for building trees, not for running them.
//
// Similarity, Affine and Projective fit by least squares and return the error
// that is left, as a root mean square in pixels of the target. Polar takes a
// transform apart into a rotation and a symmetric stretch.
package fit
