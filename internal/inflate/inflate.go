// Package inflate inflates zlib streams (RFC 1950) whose size is known, several
// at a time in one goroutine. A processor that decodes one symbol after the other
// waits most of the time for the look-up of the last one; what it looks up for
// other streams meanwhile costs little.
package inflate

import "encoding/binary"

//go:generate go run -C gen . -out ../asm_amd64.s -stubs ../asm_amd64.go -pkg inflate

// Lanes is how many streams are decoded in turns.
const Lanes = 4

// Fast reports whether there is a kernel for this machine. Without one a library
// in C is faster.
func Fast() bool { return fast }

// Job is one stream to inflate.
type Job struct {
	Dst []byte // filled by exactly what the stream holds
	Src []byte // the stream; what follows it is not looked at
	OK  bool   // whether that went well; otherwise what Dst holds is not defined
}

// Inflater is the memory that inflating takes, some 100 KB. The zero value is
// ready to use, by one goroutine at a time.
type Inflater struct{ lanes [Lanes]stream }

// Run inflates all jobs. A stream that is broken, whose checksum is wrong, or
// that does not fill Dst exactly is not OK; the others are not concerned.
func (f *Inflater) Run(jobs []Job) {
	n := 0
	for n < Lanes && f.lanes[n].start(&jobs) {
		n++
	}
	for n > 0 {
		for k := 0; k < n; {
			l := &f.lanes[k]
			if l.settle() {
				k++
				continue
			}
			l.finish()
			if l.start(&jobs) {
				continue
			}
			if n--; k < n {
				*l = f.lanes[n]
				f.lanes[n].forget()
			}
		}
		if n > 0 {
			decode(f.lanes[:n])
		}
	}
}

// start begins with the first of the jobs that are left, if there is one.
func (s *stream) start(jobs *[]Job) bool {
	if len(*jobs) == 0 {
		return false
	}
	s.job = &(*jobs)[0]
	*jobs = (*jobs)[1:]
	s.src, s.dst, s.in, s.out, s.bits, s.left = s.job.Src, s.job.Dst, 2, 0, 0, 0
	s.last, s.inside, s.broken = false, false, !header(s.src)
	return true
}

// header reports whether a stream begins as one of zlib does.
func header(src []byte) bool {
	if len(src) < 2 {
		return false
	}
	h := binary.BigEndian.Uint16(src)
	const method, window, dictionary = 8, 7, 1 << 5
	return h>>8&15 == method && h>>12 <= window && h%31 == 0 && h&dictionary == 0
}

// finish says how the stream went, and forgets it.
func (s *stream) finish() {
	s.align()
	s.job.OK = !s.broken && s.out == len(s.dst) && len(s.src)-s.in >= 4 && binary.BigEndian.Uint32(s.src[s.in:]) == checksum(s.dst)
	s.forget()
}

// forget lets go of the memory of the job.
func (s *stream) forget() { s.src, s.dst, s.job = nil, nil, nil }

// Bytes that a stream has to have left, so that a round of decode need not look
// for its ends: each reads up to 8 bytes twice, and writes 5 literals, and a match
// in words.
const (
	inMargin  = 16
	outMargin = 288
)

// ample reports whether a block of codes can be decoded in turns.
func (s *stream) ample() bool {
	return s.inside && len(s.src)-s.in >= inMargin && len(s.dst)-s.out >= outMargin
}

// settle brings a stream to where it can be decoded in turns. It reports whether
// there is such a place: otherwise the stream has ended, or is broken.
func (s *stream) settle() bool {
	for !s.broken {
		switch {
		case s.ample():
			return true
		case s.inside:
			s.broken = !s.symbol()
		case s.last:
			return false
		default:
			s.broken = !s.next()
		}
	}
	return false
}

// decodeGo decodes lanes, all of them ample, until one is not, or is broken.
func decodeGo(lanes []stream) {
	for {
		for k := range lanes {
			s := &lanes[k]
			if s.broken = !s.symbol(); s.broken || !s.ample() {
				return
			}
		}
	}
}
