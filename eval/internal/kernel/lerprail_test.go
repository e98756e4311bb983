package kernel

import (
	"bytes"
	"image"
	"math/rand/v2"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// TestLerpRail holds turned warps along rails against those of plain Go, where
// many positions are on the edges of pixels and where rows end within blocks,
// in outputs that go past the caches and others, in whole and in tiles.
func TestLerpRail(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 6))
	edges := geom.Transform{0.6, -0.8, 300, 0.8, 0.6, -150, 0, 0, 1}
	turn, _ := geom.Translate(350, 20).Mul(geom.Rotate(0.5)).Mul(geom.Scale(1.9, 1.7)).Inverse()
	for _, typ := range []raster.DataType{raster.Uint16, raster.Int16} {
		for bands := 2; bands <= 4; bands++ {
			if l := lerpRailsOfType(typ, bands); (l.plain != nil) != (Best() == AVX512) {
				t.Errorf("%v×%d: kernel %v", typ, bands, l.plain != nil)
			}
			for k, inv := range []geom.Transform{edges, turn} {
				src := randomSource(rng, typ, 700, 500, bands, false)
				src.Mask = nil
				h := 300
				for k == 1 && 900*h*bands*3 < streamBytes {
					h += 100
				}
				run := func(set Set, tile int) (*raster.Buffer, int) {
					dst := raster.New(typ, 900, h, bands)
					dst.Mask = make([]byte, dst.Len())
					j := &Job{
						Src: src, Canvas: geom.Size{W: 700, H: 500}, Inv: inv, Sampling: ast.Sampling{Interp: ast.Linear}.Normalize(),
						Dst: dst, DstOrigin: image.Pt(-3, 5),
					}
					all, invalid := dst.Bounds().Add(j.DstOrigin), 0
					for y := all.Min.Y; y < all.Max.Y; y += tile {
						for x := all.Min.X; x < all.Max.X; x += tile {
							j.Rect = image.Rect(x, y, x+tile, y+tile).Intersect(all)
							invalid += j.Run(set, nil)
						}
					}
					return dst, invalid
				}
				want, wantInvalid := run(Portable, 4096)
				if wantInvalid == 0 || wantInvalid == want.Len() {
					t.Fatalf("%v×%d: %d samples of %d are invalid", typ, bands, wantInvalid, want.Len())
				}
				for set := AVX2; set <= Best(); set++ {
					for _, tile := range []int{4096, 217} {
						got, invalid := run(set, tile)
						if invalid != wantInvalid {
							t.Errorf("%v, %v×%d, map %d: %d invalid, want %d", set, typ, bands, k, invalid, wantInvalid)
						}
						if !sameBytes(got, want) || !bytes.Equal(got.Mask, want.Mask) {
							t.Errorf("%v, %v×%d, map %d, tiles of %d: the output differs at %v", set, typ, bands, k, tile, difference(&Job{}, got, want))
						}
					}
				}
			}
		}
	}
}

// lerpRailsOfType are the kernels for a row of 700 pixels under the best set.
func lerpRailsOfType(typ raster.DataType, bands int) lerpRails {
	if typ == raster.Uint16 {
		return lerpRailsOf[uint16](Best(), bands, 700*bands)
	}
	return lerpRailsOf[int16](Best(), bands, 700*bands)
}
