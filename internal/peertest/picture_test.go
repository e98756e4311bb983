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
	nodataPictures(t, from["photo"].pix)
	reducedPictures(t, from["photo"].pix)
	enlargedPictures(t, from["photo"].pix)
	kernelPicture(t)
}

// drawn is a picture of one band.
func drawn(w, h int, at func(x, y int) float64) picture {
	b := raster.New(raster.Float32, w, h, 1)
	for y := range h {
		for x := range w {
			b.Set(x, y, 0, at(x, y))
		}
	}
	return picture{name: "drawn", pix: b}
}

// cut is a part of a picture, from (x0, y0) on.
func cut(b *raster.Buffer, x0, y0, w, h int) picture {
	return drawn(w, h, func(x, y int) float64 { v, _ := b.At(x0+x, y0+y, 0); return v })
}

// resized is a peer's call beside the warp that should mean the same.
func (p picture) resized(peer, call, how string, s ast.Sampling, w, h int) comparison {
	to := geom.Size{W: w, H: h}
	return comparison{peer: peer, call: call, how: how, source: p.name, to: to, m: scaled(p.pix.W, p.pix.H, to), sampling: s}
}

// theirs runs calls of OpenCV and SciPy.
func (p picture) theirs(t testing.TB, calls ...comparison) []*raster.Buffer {
	t.Helper()
	results, _ := python(t, calls, map[string]picture{p.name: p}, t.TempDir())
	return results
}

// nodataPictures shows a picture with a hole, enlarged.
func nodataPictures(t testing.TB, photo *raster.Buffer) {
	t.Helper()
	p := drawn(40, 30, func(x, y int) float64 {
		if math.Hypot(float64(x)-20, float64(y)-15) < 7 || x == y && x%4 == 1 {
			return noData
		}
		v, _ := photo.At(x+60, y+30, 0)
		return v
	})
	p.gaps = true
	with := func(how string, i ast.Interpolation) comparison {
		return p.resized("gdal_translate", "", how, sampling(i, true, ast.NoDataBorder), 160, 120)
	}
	near, cubic, lanczos := with("near", ast.Nearest), with("cubic", ast.Cubic), with("lanczos", ast.Lanczos)
	draw(t, "nodata.png", 1, near.ours(t, p), cubic.ours(t, p), cubic.gdal(t, p, t.TempDir()))
	draw(t, "few.png", 1, lanczos.ours(t, p), lanczos.gdal(t, p, t.TempDir()))
}

// reducedPictures shows what becomes too fine for the canvas, where kernels are
// placed, and what labels are left.
func reducedPictures(t testing.TB, photo *raster.Buffer) {
	t.Helper()
	rings := drawn(240, 240, func(x, y int) float64 {
		r := math.Hypot(float64(x)+0.5, float64(y)+0.5)
		return 127.5 + 127.5*math.Cos(r*r/180)
	})
	linear := rings.resized("OpenCV", "cv2.resize", "linear", sampling(ast.Linear, true, ast.NoDataBorder), 60, 60)
	lanczos := rings.resized("gdalwarp", "", "lanczos", sampling(ast.Lanczos, true, ast.NoDataBorder), 60, 60)
	draw(t, "downscale.png", 2, linear.ours(t, rings), rings.theirs(t, linear)[0], lanczos.ours(t, rings), lanczos.gdal(t, rings, t.TempDir()))

	p := cut(photo, 50, 20, 60, 45)
	c := p.resized("gdalwarp", "", "lanczos", sampling(ast.Lanczos, true, ast.NoDataBorder), 22, 17)
	a, b := c.ours(t, p), c.gdal(t, p, t.TempDir())
	draw(t, "positions.png", 7, a, b, contrast(a, b))

	p = drawn(60, 60, func(x, y int) float64 {
		if math.Hypot(float64(x)-29.5, float64(y)-29.5) < 17 {
			return 40
		}
		return 200
	})
	c = p.resized("OpenCV", "cv2.resize", "nearest", sampling(ast.Nearest, false, ast.ClampBorder), 12, 12)
	draw(t, "corners.png", 10, c.ours(t, p), p.theirs(t, c)[0])

	p = drawn(60, 45, func(x, y int) float64 { return float64((x/5*3+y/4*5)%7+1) * 32 })
	c = p.resized("gdalwarp", "", "mode", sampling(ast.Mode, true, ast.NoDataBorder), 22, 17)
	draw(t, "votes.png", 7, c.ours(t, p), c.gdal(t, p, t.TempDir()))
}

// enlargedPictures shows a footprint that is less than a pixel, and edges.
func enlargedPictures(t testing.TB, photo *raster.Buffer) {
	t.Helper()
	p := cut(photo, 80, 35, 20, 15)
	area := p.resized("gdal_translate", "", "average", sampling(ast.Area, true, ast.NoDataBorder), 160, 120)
	draw(t, "footprint.png", 1, area.ours(t, p), area.gdal(t, p, t.TempDir()))
	cubic := p.resized("gdalwarp", "", "cubic", sampling(ast.Cubic, true, ast.NoDataBorder), 160, 120)
	a, b := cubic.ours(t, p), cubic.gdal(t, p, t.TempDir())
	draw(t, "edges.png", 1, a, b, contrast(a, b))
}

// kernelPicture shows kernels, as what one bright pixel becomes. It is so
// bright that the lobes show.
func kernelPicture(t testing.TB) {
	t.Helper()
	p := drawn(11, 11, func(x, y int) float64 {
		if x == 5 && y == 5 {
			return 800
		}
		return 128
	})
	with := func(peer, call, how string, i ast.Interpolation) comparison {
		return p.resized(peer, call, how, sampling(i, false, ast.ReflectBorder), 121, 121)
	}
	cubic, lanczos := with("OpenCV", "cv2.resize", "cubic", ast.Cubic), with("OpenCV", "cv2.resize", "lanczos4", ast.Lanczos)
	theirs := p.theirs(t, cubic, lanczos, with("SciPy", "affine_transform", "spline", ast.Cubic))
	draw(t, "kernels.png", 1, cubic.ours(t, p), theirs[0], theirs[2], lanczos.ours(t, p), theirs[1])
}

// contrast is four times the difference, on gray.
func contrast(a, b *raster.Buffer) *raster.Buffer {
	return drawn(a.W, a.H, func(x, y int) float64 {
		v, _ := a.At(x, y, 0)
		w, _ := b.At(x, y, 0)
		return 128 + 4*(w-v)
	}).pix
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
