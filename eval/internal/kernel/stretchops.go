package kernel

import "math"

// stretchGo sums taps along a row of float32, sample by sample of the output.
// Sample s has its first tap at base[s/group]+index[s]; the others follow in
// steps of bands. Tap k weighs w[k·stride+s].
func stretchGo(dst, row []float32, group int, base, index []int32, w []float32, taps, bands, stride int) {
	for s := range dst {
		at := int(base[s/group] + index[s])
		sum := w[s] * row[at]
		for k := 1; k < taps; k++ {
			at += bands
			sum = fused(w[k*stride+s], row[at], sum)
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
			sum := w[0] * rows[at[0]+s]
			for r := 1; r < len(at); r++ {
				sum = fused(w[r], rows[at[r]+s], sum)
			}
			d[s] = sum
		}
		w = w[len(at):]
	}
}

// blendUint8Go is blendGo for bytes: sums begin with what rounds them when they
// are cut off, and saturate.
func blendUint8Go(dst []uint8, n, step int, rows []float32, at []int, w []float32) {
	for i := 0; len(w) > 0; i += step {
		d := dst[i:][:n]
		for s := range d {
			sum := roundingHalf
			for r, p := range at {
				sum = fused(w[r], rows[p+s], sum)
			}
			d[s] = uint8(max(0, min(sum, math.MaxUint8)))
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
