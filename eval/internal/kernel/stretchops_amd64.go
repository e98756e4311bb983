package kernel

// stretch is stretchGo with groups of the set's lanes. near says that every
// index is less than the lanes. len(dst) is a multiple of the lanes.
func stretch(set Set, near bool, dst, row []float32, base, index []int32, w []float32, taps, bands, stride int) {
	if len(dst) == 0 {
		return
	}
	var f func(dst, row *float32, base, index *int32, w *float32, taps, bands, stride, n int)
	switch {
	case set == AVX512 && near:
		f = stretchAVX512
	case set == AVX512:
		f = stretchFarAVX512
	case set == AVX2 && near:
		f = stretchAVX2
	case set == AVX2:
		f = stretchFarAVX2
	default:
		stretchGo(dst, row, set.lanes(), base, index, w, taps, bands, stride)
		return
	}
	f(&dst[0], &row[0], &base[0], &index[0], &w[0], taps, bands, stride, len(dst))
}

// blend is blendGo.
func blend(set Set, dst, rows []float32, at []int, w []float32) {
	n := 0
	if set != Portable {
		if n = len(dst) &^ (4*set.lanes() - 1); n > 0 {
			if set == AVX512 {
				blendAVX512(&dst[0], &rows[0], &at[0], &w[0], len(at), n)
			} else {
				blendAVX2(&dst[0], &rows[0], &at[0], &w[0], len(at), n)
			}
		}
	}
	if n < len(dst) {
		blendGo(dst[n:], rows[n:], at, w)
	}
}

// blendUint8 is blendGo, then packGo, of the first samples; it returns how many.
func blendUint8(set Set, dst []uint8, rows []float32, at []int, w []float32) int {
	n := 0
	if set != Portable {
		if n = len(dst) &^ (4*set.lanes() - 1); n > 0 {
			if set == AVX512 {
				blendUint8AVX512(&dst[0], &rows[0], &at[0], &w[0], len(at), n)
			} else {
				blendUint8AVX2(&dst[0], &rows[0], &at[0], &w[0], len(at), n)
			}
		}
	}
	return n
}
