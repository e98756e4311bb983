package kernel

// shrinkLanes is shrink for four rows, whose sums it rounds up in number to
// vectors of 16.
func shrinkLanes(dst []float32, step int, pix []uint8, stride int, k *shrinker) {
	shrinkAVX512(&dst[0], step, &pix[0], stride, &k.base[0], &k.table[0], k.taps/4, len(k.base)/(k.taps/4))
}

// shrinkRow is shrinkGo.
func shrinkRow(set Set, dst []float32, row []uint8, k *shrinker) {
	switch {
	case len(k.base) > 0: // the same row four times
		shrinkAVX512(&dst[0], 0, &row[0], 0, &k.base[0], &k.table[0], k.taps/4, len(k.base)/(k.taps/4))
	case set == Portable || k.width < k.taps*k.bands || len(row) < k.width+3:
		shrinkGo(dst, row, k)
	case k.bands == 1:
		shrinkOneAVX2(&dst[0], &row[0], &k.first[0], &k.w[0], k.taps, len(k.first))
	default:
		// The last pixel's vector would be written past the end.
		n := max(0, len(k.first)-1)
		if n > 0 {
			shrinkFewAVX2(&dst[0], &row[0], k.bands, &k.first[0], &k.w[0], k.taps, n)
		}
		last := *k
		last.first, last.w = k.first[n:], k.w[n*k.taps:]
		shrinkGo(dst[n*k.bands:], row, &last)
	}
}
