package kernel

import "math/bits"

// interleaves are the kernels by the size of a word, 1, 2 or 4 bytes, and the
// number of planes less two.
var interleaves = [...][maxPlanes - 1]func(dst *byte, planes **byte, from, n int){
	{interleave1x2AVX512, interleave1x3AVX512, interleave1x4AVX512, interleave1x5AVX512, interleave1x6AVX512, interleave1x7AVX512},
	{interleave2x2AVX512, interleave2x3AVX512, interleave2x4AVX512, interleave2x5AVX512, interleave2x6AVX512, interleave2x7AVX512},
	{interleave4x2AVX512, interleave4x3AVX512, interleave4x4AVX512, interleave4x5AVX512, interleave4x6AVX512, interleave4x7AVX512},
}

// interleave writes the words of the planes, of the given size, as pixels to
// dst, all of it.
func interleave(set Set, dst []byte, planes planeList, size int) {
	n := len(planes)
	vectors := len(dst) / n / lineBytes
	if set < AVX512 || size > 4 || n < 2 || n > maxPlanes || vectors == 0 {
		interleaveGo(dst, planes, size, 0)
		return
	}
	interleaves[bits.TrailingZeros(uint(size))][n-2](&dst[0], &planes[0], 0, vectors)
	interleaveGo(dst[vectors*n*lineBytes:], planes, size, vectors*lineBytes)
}
