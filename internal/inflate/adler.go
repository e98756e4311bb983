package inflate

const adlerPrime = 65521

// adler goes on with the two sums of Adler-32.
func adler(s1, s2 uint32, b []byte) uint32 {
	const most = 5552 // bytes that the sums hold
	for len(b) > 0 {
		n := min(len(b), most)
		for _, v := range b[:n] {
			s1 += uint32(v)
			s2 += s1
		}
		s1, s2 = s1%adlerPrime, s2%adlerPrime
		b = b[n:]
	}
	return s2<<16 | s1
}
