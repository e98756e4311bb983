package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestStretchTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 5))
	for range 200 {
		bands, taps, n := 1+rng.IntN(5), 1+rng.IntN(7), 16*(1+rng.IntN(20))
		row := noise[float32](rng, 16+n*3+8*bands)
		w := noise[float32](rng, n*taps)
		for _, span := range []int{4, 8, 16, 40} {
			for set := Portable; set <= Best(); set++ {
				lanes := set.lanes()
				base, index := make([]int32, n/lanes), make([]int32, n)
				for s := range index {
					index[s] = int32(s * 7 % span)
				}
				for g := range base {
					base[g] = int32(g * lanes * 2)
				}
				want, got := make([]float32, n), make([]float32, n)
				stretchGo(want, row, lanes, base, index, w, taps, bands, n)
				stretch(set, span <= lanes, got, row, base, index, w, taps, bands, n)
				if !slices.Equal(got, want) {
					t.Fatalf("%v, span %d, %d taps: stretch differs", set, span, taps)
				}
			}
		}
	}
}

// Outputs of any length and distance, streamed from any place, are the twin's,
// and what lies between them is kept.
func TestBlendTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 6))
	for range 400 {
		taps, n, count := 1+rng.IntN(7), 1+rng.IntN(300), 1+rng.IntN(4)
		step := n + rng.IntN(20)
		if rng.IntN(2) == 0 {
			step = (step + 15) &^ 15
		}
		rows := noise[float32](rng, n*4)
		at, w := make([]int, taps), make([]float32, taps*count)
		for r := range at {
			at[r] = rng.IntN(n * 3)
		}
		for r := range w {
			w[r] = rng.Float32()*2 - 0.8
		}
		from := rng.IntN(20)
		want := make([]float32, from+step*count)
		blendGo(want[from:], n, step, rows, at, w)
		bytes := make([]uint8, len(want))
		blendUint8Go(bytes[from:], n, step, rows, at, w)
		for y := range count {
			row, packed := want[from+y*step:][:n], make([]uint8, n)
			packGo(packed, row)
			for i, b := range bytes[from+y*step:][:n] {
				fraction := float64(row[i]) - math.Floor(float64(row[i]))
				if b != packed[i] && (b-packed[i]+1 > 2 || math.Abs(fraction-0.5) > 1e-4) {
					t.Fatalf("%v of output %d of %d is %d", row[i], y, count, b)
				}
			}
		}
		for set := Portable; set <= Best(); set++ {
			got, gotBytes := make([]float32, len(want)), make([]uint8, len(want))
			blend(set, got[from:], n, step, rows, at, w)
			blendUint8(set, gotBytes[from:], n, step, rows, at, w)
			streamed := make([]float32, len(want))
			blendStream(set, streamed[from:], n, step, rows, at, w)
			streamedBytes := make([]uint8, len(want))
			blendUint8Stream(set, streamedBytes[from:], n, step, rows, at, w)
			endStream(set)
			if !slices.Equal(got, want) || !slices.Equal(streamed, want) || !slices.Equal(streamedBytes, bytes) || !slices.Equal(gotBytes, bytes) {
				t.Fatalf("%v, %d outputs of %d by %d taps, %d apart from %d on: blend differs", set, count, n, taps, step, from)
			}
		}
	}
}

func TestPeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 7))
	for n := range 70 {
		for _, special := range []float32{0, -300, float32(math.Inf(-1)), float32(math.NaN())} {
			v := noise[float32](rng, n)
			if n > 0 {
				v[rng.IntN(n)] = special
			}
			var want uint32
			for _, x := range v {
				want = max(want, math.Float32bits(float32(math.Abs(float64(x)))))
			}
			for set := Portable; set <= Best(); set++ {
				if got := peak(set, v); got != want {
					t.Fatalf("%v: the peak of %d values is %#x, want %#x", set, n, got, want)
				}
			}
		}
	}
}
