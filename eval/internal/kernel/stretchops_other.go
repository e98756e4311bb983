//go:build !amd64

package kernel

func stretch(_ Set, _ bool, dst, row []float32, base, index []int32, w []float32, taps, bands, stride int) {
	stretchGo(dst, row, Portable.lanes(), base, index, w, taps, bands, stride)
}

func blend(_ Set, dst []float32, n, step int, rows []float32, at []int, w []float32) {
	blendGo(dst, n, step, rows, at, w)
}

func blendStream(_ Set, dst []float32, n, step int, rows []float32, at []int, w []float32) {
	blendGo(dst, n, step, rows, at, w)
}

func blendUint8Stream(_ Set, dst []uint8, n, step int, rows []float32, at []int, w []float32) {
	blendUint8Go(dst, n, step, rows, at, w)
}

func endStream(_ Set) {}

func blendUint8(_ Set, dst []uint8, n, step int, rows []float32, at []int, w []float32) {
	blendUint8Go(dst, n, step, rows, at, w)
}

func peak(_ Set, v []float32) uint32 { return peakGo(v) }
