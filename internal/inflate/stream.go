package inflate

import "encoding/binary"

// stream is one stream that is being inflated. The assembly knows where its first
// fields are.
type stream struct {
	src  []byte
	dst  []byte
	in   int    // bytes of src that are in bits, or were
	out  int    // bytes of dst that are written
	bits uint64 // of src that are not decoded, the next one lowest
	left uint   // how many there are

	lit    litTable
	dist   distTable
	last   bool // the block is the last one
	inside bool // a block of codes, for which there are tables
	broken bool
	job    *Job
}

// fill brings in bits, so that there are 56 of them at the least, but at the end
// of src.
func (s *stream) fill() {
	if len(s.src)-s.in >= 8 {
		s.bits |= binary.LittleEndian.Uint64(s.src[s.in:]) << s.left
		s.in += int(63-s.left) >> 3
		s.left |= 56
		return
	}
	for s.left < 56 && s.in < len(s.src) {
		s.bits |= uint64(s.src[s.in]) << s.left
		s.in++
		s.left += 8
	}
}

// take is the next k bits, up to 32. ok is false where there are fewer.
func (s *stream) take(k uint) (v uint32, ok bool) {
	if s.left < k {
		if s.fill(); s.left < k {
			return 0, false
		}
	}
	v = uint32(s.bits & (1<<k - 1))
	s.bits >>= k
	s.left -= k
	return v, true
}

// next reads the headers of blocks, and blocks that are stored, until there is a
// block of codes, or no other block. It reports whether they are well-formed.
func (s *stream) next() bool {
	for !s.inside && !s.last {
		h, ok := s.take(3)
		if !ok {
			return false
		}
		s.last = h&1 != 0
		switch h >> 1 {
		case 0:
			ok = s.stored()
		case 1:
			s.inside, ok = true, s.fixed()
		case 2:
			s.inside, ok = true, s.dynamic()
		default:
			ok = false
		}
		if !ok {
			return false
		}
	}
	return true
}

// align drops the bits up to the next byte, and gives back whole bytes.
func (s *stream) align() {
	s.in -= int(s.left) / 8
	s.bits, s.left = 0, 0
}

func (s *stream) stored() bool {
	s.align()
	if len(s.src)-s.in < 4 {
		return false
	}
	n := int(binary.LittleEndian.Uint16(s.src[s.in:]))
	if n^0xffff != int(binary.LittleEndian.Uint16(s.src[s.in+2:])) {
		return false
	}
	s.in += 4
	if n > len(s.src)-s.in || n > len(s.dst)-s.out {
		return false
	}
	copy(s.dst[s.out:], s.src[s.in:s.in+n])
	s.in += n
	s.out += n
	return true
}

func (s *stream) fixed() bool {
	var lengths [maxLit + maxDist]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		case i < maxLit:
			lengths[i] = 8
		default:
			lengths[i] = 5
		}
	}
	return s.tables(lengths[:maxLit], lengths[maxLit:])
}

func (s *stream) tables(lit, dist []uint8) bool {
	return build(s.lit[:], litBits, lit, litSymbols[:], false) && build(s.dist[:], distBits, dist, distSymbols[:], true)
}

// order is how the lengths of the codes of lengths come.
var order = [...]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// lengthSymbols are the entries of the codes of lengths: they are their symbols.
var lengthSymbols = func() (e [len(order)]uint32) {
	for i := range e {
		e[i] = uint32(i) << 16
	}
	return e
}()

// dynamic reads the lengths of the codes of a block.
func (s *stream) dynamic() bool {
	h, ok := s.take(14)
	lits, dists, codes := int(h&31)+257, int(h>>5&31)+1, int(h>>10)+4
	if !ok || lits > maxLit-2 || dists > maxDist-2 {
		return false
	}
	var short [len(order)]uint8
	for _, k := range order[:codes] {
		n, ok := s.take(3)
		if !ok {
			return false
		}
		short[k] = uint8(n)
	}
	const index = 7
	var table [1 << index]uint32
	if !build(table[:], index, short[:], lengthSymbols[:], false) {
		return false
	}
	var lengths [maxLit + maxDist]uint8
	for i := 0; i < lits+dists; {
		s.fill()
		e := table[s.bits&(1<<index-1)]
		if _, ok := s.take(uint(e & 255)); !ok {
			return false
		}
		v := uint8(e >> 16)
		extra, least := uint(0), uint32(1)
		switch v {
		case 16:
			if i == 0 {
				return false
			}
			v, extra, least = lengths[i-1], 2, 3
		case 17:
			v, extra, least = 0, 3, 3
		case 18:
			v, extra, least = 0, 7, 11
		}
		times, ok := s.take(extra)
		if times += least; !ok || int(times) > lits+dists-i {
			return false
		}
		for range times {
			lengths[i] = v
			i++
		}
	}
	// Without an end the block would have none.
	return lengths[256] != 0 && s.tables(lengths[:lits], lengths[lits:lits+dists])
}

// symbol decodes one literal or one match, or ends the block. It reports whether
// that could be.
func (s *stream) symbol() bool {
	s.fill()
	e := s.lit[s.bits&(1<<litBits-1)]
	if e&isSecond != 0 {
		s.drop(e)
		e = s.lit[e>>16+uint32(s.bits)&(1<<(e>>8&15)-1)]
	}
	before := s.bits
	if !s.drop(e) {
		return false
	}
	switch {
	case e&isOther == 0:
		if s.out == len(s.dst) {
			return false
		}
		s.dst[s.out] = byte(e >> 16)
		s.out++
		return true
	case e&isEnd != 0:
		s.inside = false
		return true
	case e&isInvalid != 0:
		return false
	}
	length := extended(e, before)
	e = s.dist[s.bits&(1<<distBits-1)]
	if e&isSecond != 0 {
		s.drop(e)
		e = s.dist[e>>16+uint32(s.bits)&(1<<(e>>8&15)-1)]
	}
	before = s.bits
	if !s.drop(e) || e&isInvalid != 0 {
		return false
	}
	return s.repeat(length, extended(e, before))
}

// drop lets go of the bits of an entry. It reports whether there were as many.
func (s *stream) drop(e uint32) bool {
	k := uint(e & 255)
	if k > s.left {
		return false
	}
	s.bits >>= k
	s.left -= k
	return true
}

// extended is the length or distance of an entry with the extra bits that
// follow its code.
func extended(e uint32, bits uint64) int {
	code := e >> 8 & 15
	return int(e>>16) + int(bits>>code&(1<<(e&255-code)-1))
}

// repeat copies what was written some bytes ago.
func (s *stream) repeat(length, distance int) bool {
	if distance > s.out || length > len(s.dst)-s.out {
		return false
	}
	to := s.dst[s.out : s.out+length]
	from := s.dst[s.out-distance : s.out-distance+length]
	s.out += length
	if distance >= length {
		copy(to, from)
		return true
	}
	for i, v := range from[:len(to)] {
		to[i] = v
	}
	return true
}
