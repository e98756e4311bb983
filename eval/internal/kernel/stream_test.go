package kernel

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// An output that is written past the caches is that of the plain kernels, in
// whole and in tiles of any place, also where NaN and values whose sums
// overflow are among the samples.
func TestStream(t *testing.T) {
	const w, h = 1501, 933
	rng := rand.New(rand.NewPCG(12, 1))
	for _, interp := range []ast.Interpolation{ast.Linear, ast.Cubic} {
		j := &Job{
			Src: randomSource(rng, raster.Float32, 301, 201, 3, false), Canvas: geom.Size{W: 301, H: 201},
			Inv:      geom.Scale(301./w, 201./h),
			Sampling: ast.Sampling{Interp: interp}.Normalize(),
			Dst:      raster.New(raster.Float32, w, h, 3), Rect: image.Rect(0, 0, w, h),
		}
		for k := range 20 {
			j.Src.Set(rng.IntN(301), rng.IntN(201), k%3, []float64{3e38, -3e38}[k%2])
		}
		if j.Dst.Len() < streamBytes/4 {
			t.Fatal("the output is not written past the caches")
		}
		invalid := j.Run(Portable, nil)
		want := j.Dst
		for set := AVX2; set <= Best(); set++ {
			for _, tile := range []int{w, 217} {
				j.Dst = raster.New(raster.Float32, w, h, 3)
				got := 0
				for y := 0; y < h; y += tile {
					for x := 0; x < w; x += tile {
						j.Rect = image.Rect(x, y, x+tile, y+tile).Intersect(want.Bounds())
						got += j.Run(set, nil)
					}
				}
				if got != invalid {
					t.Fatalf("%v, %v: %d invalid, want %d", set, interp, got, invalid)
				}
				if !sameBytes(j.Dst, want) {
					t.Fatalf("%v, %v in tiles of %d: the output differs", set, interp, tile)
				}
			}
		}
		j.Rect = want.Bounds()
	}
}

func sameBytes(a, b *raster.Buffer) bool { return string(a.Bytes()) == string(b.Bytes()) }
