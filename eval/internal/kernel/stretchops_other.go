//go:build !amd64

package kernel

func stretch(_ Set, _ bool, dst, row []float32, base, index []int32, w []float32, taps, bands, stride int) {
	stretchGo(dst, row, Portable.lanes(), base, index, w, taps, bands, stride)
}

func blend(_ Set, dst, rows []float32, at []int, w []float32) { blendGo(dst, rows, at, w) }

func blendUint8(_ Set, _ []uint8, _ []float32, _ []int, _ []float32) int { return 0 }
