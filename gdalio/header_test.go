package gdalio_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio"
)

// describes checks that a header says what GDAL does, or leaves it to it.
func describes(t *testing.T, path string, known bool) {
	t.Helper()
	byGDAL, byHeader, err := gdalio.Described(path)
	if err != nil {
		t.Fatal(err)
	}
	if (byHeader != nil) != known {
		t.Errorf("%s: the header is all there is to know: %v, expected %v", filepath.Base(path), byHeader != nil, known)
	}
	// As text, NaN is NaN.
	if byHeader != nil && !reflect.DeepEqual(inText(byHeader), inText(byGDAL)) {
		t.Errorf("%s\nheader: %s\nGDAL:   %s", filepath.Base(path), inText(byHeader), inText(byGDAL))
	}
}

// inText spells a description out, with what it points to.
func inText(info any) string {
	geo := reflect.ValueOf(info).FieldByName("geo")
	place := "none"
	if !geo.IsNil() {
		place = fmt.Sprint(geo.Elem())
	}
	text := fmt.Sprintf("%+v", info)
	before, rest, _ := strings.Cut(text, " geo:")
	_, after, _ := strings.Cut(rest, " ")
	return before + " geo " + place + " " + after
}

// TestHeader: what is described without GDAL is described as GDAL does.
func TestHeader(t *testing.T) {
	needGDAL(t)
	for i, c := range []struct {
		typ      raster.DataType
		bands    int
		options  string
		creation gdalio.Creation
		known    bool
	}{
		{raster.Uint8, 3, "COMPRESS=DEFLATE", gdalio.Creation{}, true},
		{raster.Uint8, 3, "COMPRESS=NONE TILED=NO", gdalio.Creation{}, true},
		{raster.Uint8, 3, "PHOTOMETRIC=RGB", gdalio.Creation{}, true},
		{raster.Uint8, 5, "PHOTOMETRIC=RGB", gdalio.Creation{}, true},
		{raster.Uint8, 2, "PHOTOMETRIC=MINISBLACK ALPHA=YES", gdalio.Creation{}, false},
		{raster.Uint8, 4, "PHOTOMETRIC=RGB ALPHA=YES", gdalio.Creation{}, false},
		{raster.Int8, 1, "", gdalio.Creation{}, false},
		{raster.Uint16, 4, "BLOCKXSIZE=32 BLOCKYSIZE=16", gdalio.Creation{}, true},
		{raster.Int16, 13, "COMPRESS=NONE", gdalio.Creation{}, true},
		{raster.Uint32, 1, "TILED=NO BLOCKYSIZE=1000", gdalio.Creation{}, true},
		{raster.Int32, 2, "BIGTIFF=YES", gdalio.Creation{}, true},
		{raster.Float32, 2, "PREDICTOR=3", gdalio.Creation{}, true},
		{raster.Float64, 1, "COMPRESS=NONE", gdalio.Creation{}, true},
		{raster.Float64, 2, "INTERLEAVE=BAND", gdalio.Creation{}, false},
		{raster.Uint16, 1, "ENDIANNESS=BIG", gdalio.Creation{}, false},
		{raster.Uint16, 1, "NBITS=12 PREDICTOR=1", gdalio.Creation{}, false},
		{raster.Uint8, 1, "COMPRESS=LZW", gdalio.Creation{}, false},
		{raster.Uint8, 1, "PHOTOMETRIC=MINISWHITE", gdalio.Creation{}, false},
		{raster.Uint8, 3, "", gdalio.Creation{WithMask: true}, false},
		{raster.Uint8, 1, "", named("red <&> \"green\"", 7), true},
		{raster.Int16, 1, "", named("1", -9999), true},
		{raster.Uint8, 1, "", named("", 255), true},
		{raster.Float32, 1, "", named("höhe", -3.4028234663852886e38), true},
		{raster.Float32, 1, "", named("1", math.NaN()), true},
		{raster.Float64, 1, "", named("1", 1e-300), true},
		{raster.Int16, 1, "", placed(geom.Affine(2, 0.5, 10, 0.25, -2, 1e6), ""), true},
		{raster.Int16, 1, "", placed(geom.Affine(2, 0, 10, 0, -2, 1e6), ""), false},
		{raster.Int16, 1, "", placed(geom.Affine(2, 0, 10, 0, -2, 1e6), "EPSG:32633"), false},
	} {
		t.Run(fmt.Sprint(i, c.typ, c.bands, c.options), func(t *testing.T) {
			c.creation.Options = strings.Fields(c.options)
			b := pattern(c.typ, 150, 100, c.bands)
			if c.creation.WithMask {
				invalidate(b)
			}
			for i := range c.creation.Bands {
				c.creation.Bands[i].Type = c.typ
			}
			describes(t, save(t, filepath.Join(t.TempDir(), "x.tif"), c.creation, b), c.known)
		})
	}
}

func named(name string, noData float64) gdalio.Creation {
	return gdalio.Creation{Bands: []ast.Band{{Name: name, NoData: noData, HasNoData: true}}}
}

func placed(m geom.Transform, srs string) gdalio.Creation {
	return gdalio.Creation{Geo: &ast.GeoRef{Transform: m, SRS: srs}}
}

// TestHeaderLevels: stored levels, and what lies beside a file.
func TestHeaderLevels(t *testing.T) {
	needGDAL(t)
	describes(t, astro(t), true)
	dir := t.TempDir()
	path := save(t, filepath.Join(dir, "x.tif"), gdalio.Creation{}, pattern(raster.Uint8, 700, 300, 3))
	if out, err := exec.Command("gdaladdo", "-q", path, "2", "4", "8").CombinedOutput(); err != nil {
		t.Skipf("no gdaladdo: %v: %s", err, out)
	}
	describes(t, path, true)
	saveText(t, filepath.Join(dir, "xy.wld"), "1\n0\n0\n-1\n5\n5\n")
	describes(t, path, true)
	for _, beside := range []struct{ name, text string }{
		{"X.WLD", "1\n0\n0\n-1\n5\n5\n"},
		{"x.tif.aux.xml", `<PAMDataset><PAMRasterBand band="1"><Description>a</Description></PAMRasterBand></PAMDataset>`},
	} {
		file := saveText(t, filepath.Join(dir, beside.name), beside.text)
		describes(t, path, false)
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	describes(t, path, true)
	for _, name := range []string{"GDAL_GEOREF_SOURCES", "GDAL_PAM_PROXY_DIR"} {
		gdalio.SetConfigOption(name, dir)
		_, byHeader, err := gdalio.Described(path)
		gdalio.UnsetConfigOption(name)
		if byHeader != nil || err != nil {
			t.Errorf("with %s the header is said to be all there is to know; %v", name, err)
		}
	}
}

// TestHeaderAllowed: an Opener that does not allow GeoTIFFs opens none.
func TestHeaderAllowed(t *testing.T) {
	needGDAL(t)
	if _, err := gdalio.New(gdalio.WithDrivers("PNG")).Open(bg, astro(t)); err == nil {
		t.Error("a GeoTIFF was opened where only PNGs are allowed")
	}
	if s, err := gdalio.New(gdalio.WithDrivers("gtiff")).Open(bg, astro(t)); err != nil {
		t.Error(err)
	} else if err := s.Close(); err != nil {
		t.Error(err)
	}
}
