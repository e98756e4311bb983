package gdalio

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"slices"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/internal/tiff"
)

// direct reads the blocks of a GeoTIFF from the file itself, where they hold
// what a read asks for: whole pixels of samples as they are stored, plain or
// deflated. GDAL takes the bands of each block apart, keeps them in its cache,
// and puts them together again, which costs more than reading and about as much
// as inflating. It is safe for concurrent use.
type direct struct {
	file   *os.File
	size   int64         // of the file, bytes
	levels []*tiff.Image // nil where GDAL has to read
}

// errNotHeld says that GDAL has to read after all.
var errNotHeld = errors.New("the block is not as this reader expects it")

// maxDirectBlock is the size of a block, in bytes, above which GDAL reads.
const maxDirectBlock = 64 << 20

// openDirect opens the file that GDAL described. It returns nil where that is
// no GeoTIFF whose blocks can be read here, or not the same file any more.
func openDirect(uri string, in *info, was stamp) *direct {
	f, err := os.Open(uri)
	if err != nil {
		return nil
	}
	d := &direct{file: f}
	fi, err := f.Stat()
	if err == nil {
		d.size = fi.Size()
	}
	if err != nil || stampFrom(fi) != was || !d.find(in) {
		f.Close()
		return nil
	}
	return d
}

// find fills in the levels, and reports whether any can be read.
func (d *direct) find(in *info) bool {
	r := tiff.Reader{R: d.file, Size: d.size}
	dirs, err := r.Directories()
	if err != nil || !tiff.Native(r.Order) {
		return false
	}
	d.levels = make([]*tiff.Image, 1+len(in.levels))
	main, err := r.Image(dirs[0])
	if err != nil {
		return false
	}
	if holds(main, in, in.size) {
		d.levels[0] = main
	}
	var smaller []*tiff.Image
	for _, dir := range dirs[1:] {
		const reduced = 1 // and neither a page nor a mask
		if kind, err := r.Uints(dir, tiff.TagSubfile); err != nil || len(kind) != 1 || kind[0] != reduced {
			continue
		}
		if m, err := r.Image(dir); err == nil {
			smaller = append(smaller, m)
		}
	}
	// GDAL takes overviews of another file where the raster's own has none.
	if len(smaller) == len(in.levels) {
		for k, m := range smaller {
			if holds(m, in, in.levels[k]) {
				d.levels[1+k] = m
			}
		}
	}
	return slices.ContainsFunc(d.levels, func(m *tiff.Image) bool { return m != nil })
}

// holds reports whether the blocks of an image hold a level as GDAL described
// it, in a form that read knows.
func holds(m *tiff.Image, in *info, size geom.Size) bool {
	block := float64(m.Block.W) * float64(m.Block.H) * float64(m.Bands*m.Type.Size())
	switch {
	case m.Size != size || m.Bands != in.count || m.Bits != 8*m.Type.Size() || block > maxDirectBlock,
		m.Planar && m.Bands > 1,
		m.Photometric != tiff.PhotometricBlack && m.Photometric != tiff.PhotometricRGB,
		m.Predictor == 2 && m.Type.Size() > 4,
		slices.ContainsFunc(in.bands, func(b bandInfo) bool { return b.typ != m.Type }):
		return false
	}
	return m.Compression == tiff.CompNone || libVersion() != "" &&
		(m.Compression == tiff.CompDeflate || m.Compression == tiff.CompDeflateOld)
}

func (d *direct) has(level int) bool {
	return d != nil && level < len(d.levels) && d.levels[level] != nil
}

// plain reports whether a level is stored as it is read.
func (d *direct) plain(level int) bool {
	return d.has(level) && d.levels[level].Compression == tiff.CompNone
}

func (d *direct) close() error { return d.file.Close() }

// read fills each buffer of dst, which has the shape of its window and the
// level's type, with bands counted from 0.
func (d *direct) read(ctx context.Context, level int, windows []image.Rectangle, bands []int, dst []*raster.Buffer) error {
	m := d.levels[level]
	s := scratch.Get().(*batch)
	defer s.release()
	for i, w := range windows {
		for by := w.Min.Y / m.Block.H; by*m.Block.H < w.Max.Y; by++ {
			for bx := w.Min.X / m.Block.W; bx*m.Block.W < w.Max.X; bx++ {
				if err := ctx.Err(); err != nil {
					return err
				}
				b := newBlock(m, bx, by, w, bands, dst[i])
				if !d.contains(&b) {
					return errNotHeld
				}
				var err error
				if m.Compression == tiff.CompNone {
					err = d.copyRows(&b, s)
				} else {
					err = d.inflate(&b, s)
				}
				if err != nil {
					return fmt.Errorf("block (%d, %d): %w", bx, by, err)
				}
			}
		}
	}
	return s.flush()
}

// contains reports whether all of a block is in the file, and not left out
// (sparse) or of a size that no block deflates to, which would only take memory.
func (d *direct) contains(b *block) bool {
	n := uint64(b.rect.Dx() * b.rect.Dy() * b.pixel)
	size := uint64(d.size)
	return b.offset > 0 && b.count > 0 && b.count <= 2*n+1<<10 && b.offset <= size && b.count <= size-b.offset
}

// block is one block of an image and what a read wants of it.
type block struct {
	m             *tiff.Image
	offset, count uint64          // in the file, bytes
	rect          image.Rectangle // on the level, with the padding of tiles
	area          image.Rectangle // the part of it that is read
	pixel         int             // bytes
	whole         bool            // all bands are read, in order
	bands         []int
	dst           *raster.Buffer
	at            image.Point // of dst's first pixel
}

func newBlock(m *tiff.Image, bx, by int, window image.Rectangle, bands []int, dst *raster.Buffer) block {
	i := by*m.Across + bx
	b := block{
		m: m, offset: m.Offsets[i], count: m.Counts[i], pixel: m.Bands * m.Type.Size(),
		rect:  image.Rect(bx*m.Block.W, by*m.Block.H, (bx+1)*m.Block.W, (by+1)*m.Block.H),
		bands: bands, dst: dst, at: window.Min, whole: len(bands) == m.Bands,
	}
	if !m.Tiled {
		b.rect.Max.Y = min(b.rect.Max.Y, m.Size.H)
	}
	for k, band := range bands {
		b.whole = b.whole && k == band
	}
	b.area = b.rect.Intersect(window)
	return b
}

// row is where the pixels of a row of the area go.
func (b *block) row(y int) []byte {
	i := ((y-b.at.Y)*b.dst.W + b.area.Min.X - b.at.X) * b.pixel
	return b.dst.Bytes()[i : i+b.area.Dx()*b.pixel]
}

// fits reports whether rows of the block are rows of dst, so that they need not
// be copied.
func (b *block) fits() bool { return b.whole && b.area.Dx() == b.rect.Dx() && b.dst.W == b.rect.Dx() }

// scatter copies the area from the rows of the block from the given one.
func (b *block) scatter(samples []byte, first int) {
	size := b.m.Type.Size()
	n := len(b.bands)
	for y := b.area.Min.Y; y < b.area.Max.Y; y++ {
		from := samples[((y-first)*b.rect.Dx()+b.area.Min.X-b.rect.Min.X)*b.pixel:]
		if b.whole {
			copy(b.row(y), from)
			continue
		}
		i := ((y-b.at.Y)*b.dst.W + b.area.Min.X - b.at.X) * n * size
		pick(b.dst.Bytes()[i:i+b.area.Dx()*n*size], from, b.bands, b.pixel, size)
	}
}

// pick copies the samples of some bands out of whole pixels.
func pick(to, from []byte, bands []int, pixel, size int) {
	for ; len(to) > 0; from = from[min(pixel, len(from)):] {
		for _, k := range bands {
			switch size {
			case 1:
				to[0] = from[k]
			default:
				copy(to[:size], from[k*size:])
			}
			to = to[size:]
		}
	}
}

// narrow is how many bytes of a row may be read in vain, rather than each row
// apart.
const narrow = 8 << 10

// copyRows reads the area of a block that is stored as it is.
func (d *direct) copyRows(b *block, s *batch) error {
	stride := b.rect.Dx() * b.pixel
	if b.count < uint64(b.rect.Dy()*stride) {
		return errNotHeld
	}
	first := int64(b.offset) + int64((b.area.Min.Y-b.rect.Min.Y)*stride)
	switch {
	case b.fits():
		i := (b.area.Min.Y - b.at.Y) * stride
		return d.readAt(b.dst.Bytes()[i:i+b.area.Dy()*stride], first)
	case b.whole && stride-b.area.Dx()*b.pixel > narrow:
		first += int64((b.area.Min.X - b.rect.Min.X) * b.pixel)
		for y := b.area.Min.Y; y < b.area.Max.Y; y++ {
			if err := d.readAt(b.row(y), first); err != nil {
				return err
			}
			first += int64(stride)
		}
		return nil
	}
	l := &s.lanes[0]
	l.samples = grow(l.samples, b.area.Dy()*stride)
	if err := d.readAt(l.samples, first); err != nil {
		return err
	}
	b.scatter(l.samples, b.area.Min.Y)
	return nil
}

func (d *direct) readAt(b []byte, off int64) error {
	_, err := d.file.ReadAt(b, off)
	return err
}
