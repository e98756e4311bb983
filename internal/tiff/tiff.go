// Package tiff reads the structure of TIFF and BigTIFF files: which images they
// hold, and where and how their samples lie.
package tiff

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// TIFF tags.
const (
	TagSubfile      = 254
	TagWidth        = 256
	TagHeight       = 257
	TagBits         = 258
	TagCompression  = 259
	TagPhotometric  = 262
	TagFillOrder    = 266
	TagStripOffsets = 273
	TagSamples      = 277
	TagRowsPerStrip = 278
	TagStripCounts  = 279
	TagPlanar       = 284
	TagPredictor    = 317
	TagColorMap     = 320
	TagTileWidth    = 322
	TagTileHeight   = 323
	TagTileOffsets  = 324
	TagTileCounts   = 325
	TagExtra        = 338
	TagSampleFormat = 339
	TagPixelScale   = 33550
	TagTiepoint     = 33922
	TagTransform    = 34264
	TagGeoKeys      = 34735
	TagGDALMetadata = 42112
	TagGDALNoData   = 42113
)

// How samples are to be seen.
const (
	PhotometricBlack = 1 // 0 is black
	PhotometricRGB   = 2
	PhotometricIndex = 3
	PhotometricMask  = 4
)

// Compressions.
const (
	CompNone       = 1
	CompLZW        = 5
	CompDeflate    = 8
	CompPackBits   = 32773
	CompDeflateOld = 32946
)

// Reader reads the structure of a TIFF or BigTIFF.
type Reader struct {
	R     io.ReaderAt
	Size  int64 // of the file, bytes
	Order binary.ByteOrder
	Big   bool // BigTIFF: offsets have 64 bits
}

// entry is one field of a directory.
type entry struct {
	kind  uint16
	count uint64
	value []byte // as it lies in the directory: the value or its offset
}

// Count is how many values the field has.
func (e entry) Count() uint64 { return e.count }

// Fields are those of one directory, by tag.
type Fields map[uint16]entry

func (t *Reader) bytes(off, n uint64) ([]byte, error) {
	if off > uint64(t.Size) || n > uint64(t.Size)-off {
		return nil, fmt.Errorf("broken TIFF: %d bytes at %d are beyond its end at %d", n, off, t.Size)
	}
	b := make([]byte, n)
	if _, err := t.R.ReadAt(b, int64(off)); err != nil && err != io.EOF {
		return nil, err
	}
	return b, nil
}

// maxDirectories bounds how many images a file may hold.
const maxDirectories = 1024

// Directories reads the header and the chain of directories.
func (t *Reader) Directories() ([]Fields, error) {
	head, err := t.bytes(0, 8)
	if err != nil {
		return nil, err
	}
	t.Order = binary.ByteOrder(binary.LittleEndian)
	if head[0] == 'M' {
		t.Order = binary.BigEndian
	}
	next := uint64(t.Order.Uint32(head[4:]))
	switch version := t.Order.Uint16(head[2:]); {
	case head[0] != head[1] || head[0] != 'I' && head[0] != 'M', version != 42 && version != 43:
		return nil, errors.New("no TIFF")
	case version == 43:
		t.Big = true
		if head, err = t.bytes(8, 8); err != nil {
			return nil, err
		}
		next = t.Order.Uint64(head)
	}
	var all []Fields
	seen := map[uint64]bool{}
	for next != 0 {
		if seen[next] || len(all) == maxDirectories {
			return nil, errors.New("broken TIFF: its chain of images does not end")
		}
		seen[next] = true
		var d Fields
		if d, next, err = t.directory(next); err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	if len(all) == 0 {
		return nil, errors.New("broken TIFF: it holds no image")
	}
	return all, nil
}

func (t *Reader) directory(at uint64) (Fields, uint64, error) {
	countSize, size, link := uint64(2), uint64(12), uint64(4)
	if t.Big {
		countSize, size, link = 8, 20, 8
	}
	b, err := t.bytes(at, countSize)
	if err != nil {
		return nil, 0, err
	}
	n := t.uint(b)
	if n > 4096 {
		return nil, 0, fmt.Errorf("broken TIFF: an image of %d fields", n)
	}
	b, err = t.bytes(at+countSize, n*size+link)
	if err != nil {
		return nil, 0, err
	}
	d := Fields{}
	for ; uint64(len(b)) > link; b = b[size:] {
		e := entry{kind: t.Order.Uint16(b[2:])}
		if t.Big {
			e.count, e.value = t.Order.Uint64(b[4:]), b[12:20]
		} else {
			e.count, e.value = uint64(t.Order.Uint32(b[4:])), b[8:12]
		}
		// Of a field that is there twice, libtiff takes the first.
		tag := t.Order.Uint16(b)
		if _, has := d[tag]; !has {
			d[tag] = e
		}
	}
	return d, t.uint(b), nil
}

// uint is a number of 2, 4 or 8 bytes.
func (t *Reader) uint(b []byte) uint64 {
	switch len(b) {
	case 2:
		return uint64(t.Order.Uint16(b))
	case 4:
		return uint64(t.Order.Uint32(b))
	}
	return t.Order.Uint64(b)
}

// sizes of the field types, by number.
var fieldSize = [...]uint64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}

// data is the value of a field, wherever it lies; nil when there is none.
func (t *Reader) data(d Fields, tag uint16) ([]byte, entry, error) {
	e, ok := d[tag]
	if !ok || e.count == 0 {
		return nil, e, nil
	}
	if int(e.kind) >= len(fieldSize) || fieldSize[e.kind] == 0 {
		return nil, e, fmt.Errorf("broken TIFF: field %d is of type %d", tag, e.kind)
	}
	size := fieldSize[e.kind]
	if e.count > uint64(t.Size)/size+8 {
		return nil, e, fmt.Errorf("broken TIFF: field %d has %d values in a file of %d bytes", tag, e.count, t.Size)
	}
	if n := e.count * size; n > uint64(len(e.value)) {
		b, err := t.bytes(t.uint(e.value), n)
		return b, e, err
	}
	return e.value[:e.count*size], e, nil
}

// Uints is the value of a field of whole numbers.
func (t *Reader) Uints(d Fields, tag uint16) ([]uint64, error) {
	b, e, err := t.data(d, tag)
	if err != nil || b == nil {
		return nil, err
	}
	size := int(fieldSize[e.kind])
	list := make([]uint64, e.count)
	for i := range list {
		switch e.kind {
		case 1:
			list[i] = uint64(b[i])
		case 3, 4, 16:
			list[i] = t.uint(b[i*size : (i+1)*size])
		default:
			return nil, fmt.Errorf("broken TIFF: field %d is of type %d, expected a whole number", tag, e.kind)
		}
	}
	return list, nil
}

// Floats is the value of a field of float64, nil where there is none.
func (t *Reader) Floats(d Fields, tag uint16) []float64 {
	b, e, err := t.data(d, tag)
	if err != nil || e.kind != 12 {
		return nil
	}
	list := make([]float64, len(b)/8)
	for i := range list {
		list[i] = math.Float64frombits(t.Order.Uint64(b[8*i:]))
	}
	return list
}

// Text is the value of a field of bytes, without the zero byte at its end.
func (t *Reader) Text(d Fields, tag uint16) string {
	b, e, err := t.data(d, tag)
	if err != nil || b == nil || fieldSize[e.kind] != 1 {
		return ""
	}
	return string(bytes.TrimRight(b, "\x00"))
}

// Image is one image of the file: how its samples lie.
type Image struct {
	Size         geom.Size
	Bands        int
	Type         raster.DataType
	Bits         int // of a sample: fewer than 8 are unpacked to uint8
	Block        geom.Size
	Tiled        bool
	Planar       bool // bands one after another
	Compression  int
	Predictor    int
	Photometric  int
	Extra        []uint64
	Offsets      []uint64
	Counts       []uint64
	Across, Down int    // blocks
	Kind         uint64 // TagSubfile
}

// Image is the image of a directory, checked to be one that can be decoded and
// whose fields fit together.
func (t *Reader) Image(d Fields) (*Image, error) {
	var err error
	one := func(tag uint16, otherwise int) int {
		v, e := t.Uints(d, tag)
		switch {
		case e != nil:
			err = cmpErr(err, e)
		case len(v) > 0 && v[0] > math.MaxInt32:
			return math.MaxInt32
		case len(v) > 0:
			return int(v[0])
		}
		return otherwise
	}
	many := func(tag uint16) []uint64 {
		v, e := t.Uints(d, tag)
		err = cmpErr(err, e)
		return v
	}
	l := &Image{
		Size:        geom.Size{W: one(TagWidth, 0), H: one(TagHeight, 0)},
		Bands:       one(TagSamples, 1),
		Compression: one(TagCompression, 1),
		Predictor:   one(TagPredictor, 1),
		Photometric: one(TagPhotometric, 1),
		Extra:       many(TagExtra),
		Kind:        uint64(one(TagSubfile, 0)),
		Block:       geom.Size{W: one(TagTileWidth, 0), H: one(TagTileHeight, 0)},
	}
	bits, format := many(TagBits), many(TagSampleFormat)
	fill, planar := one(TagFillOrder, 1), one(TagPlanar, 1)
	l.Planar = planar == 2
	l.Tiled = d.hasAny(TagTileWidth, TagTileHeight, TagTileOffsets, TagTileCounts)
	if l.Tiled {
		l.Offsets, l.Counts = many(TagTileOffsets), many(TagTileCounts)
	} else {
		l.Block = geom.Size{W: l.Size.W, H: min(one(TagRowsPerStrip, math.MaxInt32), l.Size.H)}
		l.Offsets, l.Counts = many(TagStripOffsets), many(TagStripCounts)
	}
	if err != nil {
		return nil, err
	}
	if l.Tiled && d.hasAny(TagStripOffsets, TagStripCounts) {
		return nil, errors.New("broken TIFF: an image of both strips and tiles")
	}
	if fill != 1 {
		return nil, fmt.Errorf("a TIFF of fill order %d needs GDAL", fill)
	}
	if planar != 1 && planar != 2 {
		return nil, fmt.Errorf("broken TIFF: a planar configuration of %d", planar)
	}
	if err := l.setType(bits, format); err != nil {
		return nil, err
	}
	return l, l.check()
}

func (d Fields) hasAny(tags ...uint16) bool {
	return slices.ContainsFunc(tags, func(tag uint16) bool { _, has := d[tag]; return has })
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (l *Image) setType(bits, format []uint64) error {
	same := func(v []uint64, otherwise uint64) (uint64, bool) {
		if len(v) == 0 {
			return otherwise, true
		}
		return v[0], !slices.ContainsFunc(v, func(u uint64) bool { return u != v[0] })
	}
	n, ok := same(bits, 1)
	f, fok := same(format, 1)
	if !ok || !fok {
		return errors.New("a TIFF whose bands differ in type needs GDAL")
	}
	types := map[[2]uint64]raster.DataType{
		{1, 1}: raster.Uint8, {1, 2}: raster.Uint8, {1, 4}: raster.Uint8,
		{1, 8}: raster.Uint8, {2, 8}: raster.Int8, {1, 16}: raster.Uint16, {2, 16}: raster.Int16,
		{1, 32}: raster.Uint32, {2, 32}: raster.Int32, {3, 32}: raster.Float32, {3, 64}: raster.Float64,
	}
	if f == 4 { // undefined, which readers take for unsigned
		f = 1
	}
	l.Type, l.Bits = types[[2]uint64{f, n}], int(n)
	if l.Type == raster.Unknown {
		return fmt.Errorf("a TIFF of %d-bit samples of format %d needs GDAL", n, f)
	}
	return nil
}

// check refuses what cannot be decoded and what does not fit together.
func (l *Image) check() error {
	switch {
	case l.Size.W < 1 || l.Size.H < 1:
		return fmt.Errorf("broken TIFF: a size of %v", l.Size)
	case l.Block.W < 1 || l.Block.H < 1:
		return fmt.Errorf("broken TIFF: blocks of %v", l.Block)
	case l.Bands < 1 || l.Bands > ast.MaxBands:
		return fmt.Errorf("%d bands, expected 1 to %d", l.Bands, ast.MaxBands)
	case len(l.Extra) > l.Bands:
		return fmt.Errorf("broken TIFF: %d extra ones of %d bands", len(l.Extra), l.Bands)
	case l.Photometric == 6:
		return errors.New("a YCbCr TIFF needs GDAL")
	case !slices.Contains([]int{CompNone, CompLZW, CompDeflate, CompDeflateOld, CompPackBits}, l.Compression):
		return fmt.Errorf("a TIFF of compression %d needs GDAL", l.Compression)
	case l.Predictor != 1 && l.Predictor != 2 && l.Predictor != 3,
		l.Predictor == 2 && l.Bits < 8, l.Predictor == 3 && !l.Type.IsFloat():
		return fmt.Errorf("broken TIFF: predictor %d of %v", l.Predictor, l.Type)
	}
	l.Across = (l.Size.W-1)/l.Block.W + 1
	l.Down = (l.Size.H-1)/l.Block.H + 1
	have := min(len(l.Offsets), len(l.Counts))
	if l.Planar {
		have /= l.Bands
	}
	if want := l.Across * l.Down; have < want {
		return fmt.Errorf("broken TIFF: %d blocks and %d sizes of them for %d×%d blocks", len(l.Offsets), len(l.Counts), l.Across, l.Down)
	}
	return nil
}
