package guardpage

import (
	"os"
	"syscall"
	"testing"
)

// Enclosed is memory of size bytes, rounded up to whole pages, between two pages
// that can be neither read nor written. It is given back when the test ends.
func Enclosed(t testing.TB, size int) []byte {
	t.Helper()
	page := os.Getpagesize()
	size = (size + page - 1) / page * page
	mem, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { syscall.Munmap(mem) })
	for _, p := range [][]byte{mem[:page], mem[size+page:]} {
		if err := syscall.Mprotect(p, syscall.PROT_NONE); err != nil {
			t.Skip(err)
		}
	}
	return mem[page : size+page]
}
