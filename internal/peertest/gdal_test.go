//go:build peers

package peertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio"
)

// write stores a picture as a GeoTIFF.
func (p picture) write(t testing.TB, path string) {
	t.Helper()
	bands := []ast.Band{{Name: "1", Type: raster.Float32, NoData: noData, HasNoData: p.gaps}}
	w, err := gdalio.Create(t.Context(), path, gdalio.Creation{Size: geom.Size{W: p.pix.W, H: p.pix.H}, Bands: bands})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := w.WriteWindow(t.Context(), p.pix.Bounds(), p.pix); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// gdal runs GDAL's own program.
func (c comparison) gdal(t testing.TB, p picture, dir string) *raster.Buffer {
	t.Helper()
	in, out := filepath.Join(dir, "in.tif"), filepath.Join(dir, "out.tif")
	p.write(t, in)
	w, h := strconv.Itoa(c.to.W), strconv.Itoa(c.to.H)
	args := []string{"-q", "-outsize", w, h, "-r", c.how, in, out}
	if c.peer == "gdalwarp" {
		// The world is the canvas with y up, and the source lies in it by its
		// own georeference, so that gdalwarp applies just this transform.
		vrt := filepath.Join(dir, "in.vrt")
		m := c.m
		text := fmt.Sprintf(`<VRTDataset rasterXSize="%d" rasterYSize="%d"><GeoTransform>%.17g,%.17g,%.17g,%.17g,%.17g,%.17g</GeoTransform>`+
			`<VRTRasterBand dataType="Float32" band="1">%s<SimpleSource><SourceFilename relativeToVRT="1">in.tif</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand></VRTDataset>`,
			p.pix.W, p.pix.H, m[2], m[0], m[1], -m[5], -m[3], -m[4], noDataTag(p))
		if err := os.WriteFile(vrt, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		args = append([]string{"-q", "-et", "0", "-te", "0", "-" + h, w, "0", "-ts", w, h, "-r", c.how, "-dstnodata", strconv.Itoa(noData)}, c.options...)
		args = append(args, vrt, out)
	}
	if msg, err := exec.Command(c.peer, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", c.peer, args, err, msg)
	}
	return readRaster(t, out)
}

func noDataTag(p picture) string {
	if !p.gaps {
		return ""
	}
	return fmt.Sprintf("<NoDataValue>%d</NoDataValue>", noData)
}

func readRaster(t testing.TB, path string) *raster.Buffer {
	t.Helper()
	s, err := gdalio.New().Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := &raster.Buffer{}
	if err := s.ReadWindow(t.Context(), 0, s.Meta().Size.Bounds(), []int{0}, b); err != nil {
		t.Fatal(err)
	}
	return b
}
