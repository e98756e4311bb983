package kernel

import (
	"math/bits"
	"unsafe"

	"github.com/rewarp/rewarp/ast/raster"
)

// alongRails are the kernels for pixels of up to 16 bytes; longer ones have one
// for up to a vector.
var alongRails = [17]railPick{
	1: pickRail1AVX512, 2: pickRail2AVX512, 3: pickRail3AVX512, 4: pickRail4AVX512, 6: pickRail6AVX512, 8: pickRail8AVX512,
	12: pickRail12AVX512, 16: pickRail16AVX512,
}

// pastCaches are those that write whole vectors past the caches.
var pastCaches = [17]railPick{
	4: pickRail4StreamAVX512, 8: pickRail8StreamAVX512, 12: pickRail12StreamAVX512, 16: pickRail16StreamAVX512,
}

// railPicksOf are the kernels for pixels of size bytes in rows of stride
// samples, and for such that go past the caches to a multiple of a line, nil if
// there are none.
func railPicksOf(set Set, size, stride int) (pick, stream railPick) {
	switch {
	case set != AVX512 || !railWords(size, stride) || size > 64:
		return nil, nil
	case size < len(alongRails):
		return alongRails[size], pastCaches[size]
	}
	return pickRailLongAVX512, nil
}

// atLine reports whether a line of the caches begins with p.
func atLine[T any](p *T) bool { return uintptr(unsafe.Pointer(p))&63 == 0 }

// pickAlong picks len(u) pixels along a rail, at the steps u and v. It returns
// whether all are clear, and finite if they are float32.
func pickAlong[T raster.Sample](pick railPick, dst, pix []T, r *rail, u, v []int32, bands int, a ahead) bool {
	size := int(unsafe.Sizeof(dst[0]))
	_ = dst[len(u)*bands-1]
	floats := 0
	if _, ok := any(dst).([]float32); ok {
		floats = -1
	}
	return pick((*byte)(unsafe.Pointer(&dst[0])), (*byte)(unsafe.Pointer(&pix[0])), &r.u, &u[0], &v[0],
		bits.TrailingZeros(uint(size)), bands*size, a.delta*size, floats, len(u))
}
