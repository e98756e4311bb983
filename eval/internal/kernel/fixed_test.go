package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Sums in fixed point are the same for every set, wherever the rows lie, and
// within what rounding the weights up adds.
func TestFixed(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for range 500 {
		n, taps, rows := 1+rng.IntN(200), 1+rng.IntN(fixedTaps), fixedTaps+rng.IntN(8)
		stride := n + rng.IntN(5)
		pix := noise[uint8](rng, stride*rows)
		if rng.IntN(4) == 0 {
			for i := range pix {
				pix[i] = 255
			}
		}
		w, sum := make([]float32, taps), float32(0)
		for k := range w {
			w[k] = rng.Float32() - 0.3
			sum += max(w[k], -w[k])
		}
		for k := range w {
			w[k] *= 0.99 * fixedSum / sum
		}
		fix, ok := fixedWeights(nil, w)
		if !ok {
			t.Fatalf("weights %v do not fit", w)
		}
		first := rng.IntN(rows - taps + 1)
		at := first*stride + rng.IntN(stride-n+1)
		want := make([]float32, n)
		fixedGo(want, pix, at, stride, fix)
		for i, v := range want {
			exact, bytes := 0.0, 0.0
			for k := range w {
				p := float64(pix[at+i+k*stride])
				exact += float64(w[k]) * p
				bytes += p
			}
			if d := float64(v) - exact; d < -4e-5 || d > bytes*fixedUnit+4e-5 {
				t.Fatalf("%d taps: the sum is %v, want %v", taps, v, exact)
			}
		}
		for set := Portable; set <= Best(); set++ {
			got := make([]float32, n)
			fixed(set, got, pix, at, stride, fix)
			if !slices.Equal(got, want) {
				t.Fatalf("%v: %d samples of %d taps from row %d of %d on differ", set, n, taps, first, rows)
			}
		}
	}
}

func TestFixedWeights(t *testing.T) {
	for _, w := range [][]float32{{}, {2}, {-1, 1.5}, make([]float32, fixedTaps+1)} {
		if _, ok := fixedWeights(nil, w); ok {
			t.Errorf("%v fit", w)
		}
	}
}
