package gdalio

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"sync"
	"sync/atomic"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// source is an open raster: a bounded free list of handles, each used by one
// read at a time.
type source struct {
	opener *Opener
	uri    string
	info   *info
	opened stamp // of the file, where it is a local one, whose replacement can be seen

	looked sync.Once // for direct
	direct *direct   // nil where GDAL reads all

	slots  chan struct{} // one token a read in flight
	closed chan struct{}
	reads  sync.WaitGroup

	mu     sync.Mutex
	idle   []*fileHandle
	shut   bool
	closer sync.Once
}

func newSource(o *Opener, uri string, in *info, opened stamp) *source {
	return &source{
		opener: o, uri: uri, info: in, opened: opened,
		slots:  make(chan struct{}, o.handles),
		closed: make(chan struct{}),
	}
}

// past is what reads past GDAL, where that is known to give the same samples.
func (s *source) past() *direct {
	s.looked.Do(func() {
		if s.info.driver == gtiff && s.opened.local && len(s.opener.options) == 0 && !s.info.hasMask() {
			s.direct = openDirect(s.uri, s.info, s.opened)
		}
	})
	return s.direct
}

// Meta is what Describe returned when the source was opened.
func (s *source) Meta() ast.Meta { return s.info.meta() }

// Plain reports whether a level's samples lie in the file as they are read.
func (s *source) Plain(level int) bool {
	if s.begin(context.Background()) != nil {
		return false
	}
	defer s.end()
	return s.past().plain(level)
}

// ReadWindows reads windows past GDAL, or not at all: GDAL reads one after the
// other, and may fail at damage only where it meets it first.
func (s *source) ReadWindows(ctx context.Context, level int, windows []image.Rectangle, bands []int, dst []*raster.Buffer) error {
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.end()
	d := s.past()
	if !d.has(level) || s.Stale() {
		return fail("read", s.uri, errNotHeld)
	}
	for i, w := range windows {
		t, err := s.check(level, w, bands)
		if err != nil {
			return fail("read", s.uri, err)
		}
		dst[i].Reset(t, w.Dx(), w.Dy(), len(bands))
	}
	return fail("read", s.uri, d.read(ctx, level, windows, bands, dst))
}

// Stale reports whether the file was replaced, or written to, since the source
// was opened. It is false for what is no local file.
func (s *source) Stale() bool { return s.replacedSince(s.opened) }

func (s *source) replacedSince(was stamp) bool {
	if !s.opened.local {
		return false
	}
	now, err := stampOf(s.uri)
	return err != nil || now != was
}

// Close waits for the reads in flight and closes every handle. Reads that begin
// after it fail with an error that is fs.ErrClosed.
func (s *source) Close() error {
	s.mu.Lock()
	s.shut = true
	s.mu.Unlock()
	s.closer.Do(func() { close(s.closed) })
	s.reads.Wait()
	s.mu.Lock()
	idle := s.idle
	s.idle = nil
	s.mu.Unlock()
	s.looked.Do(func() {})
	if s.direct != nil {
		s.direct.close()
	}
	for _, h := range idle {
		// Nothing was written, so closing has nothing to tell.
		h.ds.close()
	}
	return nil
}

func (s *source) ReadWindow(ctx context.Context, level int, window image.Rectangle, bands []int, dst *raster.Buffer) error {
	t, err := s.check(level, window, bands)
	if err != nil {
		return fail("read", s.uri, err)
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.end()
	if d := s.past(); d.has(level) && !s.Stale() {
		dst.Reset(t, window.Dx(), window.Dy(), len(bands))
		err := d.read(ctx, level, []image.Rectangle{window}, bands, []*raster.Buffer{dst})
		if err == nil {
			return nil
		}
		if ctx.Err() != nil {
			return fail("read", s.uri, ctx.Err())
		}
		// GDAL reads what this could not, or says what is wrong with it.
	}
	h, err := s.handle(ctx)
	if err != nil {
		return err
	}
	defer s.giveBack(h)

	masked := s.info.hasMask()
	mask := dst.Mask
	dst.Reset(t, window.Dx(), window.Dy(), len(bands))
	r := &h.req
	*r = readRequest{
		level: level, x: window.Min.X, y: window.Min.Y, w: window.Dx(), h: window.Dy(),
		bands: r.bands[:0], typ: t, data: dst.Bytes(),
	}
	for _, b := range bands {
		r.bands = append(r.bands, int32(b)+1)
	}
	switch {
	case masked && t.IsFloat():
		h.masks = grow(h.masks, dst.Len())
		r.mask = h.masks
	case masked:
		dst.Mask = grow(mask, dst.Len())
		r.mask = dst.Mask
	}
	if err := h.read(ctx, r); err != nil {
		return fail("read", s.uri, err)
	}
	s.signBytes(dst, bands)
	if masked && t.IsFloat() {
		invalidToNaN(dst, r.mask)
	}
	r.data, r.mask = nil, nil
	return nil
}

func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// check tells whether a read lies inside the raster, and of which type it is.
func (s *source) check(level int, window image.Rectangle, bands []int) (raster.DataType, error) {
	in := s.info
	if level < 0 || level > len(in.levels) {
		return 0, fmt.Errorf("level %d is not one of 0 to %d (stored overviews: %d)", level, len(in.levels), len(in.levels))
	}
	size := in.size
	if level > 0 {
		size = in.levels[level-1]
	}
	if window.Empty() || !window.In(image.Rect(0, 0, size.W, size.H)) {
		return 0, fmt.Errorf("window %s is not inside level %d of %v", windowText(window), level, size)
	}
	if len(bands) == 0 || len(bands) > ast.MaxBands {
		return 0, fmt.Errorf("%d bands asked for, expected 1 to %d", len(bands), ast.MaxBands)
	}
	t := raster.Unknown
	for _, b := range bands {
		if b < 0 || b >= len(in.bands) {
			return 0, fmt.Errorf("band %d is not one of 0 to %d", b, len(in.bands)-1)
		}
		t = raster.Common(t, in.bands[b].typ)
	}
	return t, checkSamples(geom.Size{W: window.Dx(), H: window.Dy()}, len(bands))
}

func checkSamples(size geom.Size, bands int) error {
	if n := float64(size.W) * float64(size.H) * float64(bands); n > raster.MaxSamples {
		return fmt.Errorf("%v pixels of %d bands are %.3g samples, which exceeds the limit of %d for one buffer",
			size, bands, n, raster.MaxSamples)
	}
	return nil
}

func windowText(r image.Rectangle) string {
	return fmt.Sprintf("[%d %d %d %d]", r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
}

// begin counts a read, waiting while too many are in flight. It ends with end.
func (s *source) begin(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return fail("read", s.uri, err)
	}
	errClosed := &Error{"read", s.uri, fs.ErrClosed}
	select {
	case <-s.closed:
		return errClosed
	default:
	}
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return fail("read", s.uri, ctx.Err())
	case <-s.closed:
		return errClosed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shut {
		<-s.slots
		return errClosed
	}
	s.reads.Add(1)
	return nil
}

func (s *source) end() {
	<-s.slots
	s.reads.Done()
}

// handle takes an idle handle, or opens one. It goes back with giveBack.
func (s *source) handle(ctx context.Context) (*fileHandle, error) {
	s.mu.Lock()
	var h *fileHandle
	if n := len(s.idle); n > 0 {
		h, s.idle = s.idle[n-1], s.idle[:n-1]
	}
	s.mu.Unlock()
	return s.current(ctx, h)
}

// current returns h, or a new handle where there is none or the file was
// replaced since: a handle on the old file would mix two files in one result.
func (s *source) current(ctx context.Context, h *fileHandle) (*fileHandle, error) {
	if h != nil && s.replacedSince(h.stamp) {
		h.ds.close()
		h = nil
	}
	if h != nil {
		return h, nil
	}
	h, in, err := s.opener.inspect(ctx, s.uri, true)
	if err != nil {
		return nil, err
	}
	if diff := in.sameShape(s.info); diff != "" {
		h.ds.close()
		return nil, fail("read", s.uri, errors.New("the file changed after it was opened: "+diff))
	}
	return h, nil
}

func (s *source) giveBack(h *fileHandle) {
	s.mu.Lock()
	s.idle = append(s.idle, h)
	s.mu.Unlock()
}

// read runs one request, stopping it when the context ends.
func (h *fileHandle) read(ctx context.Context, r *readRequest) error {
	stop := watch(ctx, &r.cancel)
	defer stop()
	err := h.ds.read(r)
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// watch sets *flag to a flag that is raised when ctx ends. The flag outlives
// the call that reads it, so that it may still be raised late.
func watch(ctx context.Context, flag **int32) (stop func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	f := new(int32)
	*flag = f
	cancel := context.AfterFunc(ctx, func() { atomic.StoreInt32(f, 1) })
	return func() { cancel() }
}

// signBytes mends int8 samples that the library widened as if they were uint8.
func (s *source) signBytes(dst *raster.Buffer, bands []int) {
	if dst.Type == raster.Int8 {
		return
	}
	mask := dst.Mask
	dst.Mask = nil // Set would mark the samples valid
	defer func() { dst.Mask = mask }()
	for k, b := range bands {
		if !s.info.bands[b].signedByte {
			continue
		}
		for y := range dst.H {
			for x := range dst.W {
				if v, _ := dst.At(x, y, k); v > math.MaxInt8 {
					dst.Set(x, y, k, v-256)
				}
			}
		}
	}
}

func invalidToNaN(dst *raster.Buffer, mask []byte) {
	if dst.Type == raster.Float32 {
		setNaN(raster.Samples[float32](dst), mask)
		return
	}
	setNaN(raster.Samples[float64](dst), mask)
}

func setNaN[T float32 | float64](samples []T, mask []byte) {
	nan := T(math.NaN())
	for i, m := range mask {
		if m == 0 {
			samples[i] = nan
		}
	}
}
