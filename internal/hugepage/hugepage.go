// Package hugepage allocates memory that systems may back with large pages.
package hugepage

import "unsafe"

// Size is that of a large page, in bytes, on the processors that profit most.
const Size = 2 << 20

// Make is make([]T, n) for a T without pointers. Where the memory holds whole
// large pages, the system is asked to use them: a walk across the rows of a
// raster touches a page a row, more than processors remember of small ones. It
// is a wish, not a promise.
func Make[T any](n int) []T {
	s := make([]T, n)
	if b := whole(unsafe.Pointer(unsafe.SliceData(s)), n*int(unsafe.Sizeof(*new(T)))); b != nil {
		advise(b)
	}
	return s
}

// whole is the large pages that lie within the n bytes at p, nil if none does.
func whole(p unsafe.Pointer, n int) []byte {
	skip := int(-uintptr(p) & (Size - 1))
	if n -= skip; n < Size {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Add(p, skip)), n&^(Size-1))
}
