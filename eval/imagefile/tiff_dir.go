package imagefile

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
	tagSubfile       = 254
	tagWidth         = 256
	tagHeight        = 257
	tagBits          = 258
	tagCompression   = 259
	tagPhotometric   = 262
	tagFillOrder     = 266
	tagStripOffsets  = 273
	tagSamples       = 277
	tagRowsPerStrip  = 278
	tagStripCounts   = 279
	tagPlanar        = 284
	tagPredictor     = 317
	tagColorMap      = 320
	tagTileWidth     = 322
	tagTileHeight    = 323
	tagTileOffsets   = 324
	tagTileCounts    = 325
	tagExtra         = 338
	tagSampleFormat  = 339
	tagPixelScale    = 33550
	tagTiepoint      = 33922
	tagTransform     = 34264
	tagGeoKeys       = 34735
	tagGDALMetadata  = 42112
	tagGDALNoData    = 42113
	photometricRGB   = 2
	photometricIndex = 3
	photometricMask  = 4
)

// tiffReader reads the structure of a TIFF or BigTIFF.
type tiffReader struct {
	r     io.ReaderAt
	size  int64
	order binary.ByteOrder
	big   bool
}

// entry is one field of a directory.
type entry struct {
	kind  uint16
	count uint64
	value []byte // as it lies in the directory: the value or its offset
}

type fields map[uint16]entry

func (t *tiffReader) bytes(off, n uint64) ([]byte, error) {
	if off > uint64(t.size) || n > uint64(t.size)-off {
		return nil, fmt.Errorf("broken TIFF: %d bytes at %d are beyond its end at %d", n, off, t.size)
	}
	b := make([]byte, n)
	if _, err := t.r.ReadAt(b, int64(off)); err != nil && err != io.EOF {
		return nil, err
	}
	return b, nil
}

// maxDirectories bounds how many images a file may hold.
const maxDirectories = 1024

// directories reads the chain of directories.
func (t *tiffReader) directories() ([]fields, error) {
	head, err := t.bytes(0, 8)
	if err != nil {
		return nil, err
	}
	t.order = binary.ByteOrder(binary.LittleEndian)
	if head[0] == 'M' {
		t.order = binary.BigEndian
	}
	next := uint64(t.order.Uint32(head[4:]))
	if t.big = t.order.Uint16(head[2:]) == 43; t.big {
		if head, err = t.bytes(8, 8); err != nil {
			return nil, err
		}
		next = t.order.Uint64(head)
	}
	var all []fields
	seen := map[uint64]bool{}
	for next != 0 {
		if seen[next] || len(all) == maxDirectories {
			return nil, errors.New("broken TIFF: its chain of images does not end")
		}
		seen[next] = true
		var d fields
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

func (t *tiffReader) directory(at uint64) (fields, uint64, error) {
	countSize, size, link := uint64(2), uint64(12), uint64(4)
	if t.big {
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
	d := fields{}
	for ; uint64(len(b)) > link; b = b[size:] {
		e := entry{kind: t.order.Uint16(b[2:])}
		if t.big {
			e.count, e.value = t.order.Uint64(b[4:]), b[12:20]
		} else {
			e.count, e.value = uint64(t.order.Uint32(b[4:])), b[8:12]
		}
		d[t.order.Uint16(b)] = e
	}
	return d, t.uint(b), nil
}

// uint is a number of 2, 4 or 8 bytes.
func (t *tiffReader) uint(b []byte) uint64 {
	switch len(b) {
	case 2:
		return uint64(t.order.Uint16(b))
	case 4:
		return uint64(t.order.Uint32(b))
	}
	return t.order.Uint64(b)
}

// sizes of the field types, by number.
var fieldSize = [...]uint64{1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8}

// data is the value of a field, wherever it lies; nil when there is none.
func (t *tiffReader) data(d fields, tag uint16) ([]byte, entry, error) {
	e, ok := d[tag]
	if !ok || e.count == 0 {
		return nil, e, nil
	}
	if int(e.kind) >= len(fieldSize) || fieldSize[e.kind] == 0 {
		return nil, e, fmt.Errorf("broken TIFF: field %d is of type %d", tag, e.kind)
	}
	size := fieldSize[e.kind]
	if e.count > uint64(t.size)/size+8 {
		return nil, e, fmt.Errorf("broken TIFF: field %d has %d values in a file of %d bytes", tag, e.count, t.size)
	}
	if n := e.count * size; n > uint64(len(e.value)) {
		b, err := t.bytes(t.uint(e.value), n)
		return b, e, err
	}
	return e.value[:e.count*size], e, nil
}

// uints is the value of a field of whole numbers.
func (t *tiffReader) uints(d fields, tag uint16) ([]uint64, error) {
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
		case 3, 4, 13, 16, 18:
			list[i] = t.uint(b[i*size : (i+1)*size])
		default:
			return nil, fmt.Errorf("broken TIFF: field %d is of type %d, expected a whole number", tag, e.kind)
		}
	}
	return list, nil
}

func (t *tiffReader) floats(d fields, tag uint16) []float64 {
	b, e, err := t.data(d, tag)
	if err != nil || e.kind != 12 {
		return nil
	}
	list := make([]float64, len(b)/8)
	for i := range list {
		list[i] = math.Float64frombits(t.order.Uint64(b[8*i:]))
	}
	return list
}

func (t *tiffReader) text(d fields, tag uint16) string {
	b, _, err := t.data(d, tag)
	if err != nil {
		return ""
	}
	return string(bytes.TrimRight(b, "\x00"))
}

// level is one image of the file: how its samples lie.
type level struct {
	size         geom.Size
	bands        int
	typ          raster.DataType
	bits         int // of a sample: fewer than 8 are unpacked to uint8
	block        geom.Size
	tiled        bool
	planar       bool // bands one after another
	compression  int
	predictor    int
	photometric  int
	extra        []uint64
	offsets      []uint64
	counts       []uint64
	across, down int
	kind         uint64 // tagSubfile
}

func (t *tiffReader) level(d fields) (*level, error) {
	var err error
	one := func(tag uint16, otherwise int) int {
		v, e := t.uints(d, tag)
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
		v, e := t.uints(d, tag)
		err = cmpErr(err, e)
		return v
	}
	l := &level{
		size:        geom.Size{W: one(tagWidth, 0), H: one(tagHeight, 0)},
		bands:       one(tagSamples, 1),
		planar:      one(tagPlanar, 1) == 2,
		compression: one(tagCompression, 1),
		predictor:   one(tagPredictor, 1),
		photometric: one(tagPhotometric, 1),
		extra:       many(tagExtra),
		kind:        uint64(one(tagSubfile, 0)),
		block:       geom.Size{W: one(tagTileWidth, 0), H: one(tagTileHeight, 0)},
	}
	bits, format, fill := many(tagBits), many(tagSampleFormat), one(tagFillOrder, 1)
	if l.block.W > 0 {
		l.tiled = true
		l.offsets, l.counts = many(tagTileOffsets), many(tagTileCounts)
	} else {
		l.block = geom.Size{W: l.size.W, H: min(one(tagRowsPerStrip, math.MaxInt32), l.size.H)}
		l.offsets, l.counts = many(tagStripOffsets), many(tagStripCounts)
	}
	if err != nil {
		return nil, err
	}
	if fill != 1 {
		return nil, fmt.Errorf("a TIFF of fill order %d needs GDAL", fill)
	}
	if err := l.setType(bits, format); err != nil {
		return nil, err
	}
	return l, l.check()
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (l *level) setType(bits, format []uint64) error {
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
	l.typ, l.bits = types[[2]uint64{f, n}], int(n)
	if l.typ == raster.Unknown {
		return fmt.Errorf("a TIFF of %d-bit samples of format %d needs GDAL", n, f)
	}
	return nil
}

// check refuses what cannot be decoded and what does not fit together.
func (l *level) check() error {
	switch {
	case l.size.W < 1 || l.size.H < 1:
		return fmt.Errorf("broken TIFF: a size of %v", l.size)
	case l.block.W < 1 || l.block.H < 1:
		return fmt.Errorf("broken TIFF: blocks of %v", l.block)
	case l.bands < 1 || l.bands > ast.MaxBands:
		return fmt.Errorf("%d bands, expected 1 to %d", l.bands, ast.MaxBands)
	case l.photometric == 6:
		return errors.New("a YCbCr TIFF needs GDAL")
	case !slices.Contains([]int{compNone, compLZW, compDeflate, compDeflateOld, compPackBits}, l.compression):
		return fmt.Errorf("a TIFF of compression %d needs GDAL", l.compression)
	case l.predictor != 1 && l.predictor != 2 && l.predictor != 3,
		l.predictor == 2 && l.bits < 8, l.predictor == 3 && !l.typ.IsFloat():
		return fmt.Errorf("broken TIFF: predictor %d of %v", l.predictor, l.typ)
	}
	l.across = (l.size.W-1)/l.block.W + 1
	l.down = (l.size.H-1)/l.block.H + 1
	have := min(len(l.offsets), len(l.counts))
	if l.planar {
		have /= l.bands
	}
	if want := l.across * l.down; have < want {
		return fmt.Errorf("broken TIFF: %d blocks and %d sizes of them for %d×%d blocks", len(l.offsets), len(l.counts), l.across, l.down)
	}
	return nil
}
