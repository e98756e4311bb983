package kernel

import "math"

// stretchGo sums taps along a row of float32, sample by sample of the output.
// Sample s has its first tap at base[s/group]+index[s]; the others follow in
// steps of bands. Tap k weighs w[k·stride+s].
func stretchGo(dst, row []float32, group int, base, index []int32, w []float32, taps, bands, stride int) {
	for s := range dst {
		at := int(base[s/group] + index[s])
		sum := float32(w[s] * row[at])
		for k := 1; k < taps; k++ {
			at += bands
			sum += float32(w[k*stride+s] * row[at])
		}
		dst[s] = sum
	}
}

// blendGo sums weighted rows to n samples of each of some outputs, which are
// step samples apart. Row r starts at rows[at[r]]. Every output has a weight of
// each row in w, one output after the other.
func blendGo(dst []float32, n, step int, rows []float32, at []int, w []float32) {
	for i := 0; len(w) > 0; i += step {
		d := dst[i:][:n]
		for s := range d {
			sum := float32(w[0] * rows[at[0]+s])
			for r := 1; r < len(at); r++ {
				sum += float32(w[r] * rows[at[r]+s])
			}
			d[s] = sum
		}
		w = w[len(at):]
	}
}

// blendUint8Go is blendGo, then packGo.
func blendUint8Go(dst []uint8, n, step int, rows []float32, at []int, w []float32) {
	var sums [64]float32
	for i := 0; len(w) > 0; i += step {
		for s := 0; s < n; s += len(sums) {
			m := min(len(sums), n-s)
			blendGo(sums[:], m, 0, rows[s:], at, w[:len(at)])
			packGo(dst[i+s:][:m], sums[:m])
		}
		w = w[len(at):]
	}
}

// peakGo is the largest magnitude, as the bits of a float32: those of infinity
// or more if a value is not finite.
func peakGo(v []float32) (bits uint32) {
	for _, x := range v {
		bits = max(bits, math.Float32bits(x)&^(1<<31))
	}
	return bits
}
