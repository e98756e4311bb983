package vrt_test

import (
	"context"
	"fmt"
	"image"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/oracle"
	"github.com/rewarp/rewarp/gdalio"
)

var bg = context.Background()

// folder holds the files of one test run.
var folder string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "vrt")
	if err != nil {
		panic(err)
	}
	folder = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

func needGDAL(t testing.TB) {
	t.Helper()
	if gdalio.Version() == "" {
		t.Skip("this build has no GDAL")
	}
	for _, tool := range []string{"gdal_translate", "gdalwarp", "gdaladdo", "gdalbuildvrt"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("no " + tool)
		}
	}
}

func run(t testing.TB, args ...string) {
	t.Helper()
	c := exec.Command(args[0], args[1:]...)
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%.300q: %v\n%s", args, err, out)
	}
}

// files are generated images as GeoTIFFs with overviews, by path, with the
// pixels that they hold.
func files(t testing.TB) *asttest.Images {
	t.Helper()
	needGDAL(t)
	files, err := makeFiles()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var makeFiles = sync.OnceValues(func() (*asttest.Images, error) {
	all := map[string]*asttest.Image{}
	std := asttest.Standard()
	for _, uri := range []string{"rgb", "elevation", "field", "masked", "counts", "column", "classes", "odd", "small", "smallfloat", "empty"} {
		img, _ := std.Image(uri)
		path := filepath.Join(folder, uri+".tif")
		if err := saveImage(path, img, nil); err != nil {
			return nil, err
		}
		if len(img.Meta.Overviews) > 0 {
			if out, err := exec.Command("gdaladdo", "-q", "-r", "nearest", path, "2", "4").CombinedOutput(); err != nil {
				return nil, fmt.Errorf("gdaladdo: %v %s", err, out)
			}
		}
		read, err := readImage(path)
		if err != nil {
			return nil, err
		}
		all[path] = read
	}
	// In the world, and without overviews.
	geo := &ast.GeoRef{Transform: geom.Affine(10, 0, 5000, 0, -10, 90000)}
	for _, uri := range []string{"rgb", "classes", "field"} {
		img, _ := std.Image(uri)
		path := filepath.Join(folder, "geo"+uri+".tif")
		if err := saveImage(path, img, geo); err != nil {
			return nil, err
		}
		read, err := readImage(path)
		if err != nil {
			return nil, err
		}
		all[path] = read
	}
	return asttest.NewImages(all), nil
})

func saveImage(path string, img *asttest.Image, geo *ast.GeoRef) error {
	w, err := gdalio.Create(bg, path, gdalio.Creation{Size: img.Meta.Size, Bands: img.Meta.Bands, Geo: geo, WithMask: img.Meta.HasMask && !img.Levels[0].Type.IsFloat()})
	if err != nil {
		return err
	}
	defer w.Abort()
	if pix := img.Levels[0]; pix.Type == raster.Float32 {
		// GDAL's resampling mixes infinities in, which are invalid here.
		for i, v := range raster.Samples[float32](pix) {
			if math.IsInf(float64(v), 0) {
				raster.Samples[float32](pix)[i] = float32(math.NaN())
			}
		}
	}
	if err := w.WriteWindow(bg, img.Levels[0].Bounds(), img.Levels[0]); err != nil {
		return err
	}
	return w.Close()
}

func readImage(path string) (*asttest.Image, error) {
	s, err := gdalio.New().Open(bg, path)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	img := &asttest.Image{Meta: s.Meta()}
	bands := make([]int, len(img.Meta.Bands))
	for i := range bands {
		bands[i] = i
	}
	for level := range len(img.Meta.Overviews) + 1 {
		size := img.Meta.Size
		if level > 0 {
			size = img.Meta.Overviews[level-1]
		}
		b := &raster.Buffer{}
		if err := s.ReadWindow(bg, level, image.Rect(0, 0, size.W, size.H), bands, b); err != nil {
			return nil, err
		}
		img.Levels = append(img.Levels, b)
	}
	return img, nil
}

// reference is what a tree means.
func reference(t testing.TB, n ast.Node) *oracle.Result {
	t.Helper()
	r, err := oracle.Reference(bg, n, files(t), oracle.Options{})
	if err != nil {
		t.Fatalf("%v\n%s", err, ast.FormatText(n))
	}
	return r
}

// difference is how far pixels are from a meaning, over the samples whose
// validity agrees.
type difference struct {
	masks    int     // samples of other validity
	most     float64 // largest difference, as a share of the band's range
	over     int     // samples further apart than what is tolerated
	compared int
	where    string
}

// compare holds what a raster file shows against a result, rounded to the
// bands' types. Samples within margin of the frame, or of an invalid sample,
// are left out where margin is not zero.
func compare(t testing.TB, path string, want *oracle.Result, margin int, tolerance float64) difference {
	t.Helper()
	got, err := readImage(path)
	if err != nil {
		t.Fatal(err)
	}
	b := got.Levels[0]
	if b.W != want.Size.W || b.H != want.Size.H || b.Bands != len(want.Bands) {
		t.Fatalf("%d×%d of %d bands, want %v of %d", b.W, b.H, b.Bands, want.Size, len(want.Bands))
	}
	var d difference
	for k, band := range want.Bands {
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := k; i < len(want.Values); i += len(want.Bands) {
			if v := want.Values[i]; v == v {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
		span := max(hi-lo, math.Abs(lo), math.Abs(hi))
		for y := range b.H {
			for x := range b.W {
				w := want.At(x, y, k)
				valid := w == w
				if valid {
					w = band.Type.Round(w)
				}
				g, ok := b.At(x, y, k)
				if nd := got.Meta.Bands[k]; nd.HasNoData && g == nd.NoData || math.IsInf(g, 0) {
					ok = false
				}
				if !ok && valid && band.HasNoData && w == band.NoData {
					continue // a value that happens to be the nodata value
				}
				if ok != valid {
					if ok && g == 0 && !band.Type.IsFloat() && !band.HasNoData && !got.Meta.HasMask {
						continue // 0, not marked, which a note says
					}
					d.masks++
					d.where += fmt.Sprintf(" (%d,%d,%d)=%v,%v want %v", x, y, k, g, ok, w)
					continue
				}
				if !valid || margin > 0 && near(want, x, y, k, margin) {
					continue
				}
				d.compared++
				diff := math.Abs(g - w)
				if !band.Type.IsFloat() {
					// Unrounded, lest a half that differs in its last bit be a step.
					lo, hi := band.Type.Range()
					diff = max(0, math.Abs(g-min(max(want.At(x, y, k), lo), hi))-0.5)
				}
				if diff > tolerance*span && diff > 0 {
					d.over++
					if len(d.where) < 300 {
						d.where += fmt.Sprintf(" (%d,%d,%d)=%v want %v", x, y, k, g, w)
					}
				}
				if span > 0 {
					d.most = max(d.most, diff/span)
				}
			}
		}
	}
	return d
}

// near reports whether the frame or an invalid sample is within margin.
func near(r *oracle.Result, x, y, k, margin int) bool {
	for j := y - margin; j <= y+margin; j++ {
		for i := x - margin; i <= x+margin; i++ {
			if i < 0 || j < 0 || i >= r.Size.W || j >= r.Size.H {
				return true
			}
			if v := r.At(i, j, k); v != v {
				return true
			}
		}
	}
	return false
}

func load(t testing.TB, name string) ast.Builder {
	t.Helper()
	return ast.From(files(t).Load(filepath.Join(folder, name+".tif"))).Sampling(ast.DefaultSampling)
}

func must(t testing.TB) func(ast.Node, error) ast.Node {
	return func(n ast.Node, err error) ast.Node {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

func rect(x0, y0, x1, y1 int) image.Rectangle { return image.Rect(x0, y0, x1, y1) }

// inFolder finds images by their names without the folder.
type inFolder struct{ images *asttest.Images }

func (d inFolder) Describe(ctx context.Context, uri string) (ast.Meta, error) {
	return d.images.Describe(ctx, filepath.Join(folder, uri))
}

// renamed gives the loads of a tree the names of the images in full.
func renamed(t testing.TB, n ast.Node) ast.Node {
	t.Helper()
	return must(t)(ast.Transform(n, func(n ast.Node) (ast.Node, error) {
		if l, ok := n.(*ast.Load); ok {
			return files(t).Load(filepath.Join(folder, l.URI())), nil
		}
		return n, nil
	}))
}
