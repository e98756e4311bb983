package asttest

import (
	"image"
	"math"
	"slices"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// simpler lists simpler nodes over the inputs of n, the boldest step first.
func (s *shrinker) simpler(n ast.Node) []ast.Node {
	switch n := n.(type) {
	case *ast.Load:
		return s.simplerLoads(n)
	case *ast.Raster:
		return simplerRasters(n)
	case *ast.Fill:
		return simplerFills(n)
	case *ast.Crop:
		return simplerCrops(n)
	case *ast.Pad:
		return simplerPads(n)
	case *ast.Warp:
		return simplerWarps(n)
	case *ast.Overview:
		var out []ast.Node
		for k := range n.Level() {
			out = append(out, valid(ast.NewOverview(n.Input(0), k)))
		}
		return out
	case *ast.Dequantize:
		return simplerDequantizes(n)
	case *ast.Concat:
		var out []ast.Node
		parts := make([]ast.Node, n.NumInputs())
		for i := range parts {
			parts[i] = n.Input(i)
		}
		for i := range parts {
			if rest := slices.Delete(slices.Clone(parts), i, i+1); len(rest) > 0 {
				out = append(out, valid(ast.NewConcat(rest...)))
			}
		}
		return out
	}
	return nil
}

// simplerLoads are the simpler images, and a part of this one in memory.
func (s *shrinker) simplerLoads(l *ast.Load) []ast.Node {
	var out []ast.Node
	for _, uri := range s.images.uris {
		if uri != l.URI() {
			out = append(out, s.images.Load(uri))
		}
	}
	if img, ok := s.images.Image(l.URI()); ok {
		size := img.Meta.Size
		for _, side := range []int{2, 4, 8, 16} {
			w := image.Rect(0, 0, min(side, size.W), min(side, size.H))
			for _, bands := range []int{1, len(img.Meta.Bands)} {
				out = append(out, rasterOf(img, w, bands))
			}
		}
	}
	return out
}

func simplerRasters(r *ast.Raster) []ast.Node {
	var out []ast.Node
	s := r.Size()
	part := func(w image.Rectangle, bands int) {
		img := &Image{Meta: ast.Meta{Bands: ast.BandsOf(r)}, Levels: []*raster.Buffer{r.Buffer()}}
		out = append(out, rasterOf(img, w, bands))
	}
	if n := r.NumBands(); n > 1 {
		part(s.Bounds(), 1)
		part(s.Bounds(), n-1)
	}
	for _, w := range smallerWindows(s.Bounds()) {
		part(w, r.NumBands())
	}
	return out
}

// smallerWindows are halves of a window, and the window less a line.
func smallerWindows(w image.Rectangle) []image.Rectangle {
	var out []image.Rectangle
	add := func(x0, y0, x1, y1 int) {
		if r := image.Rect(x0, y0, x1, y1); x0 < x1 && y0 < y1 && r != w {
			out = append(out, r)
		}
	}
	mx, my := (w.Min.X+w.Max.X+1)/2, (w.Min.Y+w.Max.Y+1)/2
	add(w.Min.X, w.Min.Y, mx, my)
	add(w.Min.X, w.Min.Y, mx, w.Max.Y)
	add(mx, w.Min.Y, w.Max.X, w.Max.Y)
	add(w.Min.X, w.Min.Y, w.Max.X, my)
	add(w.Min.X, my, w.Max.X, w.Max.Y)
	add(w.Min.X, w.Min.Y, w.Max.X-1, w.Max.Y)
	add(w.Min.X+1, w.Min.Y, w.Max.X, w.Max.Y)
	add(w.Min.X, w.Min.Y, w.Max.X, w.Max.Y-1)
	add(w.Min.X, w.Min.Y+1, w.Max.X, w.Max.Y)
	return out
}

func simplerFills(f *ast.Fill) []ast.Node {
	var out []ast.Node
	add := func(s geom.Size, bands []ast.Band, v float64, ok bool) {
		if ok {
			out = append(out, valid(ast.NewFill(s, bands, v)))
		} else {
			out = append(out, valid(ast.NewInvalid(s, bands)))
		}
	}
	v, ok := f.Value()
	if bands := ast.BandsOf(f); len(bands) > 1 {
		add(f.Size(), bands[:1], v, ok)
	}
	add(f.Size(), ast.NumberedBands(f.NumBands(), raster.Uint8), v, ok)
	add(f.Size(), ast.BandsOf(f), 1, ok)
	for _, w := range smallerWindows(f.Size().Bounds()) {
		if w.Min == (image.Point{}) {
			add(geom.Size{W: w.Dx(), H: w.Dy()}, ast.BandsOf(f), v, ok)
		}
	}
	return out
}

func simplerCrops(c *ast.Crop) []ast.Node {
	in := c.Input(0)
	var out []ast.Node
	add := func(w image.Rectangle, picks []int) {
		out = append(out, valid(ast.NewCrop(in, w, picks...)))
	}
	w, picks := c.Window(), c.Picks()
	add(in.Size().Bounds(), picks)
	if picks != nil {
		add(w, nil)
		for i := range picks {
			if len(picks) > 1 {
				add(w, slices.Delete(slices.Clone(picks), i, i+1))
			}
			if picks[i] > 0 {
				p := slices.Clone(picks)
				p[i] = 0
				add(w, p)
			}
		}
	}
	add(w.Sub(w.Min), picks)
	add(w.Sub(image.Pt(w.Min.X, 0)), picks)
	add(w.Sub(image.Pt(0, w.Min.Y)), picks)
	for _, v := range smallerWindows(w) {
		add(v, picks)
	}
	if w.Min.X > 0 {
		add(w.Sub(image.Pt(1, 0)), picks)
	}
	if w.Min.Y > 0 {
		add(w.Sub(image.Pt(0, 1)), picks)
	}
	return out
}

func simplerPads(p *ast.Pad) []ast.Node {
	var out []ast.Node
	l, t, r, b := p.Margins()
	m := [4]int{l, t, r, b}
	for i := range m {
		for _, v := range []int{0, 1, m[i] / 2, m[i] - 1} {
			if v < m[i] && v >= 0 {
				c := m
				c[i] = v
				out = append(out, valid(ast.NewPad(p.Input(0), c[0], c[1], c[2], c[3])))
			}
		}
	}
	return out
}

func simplerDequantizes(d *ast.Dequantize) []ast.Node {
	q := d.Quantization()
	var out []ast.Node
	add := func(q ast.Quantization) { out = append(out, valid(ast.NewDequantize(d.Input(0), q))) }
	plain := ast.Quantization{OrigType: raster.Float32, OrigMax: 1, QuantMax: 1}
	add(plain)
	c := plain
	c.HasNoData, c.NoData = q.HasNoData, q.NoData
	add(c)
	c = q
	c.HasNoData, c.NoData = false, 0
	add(c)
	c = q
	c.OrigType = raster.Float32
	add(c)
	return out
}

func simplerWarps(w *ast.Warp) []ast.Node {
	in := w.Input(0)
	size := w.Size()
	var out []ast.Node
	add := func(m geom.Transform, s geom.Size, smp ast.Sampling, d *geom.Domain) {
		out = append(out, valid(ast.NewWarp(in, m, s, smp, d)))
	}
	m, smp, d := w.Transform(), w.Sampling(), w.Domain()
	if d != nil {
		add(m, size, smp, nil)
		for i := range d.Len() {
			add(m, size, smp, geom.NewDomain(slices.Delete(d.Planes(), i, i+1)...))
		}
		add(m, size, smp, geom.NewDomain(geom.Always))
	}
	for _, s := range simplerSamplings(smp) {
		add(m, size, s, d)
	}
	if size != in.Size() {
		add(m, in.Size(), smp, d)
	}
	for _, t := range simplerTransforms(m) {
		add(t, size, smp, d)
		add(t, in.Size(), smp, d)
	}
	for _, v := range smallerWindows(size.Bounds()) {
		if v.Min == (image.Point{}) {
			add(m, geom.Size{W: v.Dx(), H: v.Dy()}, smp, d)
		}
	}
	return out
}

func simplerSamplings(s ast.Sampling) []ast.Sampling {
	var out []ast.Sampling
	add := func(i ast.Interpolation, aa bool, b ast.Border) {
		if c := (ast.Sampling{Interp: i, Antialias: aa, Border: b}); c.Normalize() != s {
			out = append(out, c)
		}
	}
	add(s.Interp, s.Antialias, ast.Border{})
	add(s.Interp, false, s.Border)
	add(ast.Nearest, false, s.Border)
	add(ast.Linear, false, s.Border)
	add(ast.Linear, s.Antialias, s.Border)
	add(s.Interp, s.Antialias, ast.Border{Mode: ast.ClampBorder})
	if s.Border.Mode == ast.ValueBorder {
		add(s.Interp, s.Antialias, ast.Border{Mode: ast.ValueBorder})
	}
	return out
}

func simplerTransforms(m geom.Transform) []geom.Transform {
	out := []geom.Transform{
		geom.Identity,
		geom.Translate(m[2], m[5]),
		geom.Scale(m[0], m[4]),
		geom.Affine(m[0], 0, m[2], 0, m[4], m[5]),
		geom.Affine(m[0], m[1], m[2], m[3], m[4], m[5]),
		geom.Affine(m[0], m[1], 0, m[3], m[4], 0),
	}
	round := func(f func(float64) float64) {
		r := m
		for i := range r {
			r[i] = f(r[i])
		}
		out = append(out, r)
	}
	places := []func(float64) float64{
		math.Round,
		func(v float64) float64 { return math.Round(v*2) / 2 },
		func(v float64) float64 { return math.Round(v*10) / 10 },
		func(v float64) float64 { return math.Round(v*1000) / 1000 },
	}
	for _, f := range places {
		round(f)
	}
	for i := range m {
		for _, f := range append(places, func(float64) float64 { return 0 }, func(float64) float64 { return 1 }, math.Abs) {
			r := m
			if r[i] = f(m[i]); r[i] != m[i] {
				out = append(out, r)
			}
		}
	}
	return out
}
