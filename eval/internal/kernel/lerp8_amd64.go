package kernel

// lerp8 is lerp8Go. Under a set other than Portable it reads up to six bytes
// beyond the last that is needed of a row.
func lerp8(set Set, dst, pix []uint8, stride, bands int, off []int32, fx, fy []float32) {
	n := len(off)
	run := func(from, n int) {
		d, p, o, x, y := &dst[from*bands], &pix[0], &off[from], &fx[from], &fy[from]
		switch {
		case set == AVX512 && bands == 1:
			lerp8OneAVX512(d, p, stride, o, x, y, n)
		case set == AVX512:
			lerp8FewAVX512(d, p, stride, bands, o, x, y, n)
		case bands == 1:
			lerp8OneAVX2(d, p, stride, o, x, y, n)
		default:
			lerp8FewAVX2(d, p, stride, bands, o, x, y, n)
		}
	}
	done := 0
	switch {
	case bands > maxLerp8:
	case set == AVX512 && n >= 16:
		run(0, n&^15)
		if n&15 != 0 { // what is left, and some once more
			run(n-16, 16)
		}
		done = n
	case set == AVX2 && n >= 12:
		done = (n - 4) &^ 7 // what is written beyond is of the last pixels
		run(0, done)
	}
	lerp8Go(dst[done*bands:], pix, stride, bands, off[done:], fx[done:], fy[done:])
}
