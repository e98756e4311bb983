package kernel

import "unsafe"

// stretch is stretchGo with groups of the set's lanes. near says that every
// index is less than the lanes. len(dst) is a multiple of the lanes.
func stretch(set Set, near bool, dst, row []float32, base, index []int32, w []float32, taps, bands, stride int) {
	if len(dst) == 0 {
		return
	}
	var f func(dst, row *float32, base, index *int32, w *float32, taps, bands, stride, n int)
	switch {
	case set == AVX512 && near:
		f = stretchAVX512
	case set == AVX512:
		f = stretchFarAVX512
	case set == AVX2 && near:
		f = stretchAVX2
	case set == AVX2:
		f = stretchFarAVX2
	default:
		stretchGo(dst, row, set.lanes(), base, index, w, taps, bands, stride)
		return
	}
	f(&dst[0], &row[0], &base[0], &index[0], &w[0], taps, bands, stride, len(dst))
}

type blendFunc[T uint8 | float32] func(dst *T, rows *float32, at *int, w *float32, taps, n, step, count int)

// blender has the kernels that sum stretched rows to samples of a type, and
// their twin.
type blender[T uint8 | float32] struct {
	twin        func(dst []T, n, step int, rows []float32, at []int, w []float32)
	plain, past [2]blendFunc[T] // by set, less one
}

var (
	floatBlender = blender[float32]{blendGo, [2]blendFunc[float32]{blendAVX2, blendAVX512}, [2]blendFunc[float32]{blendStreamAVX2, blendStreamAVX512}}
	uint8Blender = blender[uint8]{blendUint8Go, [2]blendFunc[uint8]{blendUint8AVX2, blendUint8AVX512}, [2]blendFunc[uint8]{blendUint8StreamAVX2, blendUint8StreamAVX512}}
)

// blend is blendGo.
func blend(set Set, dst []float32, n, step int, rows []float32, at []int, w []float32) {
	floatBlender.blend(set, dst, n, step, rows, at, w)
}

// blendStream is blendGo, past the caches. endStream is to follow.
func blendStream(set Set, dst []float32, n, step int, rows []float32, at []int, w []float32) {
	floatBlender.stream(set, dst, n, step, rows, at, w)
}

// blendUint8 is blendUint8Go.
func blendUint8(set Set, dst []uint8, n, step int, rows []float32, at []int, w []float32) {
	uint8Blender.blend(set, dst, n, step, rows, at, w)
}

// blendUint8Stream is blendUint8Go, past the caches. endStream is to follow.
func blendUint8Stream(set Set, dst []uint8, n, step int, rows []float32, at []int, w []float32) {
	uint8Blender.stream(set, dst, n, step, rows, at, w)
}

func (b *blender[T]) blend(set Set, dst []T, n, step int, rows []float32, at []int, w []float32) {
	group, set := groupOf(set, n)
	if set == Portable {
		b.twin(dst, n, step, rows, at, w)
		return
	}
	f, count, whole := b.plain[set-1], len(w)/len(at), n&^(group-1)
	f(&dst[0], &rows[0], &at[0], &w[0], len(at), whole, step, count)
	if whole < n { // what is left, and some once more
		f(&dst[n-group], &rows[n-group], &at[0], &w[0], len(at), group, step, count)
	}
}

// groupOf is how many of n samples blend computes at a time, and the set for
// them.
func groupOf(set Set, n int) (int, Set) {
	for set > Portable && n < 4*set.lanes() {
		set--
	}
	return 4 * set.lanes(), set
}

// stream has the kernels that go past the caches write whole vectors of the
// outputs, and the plain ones what is around them.
func (b *blender[T]) stream(set Set, dst []T, n, step int, rows []float32, at []int, w []float32) {
	if set == Portable || n < 8*set.lanes() {
		b.blend(set, dst, n, step, rows, at, w)
		return
	}
	plain, past := b.plain[set-1], b.past[set-1]
	size := int(unsafe.Sizeof(dst[0]))
	group, vector := 4*set.lanes(), 4*set.lanes()/size
	for len(w) > 0 {
		count := 1
		if step%vector == 0 {
			count = len(w) / len(at)
		}
		head := int(-uintptr(unsafe.Pointer(&dst[0]))) / size & (vector - 1)
		part := func(f blendFunc[T], from, n int) {
			f(&dst[from], &rows[from], &at[0], &w[0], len(at), n, step, count)
		}
		if head > 0 {
			part(plain, 0, group)
		}
		whole := (n - head) &^ (group - 1)
		part(past, head, whole)
		if head+whole < n {
			part(plain, n-group, group)
		}
		if w = w[count*len(at):]; len(w) > 0 {
			dst = dst[step:]
		}
	}
}

// endStream has what went past the caches seen by others.
func endStream(set Set) {
	if set != Portable {
		fence()
	}
}

// peak is peakGo.
func peak(set Set, v []float32) (bits uint32) {
	if n := len(v) &^ 7; set != Portable && n > 0 {
		bits = peakAVX2(&v[0], n)
		v = v[n:]
	}
	return max(bits, peakGo(v))
}
