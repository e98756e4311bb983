package vrt_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/gdalio/vrt"
)

// A command reads as a tree that means what the command writes.
func TestParseCommand(t *testing.T) {
	images := files(t)
	const pixels = " -to SRC_METHOD=NO_GEOTRANSFORM -to DST_METHOD=NO_GEOTRANSFORM"
	for i, c := range []struct {
		command   string
		margin    int
		tolerance float64
	}{
		{"gdal_translate rgb.tif", 0, 0},
		{"gdal_translate -srcwin 5 7 20 30 -b 3 -b 1 -co COMPRESS=LZW rgb.tif", 0, 0},
		{"gdal_translate -srcwin -4 7 20 30 elevation.tif", 0, 0},
		{"gdal_translate -outsize 50% 50% georgb.tif", 0, 0},
		{"gdal_translate -outsize 0 33 georgb.tif", 0, 0},
		{"gdal_translate -outsize 40 0 georgb.tif", 0, 0},
		{"gdal_translate -outsize 200% 150% -r bilinear georgb.tif", 0, 1e-5},
		{"gdal_translate -outsize 30 30 -r bilinear georgb.tif", 0, 1e-5},
		{"gdal_translate -srcwin 3 3 50 40 -outsize 150 120 -r cubic georgb.tif", 9, 1e-5},
		{"gdal_translate -ot Float32 -scale 10 200 0 1 rgb.tif", 0, 1e-6},
		{"gdal_translate -ot Float64 -scale 10 200 0 1 -a_nodata nan rgb.tif", 0, 1e-6},
		{"gdal_translate -scale 0 255 255 0 rgb.tif", 0, 1e-6},
		{"gdal_translate -ot Int16 rgb.tif", 0, 0},
		{"gdal_translate -a_nodata 100 rgb.tif", 0, 0},
		{"gdal_translate -ovr 0 rgb.tif", 0, 0},
		{"gdalwarp -ts 100 70 rgb.tif -te 0 -47 61 0" + pixels, 0, 0},
		{"gdalwarp -ts 100 70 -r bilinear georgb.tif", 0, 1e-5},
		{"gdalwarp georgb.tif", 0, 0},
		{"gdalwarp -tr 7 7 georgb.tif", 0, 0},
		{"gdalwarp -tr 15 15 -te 4980 89500 5300 90000 -dstnodata 255 georgb.tif", 0, 0},
		{"gdalwarp -te 5100 89600 5300 89900 -ts 45 60 -r near geoclasses.tif", 0, 0},
		{"gdalwarp -ts 30 23 -r bilinear -wo XSCALE=1 -wo YSCALE=1 georgb.tif", 0, 1e-5},
	} {
		t.Run(c.command, func(t *testing.T) {
			out := fmt.Sprintf("command%d.tif", i)
			args := append(strings.Fields(c.command), out)
			full := append([]string{args[0], "-q"}, args[1:]...)
			run(t, full...)
			n, notes, err := vrt.ParseCommand(bg, args, inFolder{images})
			if err != nil {
				t.Fatal(err)
			}
			r := reference(t, renamed(t, n))
			d := compare(t, filepath.Join(folder, out), r, c.margin, c.tolerance)
			if d.masks > 0 || d.over > 0 {
				t.Errorf("%d of %d over, most %.3g, %d masks:%.400s\n%s%v", d.over, d.compared, d.most, d.masks, d.where, ast.FormatText(n), notes)
			}
		})
	}
}

// A written command writes what the tree means.
func TestFormatCommand(t *testing.T) {
	images := files(t)
	tools := map[string]int{}
	check := func(n ast.Node, what string, margin int) {
		t.Helper()
		same := true
		for i := range n.NumBands() {
			b, c := n.Band(0), n.Band(i)
			same = same && b.Type == c.Type && b.HasNoData == c.HasNoData && b.NoData == c.NoData
		}
		if !same {
			return // a GeoTIFF has one type and one nodata value
		}
		out := filepath.Join(folder, "formatted.tif")
		opts := vrt.CommandOptions{Output: out}
		if margin%2 == 0 {
			opts.VRT = filepath.Join(folder, "between.vrt")
		}
		c, err := vrt.FormatCommand(n, opts)
		var u *vrt.UnsupportedError
		if errors.As(err, &u) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		if c.VRT != nil {
			if err := os.WriteFile(opts.VRT, c.VRT, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		kind := c.Args[0]
		if c.VRT != nil || strings.HasPrefix(c.Args[1], "<") {
			kind += " of a VRT"
		}
		tools[kind]++
		os.Remove(out)
		os.Remove(out + ".msk")
		run(t, append([]string{c.Args[0], "-q"}, c.Args[1:]...)...)
		d := compare(t, out, reference(t, n), margin, 1e-5)
		if d.masks > 0 || d.over > 0 {
			t.Errorf("%s: %d of %d over, most %.3g, %d masks:%.400s\n%s%.900s", what, d.over, d.compared, d.most, d.masks, d.where, ast.FormatText(n), c)
		}
	}
	gen := asttest.NewGen(asttest.Options{
		Images: images, MaxDepth: 3, NoProject: true, NoDomain: true, Interps: []ast.Interpolation{ast.Nearest, ast.Linear},
		Borders: []ast.BorderMode{ast.NoDataBorder}, Leaves: []ast.Kind{ast.KindLoad},
		Kinds: []ast.Kind{ast.KindCrop, ast.KindPad, ast.KindWarp, ast.KindDequantize},
	})
	for i := range 50 {
		check(gen.Tree(asttest.TreeSeed(5, i)), fmt.Sprint("tree ", i), 0)
	}
	for i, b := range []ast.Builder{
		load(t, "georgb").Scale(0.5),
		load(t, "georgb").ScaleXY(1.7, 2.1),
		load(t, "geoclasses").Sampling(ast.Sampling{}).Scale(3),
		load(t, "geofield").ScaleXY(2, 0.6),
		load(t, "georgb").Crop(rect(3, 4, 30, 33), 2, 0),
		load(t, "georgb").Dequantize(ast.Quantization{OrigType: 7, OrigMax: 1, QuantMin: 40, QuantMax: 90}),
	} {
		check(must(t)(b.Node()), fmt.Sprint("case ", i), 0)
	}
	t.Log(tools)
	for _, kind := range []string{"gdal_translate", "gdalwarp", "gdal_translate of a VRT"} {
		if tools[kind] == 0 {
			t.Errorf("no %s was written", kind)
		}
	}
}
