package kernel

// floatOffsets is offsetsGo.
func floatOffsets(set Set, g *grid, x int, off []int32) {
	n := 0
	if set != Portable {
		if n = len(off) &^ 7; n > 0 {
			if set == AVX512 {
				offsetsAVX512(&g.m[0], x, &off[0], n)
			} else {
				offsetsAVX2(&g.m[0], x, &off[0], n)
			}
		}
	}
	offsetsGo(g, x+n, off[n:])
}
