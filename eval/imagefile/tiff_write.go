package imagefile

import (
	"bytes"
	"encoding/binary"
	"encoding/xml"
	"fmt"
	"image"
	"math"
	"os"
	"strconv"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/internal/tiff"
)

// tiffWriter writes an uncompressed TIFF in this machine's byte order. Without
// compression every row has its place from the start, so windows are written
// where they belong as they come:
//
//	header | samples, row by row | mask, one bit a pixel | directories
//
// It is a BigTIFF where a TIFF's 32-bit offsets would not reach.
type tiffWriter struct {
	file         *os.File
	c            *Creation
	rowBytes     int64
	maskRowBytes int64
	data, mask   int64 // where samples and mask begin; mask is 0 without one
	scratch      []byte
}

// stripBytes is about how large a strip is.
const stripBytes = 1 << 16

func newTIFFWriter(f *os.File, c *Creation, pam *pamDataset) (*tiffWriter, error) {
	w := &tiffWriter{file: f, c: c, data: 16}
	pam.setGeo(c.Geo, false)
	w.rowBytes = int64(c.Size.W) * int64(len(c.Bands)) * int64(c.Type.Size())
	w.maskRowBytes = (int64(c.Size.W) + 7) / 8
	if total := float64(w.rowBytes) * float64(c.Size.H); total > 1<<60 {
		return nil, fmt.Errorf("%v pixels of %d bands of %v are %.3g bytes, which no file holds", c.Size, len(c.Bands), c.Type, total)
	}
	end := w.data + w.rowBytes*int64(c.Size.H)
	if c.WithMask {
		w.mask = end
		end += w.maskRowBytes * int64(c.Size.H)
	}
	end = (end + 7) &^ 7
	// The directories take 16 bytes a strip and a little more.
	reach := end + 2*16*(w.stripCount(w.rowBytes)+w.stripCount(w.maskRowBytes)) + 1<<20
	l := tiffLayout{order: binary.NativeEndian, big: reach > math.MaxUint32, at: end}
	next := []fieldValue(nil)
	if c.WithMask {
		next = w.maskFields()
	}
	head := l.header()
	body := l.directory(w.imageFields(), next)
	if _, err := f.WriteAt(head, 0); err != nil {
		return nil, err
	}
	_, err := f.WriteAt(body, end)
	return w, err
}

func (w *tiffWriter) stripRows(rowBytes int64) int64 {
	return min(max(1, stripBytes/rowBytes), int64(w.c.Size.H))
}

func (w *tiffWriter) stripCount(rowBytes int64) int64 {
	return (int64(w.c.Size.H)-1)/w.stripRows(rowBytes) + 1
}

func (w *tiffWriter) write(window image.Rectangle, src *raster.Buffer) error {
	pixel := int64(src.Bands * src.Type.Size())
	row := src.W * int(pixel)
	from := src.Bytes()
	if src.W == w.c.Size.W { // whole rows lie side by side
		if _, err := w.file.WriteAt(from, w.data+int64(window.Min.Y)*w.rowBytes); err != nil {
			return err
		}
	} else {
		for y := range src.H {
			at := w.data + int64(window.Min.Y+y)*w.rowBytes + int64(window.Min.X)*pixel
			if _, err := w.file.WriteAt(from[y*row:(y+1)*row], at); err != nil {
				return err
			}
		}
	}
	if w.mask == 0 {
		return nil
	}
	return w.writeMask(window, src)
}

// writeMask changes the bits of a window. A byte at its edge holds pixels of
// its neighbour as well.
func (w *tiffWriter) writeMask(window image.Rectangle, src *raster.Buffer) error {
	first, last := window.Min.X/8, (window.Max.X-1)/8
	w.scratch = grow(w.scratch, last-first+1)
	for y := range src.H {
		at := w.mask + int64(window.Min.Y+y)*w.maskRowBytes + int64(first)
		if _, err := w.file.ReadAt(w.scratch, at); err != nil {
			return err
		}
		for x := range src.W {
			i := window.Min.X + x
			bit := byte(0x80) >> (i % 8)
			w.scratch[i/8-first] &^= bit
			if pixelValid(src, x, y) {
				w.scratch[i/8-first] |= bit
			}
		}
		if _, err := w.file.WriteAt(w.scratch, at); err != nil {
			return err
		}
	}
	return nil
}

func (w *tiffWriter) finish() error { return nil }

// fieldValue is a field to write: []uint16, []uint64 (as wide as the file's
// offsets), []float64 or string.
type fieldValue struct {
	tag   uint16
	value any
}

func (w *tiffWriter) strips(start, rowBytes int64) (offsets, counts []uint64, rows uint64) {
	n := w.stripRows(rowBytes)
	for y := int64(0); y < int64(w.c.Size.H); y += n {
		offsets = append(offsets, uint64(start+y*rowBytes))
		counts = append(counts, uint64(min(n, int64(w.c.Size.H)-y)*rowBytes))
	}
	return offsets, counts, uint64(n)
}

func (w *tiffWriter) imageFields() []fieldValue {
	c := w.c
	n := len(c.Bands)
	bits, format := make([]uint16, n), make([]uint16, n)
	kind := uint16(1)
	switch {
	case c.Type.IsFloat():
		kind = 3
	case c.Type == raster.Int8 || c.Type == raster.Int16 || c.Type == raster.Int32:
		kind = 2
	}
	for i := range n {
		bits[i], format[i] = uint16(8*c.Type.Size()), kind
	}
	photometric, colors := uint16(1), 1
	if c.rgb() {
		photometric, colors = tiff.PhotometricRGB, 3
	}
	offsets, counts, rows := w.strips(w.data, w.rowBytes)
	f := []fieldValue{
		{tiff.TagWidth, []uint64{uint64(c.Size.W)}},
		{tiff.TagHeight, []uint64{uint64(c.Size.H)}},
		{tiff.TagBits, bits},
		{tiff.TagCompression, []uint16{tiff.CompNone}},
		{tiff.TagPhotometric, []uint16{photometric}},
		{tiff.TagStripOffsets, offsets},
		{tiff.TagSamples, []uint16{uint16(n)}},
		{tiff.TagRowsPerStrip, []uint64{rows}},
		{tiff.TagStripCounts, counts},
		{tiff.TagPlanar, []uint16{1}},
	}
	if n > colors {
		extra := make([]uint16, n-colors)
		for i := range extra {
			if c.Bands[colors+i].Name == alphaName {
				extra[i] = 2
			}
		}
		f = append(f, fieldValue{tiff.TagExtra, extra})
	}
	f = append(f, fieldValue{tiff.TagSampleFormat, format})
	f = append(f, w.geoFields()...)
	if text := w.metadata(); text != "" {
		f = append(f, fieldValue{tiff.TagGDALMetadata, text})
	}
	if b := c.Bands[0]; b.HasNoData {
		text := strconv.FormatFloat(b.NoData, 'g', -1, 64)
		if math.IsNaN(b.NoData) {
			text = "nan"
		}
		f = append(f, fieldValue{tiff.TagGDALNoData, text})
	}
	return f
}

func (w *tiffWriter) geoFields() []fieldValue {
	if w.c.Geo == nil {
		return nil
	}
	// Raster type: pixels are areas.
	keys := fieldValue{tiff.TagGeoKeys, []uint16{1, 1, 0, 1, 1025, 0, 1, 1}}
	t := w.c.Geo.Transform
	if t[1] == 0 && t[3] == 0 && t[0] > 0 && t[4] < 0 {
		return []fieldValue{
			{tiff.TagPixelScale, []float64{t[0], -t[4], 0}},
			{tiff.TagTiepoint, []float64{0, 0, 0, t[2], t[5], 0}},
			keys,
		}
	}
	m := []float64{t[0], t[1], 0, t[2], t[3], t[4], 0, t[5], 0, 0, 0, 0, 0, 0, 0, 1}
	return []fieldValue{{tiff.TagTransform, m}, keys}
}

// metadata is the text in which GDAL keeps band names.
func (w *tiffWriter) metadata() string {
	var b bytes.Buffer
	for i := range w.c.Bands {
		if name := w.c.storedName(i); name != "" {
			fmt.Fprintf(&b, `<Item name="DESCRIPTION" sample="%d" role="description">`, i)
			xml.EscapeText(&b, []byte(escape.Replace(name)))
			b.WriteString("</Item>")
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "<GDALMetadata>" + b.String() + "</GDALMetadata>"
}

func (w *tiffWriter) maskFields() []fieldValue {
	offsets, counts, rows := w.strips(w.mask, w.maskRowBytes)
	return []fieldValue{
		{tiff.TagSubfile, []uint64{4}},
		{tiff.TagWidth, []uint64{uint64(w.c.Size.W)}},
		{tiff.TagHeight, []uint64{uint64(w.c.Size.H)}},
		{tiff.TagBits, []uint16{1}},
		{tiff.TagCompression, []uint16{tiff.CompNone}},
		{tiff.TagPhotometric, []uint16{tiff.PhotometricMask}},
		{tiff.TagStripOffsets, offsets},
		{tiff.TagSamples, []uint16{1}},
		{tiff.TagRowsPerStrip, []uint64{rows}},
		{tiff.TagStripCounts, counts},
		{tiff.TagPlanar, []uint16{1}},
	}
}
