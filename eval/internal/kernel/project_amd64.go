package kernel

// project is projectGo.
func project(set Set, g *grid, x int, off []int32, fx, fy []float32, ok []int32) {
	n := len(off) &^ 7
	if set == Portable || n == 0 {
		projectGo(g, x, off, fx, fy, ok)
		return
	}
	if set == AVX512 {
		projectAVX512(&g.m[0], x, &off[0], &fx[0], &fy[0], &ok[0], n)
	} else {
		projectAVX2(&g.m[0], x, &off[0], &fx[0], &fy[0], &ok[0], n)
	}
	projectGo(g, x+n, off[n:], fx[n:], fy[n:], ok[n:])
}

// projectInner is projectInnerGo.
func projectInner(set Set, g *grid, x int, off []int32, fx, fy []float32) {
	n := 0
	if set != Portable {
		if n = len(off) &^ 7; n > 0 {
			if set == AVX512 {
				projectInnerAVX512(&g.m[0], x, &off[0], &fx[0], &fy[0], n)
			} else {
				projectInnerAVX2(&g.m[0], x, &off[0], &fx[0], &fy[0], n)
			}
		}
	}
	projectInnerGo(g, x+n, off[n:], fx[n:], fy[n:])
}
