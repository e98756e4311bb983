package asttest

import (
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

func (d *drawing) leaf() ast.Node {
	w := []int{0, 0, 0}
	for _, k := range d.o.Leaves {
		switch k {
		case ast.KindLoad:
			w[0] = 10
		case ast.KindRaster:
			w[1] = 2
		case ast.KindFill:
			w[2] = 1
		}
	}
	switch d.weighted(w...) {
	case 1:
		return d.raster()
	case 2:
		return d.fill(geom.Size{W: d.between(1, min(40, d.o.MaxSide)), H: d.between(1, min(40, d.o.MaxSide))})
	}
	return d.o.Images.Load(pick(d, d.o.URIs))
}

// raster is part of an image as pixels in memory, nodata declared as there.
func (d *drawing) raster() ast.Node {
	uri := pick(d, d.o.URIs)
	img, _ := d.o.Images.Image(uri)
	src := img.Levels[0]
	w := image.Rect(0, 0, d.between(1, min(24, src.W)), d.between(1, min(24, src.H)))
	w = w.Add(image.Pt(d.IntN(src.W-w.Dx()+1), d.IntN(src.H-w.Dy()+1)))
	bands := 1 + d.IntN(min(3, src.Bands))
	return rasterOf(img, w, bands)
}

func rasterOf(img *Image, w image.Rectangle, bands int) ast.Node {
	src := img.Levels[0]
	pix := raster.New(src.Type, w.Dx(), w.Dy(), bands)
	keep := make([]int, bands)
	for i := range keep {
		keep[i] = i
	}
	copyBands(pix, src, w, keep)
	r, err := ast.NewRaster(pix, img.Meta.Bands[:bands])
	if err != nil {
		panic(err)
	}
	return r
}

// fill is a constant or invalid canvas of a size.
func (d *drawing) fill(s geom.Size) ast.Node {
	t := pick(d, []raster.DataType{raster.Uint8, raster.Int16, raster.Float32, raster.Float64, raster.Uint32, raster.Int8})
	bands := ast.NumberedBands(1+d.IntN(min(3, d.o.MaxBands)), t)
	if d.chance(1, 4) {
		bands[0].NoData, bands[0].HasNoData = 5, true
	}
	var f ast.Node
	var err error
	switch d.IntN(4) {
	case 0:
		f, err = ast.NewInvalid(s, bands)
	case 1:
		v := 0.25
		if !t.IsFloat() {
			v = 5 // a nodata value, at times
		}
		f, err = ast.NewFill(s, bands, v)
	case 2:
		f, err = ast.NewFill(s, bands, math.Copysign(0, -1))
	default:
		f, err = ast.NewFill(s, bands, float64(d.between(0, 100)))
	}
	if err != nil {
		panic(err)
	}
	return f
}

// concat joins n with other parts of n's size.
func (d *drawing) concat(n ast.Node, depth int) (ast.Node, error) {
	parts := []ast.Node{n}
	bands := n.NumBands()
	for range d.weighted(1, 8, 4) {
		p, err := d.part(n, depth)
		if err != nil {
			return nil, err
		}
		if bands += p.NumBands(); bands > 2*d.o.MaxBands {
			break
		}
		parts = append(parts, p)
	}
	if d.chance(1, 3) {
		for i := range parts {
			k := i + d.IntN(len(parts)-i)
			parts[i], parts[k] = parts[k], parts[i]
		}
	}
	return ast.NewConcat(parts...)
}

// part is a node of n's size.
func (d *drawing) part(n ast.Node, depth int) (ast.Node, error) {
	s := n.Size()
	kind := d.weighted(3, 2, 2, 5, 1)
	if kind > 2 && d.o.NoShare {
		kind = 3
	}
	switch kind {
	case 0: // the same node, or an equal one beside it
		if d.o.NoShare {
			return Copy(n), nil
		}
		return n, nil
	case 1: // other bands of it
		return ast.NewCrop(n, image.Rect(0, 0, s.W, s.H), d.IntN(n.NumBands()))
	case 2:
		return d.fill(s), nil
	case 4:
		return Copy(n), nil
	}
	p := d.tree(d.IntN(min(3, depth+1)) + 1)
	return d.fit(p, s)
}

// fit brings p to a size by crop and pad, or by a warp.
func (d *drawing) fit(p ast.Node, s geom.Size) (ast.Node, error) {
	o := p.Size()
	if o == s {
		return p, nil
	}
	if d.o.allows(ast.KindWarp) && (d.chance(1, 2) || !d.o.allows(ast.KindPad)) {
		m := geom.Scale(float64(s.W)/float64(o.W), float64(s.H)/float64(o.H))
		if d.chance(1, 2) {
			m = geom.Translate(float64(d.between(-2, 2)), float64(d.between(-2, 2)))
		}
		w, err := ast.NewWarp(p, m, s, d.warpSampling(), nil)
		if err != nil {
			return nil, err
		}
		return d.keep(w), nil
	}
	if o.W > s.W || o.H > s.H {
		w := image.Rect(0, 0, min(o.W, s.W), min(o.H, s.H))
		c, err := ast.NewCrop(p, w.Add(image.Pt(d.IntN(o.W-w.Dx()+1), d.IntN(o.H-w.Dy()+1))))
		if err != nil {
			return nil, err
		}
		p = d.keep(c)
		o = p.Size()
	}
	if o == s {
		return p, nil
	}
	l, t := d.IntN(s.W-o.W+1), d.IntN(s.H-o.H+1)
	c, err := ast.NewPad(p, l, t, s.W-o.W-l, s.H-o.H-t)
	if err != nil {
		return nil, err
	}
	return d.keep(c), nil
}
