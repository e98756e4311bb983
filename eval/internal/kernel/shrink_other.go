//go:build !amd64

package kernel

func shrinkLanes([]float32, int, []uint8, int, *shrinker) {}

func shrinkRow(_ Set, dst []float32, row []uint8, k *shrinker) { shrinkGo(dst, row, k) }
