package ast

import (
	"hash/maphash"
	"math"
)

// Sketch is a number that equal trees share and others mostly do not, for
// telling in a moment that two trees differ. It looks at a few nodes below the
// first input of each, and differs from process to process; see FingerprintOf
// for a number that stands for a whole tree.
func Sketch(n Node) uint64 {
	const depth = 16
	h := uint64(0)
	mix := func(v uint64) { h = (h ^ v) * 0x9e3779b97f4a7c15; h ^= h >> 29 }
	for range depth {
		b := n.base()
		mix(uint64(b.Kind())<<32 | uint64(len(b.bands())))
		mix(uint64(uint32(b.canvas.w))<<32 | uint64(uint32(b.canvas.h)))
		switch n := n.(type) {
		case *Load:
			mix(maphash.String(sketchSeed, n.uri))
		case *Fill:
			mix(math.Float64bits(n.value + 0))
		case *Crop:
			mix(uint64(n.Window().Min.X)<<32 ^ uint64(n.Window().Min.Y))
			if n.picks != nil {
				mix(uint64(n.picks[0]))
			}
		case *Warp:
			mix(math.Float64bits(n.m[2] + 0))
			mix(math.Float64bits(n.m[5] + 0))
		}
		if n.NumInputs() == 0 {
			break
		}
		n = n.Input(0)
	}
	return h
}

var sketchSeed = maphash.MakeSeed()
