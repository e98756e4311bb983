//go:build linux

package kernel

import (
	"math/rand/v2"
	"reflect"
	"runtime/debug"
	"testing"
	"unsafe"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/internal/guardpage"
)

// enclosure is memory between two pages that can be neither read nor written.
type enclosure struct{ mem []byte }

func newEnclosure(t *testing.T, size int) *enclosure { return &enclosure{guardpage.Enclosed(t, size)} }

// hold copies b to the end of the memory, or to its beginning.
func (f *enclosure) hold(b []byte, atEnd bool) []byte {
	at := 0
	if atEnd {
		at = len(f.mem) - len(b)
	}
	held := f.mem[at:][:len(b):len(b)]
	copy(held, b)
	return held
}

// holdBuffer is a buffer whose samples are held.
func (f *enclosure) holdBuffer(b *raster.Buffer, atEnd bool) *raster.Buffer {
	held := *b
	if b.Len() == 0 {
		return &held
	}
	p := unsafe.Pointer(unsafe.SliceData(f.hold(b.Bytes(), atEnd)))
	data := reflect.ValueOf(&held).Elem().FieldByName("data")
	*(*[]uint64)(data.Addr().UnsafePointer()) = unsafe.Slice((*uint64)(p), data.Len())
	return &held
}

// TestPages: kernels read no source, and write no output, beyond its samples:
// both lie beside pages that must not be touched, at their end or beginning.
func TestPages(t *testing.T) {
	const size = 1 << 22
	src, mask, dst := newEnclosure(t, size), newEnclosure(t, size), newEnclosure(t, size)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	ran := 0
	for set := Portable; set <= Best(); set++ {
		for seed := range uint64(seeds(4000)) {
			j := withOutput(randomJob(rand.New(rand.NewPCG(seed, 7))))
			if max(len(j.Src.Bytes()), len(j.Dst.Bytes())) > size {
				continue
			}
			atEnd := seed%4 != 0
			want := withOutput(j)
			invalid := want.Run(set, nil)
			held := *j
			held.Src, held.Dst = src.holdBuffer(j.Src, atEnd), dst.holdBuffer(j.Dst, atEnd)
			if j.Src.Mask != nil {
				held.Src.Mask = mask.hold(j.Src.Mask, atEnd)
			}
			func() {
				defer func() {
					if v := recover(); v != nil {
						t.Fatalf("%v, seed %d: %v\n%s", set, seed, v, j.describe())
					}
				}()
				if got := held.Run(set, nil); got != invalid {
					t.Fatalf("%v, seed %d: %d invalid samples, elsewhere %d\n%s", set, seed, got, invalid, j.describe())
				}
			}()
			if string(held.Dst.Bytes()) != string(want.Dst.Bytes()) {
				t.Fatalf("%v, seed %d: other samples than elsewhere\n%s", set, seed, j.describe())
			}
			ran++
		}
	}
	if ran == 0 {
		t.Error("no job fits the memory")
	}
}
