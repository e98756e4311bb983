//go:build !amd64

package kernel

func project(_ Set, g *grid, x int, off []int32, fx, fy []float32, ok []int32) {
	projectGo(g, x, off, fx, fy, ok)
}

func projectInner(_ Set, g *grid, x int, off []int32, fx, fy []float32) {
	projectInnerGo(g, x, off, fx, fy)
}
