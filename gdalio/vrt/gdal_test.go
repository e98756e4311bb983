package vrt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/gdalio/vrt"
)

// readFile reads a VRT file as a tree with known metadata.
func readFile(t testing.TB, path string) (ast.Node, []vrt.Note, error) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return vrt.Read(bg, f, vrt.ReadOptions{Dir: filepath.Dir(path), Describer: files(t)})
}

// What GDAL's own tools write reads as a tree that means what GDAL shows.
func TestReadGDAL(t *testing.T) {
	files(t)
	for i, c := range []struct {
		command   string
		margin    int
		tolerance float64
	}{
		{"gdal_translate rgb.tif", 0, 0},
		{"gdal_translate rgb.tif -srcwin 5 7 20 30 -b 3 -b 1", 0, 0},
		{"gdal_translate masked.tif -srcwin 5 7 20 20", 0, 0},
		{"gdal_translate elevation.tif -srcwin -3 -2 30 20", 0, 0},
		{"gdal_translate georgb.tif -outsize 30 20", 0, 0},
		{"gdal_translate rgb.tif -outsize 122 94 -r bilinear", 0, 1e-5},
		{"gdal_translate georgb.tif -outsize 27 19 -r bilinear", 0, 1e-5},
		{"gdal_translate georgb.tif -outsize 20 16 -r bilinear", 0, 1e-5},
		{"gdal_translate rgb.tif -outsize 180 144 -r cubic", 9, 1e-5},
		{"gdal_translate rgb.tif -outsize 150 120 -r lanczos", 12, 1e-5},
		{"gdal_translate georgb.tif -srcwin 1 2 60 45 -outsize 20 15 -r average", 0, 1e-5},
		{"gdal_translate rgb.tif -srcwin 3.5 2.25 40 30", 0, 0},
		{"gdal_translate rgb.tif -ot Float32 -scale 0 255 0 1", 0, 1e-6},
		{"gdal_translate rgb.tif -ot UInt16", 0, 0},
		{"gdal_translate rgb.tif -ot Int16 -scale 0 255 -100 1000 -a_nodata -50", 0, 1e-6},
		{"gdal_translate elevation.tif -b 2 -ot Float32", 0, 0},
		{"gdal_translate odd.tif -a_nodata -300", 0, 0},
		{"gdal_translate rgb.tif -a_nodata 0", 0, 0},
		{"gdalbuildvrt geoclasses.tif", 0, 0},
		{"gdalbuildvrt -separate classes.tif classes.tif", 0, 0},
		{"gdalbuildvrt -srcnodata 3 -vrtnodata 3 georgb.tif", 0, 0},
		{"gdalwarp rgb.tif -ts 100 80", 0, 0},
		{"gdalwarp rgb.tif -ts 100 80 -r bilinear -wo XSCALE=1 -wo YSCALE=1", 0, 1e-5},
		{"gdalwarp rgb.tif -ts 30 23 -r bilinear -wo XSCALE=0.4918032786885246 -wo YSCALE=0.48936170212765956", 0, 1e-5},
		{"gdalwarp rgb.tif -te 10 -40 50 -5 -ts 80 70 -r cubic -dstnodata 0", 8, 1e-5},
		{"gdalwarp elevation.tif -te -5 -30 60 3 -ts 65 33", 0, 0},
		{"gdalwarp elevation.tif -te -5 -30 60 3 -ts 130 66 -r near -dstnodata -1", 0, 0},
		{"gdalwarp masked.tif -ts 41 29", 0, 0},
	} {
		t.Run(c.command, func(t *testing.T) {
			name := fmt.Sprintf("gdal%d.vrt", i)
			args := strings.Fields(c.command)
			tool, rest := args[0], args[1:]
			full := []string{tool, "-q", "-of", "VRT"}
			switch tool {
			case "gdalwarp":
				full = append(full, "-overwrite", "-to", "SRC_METHOD=NO_GEOTRANSFORM", "-to", "DST_METHOD=NO_GEOTRANSFORM", "-ovr", "NONE", "-et", "0")
				full = append(full, append(rest, name)...)
			case "gdalbuildvrt":
				full = append([]string{tool, "-q", "-overwrite", name}, rest...)
			default:
				full = append(full, append(rest, name)...)
			}
			run(t, full...)
			path := filepath.Join(folder, name)
			n, notes, err := readFile(t, path)
			if err != nil {
				text, _ := os.ReadFile(path)
				t.Fatalf("%v\n%s", err, text)
			}
			d := compare(t, path, reference(t, n), c.margin, c.tolerance)
			if d.masks > 0 || d.over > 0 {
				text, _ := os.ReadFile(path)
				t.Errorf("%d of %d over, most %.3g, %d masks:%.400s\n%s%v\n%s", d.over, d.compared, d.most, d.masks, d.where, ast.FormatText(n), notes, text)
			}
		})
	}
}
