//go:build peers

package peertest

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

const pictureFolder = "../../docs/img/"

// illustrate draws what docs/semantics.md says about differences.
func illustrate(t testing.TB, from map[string]picture) {
	t.Helper()
	photo := from["photo"].pix

	// A picture with a hole, enlarged by cubic.
	hole := raster.New(raster.Float32, 40, 30, 1)
	for y := range hole.H {
		for x := range hole.W {
			v, _ := photo.At(x+60, y+30, 0)
			if math.Hypot(float64(x)-20, float64(y)-15) < 7 || x == y && x%4 == 1 {
				v = noData
			}
			hole.Set(x, y, 0, v)
		}
	}
	large := geom.Size{W: 160, H: 120}
	near := comparison{peer: "gdal_translate", to: large, m: scaled(40, 30, large), sampling: sampling(ast.Nearest, false, ast.NoDataBorder), how: "near"}
	cubic := near
	cubic.sampling, cubic.how = sampling(ast.Cubic, true, ast.NoDataBorder), "cubic"
	p := picture{"hole", hole, true, false}
	draw(t, "nodata.png", 1, near.ours(t, p), cubic.ours(t, p), cubic.gdal(t, p, t.TempDir()))

	// Rings that become too fine for the canvas, reduced by linear.
	rings := raster.New(raster.Float32, 240, 240, 1)
	for y := range rings.H {
		for x := range rings.W {
			r := math.Hypot(float64(x)+0.5, float64(y)+0.5)
			rings.Set(x, y, 0, 127.5+127.5*math.Cos(r*r/180))
		}
	}
	small := geom.Size{W: 60, H: 60}
	p = picture{"rings", rings, false, false}
	linear := comparison{peer: "OpenCV", call: "cv2.resize", source: "rings", to: small, m: scaled(240, 240, small), sampling: sampling(ast.Linear, true, ast.NoDataBorder), how: "linear"}
	theirs, _ := python(t, []comparison{linear}, map[string]picture{"rings": p}, t.TempDir())
	lanczos := linear
	lanczos.peer, lanczos.how, lanczos.sampling = "gdalwarp", "lanczos", sampling(ast.Lanczos, true, ast.NoDataBorder)
	draw(t, "downscale.png", 2, linear.ours(t, p), theirs[0], lanczos.ours(t, p), lanczos.gdal(t, p, t.TempDir()))
}

// draw writes panels side by side, gray, with magenta for invalid.
func draw(t testing.TB, name string, zoom int, panels ...*raster.Buffer) {
	t.Helper()
	const gap, magenta, white = 4, 254, 255
	palette := make(color.Palette, 256)
	for i := range palette {
		palette[i] = color.Gray{Y: uint8(i)}
	}
	palette[magenta] = color.RGBA{R: 220, B: 180, A: 255}
	w, h := panels[0].W*zoom, panels[0].H*zoom
	img := image.NewPaletted(image.Rect(0, 0, len(panels)*(w+gap)-gap, h), palette)
	for i := range img.Pix {
		img.Pix[i] = white
	}
	for i, b := range panels {
		for y := range h {
			for x := range w {
				c := uint8(magenta)
				if v, ok := b.At(x/zoom, y/zoom, 0); ok && v != noData {
					c = uint8(max(0, min(math.Round(v/4)*4, 252)))
				}
				img.SetColorIndex(i*(w+gap)+x, y, c)
			}
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(pictureFolder, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pictureFolder+name, out.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}
