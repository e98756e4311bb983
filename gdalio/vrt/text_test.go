package vrt_test

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/gdalio/vrt"
)

// VRTs as trees, without a look at their files.
func TestRead(t *testing.T) {
	datadriven.RunTest(t, "testdata/read.txt", func(t *testing.T, d *datadriven.TestData) string {
		return said(vrt.Read(bg, strings.NewReader(d.Input), vrt.ReadOptions{Dir: "scenes"}))
	})
}

// Trees as VRTs.
func TestWrite(t *testing.T) {
	datadriven.RunTest(t, "testdata/write.txt", func(t *testing.T, d *datadriven.TestData) string {
		n, err := ast.ParseExpr(d.Input)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		var notes []vrt.Note
		switch d.Cmd {
		case "vrt":
			notes, err = vrt.Write(&b, n, vrt.WriteOptions{Dir: "scenes"})
		case "nesting":
			notes, err = vrt.WriteNesting(&b, n)
		case "command":
			var c vrt.Command
			c, err = vrt.FormatCommand(n, vrt.CommandOptions{Output: "out.tif", VRT: "between.vrt"})
			notes = c.Notes
			if err == nil {
				b.WriteString(c.String() + "\n" + string(c.VRT))
			}
		}
		return b.String() + said(nil, notes, err)
	})
}

// Command lines that a tree cannot stand for.
func TestParseCommandErrors(t *testing.T) {
	images := files(t)
	for command, want := range map[string]string{
		"":                                                    "no command",
		"gdalinfo a.tif":                                      "expected gdal_translate or gdalwarp",
		"gdal_translate rgb.tif":                              "an input and an output file are missing",
		"gdal_translate -b rgb.tif":                           "an input and an output file are missing",
		"gdal_translate rgb.tif o -b":                         "-b takes 1 values",
		"gdal_translate -b 4 rgb.tif o":                       "the file has 3 bands",
		"gdal_translate -b mask rgb.tif o":                    "-b mask has no form in a tree",
		"gdal_translate -scale rgb.tif o":                     "which a tree does not know",
		"gdal_translate -scale 1 2 3 rgb.tif o":               "two or four numbers",
		"gdal_translate -srcwin 0 0 0 0 rgb.tif o":            "-srcwin",
		"gdal_translate -outsize 0 0 rgb.tif o":               "says nothing",
		"gdal_translate -expand rgb rgb.tif o":                "-expand has no form",
		"gdal_translate -ot CFloat32 rgb.tif o":               "is not a type that a tree has",
		"gdal_translate -ovr 5 rgb.tif o":                     "stores 2 overviews",
		"gdal_translate -r gauss -outsize 9 9 rgb.tif o":      `resampling "gauss" has no form`,
		"gdal_translate absent.tif o":                         "absent.tif",
		"gdalwarp -t_srs EPSG:3857 georgb.tif o":              "-t_srs has no form",
		"gdalwarp -cutline c.shp georgb.tif o":                "-cutline has no form",
		"gdalwarp georgb.tif geoclasses.tif o":                "a mosaic of 2 files",
		"gdalwarp rgb.tif o":                                  "is not georeferenced",
		"gdalwarp -te 0 0 1 1 georgb.tif -ts 0 5 o":           "with 0 for a side",
		"gdalwarp -te 1 1 0 0 -ts 4 5 georgb.tif o":           "-te [1 1 0 0] is empty",
		"gdalwarp -r gauss georgb.tif o":                      "-r gauss has no form",
		"gdalwarp -srcnodata 3 geoclasses.tif o":              "nodata value 0 for valid",
		"gdalwarp -tr 1e-30 1 georgb.tif o":                   "make no image",
		"gdalwarp -to METHOD=GCP_TPS georgb.tif o":            "-to METHOD=GCP_TPS has no form",
		"gdalwarp -ts 99999999999999999999 1 georgb.tif o":    "",
		"gdal_translate -outsize 1e300% 1 georgb.tif o":       "",
		"gdal_translate -srcwin nan nan nan nan georgb.tif o": "",
	} {
		args := strings.Fields(command)
		_, _, err := vrt.ParseCommand(bg, args, inFolder{images})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want an error with %q", command, err, want)
		}
	}
}
