//go:build !amd64

package kernel

func fixed(_ Set, dst []float32, pix []uint8, at, stride int, w []int32) {
	fixedGo(dst, pix, at, stride, w)
}
