package gdalio_test

import (
	"context"
	"errors"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio"
)

const utm = `PROJCS["WGS 84 / UTM zone 32N",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",9],PARAMETER["scale_factor",0.9996],PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1],AUTHORITY["EPSG","32632"]]`

func TestWriteMetadata(t *testing.T) {
	needGDAL(t)
	for _, driver := range []string{"GTiff", "COG", "HFA"} {
		if !hasDriver(driver) {
			continue
		}
		geo := geom.Affine(10, 0.5, 500000, -0.25, -10, 4600000)
		if driver == "HFA" {
			geo = geom.Affine(10, 0, 500000, 0, -10, 4600000)
		}
		path := filepath.Join(t.TempDir(), "x.tif")
		c := gdalio.Creation{Driver: driver, Geo: &ast.GeoRef{Transform: geo, SRS: utm}, Bands: []ast.Band{
			{Name: "red edge", Type: raster.Uint8, NoData: -9999, HasNoData: true},
			{Name: "nir", Type: raster.Int16, NoData: -9999, HasNoData: true}}}
		want := pattern(raster.Int16, 33, 44, 2)
		s := open(t, save(t, path, c, want))
		m := s.Meta()
		if names(m) != "red edge|nir" || m.Bands[1].NoData != -9999 || !m.Bands[1].HasNoData || m.Bands[0].Type != raster.Int16 {
			t.Errorf("%s: bands %+v", driver, m.Bands)
		}
		if m.Geo == nil || m.Geo.Transform != geo || !strings.Contains(m.Geo.SRS, "UTM zone 32N") {
			t.Errorf("%s: %+v", driver, m.Geo)
		}
		compare(t, whole(t, s, 0), want, image.Point{}, 0, 1)
	}
}

func TestWriteInWindows(t *testing.T) {
	needGDAL(t)
	path := filepath.Join(t.TempDir(), "x.tif")
	want := invalidate(pattern(raster.Uint16, 517, 391, 3))
	w, err := gdalio.Create(bg, path, gdalio.Creation{Size: geom.Size{W: 517, H: 391}, Bands: bandsOf(raster.Uint16, "1", "2", "3"), WithMask: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	var wg sync.WaitGroup
	for y := 0; y < 391; y += 100 {
		for x := 0; x < 517; x += 150 {
			wg.Go(func() {
				r := image.Rect(x, y, x+150, y+100).Intersect(want.Bounds())
				b := raster.New(raster.Uint16, r.Dx(), r.Dy(), 3)
				b.EnsureMask()
				for j := range b.H {
					for i := range b.W {
						for k := range 3 {
							if v, ok := want.At(r.Min.X+i, r.Min.Y+j, k); ok {
								b.Set(i, j, k, v)
							} else {
								b.SetInvalid(i, j, k, 0)
							}
						}
					}
				}
				if err := w.WriteWindow(bg, r, b); err != nil {
					t.Error(err)
				}
			})
		}
	}
	wg.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	compare(t, whole(t, open(t, path), 0), want, image.Point{}, 0, 1, 2)
}

func TestWritePNG(t *testing.T) {
	needGDAL(t)
	for _, typ := range []raster.DataType{raster.Uint8, raster.Uint16} {
		for _, n := range [][]string{{"1"}, {"1", "alpha"}, {"r", "g", "b"}, {"r", "g", "b", "alpha"}} {
			dir := t.TempDir()
			want := pattern(typ, 31, 17, len(n))
			s := open(t, save(t, filepath.Join(dir, "x.png"), gdalio.Creation{Bands: bandsOf(typ, n...)}, want))
			if got := names(s.Meta()); got != strings.Join(n, "|") {
				t.Errorf("bands %s, want %v", got, n)
			}
			got := whole(t, s, 0)
			got.Mask = nil
			compare(t, got, want, image.Point{}, []int{0, 1, 2, 3}[:len(n)]...)
			onlyFiles(t, dir, "x.png")
		}
		// A mask becomes an alpha band.
		want := invalidate(pattern(typ, 31, 17, 3))
		dir := t.TempDir()
		s := open(t, save(t, filepath.Join(dir, "m.png"), gdalio.Creation{Bands: bandsOf(typ, "r", "g", "b"), WithMask: true}, want))
		compare(t, read(t, s, 0, want.Bounds(), 0, 1, 2), want, image.Point{}, 0, 1, 2)
		_, max := typ.Range()
		if v, _ := whole(t, s, 0).At(30, 5, 3); v != max {
			t.Errorf("%v: alpha of a valid pixel is %v", typ, v)
		}
		onlyFiles(t, dir, "m.png")
	}
}

func TestCreateRefuses(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	u8 := func(names ...string) []ast.Band { return bandsOf(raster.Uint8, names...) }
	size := geom.Size{W: 4, H: 4}
	nodata := func(v ...float64) []ast.Band {
		var b []ast.Band
		for _, v := range v {
			b = append(b, ast.Band{Name: "x", Type: raster.Uint8, NoData: v, HasNoData: true})
		}
		return b
	}
	device := filepath.Join(dir, "full.tif")
	if err := os.Symlink("/dev/full", device); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file string
		c    gdalio.Creation
		says []string
	}{
		{"x.png", gdalio.Creation{Size: size, Bands: bandsOf(raster.Float32, "1")}, []string{"PNG cannot hold float32", "byte, uint16"}},
		{"x.png", gdalio.Creation{Size: size, Bands: u8("1", "2", "3", "4", "5")}, []string{"PNG cannot hold 5 bands"}},
		{"x.png", gdalio.Creation{Size: size, Bands: u8("1", "2"), WithMask: true}, []string{"mask beside 2 bands"}},
		{"x.png", gdalio.Creation{Size: size, Bands: bandsOf(raster.Int8, "1")}, []string{"int8", "PNG"}},
		{"x.tif", gdalio.Creation{Size: geom.Size{W: 0, H: 4}, Bands: u8("1")}, []string{"size of 0×4"}},
		{"x.tif", gdalio.Creation{Size: size}, []string{"0 bands"}},
		{"x.tif", gdalio.Creation{Size: size, Bands: []ast.Band{{Name: "1"}}}, []string{"type"}},
		{"x.tif", gdalio.Creation{Size: size, Bands: nodata(-1)}, []string{"nodata value -1", "uint8"}},
		{"x.tif", gdalio.Creation{Size: size, Bands: nodata(1, 2)}, []string{"GTiff stores one nodata value", "band 2 has 2"}},
		{"x.tif", gdalio.Creation{Size: size, Bands: append(u8("1"), nodata(2)...)}, []string{"band 1 has none"}},
		{"x.tif", gdalio.Creation{Size: size, Bands: u8("1"), Driver: "Nope"}, []string{`no raster driver "Nope"`}},
		{"x.tif", gdalio.Creation{Size: size, Bands: u8("1"), Options: []string{"COMPRESS=NOPE"}}, []string{"NOPE", "COMPRESS"}},
		{"x.tif", gdalio.Creation{Size: size, Bands: u8("1"), Driver: "COG", Options: []string{"TILED=YES"}}, []string{"TILED"}},
		{"x.tif", gdalio.Creation{Size: size, Bands: u8("1"), Options: []string{"TILED"}}, []string{`"TILED" is not KEY=VALUE`}},
		{"x.tif", gdalio.Creation{Size: size, Bands: u8("1"), Geo: &ast.GeoRef{Transform: geom.Transform{1, 0, 0, 0, 1, 0, 1, 0, 1}}}, []string{"not affine"}},
		{"x.tif", gdalio.Creation{Size: size, Bands: u8("1"), Geo: &ast.GeoRef{Transform: geom.Identity, SRS: "nonsense"}}, []string{"x.tif"}},
		{"x", gdalio.Creation{Size: size, Bands: u8("1")}, []string{`extension ""`, "name a driver"}},
		{"x.xyzzy", gdalio.Creation{Size: size, Bands: u8("1")}, []string{`extension "xyzzy"`}},
		{"none/x.tif", gdalio.Creation{Size: size, Bands: u8("1")}, []string{"no such file or directory"}},
		{"full.tif", gdalio.Creation{Size: size, Bands: u8("1")}, []string{"not a regular file"}},
		{"/dev/full", gdalio.Creation{Size: size, Bands: u8("1"), Driver: "GTiff"}, []string{"not a regular file"}},
		{"/vsimem/x.tif", gdalio.Creation{Size: size, Bands: u8("1")}, []string{"not a local file"}},
	} {
		path := c.file
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		w, err := gdalio.Create(bg, path, c.c)
		if err == nil {
			w.Abort()
		}
		wantError(t, err, append(c.says, "gdalio: create", c.file)...)
	}
	onlyFiles(t, dir, "full.tif")
	_, err := gdalio.Create(bg, filepath.Join(dir, "none", "x.tif"), gdalio.Creation{Size: size, Bands: u8("1")})
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
}

func TestWriteRefuses(t *testing.T) {
	needGDAL(t)
	w, err := gdalio.Create(bg, filepath.Join(t.TempDir(), "x.tif"), gdalio.Creation{Size: geom.Size{W: 8, H: 6}, Bands: bandsOf(raster.Uint8, "1")})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	wantError(t, w.WriteWindow(bg, image.Rect(4, 0, 9, 1), raster.New(raster.Uint8, 5, 1, 1)), "gdalio: write", "window [4 0 9 1]", "8×6")
	wantError(t, w.WriteWindow(bg, image.Rect(0, 0, 4, 1), raster.New(raster.Uint8, 5, 1, 1)), "5×1")
	wantError(t, w.WriteWindow(bg, image.Rect(0, 0, 4, 1), raster.New(raster.Int16, 4, 1, 1)), "int16", "uint8")
	wantError(t, w.WriteWindow(bg, image.Rect(0, 0, 4, 1), raster.New(raster.Uint8, 4, 1, 2)), "2 bands")
	// None of these spoils the raster.
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	wantError(t, w.WriteWindow(bg, image.Rect(0, 0, 4, 1), raster.New(raster.Uint8, 4, 1, 1)), "closed")
}

func TestCompleteOrAbsent(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	old := pattern(raster.Uint8, 10, 10, 1)
	path := save(t, filepath.Join(dir, "x.tif"), gdalio.Creation{}, old)
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	begin := func(ctx context.Context) *gdalio.Writer {
		w, err := gdalio.Create(ctx, path, gdalio.Creation{Size: geom.Size{W: 99, H: 99}, Bands: bandsOf(raster.Uint8, "1")})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WriteWindow(bg, image.Rect(0, 0, 99, 99), raster.New(raster.Uint8, 99, 99, 1)); err != nil {
			t.Fatal(err)
		}
		compare(t, whole(t, open(t, path), 0), old, image.Point{}, 0)
		return w
	}
	w := begin(bg)
	if err := w.Abort(); err != nil {
		t.Fatal(err)
	}
	onlyFiles(t, dir, "x.tif")
	if err := w.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Close after Abort: %v", err)
	}

	ctx, cancel := context.WithCancel(bg)
	w = begin(ctx)
	cancel()
	if err := w.Close(); !errors.Is(err, context.Canceled) {
		t.Errorf("Close after cancel: %v", err)
	}
	onlyFiles(t, dir, "x.tif")
	compare(t, whole(t, open(t, path), 0), old, image.Point{}, 0)

	w = begin(bg)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Abort(); err != nil {
		t.Errorf("Abort after Close: %v", err)
	}
	onlyFiles(t, dir, "x.tif")
	if m := describe(t, path); m.Size.W != 99 {
		t.Errorf("not replaced: %v", m.Size)
	}
	if fi, _ := os.Stat(path); fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", fi.Mode())
	}
}

// A sidecar of a driver goes with its raster.
func TestSidecars(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "x.png")
	geo := &ast.GeoRef{Transform: geom.Affine(2, 0, 10, 0, -2, 20)}
	save(t, path, gdalio.Creation{Geo: geo}, pattern(raster.Uint8, 9, 9, 1))
	onlyFiles(t, dir, "x.png", "x.png.aux.xml")
	if m := describe(t, path); m.Geo == nil || m.Geo.Transform != geo.Transform {
		t.Errorf("geo %v", m.Geo)
	}
	save(t, path, gdalio.Creation{}, pattern(raster.Uint8, 9, 9, 1))
	onlyFiles(t, dir, "x.png")
}
