// Package raster holds pixels in memory: sample types, buffers, masks, and the
// reading of windows out of them. It does no I/O.
//
// A Buffer is row-major, height × width × bands, of one sample type. Samples
// gives its store as a slice of that type, and FromSlice makes a buffer of a
// copied slice. A sample is invalid where a float is NaN, or where an
// integer's byte in the mask is 0.
package raster
