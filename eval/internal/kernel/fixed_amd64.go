package kernel

// fixed is fixedGo.
func fixed(set Set, dst []float32, pix []uint8, at, stride int, w []int32) {
	n := len(dst)
	if set == AVX512 && n >= 64 {
		if start, lead, ok := fours(len(pix), at, stride, len(w), n); ok {
			groups := (len(w) + 3) / 4
			digits := digitsOf(w, lead)
			run := func(from, n int) {
				fixedAVX512(&dst[from], &pix[start+from], stride, &digits[0], groups, n)
			}
			run(0, n&^63)
			if n&63 != 0 { // what is left, and some once more
				run(n-64, 64)
			}
			return
		}
	}
	if set > Portable && n >= 32 {
		fixedAVX2(&dst[0], &pix[at], stride, &w[0], len(w), n&^31)
		if n&31 != 0 {
			fixedAVX2(&dst[n-32], &pix[at+n-32], stride, &w[0], len(w), 32)
		}
		return
	}
	fixedGo(dst, pix, at, stride, w)
}

// fours makes a number of rows of n samples, from at on, a multiple of four by
// rows before or after them. It returns where the first is, and how many are
// before. It is not ok if size samples do not hold those.
func fours(size, at, stride, rows, n int) (start, lead int, ok bool) {
	more := -rows & 3
	if start = at - more*stride; start >= 0 {
		return start, more, true
	}
	return at, 0, at+(rows+more-1)*stride+n <= size
}
