package gdalio_test

import (
	"fmt"
	"image"
	"path/filepath"
	"testing"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio"
)

func TestMaskInside(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	for _, typ := range []raster.DataType{raster.Uint8, raster.Uint16, raster.Int32, raster.Float32, raster.Float64} {
		want := invalidate(pattern(typ, 270, 70, 3))
		path := save(t, filepath.Join(dir, typ.String()+".tif"), gdalio.Creation{WithMask: true}, want)
		s := open(t, path)
		if !s.Meta().HasMask {
			t.Fatal("no mask")
		}
		compare(t, whole(t, s, 0), want, image.Point{}, 0, 1, 2)
		w := image.Rect(120, 50, 167, 69)
		got := read(t, s, 0, w, 2, 0, 2, 2)
		compare(t, got, want, w.Min, 2, 0, 2, 2)
		if typ.IsFloat() != (got.Mask == nil) {
			t.Errorf("%v: mask of %d bytes", typ, len(got.Mask))
		}
	}
	onlyFiles(t, dir, "float32.tif", "float64.tif", "int32.tif", "uint16.tif", "uint8.tif")
}

// A pixel is valid in the file where any band is.
func TestMaskOfPixels(t *testing.T) {
	needGDAL(t)
	b := pattern(raster.Uint8, 30, 20, 2)
	b.SetInvalid(3, 4, 0, 0)
	b.SetInvalid(5, 6, 0, 0)
	b.SetInvalid(5, 6, 1, 0)
	got := whole(t, open(t, save(t, filepath.Join(t.TempDir(), "x.tif"), gdalio.Creation{WithMask: true}, b)), 0)
	for _, c := range []struct {
		x, y, band int
		valid      bool
	}{{3, 4, 0, true}, {3, 4, 1, true}, {5, 6, 0, false}, {5, 6, 1, false}, {0, 0, 0, true}} {
		if _, ok := got.At(c.x, c.y, c.band); ok != c.valid {
			t.Errorf("(%d, %d) band %d: valid is %v", c.x, c.y, c.band, ok)
		}
	}
}

// What was never written is invalid.
func TestMaskOfUnwritten(t *testing.T) {
	needGDAL(t)
	path := filepath.Join(t.TempDir(), "x.tif")
	w, err := gdalio.Create(bg, path, gdalio.Creation{Size: geom.Size{W: 64, H: 64}, Bands: bandsOf(raster.Uint8, "1"), WithMask: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.WriteWindow(bg, image.Rect(10, 10, 20, 20), raster.New(raster.Uint8, 10, 10, 1)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got := whole(t, open(t, path), 0)
	_, in := got.At(15, 15, 0)
	_, out := got.At(5, 15, 0)
	if !in || out {
		t.Errorf("written valid: %v, unwritten valid: %v", in, out)
	}
}

func TestMaskOfAlpha(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	for _, typ := range []raster.DataType{raster.Uint8, raster.Uint16} {
		for _, names := range [][]string{{"r", "g", "b", "alpha"}, {"1", "alpha"}, {"1", "2", "3", "4", "alpha"}} {
			n := len(names)
			b := pattern(typ, 60, 40, n)
			for y := range 40 {
				for x := range 60 {
					b.Set(x, y, n-1, float64((x+y)%3)) // a little opaque is valid
				}
			}
			path := save(t, filepath.Join(dir, fmt.Sprint(typ, n, ".tif")), gdalio.Creation{Bands: bandsOf(typ, names...)}, b)
			s := open(t, path)
			got := whole(t, s, 0)
			for y := range 40 {
				for x := range 60 {
					for k := range n {
						v, ok := got.At(x, y, k)
						if w, _ := b.At(x, y, k); v != w {
							t.Fatalf("%s (%d, %d) band %d: %v, want %v", path, x, y, k, v, w)
						}
						if want := k == n-1 || (x+y)%3 > 0; ok != want {
							t.Fatalf("%s (%d, %d) band %d: valid is %v", path, x, y, k, ok)
						}
					}
				}
			}
		}
	}
}

func TestMaskBeside(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	want := invalidate(pattern(raster.Int16, 120, 90, 2))
	path := save(t, filepath.Join(dir, "x.tif"), gdalio.Creation{}, want)
	mask := raster.New(raster.Uint8, 120, 90, 1)
	for y := range 90 {
		for x := range 60 {
			mask.Set(x+60, y, 0, 255)
		}
	}
	save(t, filepath.Join(dir, "mask.tif"), gdalio.Creation{}, mask)
	saveText(t, path+".msk", vrt(120, 90, `<Metadata><MDI key="INTERNAL_MASK_FLAGS_1">2</MDI><MDI key="INTERNAL_MASK_FLAGS_2">2</MDI></Metadata>`,
		vrtBand(1, "Byte", "mask.tif", "")))
	s := open(t, path)
	if !s.Meta().HasMask {
		t.Fatal("no mask")
	}
	compare(t, read(t, s, 0, image.Rect(7, 8, 119, 90), 1, 0), want, image.Pt(7, 8), 1, 0)

	// Another raster over it leaves no mask behind.
	save(t, path, gdalio.Creation{}, pattern(raster.Int16, 120, 90, 2))
	if describe(t, path).HasMask {
		t.Error("the mask of the replaced raster stayed")
	}
}

// A COG builds its overviews, with those of its mask.
func TestMaskAtLevels(t *testing.T) {
	needGDAL(t)
	if !hasDriver("COG") {
		t.Skip("no COG driver")
	}
	dir := t.TempDir()
	b := pattern(raster.Uint8, 401, 300, 3)
	// Invalid left of 200, so the mask's edge is on a pixel of level 1.
	for y := range b.H {
		for x := range 200 {
			for k := range 3 {
				b.SetInvalid(x, y, k, 0)
			}
		}
	}
	c := gdalio.Creation{Driver: "COG", WithMask: true, Options: []string{"BLOCKSIZE=128", "OVERVIEW_RESAMPLING=NEAREST", "COMPRESS=LZW"}}
	s := open(t, save(t, filepath.Join(dir, "m.tif"), c, b))
	checkLevels(t, s.Meta().HasMask, len(s.Meta().Overviews))
	for level := range s.Meta().Overviews {
		halfValid(t, whole(t, s, level+1))
	}

	// The same raster with levels for its samples, but none for its mask.
	m := s.Meta()
	bands := ""
	for i := 1; i <= 3; i++ {
		inside := ""
		for k := range m.Overviews {
			inside += fmt.Sprintf(`<Overview><SourceFilename relativeToVRT="1">o%d.vrt</SourceFilename><SourceBand>%d</SourceBand></Overview>`, k+1, i)
		}
		bands += vrtBand(i, "Byte", "m.tif", inside)
	}
	for k, size := range m.Overviews {
		save(t, filepath.Join(dir, fmt.Sprintf("o%d.tif", k+1)), gdalio.Creation{}, raster.New(raster.Uint8, size.W, size.H, 3))
		saveText(t, filepath.Join(dir, fmt.Sprintf("o%d.vrt", k+1)), vrt(size.W, size.H, "",
			vrtBand(1, "Byte", fmt.Sprintf("o%d.tif", k+1), "")+vrtBand(2, "Byte", fmt.Sprintf("o%d.tif", k+1), "")+vrtBand(3, "Byte", fmt.Sprintf("o%d.tif", k+1), "")))
	}
	save(t, filepath.Join(dir, "mask.tif"), gdalio.Creation{}, maskOf(b))
	path := saveText(t, filepath.Join(dir, "v.vrt"), vrt(401, 300, "", bands+
		`<MaskBand><VRTRasterBand dataType="Byte"><SimpleSource><SourceFilename relativeToVRT="1">mask.tif</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></MaskBand>`))
	s = open(t, path)
	checkLevels(t, s.Meta().HasMask, len(s.Meta().Overviews))
	for level, size := range s.Meta().Overviews {
		halfValid(t, whole(t, s, level+1))
		w := image.Rect(size.W/2-7, 3, size.W/2+9, 13)
		part := read(t, s, level+1, w, 1)
		for x := range part.W {
			if _, ok := part.At(x, 5, 0); ok != ((float64(w.Min.X+x)+.5)*401/float64(size.W) >= 200) {
				t.Errorf("level %d column %d: valid is %v", level+1, w.Min.X+x, ok)
			}
		}
	}
}

func checkLevels(t *testing.T, mask bool, levels int) {
	t.Helper()
	if !mask || levels < 2 {
		t.Fatalf("mask %v, %d levels", mask, levels)
	}
}

func hasDriver(name string) bool {
	for _, d := range gdalio.Drivers() {
		if d.Name == name {
			return true
		}
	}
	return false
}

// halfValid checks that the right half alone is valid, a pixel at the edge
// apart.
func halfValid(t *testing.T, b *raster.Buffer) {
	t.Helper()
	for y := range b.H {
		for x := range b.W {
			if d := x - b.W/2; d >= -1 && d <= 1 {
				continue
			}
			for k := range b.Bands {
				if _, ok := b.At(x, y, k); ok != (x >= b.W/2) {
					t.Fatalf("%d×%d (%d, %d) band %d: valid is %v", b.W, b.H, x, y, k, ok)
				}
			}
		}
	}
}

func maskOf(b *raster.Buffer) *raster.Buffer {
	m := raster.New(raster.Uint8, b.W, b.H, 1)
	for y := range b.H {
		for x := range b.W {
			if _, ok := b.At(x, y, 0); ok {
				m.Set(x, y, 0, 255)
			}
		}
	}
	return m
}

// A mask from NODATA_VALUES: invalid where every band matches.
func TestMaskOfNoDataValues(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	b := pattern(raster.Uint8, 20, 10, 2)
	b.Set(0, 0, 0, 7)
	b.Set(0, 0, 1, 8)
	b.Set(1, 0, 0, 7)
	b.Set(1, 0, 1, 9)
	save(t, filepath.Join(dir, "x.tif"), gdalio.Creation{}, b)
	s := open(t, saveText(t, filepath.Join(dir, "x.vrt"), vrt(20, 10, `<Metadata><MDI key="NODATA_VALUES">7 8</MDI></Metadata>`,
		vrtBand(1, "Byte", "x.tif", "")+vrtBand(2, "Byte", "x.tif", ""))))
	got := whole(t, s, 0)
	_, both := got.At(0, 0, 0)
	_, one := got.At(1, 0, 0)
	if !s.Meta().HasMask || both || !one {
		t.Errorf("HasMask %v, both match: valid %v, one matches: valid %v", s.Meta().HasMask, both, one)
	}
}
