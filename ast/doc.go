// Package ast defines the tree of delayed raster operations: its nodes, how to
// build, walk, compare, print and store them, and the metadata that lets a
// tree be reasoned about without reading a pixel.
//
// Coordinates are continuous, x to the right and y down, and pixel (i, j)
// covers [i, i+1) × [j, j+1). Every node has a canvas of whole pixels, a list
// of bands, and a data type a band. Transforms map a child's coordinates to
// those of the canvas above it.
//
// Nodes are immutable. They are built by the New functions, which validate, or
// fluently through From. A subtree may be shared: everything here is linear in
// the number of distinct nodes.
package ast
