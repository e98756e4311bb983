// Package ximage runs the cases that golang.org/x/image/draw can do. It draws into RGBA, the one kind of image that it
// has fast code for, on one thread.
package ximage

import (
	"fmt"
	"image"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/bench/internal/peer"
	"github.com/rewarp/rewarp/bench/internal/workload"
)

// Setup makes a case ready.
func Setup(c workload.Case) (*peer.Job, error) {
	if c.Kind != workload.Affine && c.Kind != workload.Scale {
		return nil, peer.ErrUnable("warps images in memory only")
	}
	if c.Source.Type != "uint8" || c.Source.Bands > 4 {
		return nil, peer.ErrUnable("fast for 8-bit images of up to 4 bands only")
	}
	in, err := c.Source.Read()
	if err != nil {
		return nil, err
	}
	src := pictureOf(in)
	dst := image.NewRGBA(image.Rect(0, 0, c.Size[0], c.Size[1]))
	by, j, err := interpolator(&c)
	if err != nil {
		return nil, err
	}
	if c.Kind == workload.Scale {
		r := image.Rect(c.Crop[0], c.Crop[1], c.Crop[2], c.Crop[3])
		j.Op = func(int) error { by.Scale(dst, dst.Bounds(), src, r, draw.Src, nil); return nil }
	} else {
		m := c.Maps[0]
		t := f64.Aff3{m[0], m[1], m[2], m[3], m[4], m[5]}
		j.Op = func(int) error { by.Transform(dst, t, src, src.Bounds(), draw.Src, nil); return nil }
	}
	j.Result = func(at [4]int) (*raster.Buffer, error) {
		out := raster.New(raster.Uint8, at[2]-at[0], at[3]-at[1], in.Bands)
		for y := range out.H {
			for x := range out.W {
				p := dst.Pix[dst.PixOffset(at[0]+x, at[1]+y):]
				copy(out.Bytes()[(y*out.W+x)*out.Bands:][:out.Bands], p)
			}
		}
		return out, nil
	}
	return j, nil
}

// pictureOf is gray for one band, else RGBA, whose alpha is the fourth band.
func pictureOf(b *raster.Buffer) image.Image {
	if b.Bands == 1 {
		return &image.Gray{Pix: b.Bytes(), Stride: b.W, Rect: b.Bounds()}
	}
	img := image.NewRGBA(b.Bounds())
	for i := range b.W * b.H {
		img.Pix[4*i+3] = 255
		copy(img.Pix[4*i:4*i+b.Bands], b.Bytes()[i*b.Bands:])
	}
	return img
}

func interpolator(c *workload.Case) (draw.Interpolator, *peer.Job, error) {
	switch {
	case c.Interp == "nearest":
		return draw.NearestNeighbor, &peer.Job{Work: peer.Same, Sampling: "NearestNeighbor, RGBA"}, nil
	case c.Interp == "linear" && c.Reduce:
		return draw.BiLinear, &peer.Job{Work: peer.Same, Sampling: "BiLinear (stretched), RGBA"}, nil
	case c.Interp == "linear":
		return draw.ApproxBiLinear, &peer.Job{Work: peer.Same, Sampling: "ApproxBiLinear, RGBA"}, nil
	case c.Interp == "cubic":
		return draw.CatmullRom, &peer.Job{Work: peer.Same, Sampling: "CatmullRom, RGBA"}, nil
	}
	return nil, nil, peer.ErrUnable(fmt.Sprintf("no %s", c.Interp))
}
