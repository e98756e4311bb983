package kernel

// clearOf is clearGo for a block.
func clearOf(set Set, r *rail, u, v []int32) bool {
	switch set {
	case Portable:
		return clearGo(r, u, v)
	case AVX2:
		return clearAVX2(&r.u, &u[0], &v[0], len(u))
	}
	return clearAVX512(&r.u, &u[0], &v[0], len(u))
}

// stepPositions is stepsGo.
func stepPositions(set Set, r *rail, u, v, off []int32, fx, fy []float32) bool {
	n, ok := 0, true
	if set != Portable {
		if n = len(off) &^ (set.lanes() - 1); n > 0 {
			if set == AVX512 {
				ok = stepsAVX512(&r.u, &u[0], &v[0], &off[0], &fx[0], &fy[0], n)
			} else {
				ok = stepsAVX2(&r.u, &u[0], &v[0], &off[0], &fx[0], &fy[0], n)
			}
		}
	}
	return stepsGo(r, u[n:], v[n:], off[n:], fx[n:], fy[n:]) && ok
}

// stepOffsets is stepOffsetsGo.
func stepOffsets(set Set, r *rail, u, v, off []int32) bool {
	n, ok := 0, true
	if set != Portable {
		if n = len(off) &^ (set.lanes() - 1); n > 0 {
			if set == AVX512 {
				ok = stepOffsetsAVX512(&r.u, &u[0], &v[0], &off[0], n)
			} else {
				ok = stepOffsetsAVX2(&r.u, &u[0], &v[0], &off[0], n)
			}
		}
	}
	return stepOffsetsGo(r, u[n:], v[n:], off[n:]) && ok
}
