package kernel

import (
	"unsafe"

	"github.com/rewarp/rewarp/ast/raster"
)

// runPick computes copies and affine nearest warps: every pixel is one of the
// source's.
func runPick[T raster.Sample](j *Job, scratch *Scratch, convert func(Set, *Scratch, []float32, []T, int, []int32)) (invalid int, ok bool) {
	r := newRunner[T](j, scratch)
	direct := j.Dst.Type == j.Src.Type && r.mulRow == nil
	if !direct && convert == nil {
		return 0, false
	}
	r.grid.sx, r.grid.sy = -edgeTolerance, -edgeTolerance
	r.guard = guardMap(r.sampler, scratch, 1, 1)
	var out []T
	if direct {
		out = raster.Samples[T](j.Dst)
	}
	// A translation along the row reads as it writes.
	straight := r.copies && r.inv[0] == 1 && r.contiguous()
	// Smaller pixels are gathered, many at a time as it is.
	var ahead ahead
	if size := r.bands * j.Src.Type.Size(); size > 8 && size <= 16 {
		ahead = newAhead(&r.grid, size)
	}
	run := func(set Set, y, a, b int) (invalid int) {
		for x := a; x < b; {
			n := min(chunk-x&(chunk-1), b-x)
			off := scratch.off[:n]
			offsets(scratch.set, &r.grid, x, off)
			fetch(ahead, scratch.set, r.pix, off)
			if !direct {
				v := r.target(y, x, n)
				convert(set, scratch, v, r.pix, r.bands, off)
				invalid += r.finish(y, x, v, off)
			} else {
				at := r.index(x, y)
				pick(set, out[at:], r.dst.Bands, r.pix, r.bands, off)
				if r.contiguous() {
					r.setValid(at, n*r.bands)
					invalid += r.notFinite(y, x, out[at:][:n*r.bands], off)
				} else {
					r.setValidPixels(at, n)
					for i := 0; r.float && i < n; i++ {
						invalid += r.notFinite(y, x+i, out[at+i*r.dst.Bands:][:r.bands], off[i:])
					}
				}
				invalid += r.guarded(y, x, off)
			}
			x += n
		}
		return invalid
	}
	set := scratch.set
	if r.stride*j.Src.Type.Size() < minRow {
		set = Portable
	}
	return r.rows(func(y, a, b int) int {
		a1, b1, c, d := r.inner(a, b, 1, 1)
		if a1 >= b1 {
			return r.each(y, a, b)
		}
		invalid := r.each(y, a, a1) + r.each(y, b1, b)
		if direct && straight && r.guard == nil {
			offsets(scratch.set, &r.grid, a1, scratch.off[:1])
			n := (b1 - a1) * r.bands
			at := r.index(a1, y)
			row := out[at:][:n]
			copy(row, r.pix[scratch.off[0]:][:n])
			r.setValid(at, n)
			return invalid + r.notFinite(y, a1, row, nil)
		}
		return invalid + run(Portable, y, a1, c) + run(set, y, c, d) + run(Portable, y, d, b1)
	}), true
}

// notFinite has the sampler compute the pixels from x on that hold NaN or
// infinity, unless the guard covers them.
func (r *runner[T]) notFinite(y, x int, v []T, off []int32) (invalid int) {
	if !r.float {
		return 0
	}
	if f, ok := any(v).([]float32); ok && finite(r.scratch.set, f) {
		return 0
	}
	n := len(v) / r.bands
	for i := range n {
		for _, t := range v[i*r.bands:][:r.bands] {
			if t-t != 0 && (r.guard == nil || !r.isGuarded(off[i])) {
				invalid += r.each(y, x+i, x+i+1)
				break
			}
		}
	}
	return invalid
}

// pick is pickGo. Under a set other than Portable it reads up to 16 bytes from
// where a pixel begins.
func pick[T raster.Sample](set Set, dst []T, step int, pix []T, bands int, off []int32) {
	n := 0
	if set != Portable && step == bands {
		n = pickVectors(set, dst, pix, bands, off)
	}
	pickGo(dst[n*step:], step, pix, bands, off[n:])
}

// pickGo copies whole pixels. The offsets are inside pix: that is not checked
// again.
func pickGo[T raster.Sample](dst []T, step int, pix []T, bands int, off []int32) {
	if len(off) == 0 {
		return
	}
	_ = dst[(len(off)-1)*step+bands-1]
	sample := unsafe.Sizeof(dst[0])
	d, s := unsafe.Pointer(unsafe.SliceData(dst)), unsafe.Pointer(unsafe.SliceData(pix))
	by := uintptr(step) * sample
	switch uintptr(bands) * sample {
	case 1:
		pickWords[uint8](d, s, by, 1, off)
	case 2:
		pickWords[uint16](d, s, by, sample, off)
	case 3:
		pickPairs[uint16, uint8](d, s, by, sample, off)
	case 4:
		pickWords[uint32](d, s, by, sample, off)
	case 6:
		pickPairs[uint32, uint16](d, s, by, sample, off)
	case 8:
		pickWords[uint64](d, s, by, sample, off)
	case 12:
		pickPairs[uint64, uint32](d, s, by, sample, off)
	case 16:
		pickPairs[uint64, uint64](d, s, by, sample, off)
	default:
		for i, o := range off {
			copy(dst[i*step:][:bands], pix[o:][:bands])
		}
	}
}

// pickWords is pick for pixels of one word.
func pickWords[W any](d, s unsafe.Pointer, by, sample uintptr, off []int32) {
	// Every address is made from d by the pixel's number, so that none is ever
	// past the end.
	i := 0
	// Four at a time, when the output has no other bands between.
	if size := unsafe.Sizeof(*(*W)(d)); by == size {
		for ; i+4 <= len(off); i += 4 {
			o := (*[4]int32)(off[i:])
			*(*[4]W)(unsafe.Add(d, uintptr(i)*size)) = [4]W{
				*(*W)(unsafe.Add(s, uintptr(uint32(o[0]))*sample)), *(*W)(unsafe.Add(s, uintptr(uint32(o[1]))*sample)),
				*(*W)(unsafe.Add(s, uintptr(uint32(o[2]))*sample)), *(*W)(unsafe.Add(s, uintptr(uint32(o[3]))*sample)),
			}
		}
	}
	for ; i < len(off); i++ {
		*(*W)(unsafe.Add(d, uintptr(i)*by)) = *(*W)(unsafe.Add(s, uintptr(uint32(off[i]))*sample))
	}
}

// pickPairs is pick for pixels of two words, of types A and B.
func pickPairs[A, B any](d, s unsafe.Pointer, by, sample uintptr, off []int32) {
	var a A
	for i, o := range off {
		p, q := unsafe.Add(s, uintptr(uint32(o))*sample), unsafe.Add(d, uintptr(i)*by)
		*(*A)(q) = *(*A)(p)
		*(*B)(unsafe.Add(q, unsafe.Sizeof(a))) = *(*B)(unsafe.Add(p, unsafe.Sizeof(a)))
	}
}

// convert is convertGo. Under a set other than Portable it reads as much as
// pick.
func convert[T narrow](set Set, scratch *Scratch, dst []float32, pix []T, bands int, off []int32) {
	if set == Portable {
		convertGo(dst, pix, bands, off)
		return
	}
	if f, ok := any(pix).([]float32); ok {
		pick(set, dst, bands, f, bands, off)
		return
	}
	picked := scratchSamples[T](scratch, len(off)*bands)
	pick(set, picked, bands, pix, bands, off)
	columns(set, dst[:len(picked)], picked, 0, unit[:1])
}

// convertGo is pick to float32, packed.
func convertGo[T narrow](dst []float32, pix []T, bands int, off []int32) {
	for i, o := range off {
		d := dst[i*bands:][:bands]
		for b, t := range pix[o:][:bands] {
			d[b] = float32(t)
		}
	}
}
