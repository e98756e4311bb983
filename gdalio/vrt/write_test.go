package vrt_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/gdalio/vrt"
)

// save writes a tree as a VRT file.
func save(t testing.TB, n ast.Node, name string) (path string, notes []vrt.Note, err error) {
	t.Helper()
	var b strings.Builder
	notes, err = vrt.Write(&b, n, vrt.WriteOptions{Dir: folder})
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(folder, name+".vrt")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path, notes, nil
}

// translate has gdal_translate make a file of a VRT. A GeoTIFF has one type and
// one nodata value, so that for bands that differ the VRT itself is read.
func translate(t testing.TB, from string, n ast.Node) string {
	t.Helper()
	for i := range n.NumBands() {
		if b, c := n.Band(0), n.Band(i); b.Type != c.Type || b.HasNoData != c.HasNoData || b.NoData != c.NoData {
			return from
		}
	}
	to := strings.TrimSuffix(from, ".vrt") + ".out.tif"
	os.Remove(to)
	os.Remove(to + ".msk") // inside the file, GDAL 3.6 loses small masks
	run(t, "gdal_translate", "-q", from, to)
	return to
}

// reach is how many pixels of a tree's canvas a kernel's edge effects cover.
func reach(n ast.Node, kernel int) int {
	if kernel == 0 {
		return 0
	}
	stretch, warps := 1.0, 0
	ast.Inspect(n, func(n ast.Node) bool {
		switch w := n.(type) {
		case *ast.Overview:
			warps++
		case *ast.Warp:
			most := 1.0
			for _, v := range w.Transform().Jacobian(0, 0) {
				most = max(most, 1.5*math.Abs(v))
			}
			stretch *= most
			warps++
		}
		return true
	})
	return int(math.Ceil(stretch*float64(kernel*warps))) + 1
}

// Random trees, those of them that a VRT can express.
func TestWriteRandom(t *testing.T) {
	images := files(t)
	for _, c := range []struct {
		name      string
		interps   []ast.Interpolation
		margin    int
		tolerance float64
		trees     int
	}{
		{"nearest", []ast.Interpolation{ast.Nearest}, 0, 1e-6, 200},
		{"linear", []ast.Interpolation{ast.Linear}, 0, 1e-5, 200},
		{"cubic", []ast.Interpolation{ast.Cubic}, 3, 1e-5, 200},
		{"lanczos", []ast.Interpolation{ast.Lanczos}, 4, 1e-5, 200},
		{"area", []ast.Interpolation{ast.Area}, 0, 1e-5, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			var uris []string
			if c.margin > 0 {
				// An invalid sample may show in no pixel of a smaller canvas, and
				// what is near it cannot be left out then.
				for _, name := range []string{"rgb", "counts", "small", "georgb"} {
					uris = append(uris, filepath.Join(folder, name+".tif"))
				}
			}
			gen := asttest.NewGen(asttest.Options{
				Images: images, URIs: uris, MaxDepth: 4, NoProject: true, NoDomain: true, Interps: c.interps, Borders: []ast.BorderMode{ast.NoDataBorder},
				Leaves: []ast.Kind{ast.KindLoad, ast.KindFill},
				Kinds:  []ast.Kind{ast.KindCrop, ast.KindPad, ast.KindWarp, ast.KindOverview, ast.KindDequantize, ast.KindConcat},
			})
			written, warped := 0, 0
			for i := range c.trees {
				n := gen.Tree(asttest.TreeSeed(7, i))
				path, _, err := save(t, n, c.name)
				var u *vrt.UnsupportedError
				if errors.As(err, &u) {
					continue
				} else if err != nil {
					t.Fatal(err)
				}
				written++
				if i%10 == 0 {
					path = translate(t, path, n)
				}
				if strings.Contains(ast.FormatText(n), "Warp") {
					warped++
				}
				d := compare(t, path, reference(t, n), reach(n, c.margin), c.tolerance)
				if d.masks > 0 || d.over > 0 {
					t.Errorf("tree %d: %d of %d over, most %.3g, %d masks:%.400s\n%s", i, d.over, d.compared, d.most, d.masks, d.where, ast.FormatText(n))
				}
			}
			t.Logf("%d of %d trees written, %d with warps", written, c.trees, warped)
		})
	}
}
