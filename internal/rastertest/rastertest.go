// Package rastertest makes rasters for tests.
package rastertest

import (
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// Pattern is a buffer of w × h pixels with values that differ from neighbour to
// neighbour and from band to band, over the whole range of small types.
func Pattern(typ raster.DataType, w, h, bands int) *raster.Buffer {
	b := raster.New(typ, w, h, bands)
	lo, hi := typ.Range()
	if typ.IsFloat() {
		lo, hi = -1000, 1000
	}
	for y := range h {
		for x := range w {
			for k := range bands {
				f := math.Mod(float64(x*7+y*31+k*101)/251, 1)
				b.Set(x, y, k, math.Floor(lo+f*(hi-lo)))
			}
		}
	}
	return b
}

// InvalidateLeft marks the left half of b invalid, in every band, and returns b.
func InvalidateLeft(b *raster.Buffer) *raster.Buffer {
	for y := range b.H {
		for x := range b.W / 2 {
			for k := range b.Bands {
				b.SetInvalid(x, y, k, 0)
			}
		}
	}
	return b
}

// Bands are bands of one type, by name.
func Bands(typ raster.DataType, names ...string) []ast.Band {
	bands := make([]ast.Band, len(names))
	for i, n := range names {
		bands[i] = ast.Band{Name: n, Type: typ}
	}
	return bands
}
