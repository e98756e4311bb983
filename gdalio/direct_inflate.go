package gdalio

import (
	"sync"

	"github.com/rewarp/rewarp/internal/inflate"
	"github.com/rewarp/rewarp/internal/tiff"
)

// batch is memory for blocks: those that are inflated together, since several
// at a time take little longer than one.
type batch struct {
	lanes    [inflate.Lanes]inflated
	n        int // of lanes that hold a block
	bytes    int // that they inflate to
	jobs     [inflate.Lanes]inflate.Job
	inflater inflate.Inflater
}

// inflated is a block, and the memory for it as it is stored and as it is read.
type inflated struct {
	block
	stored, samples []byte
	direct          bool // inflated into the buffer that is read into
}

// maxBatch is the size of blocks together, in bytes, from which they do not wait
// for others.
const maxBatch = 4 << 20

var scratch = sync.Pool{New: func() any { return &batch{} }}

// release forgets the blocks, and keeps the memory for another read.
func (s *batch) release() {
	s.drop()
	scratch.Put(s)
}

func (s *batch) drop() {
	for k := range s.n {
		s.lanes[k].block = block{}
		s.jobs[k] = inflate.Job{}
	}
	s.n, s.bytes = 0, 0
}

// inflate reads a block that is deflated. It is inflated at the next flush.
func (d *direct) inflate(b *block, s *batch) error {
	l := &s.lanes[s.n]
	l.stored = grow(l.stored, int(b.count))
	if err := d.readAt(l.stored, int64(b.offset)); err != nil {
		return err
	}
	l.block = *b
	n := b.rect.Dx() * b.rect.Dy() * b.pixel
	l.direct = b.fits() && b.area == b.rect
	job := inflate.Job{Src: l.stored}
	if l.direct {
		i := (b.area.Min.Y - b.at.Y) * b.dst.W * b.pixel
		job.Dst = b.dst.Bytes()[i : i+n]
	} else {
		l.samples = grow(l.samples, n)
		job.Dst = l.samples
	}
	s.jobs[s.n] = job
	s.n++
	if s.bytes += n; s.n == len(s.lanes) || s.bytes >= maxBatch {
		return s.flush()
	}
	return nil
}

// flush inflates the blocks, undoes their predictor, and copies what is read of
// them.
func (s *batch) flush() error {
	defer s.drop()
	jobs := s.jobs[:s.n]
	if len(jobs) > 1 && inflate.Fast() {
		s.inflater.Run(jobs)
	} else {
		for i, j := range jobs {
			jobs[i].OK = libInflate(j.Dst, j.Src) == len(j.Dst)
		}
	}
	for i := range jobs {
		if !jobs[i].OK {
			return errNotHeld
		}
		b, samples := &s.lanes[i], jobs[i].Dst
		switch b.m.Predictor {
		case 2:
			tiff.Unpredict(samples, b.rect.Dy(), b.rect.Dx(), b.m.Bands, b.m.Type.Size())
		case 3:
			tiff.UnpredictFloats(samples, b.rect.Dy(), b.rect.Dx(), b.m.Bands, b.m.Type.Size())
		}
		if !b.direct {
			b.scatter(samples, b.rect.Min.Y)
		}
	}
	return nil
}
