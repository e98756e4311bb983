package gdalio_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/imagefile"
	"github.com/rewarp/rewarp/gdalio"
)

// A file means the same to the readers without C.
func agree(t *testing.T, path string) {
	t.Helper()
	g := open(t, path)
	f, err := imagefile.New().Open(bg, path)
	if err != nil {
		t.Error(err)
		return
	}
	defer f.Close()
	gm := g.Meta()
	if a, b := inWords(gm), inWords(f.Meta()); a != b {
		t.Errorf("%s\ngdalio:    %s\nimagefile: %s", filepath.Base(path), a, b)
		return
	}
	for level := range len(gm.Overviews) + 1 {
		a, b := whole(t, g, level), whole(t, eval.Source(f), level)
		if a.Type != b.Type || (a.Mask == nil) != (b.Mask == nil) {
			t.Fatalf("%s level %d: %v with mask %v, %v with mask %v", path, level, a.Type, a.Mask != nil, b.Type, b.Mask != nil)
		}
		var bands []int
		for k := range a.Bands {
			bands = append(bands, k)
		}
		compare(t, b, a, image.Point{}, bands...)
	}
}

// inWords leaves out the block, which is the reader's own choice, and the
// reference system, which takes GDAL to spell out.
func inWords(m ast.Meta) string {
	geo := "none"
	if m.Geo != nil {
		geo = fmt.Sprint(m.Geo.Transform)
	}
	return fmt.Sprintf("%v %v %v mask %v geo %s", m.Size, m.Bands, m.Overviews, m.HasMask, geo)
}

func TestAgreesWithImagefile(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	n := 0
	next := func(ext string) string { n++; return filepath.Join(dir, fmt.Sprint(n, ext)) }
	agree(t, astro(t))
	for _, f := range []string{"u8", "i16", "f32"} {
		agree(t, filepath.Join("..", "testdata", "oracle", "src", f+".tif"))
	}

	// What gdalio writes.
	for typ := raster.Uint8; typ <= raster.Float64; typ++ {
		for _, o := range []string{"", "COMPRESS=LZW PREDICTOR=2", "COMPRESS=DEFLATE INTERLEAVE=BAND TILED=NO", "COMPRESS=PACKBITS BLOCKXSIZE=32 BLOCKYSIZE=16", "COMPRESS=NONE ENDIANNESS=BIG", "BIGTIFF=YES ENDIANNESS=BIG COMPRESS=LZW", "SPARSE_OK=TRUE"} {
			if typ.IsFloat() {
				o = strings.ReplaceAll(o, "PREDICTOR=2", "PREDICTOR=3")
			}
			c := gdalio.Creation{Options: strings.Fields(o), WithMask: n%2 == 0}
			b := pattern(typ, 77, 55, 3)
			if c.WithMask {
				invalidate(b)
			}
			agree(t, save(t, next(".tif"), c, b))
		}
	}
	geo := &ast.GeoRef{Transform: geom.Affine(10, .5, 500000, -.25, -10, 4600000), SRS: utm}
	nd := []ast.Band{{Name: "red <edge>", Type: raster.Float32, NoData: -9999.5, HasNoData: true}, {Name: "2", Type: raster.Float32, NoData: -9999.5, HasNoData: true}}
	agree(t, save(t, next(".tif"), gdalio.Creation{Bands: nd, Geo: geo}, pattern(raster.Float32, 9, 9, 2)))
	for _, names := range []string{"r|g|b", "r|g|b|alpha", "1|alpha", "1|2|3|4", "a|b|r|g|b|alpha"} {
		bands := bandsOf(raster.Uint8, strings.Split(names, "|")...)
		agree(t, save(t, next(".tif"), gdalio.Creation{Bands: bands}, pattern(raster.Uint8, 20, 9, len(bands))))
		if len(bands) <= 4 {
			agree(t, save(t, next(".png"), gdalio.Creation{Bands: bands, Geo: geo}, pattern(raster.Uint8, 20, 9, len(bands))))
		}
	}
	agree(t, save(t, next(".png"), gdalio.Creation{Bands: []ast.Band{{Name: "1", Type: raster.Uint16, NoData: 7, HasNoData: true}}}, pattern(raster.Uint16, 20, 9, 1)))
	agree(t, save(t, next(".png"), gdalio.Creation{WithMask: true}, invalidate(pattern(raster.Uint8, 20, 9, 1))))
	if hasDriver("COG") {
		c := gdalio.Creation{Driver: "COG", WithMask: true, Options: []string{"BLOCKSIZE=128", "COMPRESS=LZW"}}
		agree(t, save(t, next(".tif"), c, invalidate(pattern(raster.Uint16, 401, 300, 3))))
	}

	// What imagefile writes.
	for typ := raster.Uint8; typ <= raster.Float64; typ++ {
		if typ == raster.Int8 && gdalio.Version() < "3.7" {
			continue // GDAL takes int8 in a TIFF for uint8 unless it wrote it itself
		}
		for _, mask := range []bool{false, true} {
			agree(t, saveImage(t, next(".tif"), imagefile.Creation{WithMask: mask, Geo: geo, Bands: bandsOf(typ, "1", "nir & 'more\" &lt;", "alpha")}, invalidate(pattern(typ, 77, 200, 3))))
		}
	}
	f32 := []ast.Band{{Name: "r", Type: raster.Float32, NoData: -1e30, HasNoData: true}, {Name: "g", Type: raster.Float32, NoData: -1e30, HasNoData: true}, {Name: "b", Type: raster.Float32, NoData: -1e30, HasNoData: true}}
	agree(t, saveImage(t, next(".tif"), imagefile.Creation{Bands: f32}, pattern(raster.Float32, 77, 20, 3)))
	for _, names := range []string{"1", "1|alpha", "r|g|b", "r|g|b|alpha"} {
		for _, typ := range []raster.DataType{raster.Uint8, raster.Uint16} {
			bands := bandsOf(typ, strings.Split(names, "|")...)
			agree(t, saveImage(t, next(".png"), imagefile.Creation{Bands: bands, Geo: geo, WithMask: len(bands)%2 == 1}, invalidate(pattern(typ, 77, 20, len(bands)))))
		}
	}
	u8 := []ast.Band{{Name: "1", Type: raster.Uint8, NoData: 9, HasNoData: true}}
	agree(t, saveImage(t, next(".png"), imagefile.Creation{Bands: u8}, pattern(raster.Uint8, 77, 20, 1)))

	// What the standard library writes.
	colors := color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{50, 60, 70, 0}, color.NRGBA{9, 8, 7, 255}}
	for _, p := range []color.Palette{colors, colors[:1], append(colors, color.NRGBA{1, 1, 1, 0})} {
		img := image.NewPaletted(image.Rect(0, 0, 13, 5), p)
		for i := range img.Pix {
			img.Pix[i] = byte(i % len(p))
		}
		path := next(".png")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
		f.Close()
		agree(t, path)
	}
}

// Grays of few bits, and colours that stand for invalid.
func TestAgreesOnHandmadePNG(t *testing.T) {
	needGDAL(t)
	for i, c := range []struct {
		depth, color byte
		trans        string
		rows         string // 4 × 2 pixels, each row behind its filter
	}{
		{1, 0, "", "\x00\xa0\x00\x50"},
		{2, 0, "", "\x00\x1b\x00\xe4"},
		{4, 0, "", "\x00\x12\xf0\x00\x9a\xbc"},
		{4, 0, "\x00\x09", "\x00\x12\xf0\x00\x9a\xbc"},
		{8, 0, "\x00\x02", "\x00\x01\x02\x03\x04\x00\x02\x02\x01\x00"},
		{16, 0, "\x01\x02", "\x00\x01\x02\x03\x04\x00\x02\x02\x01\x00\x01\x02\x01\x02\x00\x01\x00\x00"},
		{8, 2, "", "\x00abcdefabcxyz\x00abcdefabcxyz"},
		{8, 2, "\x00a\x00b\x00c", "\x00abcdefabcxyz\x00abcdefabcxyz"},
		{16, 2, "aAbBcC", "\x00aAbBcCdDeEfFaAbBcCaAbBcD\x00aAbBcCdDeEfFaAbBcCaAbBcD"},
	} {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".png"))
		data := []byte("\x89PNG\r\n\x1a\n")
		chunk := func(kind string, body []byte) {
			data = binary.BigEndian.AppendUint32(data, uint32(len(body)))
			start := len(data)
			data = append(append(data, kind...), body...)
			data = binary.BigEndian.AppendUint32(data, crc32.ChecksumIEEE(data[start:]))
		}
		chunk("IHDR", []byte{0, 0, 0, 4, 0, 0, 0, 2, c.depth, c.color, 0, 0, 0})
		if c.trans != "" {
			chunk("tRNS", []byte(c.trans))
		}
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		w.Write([]byte(c.rows))
		w.Close()
		chunk("IDAT", z.Bytes())
		chunk("IEND", nil)
		saveText(t, path, string(data))
		agree(t, path)
	}
}

func saveImage(t testing.TB, path string, c imagefile.Creation, b *raster.Buffer) string {
	t.Helper()
	c.Size = geom.Size{W: b.W, H: b.H}
	w, err := imagefile.Create(bg, path, c)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.WriteWindow(bg, b.Bounds(), b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
