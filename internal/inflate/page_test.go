//go:build linux

package inflate

import (
	"bytes"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"runtime/debug"
	"testing"

	"github.com/rewarp/rewarp/internal/guardpage"
)

// place is where in memory n bytes lie, gap bytes before its end, or after its
// beginning.
func place(mem []byte, n, gap int, atEnd bool) int {
	if atEnd {
		return len(mem) - n - gap
	}
	return gap
}

// isAll reports whether all bytes are v.
func isAll(b []byte, v byte) bool { return bytes.Count(b, []byte{v}) == len(b) }

// TestPages: streams are read, and bytes written, nowhere but in Src and Dst,
// which lie at the ends of memory with pages beside it that must not be touched,
// whatever the streams hold. What the standard library accepts is OK.
func TestPages(t *testing.T) {
	const most, margin = 20_000, 8
	var src, dst [2 * Lanes][]byte
	for k := range src {
		src[k], dst[k] = guardpage.Enclosed(t, 2*most), guardpage.Enclosed(t, most+margin)
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	eachWay(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(8, 9))
		streams := [][]byte{}
		for _, n := range []int{0, 1, 250, 288, 300, 600, 3000, most} {
			for _, b := range samples(n) {
				for _, level := range []int{0, 1, 6, 9, zlib.HuffmanOnly} {
					streams = append(streams, deflate(t, b, level))
				}
			}
		}
		var f Inflater
		accepted, refused := 0, 0
		for i := range 6000 {
			jobs := make([]Job, 1+r.IntN(2*Lanes))
			want, starts := make([][]byte, len(jobs)), make([]int, len(jobs))
			for k := range jobs {
				s := bytes.Clone(streams[r.IntN(len(streams))])
				if i%2 == 1 {
					s = mutated(r, s)
				}
				b := accepts(s)
				n := len(b)
				if b == nil || r.IntN(4) == 0 {
					n = r.IntN(most + 1)
				} else {
					want[k] = b
				}
				at := place(src[k], len(s), r.IntN(margin+1), r.IntN(4) > 0)
				jobs[k].Src = src[k][at:][:len(s):len(s)]
				copy(jobs[k].Src, s)
				at = place(dst[k], n, r.IntN(margin+1), r.IntN(4) > 0)
				jobs[k].Dst, starts[k] = dst[k][at:][:n:n], at
				for i := range dst[k] {
					dst[k][i] = 7
				}
			}
			f.Run(jobs)
			for k, j := range jobs {
				if at := starts[k]; !isAll(dst[k][:at], 7) || !isAll(dst[k][at+len(j.Dst):], 7) {
					t.Fatalf("run %d, stream %d of %d: bytes beside Dst are written", i, k, len(jobs))
				}
				if want[k] == nil {
					check(t, "a changed stream", &jobs[k])
					refused++
					continue
				}
				accepted++
				if !j.OK || !bytes.Equal(j.Dst, want[k]) {
					t.Fatalf("run %d, stream %d of %d: OK is %v, bytes are right: %v", i, k, len(jobs), j.OK, bytes.Equal(j.Dst, want[k]))
				}
			}
		}
		if accepted < 5000 || refused < 5000 {
			t.Errorf("%d streams are accepted and %d are not, expected thousands of both", accepted, refused)
		}
	})
}

// mutated is s with bits changed, or a part of it left out or twice there.
func mutated(r *rand.Rand, s []byte) []byte {
	switch at := r.IntN(len(s)); r.IntN(4) {
	case 0:
		return s[:at]
	case 1:
		return append(s[:at:at], s[r.IntN(len(s)):]...)
	default:
		for range 1 + r.IntN(3) {
			s[min(r.IntN(len(s)), 2+int(r.ExpFloat64()*100))] ^= 1 << r.IntN(8)
		}
	}
	return s
}

// accepts is what the standard library makes of a stream, nil where it is broken.
func accepts(s []byte) []byte {
	z, err := zlib.NewReader(bytes.NewReader(s))
	if err != nil {
		return nil
	}
	b, err := io.ReadAll(io.LimitReader(z, 20_001))
	if err != nil || len(b) > 20_000 {
		return nil
	}
	return b
}
