//go:build !amd64

package kernel

func lerp8(_ Set, dst, pix []uint8, stride, bands int, off []int32, fx, fy []float32) {
	lerp8Go(dst, pix, stride, bands, off, fx, fy)
}
