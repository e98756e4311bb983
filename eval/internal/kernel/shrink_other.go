//go:build !amd64

package kernel

func shrink(_ Set, dst []float32, step int, pix []uint8, at, stride, rows int, k *shrinker) {
	for r := range rows {
		shrinkGo(dst[r*step:], pix[at+r*stride:], k)
	}
}
