package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Sums of taps in bytes are the same for every set, wherever the taps lie, and
// what lies well beyond a row's sums is kept.
func TestShrinkTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	var laid [AVX512 + 1]int
	for range 500 {
		bands, taps, n, rows := 1+rng.IntN(4), 1+rng.IntN(fixedTaps), 1+rng.IntN(90), 1+rng.IntN(shrinkRows)
		factor := 0.3 + 3*rng.Float64()
		if rng.IntN(4) == 0 {
			factor = -factor
		}
		width := taps + int(float64(n)*max(factor, -factor)) + 1 + rng.IntN(20)
		cols := axisPlan{a: 3, b: 3 + n, n: taps, w: noise[float32](rng, n*taps)}
		for i := range n {
			first := int(float64(i) * factor)
			if factor < 0 {
				first += width - taps
			}
			cols.first = append(cols.first, first)
			sum := float32(0)
			w := cols.weights(3 + i)
			for _, v := range w {
				sum += max(v, -v)
			}
			for k := range w {
				w[k] *= fixedSum * 0.99 / max(sum, 1)
			}
		}
		if over := cols.first[0]; factor > 0 && taps > 3 { // the first column begins before the row
			cols.first[0], cols.w[0] = over-1, 0
		}
		stride := width*bands + rng.IntN(5)
		pix := noise[uint8](rng, stride*(rows-1)+width*bands)
		var want []float32
		step := (n*bands+15)&^15 + 32
		for set := Portable; set <= Best(); set++ {
			k := new(shrinkCache).columns(set, &cols, cols.a, cols.b, 0, width, bands)
			laid[set] += len(k.base)
			got := make([]float32, step*rows)
			shrink(set, got, step, pix, 0, stride, rows, k)
			if set == Portable {
				want = got
				check := cols.weights(cols.b - 1)
				exact, bytes := 0.0, 0.0
				for tap, w := range check {
					if w == 0 {
						continue
					}
					p := float64(pix[(cols.first[n-1]+tap)*bands])
					exact += float64(w) * p
					bytes += p
				}
				if d := float64(want[(n-1)*bands]) - exact; d < -4e-5 || d > bytes*fixedUnit+4e-5 {
					t.Fatalf("the sum of %d taps is off by %v", taps, d)
				}
				continue
			}
			for r := range rows {
				if !slices.Equal(got[r*step:][:n*bands], want[r*step:][:n*bands]) {
					t.Fatalf("%v: %d pixels of %d bands and %d taps, %.2f apart, differ in row %d of %d", set, n, bands, taps, factor, r, rows)
				}
				for _, v := range got[(r+1)*step-16 : (r+1)*step] {
					if v != 0 {
						t.Fatalf("%v: something is written after row %d", set, r)
					}
				}
			}
		}
	}
	for set := AVX2; set <= Best(); set++ {
		if laid[set] == 0 {
			t.Errorf("%v: taps were never laid out", set)
		}
	}
}
