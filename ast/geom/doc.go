// Package geom holds the geometry of trees as small value types: planar
// transforms, half-planes, and convex regions on a canvas.
//
// Coordinates are continuous, x to the right and y down. Pixel (i, j) covers
// [i, i+1) × [j, j+1), so its centre is (i+½, j+½).
package geom
