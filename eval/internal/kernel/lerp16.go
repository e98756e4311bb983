package kernel

import "github.com/rewarp/rewarp/ast/raster"

// lerpRow is bilinear where lerp16 has it, straight to the output's type.
func (r *runner[T]) lerpRow(set Set, y, x int, off []int32, fx, fy []float32) (ok bool) {
	if r.dst.Type != r.job.Src.Type || r.mulRow != nil || r.nodata != nil && r.masked {
		return false
	}
	at, dst := r.index(x, y), raster.Samples[T](r.dst)
	row := rowFor(r.rowWriter, r.scratch, dst, at, len(off)*r.bands)
	if !lerp16(set, row, r.pix, r.stride, r.bands, off, fx, fy) {
		return false
	}
	keepRow(r.rowWriter, dst, at, row)
	return true
}
