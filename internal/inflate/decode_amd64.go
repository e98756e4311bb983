package inflate

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var fast = cpu.X86.HasBMI2 && cpu.X86.HasAVX2

// The assembly knows where the fields of a stream are.
var _ = [1]int{}[unsafe.Offsetof(stream{}.src)-0+
	unsafe.Offsetof(stream{}.dst)-24+
	unsafe.Offsetof(stream{}.in)-48+
	unsafe.Offsetof(stream{}.out)-56+
	unsafe.Offsetof(stream{}.bits)-64+
	unsafe.Offsetof(stream{}.left)-72+
	unsafe.Offsetof(stream{}.lit)-80+
	unsafe.Offsetof(stream{}.dist)-80-4*litSize+
	unsafe.Sizeof(stream{})-80-4*litSize-4*distSize-16]

var decoders = [Lanes]func(*byte) int{decode1, decode2, decode3, decode4}

// decode decodes lanes, all of them ample, until one is not, or is broken.
func decode(lanes []stream) {
	if !fast {
		decodeGo(lanes)
		return
	}
	// It stops at a symbol that it leaves to the lane, or where one is not ample.
	if k := decoders[len(lanes)-1]((*byte)(unsafe.Pointer(&lanes[0]))); k >= 0 {
		lanes[k].broken = !lanes[k].symbol()
	}
}

// checksum is Adler-32.
func checksum(b []byte) uint32 {
	const most = 1 << 16 // bytes that sumAVX2 adds up
	s1, s2 := uint64(1), uint64(0)
	for fast && len(b) >= 32 {
		n := min(len(b)&^31, most)
		var sums [3][8]uint32
		sumAVX2(&sums, &b[0], n)
		s2 += s1 * uint64(n)
		for i := range 8 {
			s1 += uint64(sums[0][i])
			s2 += 32*uint64(sums[1][i]) + uint64(sums[2][i])
		}
		s1, s2 = s1%adlerPrime, s2%adlerPrime
		b = b[n:]
	}
	return adler(uint32(s1), uint32(s2), b)
}
