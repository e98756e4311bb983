package gdalio_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio"
	"github.com/rewarp/rewarp/internal/tiff"
)

// field is one field of a directory: count values of a kind.
type field struct {
	tag, kind uint16
	count     int
	value     []byte
}

func shorts(tag uint16, v ...uint16) field {
	f := field{tag: tag, kind: 3, count: len(v)}
	for _, x := range v {
		f.value = binary.LittleEndian.AppendUint16(f.value, x)
	}
	return f
}

func longs(tag uint16, v ...uint32) field {
	f := field{tag: tag, kind: 4, count: len(v)}
	for _, x := range v {
		f.value = binary.LittleEndian.AppendUint32(f.value, x)
	}
	return f
}

func text(tag uint16, s string) field { return field{tag, 2, len(s), []byte(s)} }

// handmade is a little-endian TIFF whose samples begin at byte 8.
func handmade(samples []byte, dirs ...[]field) []byte {
	e := binary.LittleEndian
	file := append([]byte("II*\x00\x00\x00\x00\x00"), samples...)
	link := 4
	for _, d := range dirs {
		var entries []byte
		for _, f := range d {
			entries = e.AppendUint16(e.AppendUint16(entries, f.tag), f.kind)
			entries = e.AppendUint32(entries, uint32(f.count))
			if value := append(bytes.Clone(f.value), make([]byte, 4)...); len(f.value) <= 4 {
				entries = append(entries, value[:4]...)
				continue
			}
			entries = e.AppendUint32(entries, uint32(len(file)))
			file = append(file, f.value...)
		}
		e.PutUint32(file[link:], uint32(len(file)))
		file = append(e.AppendUint16(file, uint16(len(d))), entries...)
		link = len(file)
		file = append(file, make([]byte, 4)...)
	}
	return file
}

// plain is the directory of one strip of w × h pixels of n bytes, with other
// fields instead of those that have their tag, or besides.
func plain(w, h, n int, other ...field) []field {
	one := bytes.Repeat([]byte{1, 0}, n)
	eight := bytes.Repeat([]byte{8, 0}, n)
	d := []field{
		shorts(tiff.TagWidth, uint16(w)), shorts(tiff.TagHeight, uint16(h)), {tiff.TagBits, 3, n, eight},
		shorts(tiff.TagCompression, 1), shorts(tiff.TagPhotometric, 1), longs(tiff.TagStripOffsets, 8),
		shorts(tiff.TagSamples, uint16(n)), longs(tiff.TagRowsPerStrip, uint32(h)), longs(tiff.TagStripCounts, uint32(w*h*n)),
		shorts(tiff.TagPlanar, 1), {tiff.TagSampleFormat, 3, n, one},
	}
	for _, f := range other {
		i := 0
		for i < len(d) && d[i].tag < f.tag {
			i++
		}
		if i == len(d) || d[i].tag != f.tag {
			d = append(d[:i:i], append([]field{f}, d[i:]...)...)
		}
		d[i] = f
	}
	return d
}

// agrees checks that a file is described and read as GDAL does, and that what
// GDAL refuses is refused.
func agrees(t *testing.T, file []byte) (byHeader bool) {
	t.Helper()
	path := saveText(t, filepath.Join(t.TempDir(), "x.tif"), string(file))
	gdal, header, err := gdalio.Described(path)
	s, openErr := gdalio.New().Open(bg, path)
	if (openErr == nil) != (err == nil) {
		t.Fatalf("opening says %v, GDAL %v", openErr, err)
	}
	if err != nil {
		return false
	}
	defer s.Close()
	if header != nil && !reflect.DeepEqual(inText(header), inText(gdal)) {
		t.Errorf("\nheader: %s\nGDAL:   %s", inText(header), inText(gdal))
	}
	other := throughGDAL(t, path)
	bands := make([]int, len(s.Meta().Bands))
	for i := range bands {
		bands[i] = i
	}
	var got, want raster.Buffer
	err = s.ReadWindow(bg, 0, s.Meta().Size.Bounds(), bands, &got)
	wantErr := other.ReadWindow(bg, 0, s.Meta().Size.Bounds(), bands, &want)
	if (err == nil) != (wantErr == nil) {
		t.Errorf("reading says %v, GDAL %v", err, wantErr)
	} else if err == nil && !bytes.Equal(got.Bytes(), want.Bytes()) {
		t.Error("samples are not GDAL's")
	}
	return header != nil
}

// TestHeaderHostile: fields that GDAL sees in a way of its own, or refuses.
func TestHeaderHostile(t *testing.T) {
	needGDAL(t)
	samples := make([]byte, 40_000)
	for i := range samples {
		samples[i] = byte(i * i >> 3)
	}
	for name, dirs := range map[string][][]field{
		"one strip of 8193 bytes":     {plain(2731, 3, 1)},
		"one strip of 2001 rows":      {plain(4, 2001, 1)},
		"no such planar":              {plain(4, 4, 1, shorts(tiff.TagPlanar, 3))},
		"more extra bands than bands": {plain(4, 4, 1, shorts(tiff.TagExtra, 0, 0))},
		"rows of a tile":              {plain(4, 4, 1, shorts(tiff.TagTileHeight, 2))},
		"a tile of no width":          {plain(4, 4, 1, shorts(tiff.TagTileWidth, 0))},
		"offsets of tiles":            {plain(4, 4, 1, longs(tiff.TagTileOffsets, 20))},
		"offsets of the wrong kind":   {plain(4, 4, 1, field{tiff.TagStripOffsets, 13, 1, []byte{8, 0, 0, 0}})},
		"a width of the wrong kind":   {plain(4, 4, 1, field{tiff.TagWidth, 13, 1, []byte{4, 0, 0, 0}})},
		"text of the wrong kind":      {plain(4, 4, 1, field{tiff.TagGDALNoData, 3, 1, []byte("7\x00")})},
		"no kind, and then one":       {append(plain(4, 4, 1, field{tiff.TagGDALNoData, 0, 2, []byte("7\x00")}), text(tiff.TagGDALNoData, "8\x00"))},
		"31 levels":                   append([][]field{plain(4, 4, 1)}, repeated(31, plain(2, 2, 1, longs(tiff.TagSubfile, 1)))...),
	} {
		t.Run(name, func(t *testing.T) {
			if agrees(t, handmade(samples, dirs...)) {
				t.Error("described without GDAL")
			}
		})
	}
	for name, dirs := range map[string][][]field{
		"one strip of 8192 bytes": {plain(4096, 2, 1)},
		"one row":                 {plain(9000, 1, 1)},
		"one strip of 2000 rows":  {plain(4, 2000, 1)},
		"30 levels":               append([][]field{plain(4, 4, 1)}, repeated(30, plain(2, 2, 1, longs(tiff.TagSubfile, 1)))...),
		"3 extra bands of 3":      {plain(4, 4, 3, shorts(tiff.TagExtra, 0, 0, 0))},
	} {
		t.Run(name, func(t *testing.T) {
			if !agrees(t, handmade(samples, dirs...)) {
				t.Error("left to GDAL")
			}
		})
	}
}

// TestHeaderName: a file with a name that GDAL takes for the text of a VRT.
func TestHeaderName(t *testing.T) {
	needGDAL(t)
	path := saveText(t, filepath.Join(t.TempDir(), "<VRTDataset>.tif"), string(handmade(make([]byte, 16), plain(4, 4, 1))))
	if s, err := gdalio.New().Open(bg, path); err == nil {
		s.Close()
		t.Error("a file is opened that GDAL does not look for")
	}
}

func repeated(n int, d []field) (dirs [][]field) {
	for range n {
		dirs = append(dirs, d)
	}
	return dirs
}

// TestHeaderNoData: a value in words is what GDAL takes it for.
func TestHeaderNoData(t *testing.T) {
	needGDAL(t)
	samples := make([]byte, 64)
	known := 0
	for _, value := range []string{
		"7", " 7 ", "\t7\n", "\v7", "\u00a07", "\u00857", "7\u00a0", "7,5", "7 8", "7\x008", "", "+5", ".5", "5.", "00012", "-0",
		"nan", "NaN", "-nan", "inf", "-inf", "+inf", "Infinity", "1.#INF", "0x10", "1_0", "1e", "1d5", "256", "0.1",
		"1e40", "-1e40", "3.4028235e38", "-3.40282347e+38", "1.8e308", "1e-400", "4.9e-324", "123456789012345678901234567890",
	} {
		for _, bits := range []uint16{8, 32, 64} {
			format := uint16(3)
			if bits == 8 {
				format = 1
			}
			t.Run(fmt.Sprintf("%q of %d bits", value, bits), func(t *testing.T) {
				if agrees(t, handmade(samples, plain(2, 2, 1, shorts(tiff.TagBits, bits), shorts(tiff.TagSampleFormat, format),
					longs(tiff.TagStripCounts, uint32(bits)/2), text(tiff.TagGDALNoData, value+"\x00")))) {
					known++
				}
			})
		}
	}
	if known < 40 {
		t.Errorf("%d values are known without GDAL, expected most", known)
	}
}

// TestHeaderItems: what GDAL notes of bands, in its own form and in others.
func TestHeaderItems(t *testing.T) {
	needGDAL(t)
	item := func(value string) string {
		return `<Item name="DESCRIPTION" sample="0" role="description">` + value + `</Item>`
	}
	within := func(items string) string { return "<GDALMetadata>" + items + "</GDALMetadata>" }
	for text, known := range map[string]bool{
		within(""):                                  true,
		within("\n  "+item("a")+"\n") + "\n":        true,
		within(item("a") + item("b")):               true,
		within(item("")):                            true,
		within(item("  a  ")):                       true,
		within(item("\ta\t")):                       true,
		within(item("   ")):                         true,
		within(item("höhe")):                        true,
		within(item("&amp;lt;&amp;amp;&amp;quot;")): true,
		within(item("a\r\nb")):                      false,
		within(item("h\xf6he")):                     false,
		within(item("&amp;#65;")):                   false,
		within(item("a&amp;b")):                     false,
		within(item("&amp;AMP;")):                   false,
		within(item("a<!-- c -->b")):                false,
		within(item("a<b/>c")):                      false,
		within("<!-- c -->" + item("a")):            false,
		within(`<item name="A" sample="0" role="description">a</item>`):                        false,
		within(`<x:Item name="DESCRIPTION" sample="0" role="description">a</x:Item>`):          false,
		within(`<Item x:name="DESCRIPTION" sample="0" x:role="description">a</Item>`):          false,
		within(`<Item name="DESCRIPTION" sample="0" role="scale" role="description">2</Item>`): false,
		within(`<Item name="SCALE" sample="0" role="scale">2</Item>`):                          false,
		within(`<Item name="STATISTICS_MEAN" sample="0">2</Item>`):                             false,
		"<A>" + item("a") + "</A>":         false,
		"<A>" + within(item("a")) + "</A>": false,
		"<A/>" + within(item("a")):         false,
		within(item("a")) + "<":            false,
		within(item("a")) + "</b>":         false,
		within(item("a")) + "\x00<b>":      false,
	} {
		t.Run(text, func(t *testing.T) {
			f := field{tiff.TagGDALMetadata, 2, len(text) + 1, []byte(text + "\x00")}
			if got := agrees(t, handmade(make([]byte, 16), plain(4, 4, 1, f))); got != known {
				t.Errorf("known without GDAL: %v, expected %v", got, known)
			}
		})
	}
}
