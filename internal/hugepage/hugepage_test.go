package hugepage

import (
	"testing"
	"unsafe"
)

func TestWhole(t *testing.T) {
	b := make([]byte, 4*Size)
	start := unsafe.Pointer(&b[0])
	first := int(-uintptr(start) & (Size - 1)) // of a page
	for _, c := range []struct{ from, n, at, size int }{
		{first, Size, first, Size},
		{first, Size - 1, 0, 0},
		{first, 2*Size + 5, first, 2 * Size},
		{first + 1, 2 * Size, first + Size, Size},
		{first + 1, Size, 0, 0},
		{first + Size - 1, Size + 1, first + Size, Size},
		{first, 0, 0, 0},
	} {
		got := whole(unsafe.Pointer(&b[c.from]), c.n)
		if len(got) != c.size || c.size > 0 && &got[0] != &b[c.at] {
			t.Errorf("%d bytes from %d after a page's start: %d bytes, want %d from %d", c.n, c.from-first, len(got), c.size, c.at-first)
		}
	}
}

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, Size / 8, 3*Size/8 + 7} {
		s := Make[uint64](n)
		if len(s) != n || cap(s) < n {
			t.Fatalf("%d words, capacity %d, want %d", len(s), cap(s), n)
		}
		for i := range s {
			if s[i] != 0 {
				t.Fatalf("word %d of %d is %d", i, n, s[i])
			}
			s[i] = uint64(i)
		}
	}
}
