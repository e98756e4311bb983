package inflate

import "math/bits"

// An entry of a table tells what to do with the bits that it is found by:
//
//	bits 0…7   how many bits the code and its extra bits take
//	bits 8…11  how many of them are the code
//	bits 12…15 what kind of symbol it is; none of them is set for a literal
//	bits 16…   the literal, the least length or distance, or the place of a
//	           second table, whose index has as many bits as are given in 8…11
const (
	isLength  = 1 << 12 // a length, or a distance
	isSecond  = 1 << 13 // a code that is longer than the table's index
	isEnd     = 1 << 14 // the end of the block
	isInvalid = 1 << 15 // no code
	isOther   = isLength | isSecond | isEnd | isInvalid
)

const (
	litBits  = 11 // of the index of the first table of literals and lengths
	distBits = 8  // of that of distances
	maxCode  = 15 // bits of the longest code

	maxLit  = 288 // symbols
	maxDist = 32

	// A code that is longer than the index shares the second table with another
	// one at the least, since a set of codes is complete.
	litSize  = 1<<litBits + maxLit/2<<(maxCode-litBits)
	distSize = 1<<distBits + maxDist/2<<(maxCode-distBits)
)

type (
	litTable  [litSize]uint32
	distTable [distSize]uint32
)

// symbols hold the entry of each symbol, but for the bits of its code.
var litSymbols, distSymbols = symbols()

func symbols() (lit [maxLit]uint32, dist [maxDist]uint32) {
	for i := range 256 {
		lit[i] = uint32(i) << 16
	}
	lit[256] = isEnd
	base := uint32(3)
	for i := range 28 {
		extra := uint32(max(0, i/4-1))
		lit[257+i] = base<<16 | isLength | extra
		base += 1 << extra
	}
	lit[285], lit[286], lit[287] = 258<<16|isLength, isInvalid, isInvalid
	base = 1
	for i := range 30 {
		extra := uint32(max(0, i/2-1))
		dist[i] = base<<16 | isLength | extra
		base += 1 << extra
	}
	dist[30], dist[31] = isInvalid, isInvalid
	return lit, dist
}

// build makes the table of a set of codes, given their lengths, 0 for symbols
// that are not used. first is the bits of the index of the first table. It
// reports whether the set is one: complete, or, where few is set, of one code of
// one bit or none at all.
func build(table []uint32, first int, lengths []uint8, entries []uint32, few bool) bool {
	var count, at [maxCode + 1]int
	for _, n := range lengths {
		count[n]++
	}
	longest, left, used := 0, 1, 0
	for n := 1; n <= maxCode; n++ {
		at[n] = used
		used += count[n]
		if left = left<<1 - count[n]; left < 0 {
			return false
		}
		if count[n] > 0 {
			longest = n
		}
	}
	if left > 0 && (!few || used > 1 || used == 1 && longest > 1) {
		return false
	}
	var sorted [maxLit]uint16
	for s, n := range lengths {
		if n > 0 {
			sorted[at[n]] = uint16(s)
			at[n]++
		}
	}
	// The table of codes of up to n bits is that of codes of fewer, twice, with
	// those of n bits in between.
	table[0], table[1] = isInvalid, isInvalid
	code, k := 0, 0
	for n := 1; n <= first; n++ {
		if n > 1 {
			copy(table[1<<(n-1):1<<n], table[:1<<(n-1)])
		}
		for _, s := range sorted[k : k+count[n]] {
			table[reversed(code, n)] = entries[s] + uint32(n)<<8 + uint32(n)
			code++
		}
		k += count[n]
		code <<= 1
	}
	free, prefix := 1<<first, -1
	second := longest - first // bits of the index of second tables
	for n := first + 1; n <= longest; n++ {
		for _, s := range sorted[k : k+count[n]] {
			rev := reversed(code, n)
			code++
			if p := rev & (1<<first - 1); p != prefix {
				prefix = p
				table[p] = uint32(free)<<16 | isSecond | uint32(second)<<8 | uint32(first)
				free += 1 << second
			}
			more := n - first
			place := table[free-1<<second : free]
			for i := rev >> first; i < len(place); i += 1 << more {
				place[i] = entries[s] + uint32(more)<<8 + uint32(more)
			}
		}
		k += count[n]
		code <<= 1
	}
	return true
}

// reversed is a code of n bits with the first bit lowest, as it comes.
func reversed(code, n int) int { return int(bits.Reverse16(uint16(code)) >> (16 - n)) }
