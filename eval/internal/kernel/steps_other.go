//go:build !amd64

package kernel

func clearOf(_ Set, r *rail, u, v []int32) bool { return clearGo(r, u, v) }

func stepPositions(_ Set, r *rail, u, v, off []int32, fx, fy []float32) bool {
	return stepsGo(r, u, v, off, fx, fy)
}

func stepOffsets(_ Set, r *rail, u, v, off []int32) bool { return stepOffsetsGo(r, u, v, off) }
