package inflate

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"hash/adler32"
	"io"
	"math/rand/v2"
	"testing"
)

// samples are bytes of several kinds: of long and of short codes, near and far
// matches, runs, and what cannot be deflated.
func samples(n int) map[string][]byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	make := func(f func(i int, b []byte) byte) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = f(i, b)
		}
		return b
	}
	return map[string][]byte{
		"zero":   make(func(int, []byte) byte { return 0 }),
		"random": make(func(int, []byte) byte { return byte(r.Uint32()) }),
		"normal": make(func(int, []byte) byte { return byte(128 + 20*r.NormFloat64()) }),
		"skewed": make(func(int, []byte) byte { return byte(r.ExpFloat64() * 3) }),
		"ramp":   make(func(i int, _ []byte) byte { return byte(i / 7) }),
		"near": make(func(i int, b []byte) byte {
			if d := 1 + r.IntN(9); d <= i && r.IntN(8) > 0 {
				return b[i-d]
			}
			return byte(r.Uint32())
		}),
		"far": make(func(i int, b []byte) byte {
			if i >= 30000 && i%400 > 20 {
				return b[i-30000+i/400]
			}
			return byte(r.NormFloat64() * 40)
		}),
		"mixed": make(func(i int, b []byte) byte {
			switch i / 5000 % 3 {
			case 0:
				return byte(r.Uint32())
			case 1:
				return byte(i % 11)
			}
			return byte(r.NormFloat64() * 3)
		}),
	}
}

func deflate(t testing.TB, b []byte, level int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zlib.NewWriterLevel(&out, level)
	if err == nil {
		_, err = w.Write(b)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// eachWay runs a test with and without the kernels.
func eachWay(t *testing.T, f func(t *testing.T)) {
	if fast {
		t.Run("fast", f)
	}
	slowly(func() { t.Run("portable", f) })
}

func TestRun(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		var f Inflater
		for _, n := range []int{0, 1, 9, 287, 289, 3000, 70_001, 200_000} {
			var jobs []Job
			var names []string
			var want [][]byte
			for name, b := range samples(n) {
				for level := zlib.HuffmanOnly; level <= zlib.BestCompression; level++ {
					// What follows a stream does not matter.
					jobs = append(jobs, Job{Dst: make([]byte, n), Src: append(deflate(t, b, level), "abcd"[:level&3]...)})
					names = append(names, fmt.Sprintf("%d bytes of %s at level %d", n, name, level))
					want = append(want, b)
				}
			}
			for at, size := 0, 1; at < len(jobs); at, size = at+size, size%7+1 {
				size = min(size, len(jobs)-at)
				f.Run(jobs[at : at+size])
			}
			for i, j := range jobs {
				if !j.OK || !bytes.Equal(j.Dst, want[i]) {
					t.Errorf("%s: OK is %v, and the bytes are right: %v", names[i], j.OK, bytes.Equal(j.Dst, want[i]))
				}
			}
		}
	})
}

// TestSize wants streams of another size than Dst not to be OK, nor to write
// beyond it.
func TestSize(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		var f Inflater
		b := samples(3000)["near"]
		src := deflate(t, b, 6)
		for n := range 4000 {
			store := bytes.Repeat([]byte{7}, 4100)
			jobs := []Job{{Dst: store[:n:n], Src: src}, {Dst: make([]byte, len(b)), Src: src}}
			f.Run(jobs)
			if jobs[0].OK != (n == len(b)) || !jobs[1].OK {
				t.Fatalf("%d bytes of %d: %v, and the other stream: %v", n, len(b), jobs[0].OK, jobs[1].OK)
			}
			if i := bytes.IndexFunc(store[n:], func(r rune) bool { return r != 7 }); i >= 0 {
				t.Fatalf("byte %d beyond %d was written", i, n)
			}
		}
	})
}

// TestBroken changes and cuts streams. What is OK nevertheless has to be right,
// and the stream beside it always.
func TestBroken(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 6))
		var f Inflater
		broken := 0
		for name, b := range samples(40_000) {
			for _, level := range []int{0, 1, 6, zlib.HuffmanOnly} {
				good := deflate(t, b, level)
				for range 60 {
					src := bytes.Clone(good)
					if r.IntN(4) == 0 {
						src = src[:r.IntN(len(src))]
					}
					for range r.IntN(3) {
						if len(src) > 0 {
							src[min(r.IntN(len(src)), int(r.ExpFloat64()*400))] ^= 1 << r.IntN(8)
						}
					}
					jobs := []Job{{Dst: make([]byte, len(b)), Src: src}, {Dst: make([]byte, len(b)), Src: good}}
					f.Run(jobs)
					check(t, name, &jobs[0])
					if !jobs[0].OK {
						broken++
					}
					if !jobs[1].OK || !bytes.Equal(jobs[1].Dst, b) {
						t.Fatalf("%s: the stream beside a broken one is not right", name)
					}
				}
			}
		}
		if broken < 500 {
			t.Errorf("%d streams are broken, expected most of 1920", broken)
		}
	})
}

// TestForget: an Inflater that is kept keeps no memory of its jobs.
func TestForget(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		var f Inflater
		for n := range 2*Lanes + 1 {
			jobs := make([]Job, n)
			for k := range jobs {
				b := samples(4000 - 400*k)["near"] // the last lanes end first
				jobs[k] = Job{Dst: make([]byte, len(b)), Src: deflate(t, b, 6)}
			}
			f.Run(jobs)
			for k := range f.lanes {
				if l := &f.lanes[k]; l.src != nil || l.dst != nil || l.job != nil {
					t.Errorf("after %d jobs, lane %d holds one", n, k)
				}
			}
		}
	})
}

// check compares what is OK with the standard library.
func check(t *testing.T, name string, j *Job) {
	t.Helper()
	if !j.OK {
		return
	}
	z, err := zlib.NewReader(bytes.NewReader(j.Src))
	if err != nil {
		t.Fatalf("%s is OK: %v", name, err)
	}
	want, err := io.ReadAll(z)
	if err != nil || !bytes.Equal(want, j.Dst) {
		t.Fatalf("%s is OK, but the standard library has other bytes, or %v", name, err)
	}
}

func TestChecksum(t *testing.T) {
	eachWay(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 31, 32, 33, 5552, 65535, 65536, 65568, 300_001} {
			for name, b := range samples(n) {
				if got, want := checksum(b), adler32.Checksum(b); got != want {
					t.Errorf("%d bytes of %s: %08x, expected %08x", n, name, got, want)
				}
			}
		}
		full := bytes.Repeat([]byte{255}, 1<<20)
		if got, want := checksum(full), adler32.Checksum(full); got != want {
			t.Errorf("bytes of 255: %08x, expected %08x", got, want)
		}
	})
}

// FuzzRun wants nothing to be OK that the standard library refuses, nor the
// kernels to decide otherwise than plain Go.
func FuzzRun(f *testing.F) {
	for _, b := range samples(700) {
		f.Add(deflate(f, b, 6), deflate(f, b, 1), uint16(700))
	}
	f.Fuzz(func(t *testing.T, a, b []byte, n uint16) {
		jobs := []Job{{Dst: make([]byte, n), Src: a}, {Dst: make([]byte, n), Src: b}}
		new(Inflater).Run(jobs)
		check(t, "a", &jobs[0])
		check(t, "b", &jobs[1])
		again := []Job{{Dst: make([]byte, n), Src: a}, {Dst: make([]byte, n), Src: b}}
		slowly(func() { new(Inflater).Run(again) })
		for k := range jobs {
			if jobs[k].OK != again[k].OK {
				t.Errorf("stream %d: OK is %v, in plain Go %v", k, jobs[k].OK, again[k].OK)
			}
		}
	})
}

func BenchmarkRun(b *testing.B) {
	for _, n := range []int{1, 2, 3, 4, 16} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			data := samples(200_000)["normal"]
			src := deflate(b, data, 6)
			jobs := make([]Job, n)
			for i := range jobs {
				jobs[i] = Job{Dst: make([]byte, len(data)), Src: bytes.Clone(src)}
			}
			var f Inflater
			b.SetBytes(int64(n * len(data)))
			for b.Loop() {
				f.Run(jobs)
			}
		})
	}
}
