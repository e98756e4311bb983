package kernel

import (
	"unsafe"

	"github.com/rewarp/rewarp/ast/raster"
)

// lerpRailsOf are the kernels for pixels of so many bands in rows of stride
// samples.
func lerpRailsOf[T raster.Sample](set Set, bands, stride int) (l lerpRails) {
	if set != AVX512 || bands < 2 || bands > 4 || !railWords(bands, stride) {
		return l
	}
	var t T
	switch any(t).(type) {
	case uint16:
		l = lerpRails{lerpRailUint16AVX512, lerpRailUint16StreamAVX512}
	case int16:
		l = lerpRails{lerpRailInt16AVX512, lerpRailInt16StreamAVX512}
	}
	if bands < 4 {
		l.past = nil
	}
	return l
}

// interpolateAlong interpolates len(u) pixels of 16-bit samples along a rail,
// at the steps u and v. It returns whether all are clear.
func interpolateAlong[T raster.Sample](lerp lerpRail, dst, pix []T, stride, bands int, r *rail, u, v []int32, a ahead) bool {
	_ = dst[len(u)*bands-1]
	return lerp((*byte)(unsafe.Pointer(&dst[0])), (*byte)(unsafe.Pointer(&pix[0])), 2*stride, bands, &r.u, &u[0], &v[0], 2*a.delta, len(u))
}
