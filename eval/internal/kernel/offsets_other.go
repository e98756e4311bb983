//go:build !amd64

package kernel

func floatOffsets(_ Set, g *grid, x int, off []int32) { offsetsGo(g, x, off) }
