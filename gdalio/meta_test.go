package gdalio_test

import (
	"fmt"
	"image"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio"
)

func describe(t *testing.T, uri string) ast.Meta {
	t.Helper()
	m, err := gdalio.New().Describe(bg, uri)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func names(m ast.Meta) string {
	var s []string
	for _, b := range m.Bands {
		s = append(s, b.Name)
	}
	return strings.Join(s, "|")
}

func TestDescribe(t *testing.T) {
	needGDAL(t)
	m := describe(t, astro(t))
	if m.Size != (geom.Size{W: 512, H: 512}) || m.Block != (geom.Size{W: 256, H: 256}) || len(m.Bands) != 3 || m.HasMask || m.Geo != nil {
		t.Errorf("astro.tif: %+v", m)
	}
	m = describe(t, filepath.Join("..", "testdata", "oracle", "src", "i16.tif"))
	for _, b := range m.Bands {
		if b.Type != raster.Int16 || !b.HasNoData || b.NoData != -9999 {
			t.Errorf("i16.tif: %+v", b)
		}
	}
}

func TestBandNames(t *testing.T) {
	needGDAL(t)
	for i, want := range []string{"1", "r|g|b", "r|g|b|alpha", "1|2|3|4", "1|alpha", "nir|2|swir", "1|2|3|4|alpha"} {
		path := filepath.Join(t.TempDir(), fmt.Sprint(i, ".tif"))
		n := strings.Split(want, "|")
		save(t, path, gdalio.Creation{Bands: bandsOf(raster.Uint8, n...)}, pattern(raster.Uint8, 9, 9, len(n)))
		m := describe(t, path)
		if names(m) != want {
			t.Errorf("bands %s, want %s", names(m), want)
		}
		if m.HasMask != strings.Contains(want, "alpha") {
			t.Errorf("bands %s: HasMask is %v", want, m.HasMask)
		}
	}
}

func TestTypesRoundTrip(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	for typ := raster.Uint8; typ <= raster.Float64; typ++ {
		want := pattern(typ, 37, 29, 2)
		lo, hi := typ.Range()
		want.Set(0, 0, 0, lo)
		want.Set(1, 0, 0, hi)
		if typ.IsFloat() {
			want.Set(2, 0, 0, math.NaN())
		}
		s := open(t, save(t, filepath.Join(dir, typ.String()+".tif"), gdalio.Creation{}, want))
		if got := s.Meta().Bands[1].Type; got != typ {
			t.Errorf("%v comes back as %v", typ, got)
		}
		compare(t, whole(t, s, 0), want, image.Point{}, 0, 1)
	}
}

func vrt(w, h int, meta, bands string) string {
	return fmt.Sprintf(`<VRTDataset rasterXSize="%d" rasterYSize="%d">%s%s</VRTDataset>`, w, h, meta, bands)
}

func vrtBand(i int, typ, file string, inside string) string {
	return fmt.Sprintf(`<VRTRasterBand dataType="%s" band="%d">%s<SimpleSource><SourceFilename relativeToVRT="1">%s</SourceFilename><SourceBand>%d</SourceBand></SimpleSource></VRTRasterBand>`,
		typ, i, inside, file, i)
}

func TestNoDataPerBand(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	want := pattern(raster.Uint8, 20, 10, 5)
	save(t, filepath.Join(dir, "x.tif"), gdalio.Creation{}, want)
	nodata := func(v string) string { return "<NoDataValue>" + v + "</NoDataValue>" }
	path := saveText(t, filepath.Join(dir, "x.vrt"), vrt(20, 10, "",
		vrtBand(1, "Byte", "x.tif", nodata("0"))+vrtBand(2, "Int16", "x.tif", nodata("-9999"))+
			vrtBand(3, "Float32", "x.tif", nodata("3.4028235e+38"))+vrtBand(4, "Byte", "x.tif", nodata("-1"))+
			vrtBand(5, "Float64", "x.tif", nodata("nan"))))
	s := open(t, path)
	m := s.Meta()
	for i, w := range []ast.Band{
		{Name: "1", Type: raster.Uint8, NoData: 0, HasNoData: true},
		{Name: "2", Type: raster.Int16, NoData: -9999, HasNoData: true},
		{Name: "3", Type: raster.Float32, NoData: math.MaxFloat32, HasNoData: true},
		{Name: "4", Type: raster.Uint8}, // no sample is −1
		{Name: "5", Type: raster.Float64},
	} {
		if m.Bands[i] != w {
			t.Errorf("band %d is %+v, want %+v", i+1, m.Bands[i], w)
		}
	}
	if m.HasMask {
		t.Error("nodata values count as a mask")
	}
	// Bands of several types come as their common type.
	for _, c := range []struct {
		bands []int
		typ   raster.DataType
	}{{[]int{0, 3}, raster.Uint8}, {[]int{1, 0}, raster.Int16}, {[]int{0, 1, 2}, raster.Float32}, {[]int{4, 0}, raster.Float64}} {
		got := read(t, s, 0, image.Rect(2, 3, 18, 9), c.bands...)
		if got.Type != c.typ {
			t.Errorf("bands %v are %v, want %v", c.bands, got.Type, c.typ)
		}
		compare(t, got, want, image.Pt(2, 3), c.bands...)
	}
}

func TestMixedInt8(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	want := pattern(raster.Int8, 20, 10, 1)
	save(t, filepath.Join(dir, "x.tif"), gdalio.Creation{}, want)
	both := raster.New(raster.Int16, 20, 10, 2)
	for y := range 10 {
		for x := range 20 {
			v, _ := want.At(x, y, 0)
			both.Set(x, y, 0, v)
			both.Set(x, y, 1, -300)
		}
	}
	save(t, filepath.Join(dir, "y.tif"), gdalio.Creation{}, both)
	s := open(t, saveText(t, filepath.Join(dir, "x.vrt"), vrt(20, 10, "",
		vrtBand(1, "Byte", "x.tif", `<Metadata domain="IMAGE_STRUCTURE"><MDI key="PIXELTYPE">SIGNEDBYTE</MDI></Metadata>`)+
			vrtBand(2, "Int16", "y.tif", ""))))
	if typ := s.Meta().Bands[0].Type; typ != raster.Int8 {
		t.Skipf("this GDAL shows the band as %v", typ)
	}
	compare(t, whole(t, s, 0), both, image.Point{}, 0, 1)
}

func TestRefusedTypes(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	save(t, filepath.Join(dir, "x.tif"), gdalio.Creation{}, pattern(raster.Uint8, 20, 10, 1))
	for _, typ := range []string{"CFloat32", "CInt16", "Int64", "UInt64"} {
		path := saveText(t, filepath.Join(dir, typ+".vrt"), vrt(20, 10, "", vrtBand(1, typ, "x.tif", "")))
		_, err := gdalio.New().Describe(bg, path)
		wantError(t, err, "gdalio: open", typ+".vrt", "band 1 is of type "+typ)
	}
}

func TestHugeClaims(t *testing.T) {
	needGDAL(t)
	path := saveText(t, filepath.Join(t.TempDir(), "x.vrt"), vrt(2147483647, 2147483647, "", `<VRTRasterBand dataType="Byte" band="1"/>`))
	s := open(t, path)
	if m := s.Meta(); m.Size != (geom.Size{W: math.MaxInt32, H: math.MaxInt32}) {
		t.Errorf("size %v", m.Size)
	}
	err := s.ReadWindow(bg, 0, image.Rect(0, 0, math.MaxInt32, math.MaxInt32), []int{0, 0}, new(raster.Buffer))
	wantError(t, err, "samples", "limit")
	got := read(t, s, 0, image.Rect(math.MaxInt32-3, math.MaxInt32-2, math.MaxInt32, math.MaxInt32), 0)
	if !slices.Equal(got.Bytes(), make([]byte, 6)) {
		t.Errorf("far corner: %v", got.Bytes())
	}
}

func TestFiles(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	tif := save(t, filepath.Join(dir, "x.tif"), gdalio.Creation{}, pattern(raster.Uint8, 20, 10, 1))
	path := saveText(t, filepath.Join(dir, "x.vrt"), vrt(20, 10, "", vrtBand(1, "Byte", "x.tif", "")))
	got, err := gdalio.Files(bg, path)
	if err != nil || !slices.Equal(got, []string{path, tif}) {
		t.Errorf("files %q, %v", got, err)
	}
	_, err = gdalio.Files(bg, filepath.Join(dir, "none.vrt"))
	wantError(t, err, "none.vrt")
}

func TestProcessSettings(t *testing.T) {
	needGDAL(t)
	was := gdalio.CacheMax()
	defer gdalio.SetCacheMax(was)
	if gdalio.SetCacheMax(64 << 20); gdalio.CacheMax() != 64<<20 {
		t.Errorf("cache of %d bytes", gdalio.CacheMax())
	}
	const key = "REWARP_TEST_OPTION"
	if _, set := gdalio.ConfigOption(key); set {
		t.Error("set before it was set")
	}
	gdalio.SetConfigOption(key, "a")
	if v, set := gdalio.ConfigOption(key); v != "a" || !set {
		t.Errorf("%q, %v", v, set)
	}
	gdalio.UnsetConfigOption(key)
	if _, set := gdalio.ConfigOption(key); set {
		t.Error("set after it was unset")
	}
	if i := slices.IndexFunc(gdalio.Drivers(), func(d gdalio.Driver) bool { return d.Name == "GTiff" }); i < 0 || !gdalio.Drivers()[i].Create {
		t.Error("no GTiff that creates")
	}
}
