package gdalio_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/gdalio"
)

// throughGDAL opens a raster with an option that leaves all reading to GDAL.
func throughGDAL(t testing.TB, path string) eval.Source {
	t.Helper()
	s := open(t, path, gdalio.WithOpenOptions("NUM_THREADS=1"))
	if gdalio.ReadsPastGDAL(s, 0) {
		t.Fatal("a source with open options reads past GDAL")
	}
	return s
}

// TestDirect: what is read past GDAL is what GDAL reads, whatever the layout of
// the file, and layouts that are not known are left to GDAL.
func TestDirect(t *testing.T) {
	needGDAL(t)
	deflate, none := "COMPRESS=DEFLATE", "COMPRESS=NONE"
	for i, c := range []struct {
		typ     raster.DataType
		bands   int
		options []string
		past    bool
	}{
		{raster.Uint8, 3, []string{none}, true},
		{raster.Uint8, 3, []string{deflate}, true},
		{raster.Uint8, 3, []string{deflate, "PREDICTOR=2"}, true},
		{raster.Uint8, 1, []string{deflate, "PREDICTOR=2"}, true},
		{raster.Uint8, 5, []string{deflate, "PREDICTOR=2"}, true},
		{raster.Int8, 2, []string{none}, true},
		{raster.Uint16, 4, []string{deflate, "PREDICTOR=2"}, true},
		{raster.Int16, 2, []string{none, "BLOCKXSIZE=64", "BLOCKYSIZE=32"}, true},
		{raster.Int32, 2, []string{deflate, "PREDICTOR=2"}, true},
		{raster.Uint32, 1, []string{none}, true},
		{raster.Float32, 3, []string{deflate, "PREDICTOR=3"}, true},
		{raster.Float32, 2, []string{deflate, "PREDICTOR=2"}, true},
		{raster.Float64, 2, []string{deflate, "PREDICTOR=3"}, true},
		{raster.Float64, 1, []string{none, "BIGTIFF=YES"}, true},
		{raster.Uint8, 3, []string{none, "TILED=NO"}, true},
		{raster.Uint8, 3, []string{deflate, "TILED=NO", "BLOCKYSIZE=7", "PREDICTOR=2"}, true},
		{raster.Uint8, 1, []string{none, "INTERLEAVE=BAND"}, true},
		{raster.Uint8, 3, []string{none, "INTERLEAVE=BAND"}, false},
		{raster.Uint16, 3, []string{none, "ENDIANNESS=BIG"}, false},
		{raster.Uint16, 2, []string{none, "NBITS=12"}, false},
		{raster.Uint8, 1, []string{none, "PHOTOMETRIC=MINISWHITE"}, false},
		{raster.Uint8, 1, []string{"COMPRESS=LZW", "PREDICTOR=2"}, false},
		{raster.Uint8, 3, []string{"COMPRESS=JPEG", "PHOTOMETRIC=YCBCR"}, false},
	} {
		t.Run(fmt.Sprint(i, c.typ, c.bands, c.options), func(t *testing.T) {
			b := pattern(c.typ, 301, 273, c.bands)
			path := save(t, filepath.Join(t.TempDir(), "x.tif"), gdalio.Creation{Options: c.options}, b)
			s, other := open(t, path), throughGDAL(t, path)
			if past := gdalio.ReadsPastGDAL(s, 0); past != c.past {
				t.Fatalf("read past GDAL: %v, expected %v", past, c.past)
			}
			compareReads(t, s, other, 0, c.bands)
			if plain := s.(eval.Plain).Plain(0); plain != (c.past && c.options[0] == none) {
				t.Errorf("said to be stored as it is read: %v", plain)
			}
		})
	}
}

// compareReads reads windows of all kinds, of bands in some order.
func compareReads(t *testing.T, s, other eval.Source, level, bands int) {
	t.Helper()
	m := s.Meta()
	size := m.Size
	if level > 0 {
		size = m.Overviews[level-1]
	}
	r := rand.New(rand.NewPCG(1, uint64(bands)))
	windows := []image.Rectangle{
		image.Rect(0, 0, size.W, size.H), image.Rect(0, 0, min(256, size.W), min(256, size.H)),
		image.Rect(size.W-1, size.H-1, size.W, size.H), image.Rect(0, size.H/2, size.W, size.H/2+3),
	}
	for range 20 {
		x, y := r.IntN(size.W), r.IntN(size.H)
		windows = append(windows, image.Rect(x, y, x+1+r.IntN(size.W-x), y+1+r.IntN(size.H-y)))
	}
	all := make([]int, bands)
	for k := range all {
		all[k] = k
	}
	for i, w := range windows {
		picks := all
		if i%3 == 2 {
			picks = []int{r.IntN(bands), r.IntN(bands)}
		}
		got, want := read(t, s, level, w, picks...), read(t, other, level, w, picks...)
		if got.Type != want.Type || (got.Mask == nil) != (want.Mask == nil) {
			t.Fatalf("%v: %v, masked %v; GDAL gives %v, %v", w, got.Type, got.Mask != nil, want.Type, want.Mask != nil)
		}
		if string(got.Bytes()) != string(want.Bytes()) {
			t.Fatalf("window %v, bands %v at level %d differ from GDAL's", w, picks, level)
		}
	}
}

// TestDirectLevels: stored levels inside the file are read past GDAL, those
// beside it through GDAL.
func TestDirectLevels(t *testing.T) {
	needGDAL(t)
	for _, c := range []struct {
		arg  []string
		past bool
	}{{nil, true}, {[]string{"-ro"}, false}} {
		path := save(t, filepath.Join(t.TempDir(), "x.tif"), gdalio.Creation{}, pattern(raster.Uint8, 700, 600, 3))
		args := append(append([]string{"-q", "-r", "average"}, c.arg...), path, "2", "4")
		if out, err := exec.Command("gdaladdo", args...).CombinedOutput(); err != nil {
			t.Skipf("gdaladdo: %v %s", err, out)
		}
		s, other := open(t, path), throughGDAL(t, path)
		for level := range 3 {
			if past := gdalio.ReadsPastGDAL(s, level); past != (c.past || level == 0) {
				t.Errorf("%v: level %d read past GDAL: %v", c.arg, level, past)
			}
			compareReads(t, s, other, level, 3)
		}
	}
}

// TestDirectMasked: a file with a mask or an alpha band is left to GDAL.
func TestDirectMasked(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	b := invalidate(pattern(raster.Uint8, 90, 80, 3))
	path := save(t, filepath.Join(dir, "mask.tif"), gdalio.Creation{WithMask: true}, b)
	if s := open(t, path); gdalio.ReadsPastGDAL(s, 0) {
		t.Error("a masked file is read past GDAL")
	} else {
		compare(t, whole(t, s, 0), b, image.Point{}, 0, 1, 2)
	}
	path = save(t, filepath.Join(dir, "alpha.tif"), gdalio.Creation{Bands: bandsOf(raster.Uint8, "r", "g", "b", "alpha")}, pattern(raster.Uint8, 90, 80, 4))
	if gdalio.ReadsPastGDAL(open(t, path), 0) {
		t.Error("a file with an alpha band is read past GDAL")
	}
}

// TestDirectHoles: blocks that a file leaves out are GDAL's, which knows their
// value.
func TestDirectHoles(t *testing.T) {
	needGDAL(t)
	path := filepath.Join(t.TempDir(), "x.tif")
	bands := bandsOf(raster.Int16, "1")
	bands[0].NoData, bands[0].HasNoData = -7, true
	w, err := gdalio.Create(bg, path, gdalio.Creation{
		Size: geom.Size{W: 600, H: 300}, Bands: bands, Options: []string{"SPARSE_OK=YES", "COMPRESS=NONE"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	part := pattern(raster.Int16, 256, 256, 1)
	if err := w.WriteWindow(bg, part.Bounds(), part); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	compareReads(t, open(t, path), throughGDAL(t, path), 0, 1)
}

// TestDirectBroken: of a file that is cut short or whose blocks are damaged,
// reads fail as they do through GDAL.
func TestDirectBroken(t *testing.T) {
	needGDAL(t)
	dir := t.TempDir()
	for _, compress := range []string{"COMPRESS=NONE", "COMPRESS=DEFLATE"} {
		path := save(t, filepath.Join(dir, "good.tif"), gdalio.Creation{Options: []string{compress}}, pattern(raster.Uint16, 600, 600, 2))
		good, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		damaged := append([]byte(nil), good...)
		for i := len(damaged) / 2; i < len(damaged)/2+len(damaged)/4; i++ {
			damaged[i] = 0xff
		}
		for name, data := range map[string][]byte{"cut.tif": good[:len(good)/2], "damaged.tif": damaged} {
			path := saveText(t, filepath.Join(dir, name), string(data))
			var b, c raster.Buffer
			s, other := open(t, path), throughGDAL(t, path)
			got := s.ReadWindow(bg, 0, s.Meta().Size.Bounds(), []int{0, 1}, &b)
			want := other.ReadWindow(bg, 0, s.Meta().Size.Bounds(), []int{0, 1}, &c)
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s, %s: error %v, GDAL's is %v", compress, name, got, want)
			}
			if got == nil && string(b.Bytes()) != string(c.Bytes()) {
				t.Errorf("%s, %s: samples differ", compress, name)
			}
		}
	}
}
