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

// An output of a turned or projective warp that is written past the caches is
// that of the plain kernels, in whole and in tiles of any place.
func TestStreamTurned(t *testing.T) {
	const w, h = 2501, 1603
	rng := rand.New(rand.NewPCG(12, 2))
	projective := turned(1.25)
	projective[6], projective[7] = 1e-5, 2e-5
	for _, c := range []struct {
		t     raster.DataType
		bands int
		inv   geom.Transform
	}{{raster.Uint8, 3, turned(1.25)}, {raster.Int16, 2, projective}} {
		c.inv[2], c.inv[5] = -300, 100 // invalid before and after
		j := &Job{
			Src: randomSource(rng, c.t, 900, 900, c.bands, false), Canvas: geom.Size{W: 900, H: 900},
			Inv: c.inv, Sampling: ast.Sampling{Interp: ast.Linear}.Normalize(),
			Dst: raster.New(c.t, w, h, c.bands), Rect: image.Rect(0, 0, w, h),
		}
		j.Dst.Mask = make([]byte, j.Dst.Len())
		if len(j.Dst.Bytes())+len(j.Dst.Mask) < streamBytes {
			t.Fatal("the output is not written past the caches")
		}
		invalid := j.Run(Portable, nil)
		want := j.Dst
		for set := AVX2; set <= Best(); set++ {
			for _, tile := range []int{w, 517} {
				j.Dst = raster.New(c.t, w, h, c.bands)
				j.Dst.Mask = make([]byte, j.Dst.Len())
				got := 0
				for y := 0; y < h; y += tile {
					for x := 0; x < w; x += tile {
						j.Rect = image.Rect(x, y, x+tile, y+tile).Intersect(want.Bounds())
						got += j.Run(set, nil)
					}
				}
				if got != invalid {
					t.Fatalf("%v, %v: %d invalid, want %d", set, c.t, got, invalid)
				}
				if !sameBytes(j.Dst, want) || string(j.Dst.Mask) != string(want.Mask) {
					t.Fatalf("%v, %v in tiles of %d: the output differs", set, c.t, tile)
				}
			}
		}
	}
}
