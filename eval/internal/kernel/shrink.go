package kernel

import "math"

// shrinkRows is how many rows of bytes are summed along x at a time.
const shrinkRows = 4

// shrinker holds the taps along x of a run of pixels, for rows of bytes whose
// sums are in fixed point, see fixedUnit.
type shrinker struct {
	bands int
	width int     // of a row, in samples
	taps  int     // a multiple of four
	first []int32 // a pixel's first tap, in samples from the row's start
	w     []int32 // a pixel's weights, one pixel after the other
	base  []int32 // as lanes lays them out; empty if it could not
	table []uint32
}

// shrinks reports whether a reduction of bytes sums along x first: where a
// vector of samples has four taps each in a vector of bytes, and no row is left
// out. It depends on the map alone.
func (r *runner[T]) shrinks(px, py *profile) bool {
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

// set lays out the columns [a, b).
func (k *shrinker) set(set Set, cols *axisPlan, a, b, w0, width, bands int) {
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
	if set == AVX512 {
		k.lanes()
	}
}

// lanes lays out what a vector of 16 samples needs of four taps: from where on
// 64 bytes hold them, and then, for each sample, which of these they are, and
// the lowest digits of their weights, those above, and the highest.
func (k *shrinker) lanes() {
	n, groups := len(k.first)*k.bands, k.taps/4
	vectors := (n + 15) / 16
	if k.width < max(64, k.taps*k.bands) {
		return
	}
	k.base, k.table = grow(k.base, vectors*groups), grow(k.table, vectors*groups*64)
	steps := uint32(k.bands) * (1<<8 + 2<<16 + 3<<24)
	for v := range vectors {
		for g := range groups {
			table := k.table[(v*groups+g)*64:][:64]
			lo, hi := int32(math.MaxInt32), int32(0)
			var at [16]int32
			pixel, band := 16*v/k.bands, 16*v%k.bands
			for lane := range at {
				first := k.first[pixel] + int32(4*g*k.bands+band)
				at[lane], lo, hi = first, min(lo, first), max(hi, first)
				digits := digitsOf(k.w[pixel*k.taps+4*g:][:4], 0)
				table[16+lane], table[32+lane], table[48+lane] = digits[0], digits[1], digits[2]
				if band++; band == k.bands {
					band = 0
					pixel = min(pixel+1, len(k.first)-1)
				}
			}
			lo = min(lo, int32(k.width-64))
			if int(hi-lo)+3*k.bands >= 64 {
				k.base = k.base[:0]
				return
			}
			k.base[v*groups+g] = lo
			for lane, first := range at {
				table[lane] = uint32(first-lo)*0x01010101 + steps
			}
		}
	}
}

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

// shrink is shrinkGo for some rows, stride bytes apart, from pix[at] on, of
// which the sums are step apart.
func shrink(set Set, dst []float32, step int, pix []uint8, at, stride, rows int, k *shrinker) {
	if rows == shrinkRows && len(k.base) > 0 {
		shrinkLanes(dst, step, pix[at:], stride, k)
		return
	}
	for r := range rows {
		shrinkRow(set, dst[r*step:], pix[at+r*stride:], k)
	}
}
