package kernel

// shrink is shrinkGo for some rows, stride bytes apart, from pix[at] on, of
// which the sums are step apart. It writes up to 15 sums more of each.
func shrink(set Set, dst []float32, step int, pix []uint8, at, stride, rows int, k *shrinker) {
	groups := k.taps / 4
	switch {
	case len(k.base) == 0:
		for r := range rows {
			shrinkGo(dst[r*step:], pix[at+r*stride:], k)
		}
	case set == AVX2:
		for r := range rows {
			shrinkAVX2(&dst[r*step], k.quad(), &pix[at+r*stride], &k.base[0], &k.table[0], groups, len(k.base)/groups/2)
		}
	case rows == shrinkRows:
		shrinkAVX512(&dst[0], step, &pix[at], stride, &k.base[0], &k.table[0], groups, len(k.base)/groups)
	default: // each row four times
		for r := range rows {
			shrinkAVX512(&dst[r*step], 0, &pix[at+r*stride], 0, &k.base[0], &k.table[0], groups, len(k.base)/groups)
		}
	}
}
