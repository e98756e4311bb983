package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rewarp/rewarp/ast/raster"
)

// TestLerp8 runs lerp8 under each set, and holds it against lerp.
func TestLerp8(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	const w, h = 37, 23
	for bands := 1; bands <= 6; bands++ {
		for _, n := range []int{1, 8, 11, 12, 15, 16, 17, 33, 100, 256} {
			pix := noise[uint8](rng, w*h*bands)
			off, fx, fy := make([]int32, n), make([]float32, n), make([]float32, n)
			for i := range off {
				off[i] = int32((rng.IntN(h-9)*w + rng.IntN(w-8)) * bands)
				fx[i], fy[i] = rng.Float32(), rng.Float32()
				switch rng.IntN(8) {
				case 0:
					fx[i] = []float32{0, 0.5, 1e-6, 0.999999, 1}[rng.IntN(5)]
				case 1:
					fy[i] = []float32{0, 0.5, 1e-6, 0.999999, 1}[rng.IntN(5)]
				case 2:
					fx[i], fy[i] = 0, 0
				}
			}
			exact, want := make([]float32, n*bands), make([]uint8, n*bands)
			lerpGo(exact, pix, w*bands, bands, off, fx, fy)
			lerp8Go(want, pix, w*bands, bands, off, fx, fy)
			for i, v := range want {
				if d := math.Abs(float64(v) - float64(exact[i])); d > 0.5+255./(1<<14) {
					t.Fatalf("%d bands: %v became %d", bands, exact[i], v)
				}
			}
			for set := Portable; set <= Best(); set++ {
				got := make([]uint8, n*bands+1)
				got[n*bands] = 42
				lerp8(set, got[:n*bands:n*bands], pix, w*bands, bands, off, fx, fy)
				if !slices.Equal(got[:n*bands], want) || got[n*bands] != 42 {
					t.Fatalf("%v, %d bands, %d pixels: lerp8 differs", set, bands, n)
				}
			}
		}
	}
}

// testLerp16 holds lerp16 against the two stages that it is one of.
func testLerp16[T uint16 | int16](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	const w, h = 37, 23
	for bands := 2; bands <= 4; bands++ {
		for _, n := range []int{4, 5, 7, 8, 33, 256} {
			pix := noise[T](rng, w*h*bands)
			if n == 33 {
				lo, hi := raster.TypeOf[T]().Range()
				for i := range pix {
					pix[i] = T([]float64{lo, hi}[rng.IntN(2)])
				}
			}
			off, fx, fy := make([]int32, n), make([]float32, n), make([]float32, n)
			for i := range off {
				off[i] = int32((rng.IntN(h-9)*w + rng.IntN(w-8)) * bands)
				fx[i], fy[i] = float32(rng.IntN(9))/8, rng.Float32()
			}
			exact, want := make([]float32, n*bands), make([]T, n*bands)
			lerpGo(exact, pix, w*bands, bands, off, fx, fy)
			packGo(want, exact)
			for set := Portable; set <= Best(); set++ {
				got := make([]T, n*bands+1)
				got[n*bands] = 42
				ok := lerp16(set, got, pix, w*bands, bands, off, fx, fy)
				if ok != (set == AVX512) {
					t.Fatalf("%v, %d bands, %d pixels: %v", set, bands, n, ok)
				}
				if ok && (!slices.Equal(got[:n*bands], want) || got[n*bands] != 42) {
					t.Fatalf("%v, %d bands, %d pixels: lerp16 differs", set, bands, n)
				}
			}
		}
	}
}

func TestLerp16(t *testing.T) {
	t.Run("uint16", testLerp16[uint16])
	t.Run("int16", testLerp16[int16])
}
