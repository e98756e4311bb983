package kernel

import (
	"unsafe"

	"github.com/rewarp/rewarp/ast/raster"
)

// picker is a runner whose pixels are each one of the source's.
type picker[T raster.Sample] struct {
	*runner[T]
	out      []T  // of the output, where samples are stored as they are
	straight bool // a translation along the row reads as it writes
	ahead    ahead
	rails    railPick // nil if there is none for these pixels
	past     railPick // past the caches, to whole lines; it may be nil
}

// runPick computes copies and affine nearest warps.
func runPick[T raster.Sample](j *Job, scratch *Scratch) (invalid int, ok bool) {
	p := picker[T]{runner: newRunner[T](j, scratch)}
	direct := j.Dst.Type == j.Src.Type && p.mulRow == nil
	if t := j.Src.Type; !direct && t.Size() >= 4 && t != raster.Float32 {
		return 0, false
	}
	p.grid.sx, p.grid.sy = -edgeTolerance, -edgeTolerance
	p.guard = guardMap(p.sampler, scratch, 1, 1)
	if direct {
		p.out = raster.Samples[T](j.Dst)
		p.straight = p.copies && p.inv[0] == 1 && p.contiguous() && p.guard == nil
	}
	size := p.bands * j.Src.Type.Size()
	if size >= 8 { // fewer are gathered at a time
		p.ahead = newAhead(&p.grid, size)
	}
	set := scratch.set
	if p.stride*j.Src.Type.Size() < minRow {
		set = Portable
	}
	if direct && !p.straight && p.contiguous() && p.guard == nil {
		p.rails, p.past = railPicksOf(set, size, p.stride)
		p.stream = p.rails != nil && p.large()
	}
	row := func(y, a, b int) int { return p.row(set, y, a, b) }
	if p.rails == nil {
		return p.rows(row), true
	}
	defer p.endStream(set)
	return p.blocks(1, func(y, a, b int) int { return p.run(set, y, a, b) }, row), true
}

// row computes a run of pixels that have a source pixel, or a border does.
func (p *picker[T]) row(set Set, y, a, b int) int {
	a1, b1, c, d := p.inner(a, b, 1, 1)
	if a1 >= b1 {
		return p.each(y, a, b)
	}
	invalid := p.each(y, a, a1) + p.each(y, b1, b)
	if p.straight {
		offsets(p.scratch.set, &p.grid, a1, p.scratch.off[:1])
		n := (b1 - a1) * p.bands
		at := p.index(a1, y)
		row := p.out[at:][:n]
		copy(row, p.pix[p.scratch.off[0]:][:n])
		p.setValid(at, n)
		return invalid + p.notFinite(y, a1, row, nil)
	}
	return invalid + p.run(Portable, y, a1, c) + p.run(set, y, c, d) + p.run(Portable, y, d, b1)
}

// run computes pixels whose source pixels are in the window; under a set other
// than Portable not in its last row.
func (p *picker[T]) run(set Set, y, a, b int) (invalid int) {
	for x := a; x < b; {
		n := min(chunk-x&(chunk-1), b-x)
		if m := n &^ (railLanes - 1); m > 0 && set != Portable && p.rails != nil && p.alongRail(y, x, m) {
			x += m
			continue
		}
		off := p.scratch.off[:n]
		offsets(p.scratch.set, &p.grid, x, off)
		fetch(p.ahead, p.scratch.set, p.pix, off)
		invalid += p.at(set, y, x, off)
		x += n
	}
	return invalid
}

// at computes the pixels from x on from those at the offsets.
func (p *picker[T]) at(set Set, y, x int, off []int32) (invalid int) {
	n := len(off)
	if p.out == nil {
		v := p.target(y, x, n)
		p.convert(set, v, off)
		return p.finish(y, x, v, off)
	}
	at, bands := p.index(x, y), p.dst.Bands
	pick(set, p.out[at:], bands, p.pix, p.bands, off)
	if p.contiguous() {
		p.setValid(at, n*bands)
		invalid = p.notFinite(y, x, p.out[at:][:n*bands], off)
	} else {
		p.setValidPixels(at, n)
		for i := 0; p.float && i < n; i++ {
			invalid += p.notFinite(y, x+i, p.out[at+i*bands:][:p.bands], off[i:])
		}
	}
	return invalid + p.guarded(y, x, off)
}

// convert converts the pixels at the offsets, packed, of a type that float32
// holds.
func (p *picker[T]) convert(set Set, v []float32, off []int32) {
	switch pix := any(p.pix).(type) {
	case []uint8:
		convert(set, p.scratch, v, pix, p.bands, off)
	case []int8:
		convert(set, p.scratch, v, pix, p.bands, off)
	case []uint16:
		convert(set, p.scratch, v, pix, p.bands, off)
	case []int16:
		convert(set, p.scratch, v, pix, p.bands, off)
	case []float32:
		convert(set, p.scratch, v, pix, p.bands, off)
	}
}

// notFinite has the sampler compute the pixels from x on that hold NaN or
// infinity, unless the guard covers them.
func (p *picker[T]) notFinite(y, x int, v []T, off []int32) (invalid int) {
	if !p.float || p.finite(v) {
		return 0
	}
	n := len(v) / p.bands
	for i := range n {
		for _, t := range v[i*p.bands:][:p.bands] {
			if t-t != 0 && (p.guard == nil || !p.isGuarded(off[i])) {
				invalid += p.each(y, x+i, x+i+1)
				break
			}
		}
	}
	return invalid
}

// finite reports whether no sample is NaN or infinite.
func (p *picker[T]) finite(v []T) bool {
	if f, ok := any(v).([]float32); ok {
		return finite(p.scratch.set, f)
	}
	for _, t := range v {
		if t-t != 0 {
			return false
		}
	}
	return true
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
