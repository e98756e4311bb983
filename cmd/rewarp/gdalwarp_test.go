package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast/geom"
)

// TestGDALWarp turns the test image with rewarp and with gdalwarp, and compares
// away from the borders, where the two treat what is missing alike.
func TestGDALWarp(t *testing.T) {
	for _, tool := range []string{"gdalwarp", "gdal_translate"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	if !rewarp.HasGDAL() {
		t.Skip("this build has no GDAL")
	}
	const w, h, theta = 400, 300, 0.3
	astro, err := filepath.Abs(filepath.Join(testdata, "astro.tif"))
	if err != nil {
		t.Fatal(err)
	}
	sin, cos := math.Sincos(theta)
	m := geom.Affine(cos, -sin, 120.25, sin, cos, -60.5)
	inv, _ := m.Inverse()
	for _, c := range []struct {
		interp, method string
		margin         float64 // of the source, that the kernel stays inside of
	}{
		{"linear", "bilinear", 2}, {"cubic", "cubic", 3}, {"lanczos", "lanczos", 4},
	} {
		t.Run(c.interp, func(t *testing.T) {
			dir := t.TempDir()
			ours, theirs := filepath.Join(dir, "ours.tif"), filepath.Join(dir, "theirs.tif")
			mustWith(t, fmt.Sprintf(`{"version": 1, "tree": {"op": "warp", "transform": {"matrix": [%v, %v, %v, %v, %v, %v]},
				"size": [%d, %d], "interpolation": %q, "input": {"op": "load", "uri": %q}}}`,
				m[0], m[1], m[2], m[3], m[4], m[5], w, h, c.interp, astro), "eval", "-", "-o", ours, "--dtype", "float32")

			// The source is placed so that the canvas is a grid with y up.
			vrt := filepath.Join(dir, "placed.vrt")
			tool(t, "gdal_translate", "-q", "-of", "VRT", "-ot", "Float32", astro, vrt)
			text, err := os.ReadFile(vrt)
			if err != nil {
				t.Fatal(err)
			}
			place := fmt.Sprintf("<GeoTransform>%.17g, %.17g, %.17g, %.17g, %.17g, %.17g</GeoTransform>", m[2], m[0], m[1], -m[5], -m[3], -m[4])
			at := len(`<VRTDataset rasterXSize="512" rasterYSize="512">`)
			if err := os.WriteFile(vrt, []byte(string(text[:at])+place+string(text[at:])), 0o666); err != nil {
				t.Fatal(err)
			}
			tool(t, "gdalwarp", "-q", "-r", c.method, "-et", "0", "-ovr", "NONE", "-wo", "XSCALE=1", "-wo", "YSCALE=1",
				"-te", "0", fmt.Sprint(-h), fmt.Sprint(w), "0", "-ts", fmt.Sprint(w), fmt.Sprint(h), vrt, theirs)

			a, b := readRaster(t, ours), readRaster(t, theirs)
			compared, worst := 0, 0.0
			for y := range h {
				for x := range w {
					u, v := inv.Apply(float64(x)+0.5, float64(y)+0.5)
					if u < c.margin || v < c.margin || u > 512-c.margin || v > 512-c.margin {
						continue
					}
					for k := range a.Bands {
						p, _ := a.At(x, y, k)
						q, _ := b.At(x, y, k)
						compared++
						worst = max(worst, math.Abs(p-q))
					}
				}
			}
			if compared < w*h {
				t.Errorf("only %d samples compared", compared)
			}
			t.Logf("%s: %d samples, largest difference %.3g of 255", c.interp, compared, worst)
			if worst > 0.01 {
				t.Errorf("rewarp and gdalwarp differ by %v", worst)
			}
		})
	}
}

func tool(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}
