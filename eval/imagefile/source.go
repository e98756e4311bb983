package imagefile

import (
	"context"
	"fmt"
	"image"
	"io/fs"
	"math"
	"os"
	"slices"
	"sync"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// pixels is what a format provides. It is safe for concurrent use.
type pixels interface {
	meta() *ast.Meta
	// check refuses an image of which more than limit samples would have to be
	// decoded at once.
	check(limit int64) error
	// read fills dst, which has the window's shape. valid, nil for an image
	// without mask, has one byte a sample.
	read(ctx context.Context, level int, window image.Rectangle, bands []int, dst *raster.Buffer, valid []byte) error
}

type source struct {
	uri    string
	file   *os.File
	stat   fs.FileInfo // of the file when it was opened
	pixels pixels
	m      ast.Meta
	closed chan struct{}

	mu    sync.Mutex
	shut  bool
	reads sync.WaitGroup
}

// Meta is a copy of the metadata.
func (s *source) Meta() ast.Meta {
	m := s.m
	m.Bands = slices.Clone(m.Bands)
	m.Overviews = slices.Clone(m.Overviews)
	if m.Geo != nil {
		g := *m.Geo
		m.Geo = &g
	}
	return m
}

// Stale reports whether another file has taken the name, or the file was
// written to.
func (s *source) Stale() bool {
	fi, err := os.Stat(s.uri)
	return err != nil || !os.SameFile(fi, s.stat) || fi.ModTime() != s.stat.ModTime() || fi.Size() != s.stat.Size()
}

// Close waits for the reads in flight.
func (s *source) Close() error {
	s.mu.Lock()
	first := !s.shut
	s.shut = true
	s.mu.Unlock()
	if first {
		close(s.closed)
	}
	s.reads.Wait()
	if first {
		return fail("close", s.uri, s.file.Close())
	}
	return nil
}

func (s *source) ReadWindow(ctx context.Context, level int, window image.Rectangle, bands []int, dst *raster.Buffer) error {
	return fail("read", s.uri, s.readWindow(ctx, level, window, bands, dst))
}

func (s *source) readWindow(ctx context.Context, level int, window image.Rectangle, bands []int, dst *raster.Buffer) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.check(level, window, bands); err != nil {
		return err
	}
	s.mu.Lock()
	if s.shut {
		s.mu.Unlock()
		return fs.ErrClosed
	}
	s.reads.Add(1)
	s.mu.Unlock()
	defer s.reads.Done()
	defer recovered(&err)

	valid := dst.Mask
	dst.Reset(s.m.Bands[bands[0]].Type, window.Dx(), window.Dy(), len(bands))
	if s.m.HasMask {
		valid = grow(valid, dst.Len())
	} else {
		valid = nil
	}
	if err := s.pixels.read(ctx, level, window, bands, dst, valid); err != nil {
		return err
	}
	switch {
	case valid == nil:
	case dst.Type == raster.Float32:
		setNaN(raster.Samples[float32](dst), valid)
	case dst.Type == raster.Float64:
		setNaN(raster.Samples[float64](dst), valid)
	default:
		dst.Mask = valid
	}
	return nil
}

func (s *source) check(level int, window image.Rectangle, bands []int) error {
	m := &s.m
	if level < 0 || level > len(m.Overviews) {
		return fmt.Errorf("level %d is not one of 0 to %d (stored overviews: %d)", level, len(m.Overviews), len(m.Overviews))
	}
	size := m.Size
	if level > 0 {
		size = m.Overviews[level-1]
	}
	if window.Empty() || !window.In(image.Rect(0, 0, size.W, size.H)) {
		return fmt.Errorf("window %s is not inside level %d of %v", windowText(window), level, size)
	}
	if len(bands) == 0 || len(bands) > ast.MaxBands {
		return fmt.Errorf("%d bands asked for, expected 1 to %d", len(bands), ast.MaxBands)
	}
	for _, b := range bands {
		if b < 0 || b >= len(m.Bands) {
			return fmt.Errorf("band %d is not one of 0 to %d", b, len(m.Bands)-1)
		}
	}
	return checkSamples(geom.Size{W: window.Dx(), H: window.Dy()}, len(bands), raster.MaxSamples)
}

func checkSamples(size geom.Size, bands int, limit int64) error {
	if n := float64(size.W) * float64(size.H) * float64(bands); n > float64(limit) {
		return fmt.Errorf("%v pixels of %d bands are %.0f samples, which exceeds the limit of %d", size, bands, n, limit)
	}
	return nil
}

func windowText(r image.Rectangle) string {
	return fmt.Sprintf("[%d %d %d %d]", r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
}

func grow(b []byte, n int) []byte {
	if cap(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

func setNaN[T float32 | float64](samples []T, valid []byte) {
	nan := T(math.NaN())
	for i, v := range valid {
		if v == 0 {
			samples[i] = nan
		}
	}
}

// storedNoData is the value that a sample of type t is compared with: the
// declared one as t stores it, or none where no finite sample can have it. NaN
// is none, since it is invalid undeclared.
func storedNoData(t raster.DataType, v float64) (float64, bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, false
	}
	if t == raster.Float32 {
		// A value written in decimal may lie a hair beyond the largest float32.
		if a := math.Abs(v); a > math.MaxFloat32 && a <= math.MaxFloat32*(1+1e-10) {
			return math.Copysign(math.MaxFloat32, v), true
		}
		f := float64(float32(v))
		return f, !math.IsInf(f, 0)
	}
	return v, t.Round(v) == v
}
