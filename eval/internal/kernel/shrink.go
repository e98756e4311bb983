package kernel

import "math"

// shrinkRows is how many rows of bytes are summed along x at a time.
const shrinkRows = 4

// shrinker holds the taps along x of a run of pixels, for rows of bytes whose
// sums are in fixed point, see fixedUnit.
type shrinker struct {
	key   shrinkKey
	bands int
	width int     // of a row, in samples
	taps  int     // a multiple of four
	first []int32 // a pixel's first tap, in samples from the row's start
	w     []int32 // a pixel's weights, one pixel after the other

	// As lanes or quads lay the taps out; empty if they could not.
	base  []int32
	table []uint32

	digits []uint32 // of a pixel's weights, see digitsOf
}

// canShrink reports whether bytes are summed along x in fixed point: where a
// vector of samples has four taps each in a vector of bytes, and no row is left
// out. It depends on the map alone.
func (r *runner[T]) canShrink(px, py *profile) bool {
	_, bytes := any(r.pix).([]uint8)
	if !bytes || r.bands > 4 || px.n > fixedTaps || float64(py.n) < math.Abs(r.inv[4]) {
		return false
	}
	pixels := float64((14 + r.bands) / r.bands) // from the first to the last of 16 samples
	return (math.Ceil(pixels*math.Abs(r.inv[0]))+4)*float64(r.bands) <= 64
}

// fits reports whether fixed point holds the weights of the columns that are
// not the sampler's. Those of every kernel do that has enough of it left.
func (r *runner[T]) fits(cols *axisPlan) bool {
	var fixed [fixedTaps]int32
	least := r.leastShare()
	for _, x := range cols.part {
		if _, ok := fixedWeights(fixed[:0], cols.weights(x)); !ok && cols.share[x-cols.a] > least {
			return false
		}
	}
	return true
}

// shrinkKey is all that a shrinker depends on.
type shrinkKey struct {
	set   Set
	plan  planKey
	a, b  int // columns
	w0, w int // of the window
	bands int
}

// shrinkCache keeps shrinkers between calls, as planCache does plans.
type shrinkCache struct {
	shrinkers [8]shrinker
	next      int
}

// columns lays out the columns [a, b) of a plan. It holds until the next call.
func (c *shrinkCache) columns(set Set, cols *axisPlan, a, b, w0, w, bands int) *shrinker {
	key := shrinkKey{set, cols.key, a, b, w0, w, bands}
	for i := range c.shrinkers {
		if k := &c.shrinkers[i]; k.key == key {
			return k
		}
	}
	c.next = (c.next + 1) % len(c.shrinkers)
	k := &c.shrinkers[c.next]
	k.key = key
	k.lay(cols)
	return k
}

// lay lays out the columns of the key.
func (k *shrinker) lay(cols *axisPlan) {
	a, b, w0, width, bands := k.key.a, k.key.b, k.key.w0, k.key.w, k.key.bands
	k.bands, k.width, k.taps = bands, width*bands, (cols.n+3)&^3
	k.first, k.w = grow(k.first, b-a), grow(k.w, (b-a)*k.taps)
	clear(k.w)
	var fixed [fixedTaps]int32
	for i := range k.first {
		from := cols.first[a+i-cols.a] - w0
		first := max(0, min(from, width-k.taps))
		k.first[i] = int32(first * bands)
		w, _ := fixedWeights(fixed[:0], cols.weights(a+i))
		for tap, v := range w {
			if v != 0 {
				k.w[i*k.taps+from+tap-first] = v
			}
		}
	}
	k.base = k.base[:0]
	switch k.key.set {
	case AVX512:
		k.lanes()
	case AVX2:
		k.quads()
	}
}

// lanes lays out what a vector of 16 samples needs of four taps: from where on
// 64 bytes hold them, and then, for each sample, which of these they are, and
// the lowest digits of their weights, those above, and the highest.
func (k *shrinker) lanes() {
	n, groups := len(k.first)*k.bands, k.taps/4
	k.base, k.table = grow(k.base, (n+15)/16*groups), grow(k.table, (n+15)/16*groups*64)
	k.digits = grow(k.digits, len(k.first)*groups*3)
	for i := range k.first {
		digits := digitsOf(k.w[i*k.taps:][:k.taps], 0)
		copy(k.digits[i*groups*3:][:groups*3], digits[:])
	}
	following := k.order(0, 1)<<8 | k.order(0, 2)<<16 | k.order(0, 3)<<24
	var at [16]int32
	for i := range k.base {
		from, g := i/groups*16, i%groups
		lo, ok := k.span(at[:], from, g, 64)
		if !ok {
			k.base = k.base[:0]
			return
		}
		k.base[i] = lo
		table := (*[64]uint32)(k.table[i*64:])
		pixel, band := k.pixel(from), from%k.bands
		for lane, at := range at {
			digits := k.digits[(pixel*groups+g)*3:][:3]
			table[lane] = uint32(at-lo)*0x01010101 + following
			table[16+lane], table[32+lane], table[48+lane] = digits[0], digits[1], digits[2]
			pixel, band = k.next(pixel, band)
		}
	}
}

// quads lays out what two quads of samples need of four taps: from where on 16
// bytes hold those of each, and then, for each sample, which of these are the
// first two taps and the other two, the low halves of their weights, and the
// high halves. A quad is whole pixels, so that three bands leave a sample out.
func (k *shrinker) quads() {
	n, groups, quad := len(k.first)*k.bands, k.taps/4, k.quad()
	units := (n + 2*quad - 1) / (2 * quad)
	k.base, k.table = grow(k.base, units*groups*2), grow(k.table, units*groups*48)
	var at [4]int32
	for i := range k.base {
		from, g := (i/2/groups*2+i%2)*quad, i/2%groups
		table := k.table[i/2*48+i%2*4:]
		lo, ok := k.span(at[:quad], from, g, 16)
		if !ok {
			k.base = k.base[:0]
			return
		}
		k.base[i] = lo
		for s, at := range at[:quad] {
			w := k.weights(from+s, g)
			for pair := range 2 {
				const low = 1<<quadBits - 1
				a, b := w[2*pair], w[2*pair+1]
				table[8*pair+s] = 0x80008000 | k.order(at-lo, 2*pair) | k.order(at-lo, 2*pair+1)<<16
				table[16+8*pair+s] = uint32(a&low | b&low<<16)
				table[32+8*pair+s] = uint32(a>>quadBits&0xffff | b>>quadBits<<16)
			}
		}
	}
}

// quadBits are in the low half of a weight. The high half has a sign.
const quadBits = 12

// quad is how many samples are in a quad.
func (k *shrinker) quad() int { return 4 / k.bands * k.bands }

// span finds where the first of four taps of some samples are, and from where
// on so many bytes of the row hold all.
func (k *shrinker) span(at []int32, from, group, size int) (lo int32, ok bool) {
	lo, hi := int32(math.MaxInt32), int32(0)
	pixel, band := k.pixel(from), from%k.bands
	for i := range at {
		first := k.first[pixel] + int32(4*group*k.bands+band)
		at[i], lo, hi = first, min(lo, first), max(hi, first)
		pixel, band = k.next(pixel, band)
	}
	lo = min(lo, int32(k.width-size))
	return lo, lo >= 0 && int(hi-lo)+3*k.bands < size
}

// pixel is that of a sample, or the last.
func (k *shrinker) pixel(sample int) int { return min(sample/k.bands, len(k.first)-1) }

// next is the sample after a band of a pixel, in the last pixel for ever.
func (k *shrinker) next(pixel, band int) (int, int) {
	if band++; band < k.bands {
		return pixel, band
	}
	return min(pixel+1, len(k.first)-1), 0
}

// weights are four of a sample's.
func (k *shrinker) weights(sample, group int) []int32 {
	return k.w[k.pixel(sample)*k.taps+4*group:][:4]
}

// order is the place of a tap that follows the first by so many.
func (k *shrinker) order(first int32, tap int) uint32 { return uint32(first) + uint32(tap*k.bands) }

// shrinkGo sums the taps of each pixel in a row of bytes. Those that weigh
// nothing need not be in it.
func shrinkGo(dst []float32, row []uint8, k *shrinker) {
	for i, first := range k.first {
		w := k.w[i*k.taps:][:k.taps]
		for b := range k.bands {
			var sum int32
			at := int(first) + b
			for _, w := range w {
				if w != 0 {
					sum += w * int32(row[at])
				}
				at += k.bands
			}
			dst[i*k.bands+b] = float32(sum) * fixedUnit
		}
	}
}
