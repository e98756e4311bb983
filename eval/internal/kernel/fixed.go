package kernel

import "math"

// Sums of bytes are computed in fixed point, which is exact but for the
// weights: these are rounded up, by less than fixedUnit, so that a half stays
// one. Up to fixedTaps of them that is far within 1e-5 of the range, and
// fixedSum bounds their magnitudes so that neither a sum nor a weight of three
// bytes overflows.
const (
	fixedUnit = 1.0 / (1 << 22)
	fixedTaps = 24
	fixedSum  = 1.98
)

// fixedWeights appends weights in units of fixedUnit. It is not ok if they are
// too many or too large.
func fixedWeights(fixed []int32, w []float32) (_ []int32, ok bool) {
	if len(w) == 0 || len(w) > fixedTaps {
		return nil, false
	}
	sum := 0.0
	for _, v := range w {
		sum += math.Abs(float64(v))
		fixed = append(fixed, int32(math.Ceil(float64(v)/fixedUnit)))
	}
	return fixed, sum <= fixedSum
}

// fixedGo sums weighted rows, sample by sample, from pix[at] on.
func fixedGo(dst []float32, pix []uint8, at, stride int, w []int32) {
	for i := range dst {
		var sum int32
		from := at + i
		for _, w := range w {
			sum += w * int32(pix[from])
			from += stride
		}
		dst[i] = float32(sum) * fixedUnit
	}
}

// digitsOf are the three digits of weights, each a signed byte, by fours of
// rows: the lowest of four weights, the next, the highest. lead rows before
// them weigh nothing.
func digitsOf(w []int32, lead int) (digits [fixedTaps / 4 * 3]uint32) {
	for k, v := range w {
		i := k + lead
		for d := range 3 {
			digit := int8(v)
			digits[i/4*3+d] |= uint32(uint8(digit)) << (i & 3 * 8)
			v = (v - int32(digit)) >> 8
		}
	}
	return digits
}
