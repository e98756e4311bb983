package kernel

import (
	"math"

	"github.com/rewarp/rewarp/ast/raster"
)

// chunk is how many output pixels go through the stages of a row at a time.
// Arrays with one entry a pixel hold this many; arrays of weights hold one
// such array after another, tap by tap.
const chunk = 256

// narrow is a stored type that float32 holds exactly.
type narrow interface {
	uint8 | int8 | uint16 | int16 | float32
}

// grid is the map from a row of output pixels to tap offsets.
type grid struct {
	m          [9]float64
	by, ey, hy float64 // m[1]·y, m[4]·y, m[7]·y of the row
	sx, sy     float64 // subtracted from a position before it is split
	bands      float64 // samples from one column to the next
	stride     float64 // samples from one row to the next
	base       float64 // the offset of the source's pixel (0, 0)

	// Of a projective map: where the first tap may be, and the largest squared
	// stretch, for a pixel to be ok.
	x0, x1, y0, y1 float64
	limit          float64

	steps *steps // of an affine map
}

// row moves the grid to the canvas row y.
func (g *grid) row(y int) {
	py := float64(y) + 0.5
	g.by, g.ey, g.hy = g.m[1]*py, g.m[4]*py, g.m[7]*py
}

// The stages below exist in plain Go here, and some in assembly. All do the
// same operations in the same order, so that the results have the same bits
// everywhere. None are fused but by fused and math.FMA, hence the conversions
// around products.

// positionsGo splits the positions of the pixels from x on into the offset of
// the first tap and the fractions.
func positionsGo(g *grid, x int, off []int32, fx, fy []float32) {
	for i := range off {
		px := float64(x+i) + 0.5
		u := float64(float64(float64(g.m[0]*px)+g.by)+g.m[2]) - g.sx
		v := float64(float64(float64(g.m[3]*px)+g.ey)+g.m[5]) - g.sy
		iu, iv := math.Floor(u), math.Floor(v)
		fx[i], fy[i] = float32(u-iu), float32(v-iv)
		off[i] = int32(float64(iu*g.bands) + float64(iv*g.stride) + g.base)
	}
}

// lerpGo interpolates linearly between 2×2 taps, along y first.
func lerpGo[T narrow](dst []float32, pix []T, stride, bands int, off []int32, fx, fy []float32) {
	for i, o := range off {
		tx, ty := fx[i], fy[i]
		r0 := pix[o:][: 2*bands : 2*bands]
		r1 := pix[int(o)+stride:][: 2*bands : 2*bands]
		d := dst[i*bands:][:bands:bands]
		for b := range d {
			p, q := float32(r0[b]), float32(r0[b+bands])
			p += float32(ty * (float32(r1[b]) - p))
			q += float32(ty * (float32(r1[b+bands]) - q))
			d[b] = p + float32(tx*(q-p))
		}
	}
}

// lerpValidGo is lerpGo, band by band over the valid ones of the taps, with
// weights renormalized, and NaN where the sample at own, which is that of the
// pixel that contains the position, is invalid. Where all taps are valid the
// result is lerpGo's. Invalid are the values in nodata, two lists with
// nodataPad between, NaN and infinity.
func lerpValidGo[T narrow](dst []float32, pix []T, stride, bands int, off, own []int32, fx, fy, nodata []float32) {
	second := nodata[bands+nodataPad:]
	for i, o := range off {
		tx, ty := fx[i], fy[i]
		wx, wy := [2]float32{1 - tx, tx}, [2]float32{1 - ty, ty}
		for b := range bands {
			valid := func(v float32) bool { return !(v == nodata[b] || v == second[b] || v-v != 0) }
			if !valid(float32(pix[int(own[i])+b])) {
				dst[i*bands+b] = float32(math.NaN())
				continue
			}
			var sum, total float32
			var tap [4]float32
			all := true
			for k := range tap {
				v := float32(pix[int(o)+k/2*stride+k%2*bands+b])
				tap[k] = v
				if valid(v) {
					w := float32(wy[k/2] * wx[k%2])
					total += w
					sum += float32(v * w)
				} else {
					all = false
				}
			}
			if all {
				p := tap[0] + float32(ty*(tap[2]-tap[0]))
				q := tap[1] + float32(ty*(tap[3]-tap[1]))
				dst[i*bands+b] = p + float32(tx*(q-p))
			} else {
				dst[i*bands+b] = sum / total
			}
		}
	}
}

// tapsGo sums nx×ny taps with separable weights: of few bands along y first,
// else along x first.
func tapsGo[T narrow](dst []float32, pix []T, stride, bands int, off []int32, wx, wy []float32, nx, ny int) {
	if bands > 1 && bands <= 4 {
		tapsFewGo(dst, pix, stride, bands, off, wx, wy, nx, ny)
		return
	}
	for i, o := range off {
		for b := range bands {
			var sum float32
			at := int(o) + b
			for r := range ny {
				var row float32
				for c := range nx {
					row = fused(wx[c*chunk+i], float32(pix[at+c*bands]), row)
				}
				sum = fused(wy[r*chunk+i], row, sum)
				at += stride
			}
			dst[i*bands+b] = sum
		}
	}
}

func tapsFewGo[T narrow](dst []float32, pix []T, stride, bands int, off []int32, wx, wy []float32, nx, ny int) {
	for i, o := range off {
		for b := range bands {
			var sum float32
			for c := range nx {
				var column float32
				at := int(o) + c*bands + b
				for r := range ny {
					column = fused(wy[r*chunk+i], float32(pix[at]), column)
					at += stride
				}
				sum = fused(wx[c*chunk+i], column, sum)
			}
			dst[i*bands+b] = sum
		}
	}
}

// foldGo is tapsGo for one row of float32 whose weight is 1.
func foldGo(dst, row []float32, bands int, off []int32, wx []float32, nx int) {
	for i, o := range off {
		for b := range bands {
			var sum float32
			at := int(o) + b
			for c := range nx {
				sum = fused(wx[c*chunk+i], row[at], sum)
				at += bands
			}
			dst[i*bands+b] = sum
		}
	}
}

// columnsGo sums weighted rows, sample by sample.
func columnsGo[T narrow](dst []float32, pix []T, stride int, w []float32) {
	for i := range dst {
		var sum float32
		at := i
		for r := range w {
			sum += float32(w[r] * float32(pix[at]))
			at += stride
		}
		dst[i] = sum
	}
}

// scaleGo is v·mul + add, sample by sample. It is computed in float64, since the
// two terms may all but cancel.
func scaleGo(v []float32, mul, add []float64) {
	for i := range v {
		v[i] = float32(float64(float64(v[i])*mul[i]) + add[i])
	}
}

// roundingHalf is added before truncating. It is the half and its tolerance,
// which float32 still resolves near zero.
const roundingHalf = float32(0.5 + 1e-6)

// packGo rounds half away from zero and saturates. NaN gives an undefined
// sample.
func packGo[T uint8 | int8 | uint16 | int16](dst []T, v []float32) {
	l, h := raster.TypeOf[T]().Range()
	lo, hi := float32(l), float32(h)
	for i, x := range v {
		if !(x > lo) {
			x = lo
		}
		if x > hi {
			x = hi
		}
		if x < 0 {
			x -= roundingHalf
		} else {
			x += roundingHalf
		}
		dst[i] = T(int32(x))
	}
}

// finiteGo reports whether no value is NaN or infinite.
func finiteGo(v []float32) bool {
	for _, x := range v {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// unusableGo counts the values that are NaN, and those that are NaN or infinite.
func unusableGo(v []float32) (nans, all int) {
	for _, x := range v {
		if x-x != 0 {
			all++
			if x != x {
				nans++
			}
		}
	}
	return nans, all
}

// unit is a chunk of ones.
var unit = func() (u [chunk]float32) {
	for i := range u {
		u[i] = 1
	}
	return u
}()
