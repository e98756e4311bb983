package imagefile_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/image/tiff"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/imagefile"
)

func TestTIFFTypesRoundTrip(t *testing.T) {
	dir := t.TempDir()
	for typ := raster.Uint8; typ <= raster.Float64; typ++ {
		for bands := 1; bands <= 5; bands += 2 {
			want := pattern(typ, 37, 290, bands)
			lo, hi := typ.Range()
			want.Set(0, 0, 0, lo)
			want.Set(1, 0, 0, hi)
			if typ.IsFloat() {
				want.Set(2, 0, 0, math.NaN())
			}
			s := open(t, save(t, filepath.Join(dir, "x.tif"), imagefile.Creation{}, want))
			m := s.Meta()
			if len(m.Bands) != bands || m.Bands[0].Type != typ || m.HasMask || m.Bands[0].HasNoData {
				t.Errorf("%v comes back as %+v", typ, m)
			}
			compare(t, whole(t, s, 0), want, image.Point{}, []int{0, 1, 2, 3, 4}[:bands]...)
			w := image.Rect(5, 100, 30, 201)
			compare(t, read(t, s, 0, w, bands-1, 0, 0), want, w.Min, bands-1, 0, 0)
		}
	}
}

func TestTIFFMetadata(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.tif")
	for _, geo := range []geom.Transform{geom.Affine(10, 0, 500000, 0, -10, 4600000), geom.Affine(10, .5, 500000, -.25, -10, 4600000)} {
		c := imagefile.Creation{Geo: &ast.GeoRef{Transform: geo, SRS: "LOCAL_CS[\"a <b> & c\"]"}, Bands: []ast.Band{
			{Name: "red <edge> & 'more\" &lt;", Type: raster.Int16, NoData: -9999, HasNoData: true},
			{Name: "2", Type: raster.Int16, NoData: -9999, HasNoData: true}}}
		m := open(t, save(t, path, c, pattern(raster.Int16, 20, 10, 2))).Meta()
		if m.Geo == nil || *m.Geo != *c.Geo {
			t.Errorf("geo %+v, want %+v", m.Geo, c.Geo)
		}
		for i, b := range m.Bands {
			if b != c.Bands[i] {
				t.Errorf("band %+v, want %+v", b, c.Bands[i])
			}
		}
		onlyFiles(t, filepath.Dir(path), "x.tif", "x.tif.aux.xml")
	}
	save(t, path, imagefile.Creation{}, pattern(raster.Int16, 20, 10, 2))
	onlyFiles(t, filepath.Dir(path), "x.tif")
	for _, n := range []string{"r|g|b", "r|g|b|alpha", "1|alpha", "1|2|3|4", "r|g|b|nir|alpha"} {
		b := strings.Split(n, "|")
		m := open(t, save(t, path, imagefile.Creation{Bands: bandsOf(raster.Uint8, b...)}, pattern(raster.Uint8, 9, 9, len(b)))).Meta()
		if names(m) != n || m.HasMask != strings.Contains(n, "alpha") {
			t.Errorf("bands %s (mask %v), want %s", names(m), m.HasMask, n)
		}
	}
}

func TestTIFFMask(t *testing.T) {
	dir := t.TempDir()
	for _, typ := range []raster.DataType{raster.Uint8, raster.Int32, raster.Float32} {
		want := invalidate(pattern(typ, 77, 50, 2))
		path := filepath.Join(dir, "x.tif")
		w, err := imagefile.Create(bg, path, imagefile.Creation{Size: geom.Size{W: 77, H: 50}, Bands: bandsOf(typ, "1", "2"), WithMask: true})
		if err != nil {
			t.Fatal(err)
		}
		// Windows that share bytes of the mask.
		var wg sync.WaitGroup
		for x := 0; x < 77; x += 11 {
			wg.Go(func() {
				b := raster.New(typ, 11, 50, 2)
				for y := range 50 {
					for i := range 11 {
						for k := range 2 {
							if v, ok := want.At(x+i, y, k); ok {
								b.Set(i, y, k, v)
							} else {
								b.SetInvalid(i, y, k, 0)
							}
						}
					}
				}
				if err := w.WriteWindow(bg, image.Rect(x, 0, x+11, 50), b); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		s := open(t, path)
		if !s.Meta().HasMask {
			t.Fatal("no mask")
		}
		got := whole(t, s, 0)
		compare(t, got, want, image.Point{}, 0, 1)
		if typ.IsFloat() != (got.Mask == nil) {
			t.Errorf("%v: mask of %d", typ, len(got.Mask))
		}
		compare(t, read(t, s, 0, image.Rect(30, 3, 45, 44), 1, 1), want, image.Pt(30, 3), 1, 1)
	}
}

// Files that GDAL wrote: tiles, deflate, predictors, levels, bands apart.
func TestTIFFOfGDAL(t *testing.T) {
	s := open(t, data("astro.tif"))
	m := s.Meta()
	if m.Size != (geom.Size{W: 512, H: 512}) || m.Block != (geom.Size{W: 256, H: 256}) || len(m.Overviews) != 3 || names(m) != "1|2|3" {
		t.Fatalf("%+v", m)
	}
	got := read(t, s, 1, image.Rect(4, 4, 6, 5), 2, 0, 0)
	if !bytes.Equal(got.Bytes(), []byte{100, 84, 84, 79, 37, 37}) {
		t.Errorf("level 1: %v", got.Bytes())
	}
	full, half := whole(t, s, 0), whole(t, s, 1)
	for y := 0; y < 256; y += 3 {
		for x := 0; x < 256; x += 3 {
			var sum float64
			for i := range 4 {
				v, _ := full.At(2*x+i%2, 2*y+i/2, 1)
				sum += v
			}
			if v, _ := half.At(x, y, 1); math.Abs(v-sum/4) > 1 {
				t.Fatalf("level 1 at (%d, %d): %v, mean %v", x, y, v, sum/4)
			}
		}
	}
	for _, c := range []struct {
		file   string
		typ    raster.DataType
		bands  int
		size   geom.Size
		levels int
		nodata float64
		has    bool
	}{
		{"u8.tif", raster.Uint8, 3, geom.Size{W: 61, H: 47}, 2, 0, false},
		{"i16.tif", raster.Int16, 2, geom.Size{W: 61, H: 47}, 2, -9999, true},
		{"f32.tif", raster.Float32, 1, geom.Size{W: 53, H: 38}, 1, 0, false},
	} {
		s := open(t, data("oracle", "src", c.file))
		m := s.Meta()
		b := m.Bands[0]
		if m.Size != c.size || len(m.Bands) != c.bands || b.Type != c.typ || len(m.Overviews) != c.levels || b.HasNoData != c.has || b.NoData != c.nodata {
			t.Errorf("%s: %+v", c.file, m)
		}
		for level := range m.Overviews {
			whole(t, s, level+1)
		}
	}
}

// Each compression, predictor and byte order, built by hand.
func TestTIFFEncodings(t *testing.T) {
	gray := image.NewGray(image.Rect(0, 0, 40, 30))
	rgb := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for i := range gray.Pix {
		gray.Pix[i] = byte(i * i >> 2)
	}
	for i := range rgb.Pix {
		rgb.Pix[i] = byte(i * i >> 3)
	}
	for _, o := range []*tiff.Options{nil, {Compression: tiff.Deflate}, {Compression: tiff.Deflate, Predictor: true}} {
		for _, img := range []image.Image{gray, rgb} {
			var b bytes.Buffer
			if err := tiff.Encode(&b, img, o); err != nil {
				t.Fatal(err)
			}
			s := open(t, saveBytes(t, filepath.Join(t.TempDir(), "x.tif"), b.Bytes()))
			got, want := whole(t, s, 0), gray.Pix
			if img == rgb {
				want = rgb.Pix
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%T %+v: other samples", img, o)
			}
		}
	}

	// A strip of 4×2 samples of 16 bits, packed, in both byte orders.
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		var raw []byte
		for _, v := range []uint16{1, 2, 3, 4, 500, 500, 500, 500} {
			raw = order.AppendUint16(raw, v)
		}
		packed := append(append([]byte{7}, raw[:8]...), 7)
		packed = append(packed, raw[8:]...)
		s := open(t, saveBytes(t, filepath.Join(t.TempDir(), "x.tif"), strip(order, packed, 4, 2, 16, 32773)))
		if got := raster.Samples[uint16](whole(t, s, 0)); got[3] != 4 || got[4] != 500 || got[7] != 500 {
			t.Errorf("%v: %v", order, got)
		}
	}
	// Runs, and four bits a sample.
	s := open(t, saveBytes(t, filepath.Join(t.TempDir(), "x.tif"), strip(binary.LittleEndian, []byte{0xfd, 0x5a, 0x80, 1, 0x12, 0x30}, 5, 2, 4, 32773)))
	if got := whole(t, s, 0).Bytes(); !bytes.Equal(got, []byte{5, 10, 5, 10, 5, 5, 10, 1, 2, 3}) {
		t.Errorf("four bits: %v", got)
	}
}

// strip is a TIFF of one gray strip.
func strip(order binary.AppendByteOrder, data []byte, w, h, bits, compression int) []byte {
	b := []byte("II")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM")
	}
	b = order.AppendUint16(b, 42)
	b = order.AppendUint32(b, 8)
	fields := [][2]int{{256, w}, {257, h}, {258, bits}, {259, compression}, {262, 1}, {273, 8 + 2 + 12*9 + 4}, {277, 1}, {278, h}, {279, len(data)}}
	b = order.AppendUint16(b, uint16(len(fields)))
	for _, f := range fields {
		b = order.AppendUint16(b, uint16(f[0]))
		b = order.AppendUint16(b, 4)
		b = order.AppendUint32(b, 1)
		b = order.AppendUint32(b, uint32(f[1]))
	}
	b = order.AppendUint32(b, 0)
	return append(b, data...)
}

func TestTIFFRefuses(t *testing.T) {
	le := binary.LittleEndian
	for _, c := range []struct {
		data []byte
		says string
	}{
		{strip(le, make([]byte, 99), 4, 4, 24, 1), "24-bit samples"},
		{strip(le, make([]byte, 99), 4, 4, 8, 7), "compression 7 needs GDAL"},
		{strip(le, make([]byte, 99), 0, 4, 8, 1), "size of 0×4"},
		{strip(le, make([]byte, 99), math.MaxInt32, math.MaxInt32, 8, 5), "exceeds the limit of 268435456"},
		{[]byte("II*\x00\xff\xff\xff\x7f"), "beyond its end"},
		{[]byte("II*\x00"), "beyond its end"},
		{[]byte("GIF89a..."), "not a PNG, JPEG or TIFF"},
		{nil, "not a PNG"},
	} {
		_, err := imagefile.New().Open(bg, saveBytes(t, filepath.Join(t.TempDir(), "bad.tif"), c.data))
		wantError(t, err, "imagefile: open", "bad.tif", c.says)
	}
	s := open(t, saveBytes(t, filepath.Join(t.TempDir(), "short.tif"), strip(le, make([]byte, 9), 16000, 16000, 8, 5)))
	wantError(t, s.ReadWindow(bg, 0, image.Rect(0, 0, 1, 1), []int{0}, new(raster.Buffer)), "imagefile: read", "9 bytes are too few")
	// A chain that ends in itself.
	loop := strip(le, make([]byte, 99), 4, 4, 8, 1)
	le.PutUint32(loop[8+2+12*9:], 8)
	_, err := imagefile.New().Open(bg, saveBytes(t, filepath.Join(t.TempDir(), "loop.tif"), loop))
	wantError(t, err, "does not end")
}

func TestBrokenFiles(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	png, _ := os.ReadFile(save(t, filepath.Join(dir, "x.png"), imagefile.Creation{}, pattern(raster.Uint8, 40, 30, 3)))
	tif, _ := os.ReadFile(data("oracle", "src", "i16.tif"))
	own, _ := os.ReadFile(save(t, filepath.Join(dir, "x.tif"), imagefile.Creation{WithMask: true}, pattern(raster.Int16, 40, 30, 3)))
	for i := range 600 {
		good := [][]byte{png, tif, own}[i%3]
		b := bytes.Clone(good)
		if i%2 == 0 {
			b = b[:r.IntN(len(b))]
		} else {
			for range 1 + r.IntN(20) {
				// Mostly in the structure, which is at either end.
				at := r.IntN(len(b))
				if i%4 == 1 {
					at = r.IntN(min(len(b), 300))
				}
				b[at] = byte(r.Uint32())
			}
		}
		path := saveBytes(t, filepath.Join(dir, "bad"), b)
		s, err := imagefile.New(imagefile.WithLimit(1<<20)).Open(bg, path)
		if err == nil {
			m := s.Meta()
			err = s.ReadWindow(bg, 0, image.Rect(0, 0, min(m.Size.W, 100), min(m.Size.H, 100)), []int{len(m.Bands) - 1}, new(raster.Buffer))
			s.Close()
		}
		if err != nil {
			wantError(t, err, "imagefile: ", "bad")
		} else if i%6 == 0 {
			t.Errorf("a PNG cut to %d of %d bytes still reads", len(b), len(good))
		}
	}
}

func TestConcurrentReads(t *testing.T) {
	for _, file := range []string{"x.tif", "x.png"} {
		want := pattern(raster.Uint16, 300, 200, 3)
		s := open(t, save(t, filepath.Join(t.TempDir(), file), imagefile.Creation{}, want))
		var wg sync.WaitGroup
		for g := range 6 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(1, uint64(g)))
				var b raster.Buffer
				for range 20 {
					x, y := r.IntN(250), r.IntN(150)
					if err := s.ReadWindow(bg, 0, image.Rect(x, y, x+50, y+50), []int{2, 0}, &b); err != nil {
						t.Error(err)
						return
					}
					got, _ := b.At(7, 9, 0)
					if v, _ := want.At(x+7, y+9, 2); got != v {
						t.Errorf("%s (%d, %d): %v, want %v", file, x, y, got, v)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}
