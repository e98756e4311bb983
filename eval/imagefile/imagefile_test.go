package imagefile_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/imagefile"
)

func TestPNGRoundTrip(t *testing.T) {
	for _, typ := range []raster.DataType{raster.Uint8, raster.Uint16} {
		for _, n := range []string{"1", "1|alpha", "r|g|b", "r|g|b|alpha"} {
			b := strings.Split(n, "|")
			want := pattern(typ, 31, 17, len(b))
			path := save(t, filepath.Join(t.TempDir(), "x.png"), imagefile.Creation{Bands: bandsOf(typ, b...)}, want)
			s := open(t, path)
			m := s.Meta()
			if names(m) != n || m.Bands[0].Type != typ || m.HasMask != strings.Contains(n, "alpha") {
				t.Errorf("%+v, want %s", m, n)
			}
			got := whole(t, s, 0)
			for i := range got.Mask {
				alpha, _ := want.At(i/len(b)%31, i/len(b)/31, len(b)-1)
				if (got.Mask[i] != 0) != (alpha != 0 || i%len(b) == len(b)-1) {
					t.Fatalf("%s sample %d: valid %d, alpha %v", n, i, got.Mask[i], alpha)
				}
			}
			got.Mask = nil
			compare(t, got, want, image.Point{}, []int{0, 1, 2, 3}[:len(b)]...)
			onlyFiles(t, filepath.Dir(path), "x.png")

			// The standard library agrees.
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(f)
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			c := color.NRGBA64Model.Convert(img.At(20, 10)).(color.NRGBA64)
			v, _ := want.At(20, 10, 0)
			if typ == raster.Uint8 {
				v *= 257
			}
			if !strings.Contains(n, "alpha") && float64(c.R) != v {
				t.Errorf("%s: standard library reads %v, want %v", n, c.R, v)
			}
		}
		want := invalidate(pattern(typ, 31, 17, 3))
		s := open(t, save(t, filepath.Join(t.TempDir(), "x.png"), imagefile.Creation{Bands: bandsOf(typ, "r", "g", "b"), WithMask: true}, want))
		compare(t, read(t, s, 0, want.Bounds(), 0, 1, 2), want, image.Point{}, 0, 1, 2)
	}
}

func TestPNGMetadata(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.png")
	bands := []ast.Band{{Name: "1", Type: raster.Uint8, NoData: 7, HasNoData: true}}
	s := open(t, save(t, path, imagefile.Creation{Bands: bands}, pattern(raster.Uint8, 9, 9, 1)))
	if m := s.Meta(); m.Bands[0] != bands[0] || m.HasMask {
		t.Errorf("%+v", m)
	}
	onlyFiles(t, filepath.Dir(path), "x.png")

	bands = []ast.Band{{Name: "nir", Type: raster.Uint16, NoData: 7, HasNoData: true}, {Name: "2", Type: raster.Uint16, NoData: 7, HasNoData: true}, {Name: "swir", Type: raster.Uint16, NoData: 7, HasNoData: true}}
	geo := &ast.GeoRef{Transform: geom.Affine(2, 0, 10, 0, -2, 20), SRS: "x"}
	m := open(t, save(t, path, imagefile.Creation{Bands: bands, Geo: geo}, pattern(raster.Uint16, 9, 9, 3))).Meta()
	if m.Geo == nil || *m.Geo != *geo || m.Bands[0] != bands[0] || m.Bands[1].NoData != 7 || m.Bands[2] != bands[2] {
		t.Errorf("%+v", m)
	}
	onlyFiles(t, filepath.Dir(path), "x.png", "x.png.aux.xml")
}

func encodePNG(t *testing.T, img image.Image) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return saveBytes(t, filepath.Join(t.TempDir(), "x.png"), b.Bytes())
}

func TestPalette(t *testing.T) {
	img := image.NewPaletted(image.Rect(0, 0, 5, 4), color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{9, 8, 7, 255}, color.NRGBA{50, 60, 70, 0}})
	for i := range img.Pix {
		img.Pix[i] = byte(i % 3)
	}
	path := encodePNG(t, img)
	s := open(t, path)
	want := ast.Band{Name: "1", Type: raster.Uint8, NoData: 2, HasNoData: true}
	if m := s.Meta(); len(m.Bands) != 1 || m.Bands[0] != want || m.HasMask {
		t.Errorf("index: %+v", m)
	}
	if got := whole(t, s, 0).Bytes(); !bytes.Equal(got, img.Pix) {
		t.Errorf("index: %v", got)
	}
	s = open(t, path, imagefile.WithPaletteExpanded())
	if m := s.Meta(); names(m) != "r|g|b|alpha" || !m.HasMask {
		t.Errorf("expanded: %+v", m)
	}
	got := whole(t, s, 0)
	if !bytes.Equal(got.Bytes()[:12], []byte{1, 2, 3, 255, 9, 8, 7, 255, 50, 60, 70, 0}) || !bytes.Equal(got.Mask[4:12], []byte{255, 255, 255, 255, 0, 0, 0, 255}) {
		t.Errorf("expanded: %v, mask %v", got.Bytes()[:12], got.Mask[:12])
	}
}

func TestJPEG(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 50, 40))
	gray := image.NewGray(img.Rect)
	for y := range 40 {
		for x := range 50 {
			img.Set(x, y, color.RGBA{byte(4 * x), byte(6 * y), 100, 255})
			gray.Set(x, y, color.Gray{byte(4 * x)})
		}
	}
	for _, c := range []struct {
		img   image.Image
		names string
	}{{img, "r|g|b"}, {gray, "1"}} {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, c.img, &jpeg.Options{Quality: 98}); err != nil {
			t.Fatal(err)
		}
		s := open(t, saveBytes(t, filepath.Join(t.TempDir(), "x.jpg"), b.Bytes()))
		if m := s.Meta(); names(m) != c.names || m.HasMask || m.Size != (geom.Size{W: 50, H: 40}) {
			t.Errorf("%+v", m)
		}
		got := read(t, s, 0, image.Rect(10, 5, 40, 35), 0)
		if v, _ := got.At(20, 20, 0); math.Abs(v-120) > 8 {
			t.Errorf("%s: %v, want about 120", c.names, v)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	o := imagefile.New()
	_, err := o.Describe(bg, filepath.Join(dir, "none.png"))
	wantError(t, err, `imagefile: open "`, "none.png", "no such file or directory")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
	_, err = o.Open(bg, dir)
	wantError(t, err, "not a regular file")
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if _, err = o.Open(ctx, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	path := save(t, filepath.Join(dir, "x.png"), imagefile.Creation{}, pattern(raster.Uint8, 20, 10, 3))
	_, err = imagefile.New(imagefile.WithLimit(500)).Open(bg, path)
	wantError(t, err, "20×10", "600 samples", "limit of 500")
	saveBytes(t, path+".msk", nil)
	_, err = o.Open(bg, path)
	wantError(t, err, ".msk", "GDAL")
}

func TestReadRefuses(t *testing.T) {
	s := open(t, data("astro.tif"))
	var b raster.Buffer
	for _, c := range []struct {
		level  int
		window image.Rectangle
		bands  []int
		says   string
	}{
		{4, image.Rect(0, 0, 1, 1), []int{0}, "level 4 is not one of 0 to 3"},
		{0, image.Rect(0, 0, 513, 1), []int{0}, "window [0 0 513 1] is not inside level 0 of 512×512"},
		{0, image.Rect(5, 5, 5, 9), []int{0}, "window"},
		{0, image.Rect(0, 0, 1, 1), []int{3}, "band 3 is not one of 0 to 2"},
		{0, image.Rect(0, 0, 1, 1), nil, "0 bands"},
	} {
		wantError(t, s.ReadWindow(bg, c.level, c.window, c.bands, &b), "imagefile: read", "astro.tif", c.says)
	}
	ctx, cancel := context.WithCancel(bg)
	cancel()
	if err := s.ReadWindow(ctx, 0, image.Rect(0, 0, 1, 1), []int{0}, &b); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	s.Close()
	if err := s.ReadWindow(bg, 0, image.Rect(0, 0, 1, 1), []int{0}, &b); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	size := geom.Size{W: 4, H: 4}
	u8 := bandsOf(raster.Uint8, "1")
	for _, c := range []struct {
		file string
		c    imagefile.Creation
		says string
	}{
		{"x.jp2", imagefile.Creation{Size: size, Bands: u8}, `extension ".jp2"`},
		{"x.png", imagefile.Creation{Size: size, Bands: bandsOf(raster.Float32, "1")}, "PNG cannot hold float32"},
		{"x.png", imagefile.Creation{Size: size, Bands: bandsOf(raster.Uint8, "1", "2", "3", "4", "5")}, "PNG cannot hold 5 bands"},
		{"x.png", imagefile.Creation{Size: size, Bands: bandsOf(raster.Uint8, "1", "2"), WithMask: true}, "mask beside 2 bands"},
		{"x.png", imagefile.Creation{Size: geom.Size{W: 1 << 20, H: 1 << 20}, Bands: u8}, "limit"},
		{"x.tif", imagefile.Creation{Size: geom.Size{W: 4}, Bands: u8}, "size of 4×0"},
		{"x.tif", imagefile.Creation{Size: size}, "0 bands"},
		{"x.tif", imagefile.Creation{Size: size, Bands: []ast.Band{{Name: "a", Type: raster.Uint8, NoData: 256, HasNoData: true}}}, "nodata value 256"},
		{"x.tif", imagefile.Creation{Size: size, Bands: append([]ast.Band{{Name: "a", Type: raster.Uint8, HasNoData: true}}, u8...)}, "band 2 has none"},
		{"none/x.tif", imagefile.Creation{Size: size, Bands: u8}, "no such file or directory"},
		{"/dev/full", imagefile.Creation{Size: size, Bands: u8}, "not a regular file"},
	} {
		path := c.file
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		w, err := imagefile.Create(bg, path, c.c)
		if err == nil {
			w.Abort()
		}
		wantError(t, err, "imagefile: create", c.file, c.says)
	}
	onlyFiles(t, dir)
}

func TestCompleteOrAbsent(t *testing.T) {
	for _, file := range []string{"x.tif", "x.png"} {
		dir := t.TempDir()
		old := pattern(raster.Uint8, 10, 10, 1)
		path := save(t, filepath.Join(dir, file), imagefile.Creation{}, old)
		begin := func(ctx context.Context) *imagefile.Writer {
			w, err := imagefile.Create(ctx, path, imagefile.Creation{Size: geom.Size{W: 99, H: 99}, Bands: bandsOf(raster.Uint8, "1")})
			if err != nil {
				t.Fatal(err)
			}
			if err := w.WriteWindow(bg, image.Rect(0, 0, 99, 99), raster.New(raster.Uint8, 99, 99, 1)); err != nil {
				t.Fatal(err)
			}
			compare(t, whole(t, open(t, path), 0), old, image.Point{}, 0)
			return w
		}
		if err := begin(bg).Abort(); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(bg)
		w := begin(ctx)
		cancel()
		if err := w.Close(); !errors.Is(err, context.Canceled) {
			t.Errorf("Close after cancel: %v", err)
		}
		onlyFiles(t, dir, file)
		compare(t, whole(t, open(t, path), 0), old, image.Point{}, 0)

		before := open(t, path)
		w = begin(bg)
		if before.(eval.Ager).Stale() {
			t.Error("stale while the new file is not in place")
		}
		wantError(t, w.WriteWindow(bg, image.Rect(0, 0, 99, 100), raster.New(raster.Uint8, 99, 100, 1)), "imagefile: write", "99×99")
		wantError(t, w.WriteWindow(bg, image.Rect(0, 0, 9, 9), raster.New(raster.Int8, 9, 9, 1)), "int8")
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if err := w.Abort(); err != nil {
			t.Errorf("Abort after Close: %v", err)
		}
		wantError(t, w.WriteWindow(bg, image.Rect(0, 0, 9, 9), raster.New(raster.Uint8, 9, 9, 1)), "closed")
		onlyFiles(t, dir, file)
		if !before.(eval.Ager).Stale() {
			t.Error("not stale though another file has taken the name")
		}
		if m := open(t, path).Meta(); m.Size.W != 99 {
			t.Errorf("not replaced: %v", m.Size)
		}
	}
}

// Past 4 GiB a TIFF becomes a BigTIFF. The file is nearly all hole.
func TestBigTIFF(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.tif")
	size := geom.Size{W: 40000, H: 40000}
	w, err := imagefile.Create(bg, path, imagefile.Creation{Size: size, Bands: bandsOf(raster.Float32, "1"), WithMask: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	at := image.Rect(39990, 39995, 40000, 40000)
	want := pattern(raster.Float32, 10, 5, 1)
	if err := w.WriteWindow(bg, at, want); err != nil {
		t.Skip(fmt.Sprint("no room for a sparse file: ", err))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	compare(t, read(t, s, 0, at, 0), want, image.Point{}, 0)
	if _, ok := read(t, s, 0, image.Rect(0, 0, 1, 1), 0).At(0, 0, 0); ok {
		t.Error("unwritten is valid")
	}
}
