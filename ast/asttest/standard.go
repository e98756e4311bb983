package asttest

import (
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// picture says how an image is painted. Everything in it is arithmetic on
// integers and halves, so that every machine paints the same pixels.
type picture struct {
	uri       string
	w, h      int
	types     []raster.DataType
	lo, hi    float64 // range of the painted values
	labels    bool    // blocks of few values rather than a smooth surface
	nodata    []float64
	patches   int  // nodata patches a band
	holes     bool // a mask with holes
	specials  bool // NaN and infinities here and there
	overviews []geom.Size
}

func same(t raster.DataType, n int) []raster.DataType {
	ts := make([]raster.DataType, n)
	for i := range ts {
		ts[i] = t
	}
	return ts
}

var (
	none = math.NaN() // in picture.nodata: the band declares no nodata
	nans = math.Inf(1)
)

var pictures = []picture{
	{uri: "rgb", w: 61, h: 47, types: same(raster.Uint8, 3), hi: 255, overviews: []geom.Size{{W: 31, H: 24}, {W: 16, H: 12}}},
	{uri: "elevation", w: 50, h: 31, types: same(raster.Int16, 2), lo: -900, hi: 4000, nodata: []float64{-9999, -9999}, patches: 3, overviews: []geom.Size{{W: 17, H: 11}}},
	{uri: "field", w: 53, h: 38, types: same(raster.Float32, 1), lo: -20, hi: 40, specials: true, overviews: []geom.Size{{W: 27, H: 19}, {W: 14, H: 10}}},
	{uri: "spectrum", w: 33, h: 40, types: same(raster.Uint16, 5), hi: 60000, nodata: []float64{0, 65535, none, 70000, 7}, patches: 2, overviews: []geom.Size{{W: 17, H: 20}, {W: 9, H: 20}}},
	{uri: "classes8", w: 24, h: 37, types: same(raster.Int8, 1), lo: -3, hi: 9, labels: true, nodata: []float64{-1}, patches: 2, overviews: []geom.Size{{W: 12, H: 19}}},
	{uri: "masked", w: 41, h: 29, types: same(raster.Uint8, 3), hi: 255, holes: true, overviews: []geom.Size{{W: 21, H: 15}, {W: 11, H: 8}}},
	{uri: "double", w: 29, h: 31, types: same(raster.Float64, 2), lo: -1, hi: 1, nodata: []float64{-1e30, nans}, patches: 2, specials: true},
	{uri: "counts", w: 20, h: 17, types: same(raster.Uint32, 1), lo: 1000, hi: 4.2e9, overviews: []geom.Size{{W: 7, H: 6}}},
	{uri: "signed", w: 19, h: 23, types: same(raster.Int32, 2), lo: -2e9, hi: 2e9, nodata: []float64{-2147483648, none}, patches: 2},
	{uri: "column", w: 1, h: 37, types: same(raster.Uint8, 1), hi: 255, nodata: []float64{255}, patches: 2, overviews: []geom.Size{{W: 1, H: 19}, {W: 1, H: 10}}},
	{uri: "row", w: 43, h: 1, types: same(raster.Int16, 2), lo: -50, hi: 50, nodata: []float64{none, 3}, patches: 1, overviews: []geom.Size{{W: 22, H: 1}}},
	{uri: "pixel", w: 1, h: 1, types: same(raster.Uint8, 1), lo: 100, hi: 200},
	{uri: "tiny", w: 3, h: 2, types: same(raster.Uint8, 2), hi: 255, nodata: []float64{none, 0}, patches: 1},
	{uri: "small", w: 5, h: 4, types: same(raster.Uint8, 1), hi: 255, overviews: []geom.Size{{W: 3, H: 2}}},
	{uri: "smallfloat", w: 4, h: 5, types: same(raster.Float32, 1), lo: -1, hi: 1, holes: true},
	{uri: "mixed", w: 22, h: 27, types: []raster.DataType{raster.Uint8, raster.Int16, raster.Float32}, hi: 250, nodata: []float64{0, none, -5}, patches: 1, overviews: []geom.Size{{W: 11, H: 14}}},
	{uri: "empty", w: 9, h: 7, types: same(raster.Uint8, 1), lo: 3, hi: 3, nodata: []float64{3}},
	{uri: "classes", w: 36, h: 36, types: same(raster.Uint8, 1), hi: 11, labels: true, nodata: []float64{0}, overviews: []geom.Size{{W: 18, H: 18}, {W: 9, H: 9}, {W: 5, H: 5}}},
	{uri: "odd", w: 13, h: 11, types: same(raster.Int16, 1), lo: -300, hi: 300, nodata: []float64{-300}, patches: 2, overviews: []geom.Size{{W: 7, H: 6}, {W: 4, H: 3}}},
}

func makeStandard() *Images {
	images := map[string]*Image{}
	for i := range pictures {
		images[pictures[i].uri] = pictures[i].paint(uint64(i + 1))
	}
	return NewImages(images)
}

func (p *picture) paint(seed uint64) *Image {
	r := newSeeded(seed)
	m := ast.Meta{
		Size:      geom.Size{W: p.w, H: p.h},
		Block:     geom.Size{W: min(16, p.w), H: min(16, p.h)},
		Overviews: p.overviews,
		HasMask:   p.holes,
	}
	common := raster.Unknown
	for b, t := range p.types {
		band := ast.Band{Name: string(rune('a' + b)), Type: t}
		if p.nodata != nil && p.nodata[b] == p.nodata[b] {
			band.NoData, band.HasNoData = p.nodata[b], true
			if band.NoData == nans {
				band.NoData = math.NaN()
			}
		}
		m.Bands = append(m.Bands, band)
		common = raster.Common(common, t)
	}
	full := raster.New(common, p.w, p.h, len(p.types))
	for b := range p.types {
		p.paintBand(r, full, b)
		for range p.patches {
			p.patch(r, full, b, m.Bands[b].NoData, m.Bands[b].HasNoData)
		}
		if p.specials {
			p.sprinkle(r, full, b)
		}
	}
	if p.holes {
		p.punch(r, full)
	}
	img := &Image{Meta: m, Levels: []*raster.Buffer{full}}
	for _, s := range p.overviews {
		img.Levels = append(img.Levels, reduce(full, m.Bands, s, p.labels))
	}
	return img
}

// paintBand fills one band with a smooth surface and noise, or with labels.
func (p *picture) paintBand(r source, dst *raster.Buffer, b int) {
	t, span := p.types[b], p.hi-p.lo
	ax, ay, phase := 3+r.IntN(9), 3+r.IntN(9), r.IntN(64)
	for y := range p.h {
		for x := range p.w {
			var v float64
			if p.labels {
				cell := uint64((x+phase)/ax*7 + (y+phase)/ay*13 + b)
				v = p.lo + float64(mix(cell)%uint64(span+1))
			} else {
				v = (wave(x*ax+phase) + wave(y*ay+2*phase) + wave((x+y)*4+b*16)) / 4
				v += float64(r.IntN(1024)) / 8192
				v = p.lo + float64(v*span) // a product on its own: no machine fuses it
			}
			dst.Set(x, y, b, t.Round(v))
		}
	}
}

// wave is a smooth hump train from 0 to 1 with a period of 64.
func wave(i int) float64 {
	u := float64(i&63)/32 - 1
	u = 1 - u*u
	return u * u
}

func (p *picture) patch(r source, dst *raster.Buffer, b int, nodata float64, has bool) {
	if !has {
		return
	}
	nodata = p.types[b].Round(nodata)
	x0, y0 := r.IntN(p.w), r.IntN(p.h)
	x1, y1 := min(p.w, x0+1+r.IntN(6)), min(p.h, y0+1+r.IntN(6))
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			dst.Set(x, y, b, nodata)
		}
	}
}

func (p *picture) sprinkle(r source, dst *raster.Buffer, b int) {
	for range p.w * p.h / 60 {
		x, y := r.IntN(p.w), r.IntN(p.h)
		dst.Set(x, y, b, [...]float64{math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(3)])
	}
	for i := range 4 {
		dst.Set((p.w/3+i%2)%p.w, (p.h/4+i/2)%p.h, b, math.NaN())
	}
}

// punch makes some pixels invalid in all bands, by mask.
func (p *picture) punch(r source, dst *raster.Buffer) {
	dst.EnsureMask()
	for range 2 + p.w*p.h/40 {
		x, y := r.IntN(p.w), r.IntN(p.h)
		for b := range dst.Bands {
			v, _ := dst.At(x, y, b)
			dst.SetInvalid(x, y, b, v)
		}
	}
}

// reduce makes an overview: the mean of the valid samples under each pixel, or
// the one at its centre for labels.
func reduce(src *raster.Buffer, bands []ast.Band, s geom.Size, labels bool) *raster.Buffer {
	dst := raster.New(src.Type, s.W, s.H, src.Bands)
	if src.Mask != nil {
		dst.EnsureMask()
	}
	for b, band := range bands {
		for y := range s.H {
			y0, y1 := y*src.H/s.H, ((y+1)*src.H+s.H-1)/s.H
			for x := range s.W {
				x0, x1 := x*src.W/s.W, ((x+1)*src.W+s.W-1)/s.W
				if labels {
					x0, y0 = (x0+x1-1)/2, (y0+y1-1)/2
					x1, y1 = x0+1, y0+1
				}
				var sum, n float64
				for j := y0; j < y1; j++ {
					for i := x0; i < x1; i++ {
						v, ok := src.At(i, j, b)
						if ok && !math.IsInf(v, 0) && !(band.HasNoData && v == band.NoData) {
							sum, n = sum+v, n+1
						}
					}
				}
				switch {
				case n > 0:
					dst.Set(x, y, b, band.Type.Round(sum/n))
				case band.HasNoData:
					dst.Set(x, y, b, band.Type.Round(band.NoData))
				default:
					dst.SetInvalid(x, y, b, 0)
				}
			}
		}
	}
	return dst
}
