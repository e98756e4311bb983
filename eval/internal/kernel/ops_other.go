//go:build !amd64

package kernel

func floatPositions(_ Set, g *grid, x int, off []int32, fx, fy []float32) {
	positionsGo(g, x, off, fx, fy)
}

func lerp[T narrow](_ Set, dst []float32, pix []T, stride, bands int, off []int32, fx, fy []float32) {
	lerpGo(dst, pix, stride, bands, off, fx, fy)
}

func lerpValid[T narrow](_ Set, dst []float32, pix []T, stride, bands int, off, own []int32, fx, fy, nodata []float32) {
	lerpValidGo(dst, pix, stride, bands, off, own, fx, fy, nodata)
}

func taps[T narrow](_ Set, _, dst []float32, pix []T, stride, bands int, off []int32, wx, wy []float32, nx, ny int) {
	tapsGo(dst, pix, stride, bands, off, wx, wy, nx, ny)
}

func columns[T narrow](_ Set, dst []float32, pix []T, stride int, w []float32) {
	columnsGo(dst, pix, stride, w)
}

func scale(_ Set, v []float32, mul, add []float64) { scaleGo(v, mul, add) }

func pack[T uint8 | int8 | uint16 | int16](_ Set, dst []T, v []float32) { packGo(dst, v) }

func finite(_ Set, v []float32) bool { return finiteGo(v) }

func unusable(_ Set, v []float32) (nans, all int) { return unusableGo(v) }

func weights(_ Set, p *profile, w, frac []float32) { weightsGo(p, w, frac) }

func fold(_ Set, dst, row []float32, bands int, off []int32, wx []float32, nx int) {
	foldGo(dst, row, bands, off, wx, nx)
}
