//go:build !amd64

package kernel

func interleave(_ Set, dst []byte, planes planeList, size int) { interleaveGo(dst, planes, size, 0) }
