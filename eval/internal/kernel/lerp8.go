package kernel

import "github.com/rewarp/rewarp/ast/raster"

// Bytes of few bands are interpolated in integers: exactly, but for fractions, which are
// rounded to multiples of 2⁻¹⁶, and for the product of two of them, which is
// rounded down to one. So a value is off by less than 255·2⁻¹⁴, and a half that
// is one stays one.

// maxLerp8 is how many bands that holds for.
const maxLerp8 = 4

// fraction16 is a fraction in units of 2⁻¹⁶, less than one.
func fraction16(f float32) uint32 { return min(uint32(float32(f*(1<<16))+0.5), 1<<16-1) }

// cornersGo are the weights of the 2×2 taps at the fractions fx and fy, row by
// row, in units of 2⁻¹⁶. They sum to 2¹⁶, or to one less where only the first
// weighs anything.
func cornersGo(fx, fy float32) [4]uint32 {
	x, y := fraction16(fx), fraction16(fy)
	both := x * y >> 16
	return [4]uint32{min(1<<16-x-(y-both), 1<<16-1), x - both, y - both, both}
}

// lerp8Go is lerpGo for bytes, rounded.
func lerp8Go(dst, pix []uint8, stride, bands int, off []int32, fx, fy []float32) {
	for i, o := range off {
		w := cornersGo(fx[i], fy[i])
		r0 := pix[o:][: 2*bands : 2*bands]
		r1 := pix[int(o)+stride:][: 2*bands : 2*bands]
		d := dst[i*bands:][:bands:bands]
		for b := range d {
			sum := w[0]*uint32(r0[b]) + w[1]*uint32(r0[b+bands]) + w[2]*uint32(r1[b]) + w[3]*uint32(r1[b+bands])
			d[b] = uint8((sum + 1<<15) >> 16)
		}
	}
}

// bytes are the source's samples if they are to be interpolated by lerp8.
func (r *runner[T]) bytes() (pix []uint8, ok bool) {
	pix, ok = any(r.pix).([]uint8)
	return pix, ok && r.dst.Type == raster.Uint8 && r.bands <= maxLerp8 && r.mulRow == nil && (r.nodata == nil || !r.masked)
}

// bilinear8 is bilinear for bytes.
func (r *runner[T]) bilinear8(set Set, pix []uint8, y, x int, off []int32, fx, fy []float32) (invalid int) {
	at, dst := r.index(x, y), raster.Samples[uint8](r.dst)
	row := rowFor(r.rowWriter, r.scratch, dst, at, len(off)*r.bands)
	lerp8(set, row, pix, r.stride, r.bands, off, fx, fy)
	keepRow(r.rowWriter, dst, at, row)
	return r.guarded(y, x, off)
}
