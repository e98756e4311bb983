package kernel

import "unsafe"

// lineBytes is a line of the cache. Streams write whole ones.
const lineBytes = 64

// streamCopy is copy, past the caches.
func streamCopy(dst, src []byte) {
	head, n := lines(dst)
	if n > 0 {
		streamCopyAVX2(&dst[head], &src[head], n)
	}
	copy(dst[:head], src)
	copy(dst[head+n:], src[head+n:])
}

// streamOnes sets all bits, past the caches.
func streamOnes(dst []byte) {
	head, n := lines(dst)
	if n > 0 {
		streamOnesAVX2(&dst[head], n)
	}
	copy(dst[:head], allValid[:])
	copy(dst[head+n:], allValid[:])
}

// lines is where the first whole line of b begins, and how long all of them are.
func lines(b []byte) (head, n int) {
	head = int(-uintptr(unsafe.Pointer(unsafe.SliceData(b))) & (lineBytes - 1))
	if head > len(b) {
		return len(b), 0
	}
	return head, (len(b) - head) &^ (lineBytes - 1)
}
