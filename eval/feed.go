package eval

import (
	"context"
	"fmt"
	"image"
	"time"
	"unique"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// feed is some bands of one level of a Load, read in cells: whole blocks of
// the file, several where they are small.
type feed struct {
	uri   string
	level int
	bands []int
	typ   raster.DataType
	size  geom.Size // of the level
	cell  geom.Size
	id    feedID
	meta  ast.Meta // what the tree says of the raster
}

// feedID tells feeds apart in the block cache, across plans.
type feedID = unique.Handle[feedKey]

type feedKey struct {
	uri   string
	level int
	bands string
	cell  geom.Size
}

func newFeed(l *ast.Load, level int, bands []int, typ raster.DataType) *feed {
	f := &feed{uri: l.URI(), level: level, bands: bands, typ: typ}
	f.size, _ = l.LevelSize(level)
	f.meta, _ = l.Meta()
	f.cell = cellSize(f.size, f.meta.Block, len(bands)*typ.Size())
	f.id = unique.Make(feedKey{f.uri, level, fmt.Sprint(bands), f.cell})
	return f
}

const (
	cellSide  = 256
	cellBytes = 1 << 19
)

// cellSize is the unit of reading and caching: a multiple of the file's block,
// about cellSide pixels a side, or whole strips.
func cellSize(level, block geom.Size, pixelBytes int) geom.Size {
	if block.W < 1 || block.H < 1 {
		block = geom.Size{W: cellSide, H: cellSide}
	}
	// What a file claims may be absurd.
	block = geom.Size{W: min(block.W, level.W), H: min(block.H, level.H)}
	c := geom.Size{W: min(multiple(block.W, cellSide), level.W), H: min(multiple(block.H, cellSide), level.H)}
	if c.W == level.W && level.W > 2*cellSide {
		rows := max(1, cellBytes/(c.W*pixelBytes))
		c.H = min(multiple(block.H, min(rows, cellSide)), level.H)
	}
	// A block that is most of a large raster is decoded by the reader alone.
	for float64(c.W)*float64(c.H)*float64(pixelBytes) > 16<<20 && (c.W > cellSide || c.H > 1) {
		if c.H > 1 {
			c.H = (c.H + 1) / 2
		} else {
			c.W = (c.W + 1) / 2
		}
	}
	return c
}

// multiple is the smallest multiple of n that is at least want, and n itself
// where that is larger.
func multiple(n, want int) int { return (max(n, want) + n - 1) / n * n }

// blocks is the number of the file's blocks that a window touches: of cells,
// where the block size is not known.
func (f *feed) blocks(w image.Rectangle) int64 {
	b := f.meta.Block
	if b.W < 1 || b.H < 1 {
		b = f.cell
	}
	return int64(ceilDiv(w.Max.X, b.W)-w.Min.X/b.W) * int64(ceilDiv(w.Max.Y, b.H)-w.Min.Y/b.H)
}

// readFeed reads a window of the level from the source.
func (x *exec) readFeed(ctx context.Context, f *feed, window image.Rectangle, dst *raster.Buffer) (err error) {
	start := time.Now()
	defer func() {
		if v := recover(); v != nil {
			err = &ReadError{URI: f.uri, Level: f.level, Window: window, Err: panicked(v)}
		}
		x.count.Read += time.Since(start)
		x.count.read(f, window, dst)
	}()
	h, err := x.s.sources.use(ctx, f.uri)
	if err != nil {
		return &ReadError{URI: f.uri, Level: f.level, Window: window, Err: err}
	}
	defer x.s.sources.done(h)
	if err = f.check(&h.meta); err == nil {
		err = h.src.ReadWindow(ctx, f.level, window, f.bands, dst)
	}
	if err == nil {
		err = f.checkSamples(window, dst)
	}
	if err != nil {
		return &ReadError{URI: f.uri, Level: f.level, Window: window, Err: err}
	}
	return nil
}

// checkSamples compares what a source gave with what it was asked for.
func (f *feed) checkSamples(window image.Rectangle, dst *raster.Buffer) error {
	if dst.Type != f.typ || dst.W != window.Dx() || dst.H != window.Dy() || dst.Bands != len(f.bands) {
		return fmt.Errorf("the source gave %d×%d×%d samples of %v, expected %d×%d×%d of %v",
			dst.W, dst.H, dst.Bands, dst.Type, window.Dx(), window.Dy(), len(f.bands), f.typ)
	}
	if dst.Mask != nil && len(dst.Mask) != dst.Len() {
		return fmt.Errorf("the source gave a mask of %d samples, expected %d", len(dst.Mask), dst.Len())
	}
	return nil
}

// check compares what the tree says of a raster with what it is.
func (f *feed) check(m *ast.Meta) error {
	var got geom.Size
	switch {
	case f.level == 0:
		got = m.Size
	case f.level <= len(m.Overviews):
		got = m.Overviews[f.level-1]
	default:
		return fmt.Errorf("the tree reads overview %d, the file stores %d", f.level, len(m.Overviews))
	}
	if got != f.size {
		return fmt.Errorf("the tree says %v at level %d, the file has %v", f.size, f.level, got)
	}
	for _, b := range f.bands {
		if b >= len(m.Bands) {
			return fmt.Errorf("the tree reads band %d, the file has %d", b, len(m.Bands))
		}
		if m.Bands[b].Type != f.typ {
			return fmt.Errorf("the tree says %v for band %d, the file has %v", f.typ, b, m.Bands[b].Type)
		}
	}
	return nil
}

// ReadError is a failure to read a source.
type ReadError struct {
	URI    string
	Level  int
	Window image.Rectangle // in pixels of the level
	Err    error
}

// Error names the raster, the window and the cause.
func (e *ReadError) Error() string {
	w := e.Window
	level := ""
	if e.Level > 0 {
		level = fmt.Sprintf(" of level %d", e.Level)
	}
	return fmt.Sprintf("eval: reading window [%d %d %d %d]%s of %q: %v", w.Min.X, w.Min.Y, w.Max.X, w.Max.Y, level, e.URI, e.Err)
}

// Unwrap is the cause.
func (e *ReadError) Unwrap() error { return e.Err }
