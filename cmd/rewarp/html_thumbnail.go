package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"math"
	"time"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/rewrite"
)

// Bounds of a thumbnail.
const (
	thumbnailSide = 240
	mostToRead    = 1 << 27 // samples: a raster without overviews is read whole
	thumbnailTime = 20 * time.Second
)

// thumbnail is a small picture of a leaf as a data uri, "" where it cannot be
// made.
func thumbnail(ctx context.Context, leaf ast.Node, opener eval.Opener) string {
	ctx, cancel := context.WithTimeout(ctx, thumbnailTime)
	defer cancel()
	pix, err := smallPixels(ctx, leaf, opener)
	if err != nil || pix == nil {
		return ""
	}
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&b, picture(pix)); err != nil {
		return ""
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(b.Bytes())
}

// smallPixels is one band of a leaf, or three, as float32. It is nil where too
// much would have to be read.
func smallPixels(ctx context.Context, leaf ast.Node, opener eval.Opener) (*raster.Buffer, error) {
	s := leaf.Size()
	f := min(thumbnailSide/float64(max(s.W, s.H)), 1)
	bands := []int{0}
	if leaf.NumBands() >= 3 {
		bands = []int{0, 1, 2}
	}
	w, h := max(int(math.Round(float64(s.W)*f)), 1), max(int(math.Round(float64(s.H)*f)), 1)
	n, err := ast.From(leaf).Bands(bands...).Resize(w, h).Node()
	if err != nil {
		return nil, err
	}
	small, _, err := rewarp.Optimize(n)
	if err != nil {
		return nil, err
	}
	if rewrite.CostOf(small).Read > mostToRead {
		return nil, nil
	}
	session, err := rewarp.Open(ctx, eval.WithOpener(opener))
	if err != nil {
		return nil, err
	}
	defer session.Close()
	plan, err := session.Plan(ctx, small, eval.WithType(raster.Float32))
	if err != nil {
		return nil, err
	}
	return plan.Run(ctx)
}

// picture stretches samples of one range to what can be seen; invalid pixels
// are transparent. Bytes that are not dark stay as they are.
func picture(pix *raster.Buffer) image.Image {
	lo, hi := math.Inf(1), math.Inf(-1)
	samples := raster.Samples[float32](pix)
	for _, v := range samples {
		if v == v {
			lo, hi = min(lo, float64(v)), max(hi, float64(v))
		}
	}
	if lo >= 0 && hi <= 255 && hi > 64 {
		lo, hi = 0, 255
	}
	if !(lo < hi) {
		lo, hi = lo-1, lo+1
	}
	out := image.NewNRGBA(pix.Bounds())
	for i := range pix.W * pix.H {
		at := samples[i*pix.Bands : (i+1)*pix.Bands]
		rgb := [3]uint8{}
		seen := true
		for k := range rgb {
			v := at[min(k, pix.Bands-1)]
			if v != v {
				seen = false
				break
			}
			rgb[k] = uint8(math.Round(255 * min(max((float64(v)-lo)/(hi-lo), 0), 1)))
		}
		if seen {
			out.SetNRGBA(i%pix.W, i/pix.W, color.NRGBA{rgb[0], rgb[1], rgb[2], 255})
		}
	}
	return out
}
