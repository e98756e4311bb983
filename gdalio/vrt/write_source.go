package vrt

import (
	"image"
	"math"
	"strconv"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// feed is where the pixels of a plane are read from.
type feed struct {
	name   *elem // SourceFilename; nil where nothing is valid
	level  int   // of the file's overviews, 0 for full resolution
	band   int   // from 1
	format bandFormat
	mask   bool // the file's own mask marks invalid samples

	constant bool // everything is value, and name a dataset to hang it on
	value    float64
	q        *ast.Quantization // not yet applied
}

// feed finds the pixels of a plane.
func (e *exporter) feed(p plane, w warpBand, m mode) feed {
	switch t := p.node.(type) {
	case *ast.Load:
		return e.file(t, 0, p)
	case *ast.Overview:
		if t.Stored() {
			return e.file(t.Input(0).(*ast.Load), t.Level(), p)
		}
	case *ast.Fill:
		v, ok := p.constant(t)
		if !ok {
			return feed{}
		}
		blank := el("VRTRasterBand").with("dataType", "Byte").with("band", "1")
		name := leaf("SourceFilename", e.inline(newDataset(t.Size()).add(blank))).with("relativeToVRT", "0")
		return feed{name: name, band: 1, constant: true, value: v, q: p.q}
	case *ast.Raster:
		e.refuse(p.path, t.Op(), "its pixels are in memory, and a VRT only refers to files; save them and load the file")
		return feed{}
	case *ast.Warp:
	default:
		e.refuse(p.path, p.node.Op(), "a node of an application's own has no form in a VRT")
		return feed{}
	}
	if w.group == nil {
		return feed{} // refused already
	}
	one := *w.group
	one.bands = one.bands[w.at : w.at+1]
	e.depth++
	name := leaf("SourceFilename", e.inline(e.warped(&one, m))).with("relativeToVRT", "0")
	e.depth--
	return feed{name: name, band: 1, format: one.bands[0].format.in(m)}
}

// constant is the stored value of a fill; ok is false where it is invalid.
func (p plane) constant(f *ast.Fill) (v float64, ok bool) {
	v, ok = f.Value()
	b := f.Band(p.band)
	ok = ok && !(b.HasNoData && v == b.NoData) && !(p.q != nil && p.q.HasNoData && v == p.q.NoData)
	return v, ok
}

// file reads a level of a file.
func (e *exporter) file(l *ast.Load, level int, p plane) feed {
	if !writable(l.URI()) {
		e.refuse(p.path, l.Op(), "its uri has characters that XML cannot hold")
		return feed{}
	}
	b := l.Band(p.band)
	if b.Type == raster.Int8 {
		e.refuse(p.path, l.Op(), "band %d is int8, which GDAL before 3.7 has no type for", p.band)
		return feed{}
	}
	f := feed{
		name: e.name("SourceFilename", l.URI(), e.depth > 0), level: level, band: p.band + 1,
		format: bandFormat{typ: b.Type, nodata: b.NoData, has: b.HasNoData}, mask: l.HasMask(), q: p.q,
	}
	if !f.format.typ.IsFloat() && f.format.typ.Round(f.format.nodata) != f.format.nodata {
		f.format.has = false
	}
	return f
}

// sources are the elements below a band that shows a plane: one, or none where
// nothing is valid.
func (e *exporter) sources(f bandFormat, p plane, from feed) []*elem {
	if from.name == nil || p.show.Empty() {
		return nil
	}
	return []*elem{e.source(f, p, from)}
}

// source is the element that copies what shows of a plane.
func (e *exporter) source(f bandFormat, p plane, from feed) *elem {
	plain := from.q == nil && !from.constant && f.typ == from.format.typ
	plain = plain && (!from.format.has || f.has && same(f.nodata, from.format.nodata)) && !from.mask
	s := el("SimpleSource")
	if !plain {
		s = el("ComplexSource")
	}
	if q := from.q; q != nil && q.HasNoData && (from.format.has && from.format.nodata != q.NoData || from.mask) {
		from = e.cleaned(p, from)
	}
	s.add(from.name)
	if from.level > 0 {
		s.add(el("OpenOptions", leaf("OOI", strconv.Itoa(from.level-1)).with("key", "OVERVIEW_LEVEL")))
	}
	s.add(leaf("SourceBand", strconv.Itoa(from.band)))
	s.add(rectElem("SrcRect", p.show.Sub(p.off)), rectElem("DstRect", p.show))
	if plain {
		return s
	}
	if from.mask {
		s.add(leaf("UseMaskBand", "true"))
	}
	mul, add := 1.0, 0.0
	if from.q != nil {
		mul, add = from.q.Affine()
	}
	if from.constant {
		v := from.value
		if from.q != nil {
			v = from.q.Value(v)
		}
		mul, add = 0, v
	}
	if mul != 1 || add != 0 {
		s.add(leaf("ScaleOffset", format(add)), leaf("ScaleRatio", format(mul)))
	}
	switch {
	case from.q != nil && from.q.HasNoData && !from.constant:
		s.add(leaf("NODATA", format(from.q.NoData)))
	case from.format.has:
		s.add(leaf("NODATA", format(from.format.nodata)))
	}
	return s
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// cleaned is the samples of a file with NaN for what the file itself says is
// invalid, so that one more value can be.
func (e *exporter) cleaned(p plane, from feed) feed {
	size := p.node.Size()
	whole := plane{node: p.node, band: p.band, show: size.Bounds()}
	inner := from
	inner.q = nil
	f := bandFormat{}.in(exact)
	e.depth++
	inner.name = e.renamed(p.node, from)
	d := newDataset(size).add(f.elem(1).add(e.source(f, whole, inner)))
	e.depth--
	return feed{name: leaf("SourceFilename", e.inline(d)).with("relativeToVRT", "0"), band: 1, format: f, q: from.q}
}

// renamed is the name of a file as it stands in a dataset inside the VRT.
func (e *exporter) renamed(n ast.Node, from feed) *elem {
	for {
		if l, ok := n.(*ast.Load); ok {
			return e.name("SourceFilename", l.URI(), true)
		}
		if n.NumInputs() == 0 {
			return from.name
		}
		n = n.Input(0)
	}
}

func rectElem(name string, r image.Rectangle) *elem {
	return el(name).with("xOff", strconv.Itoa(r.Min.X)).with("yOff", strconv.Itoa(r.Min.Y)).
		with("xSize", strconv.Itoa(r.Dx())).with("ySize", strconv.Itoa(r.Dy()))
}

// marks reports whether the bands, integers without a nodata value, need a mask
// band for what is invalid, and notes where one mask cannot serve them all.
func (e *exporter) marks(n ast.Node, bands []int, planes []plane) bool {
	unmarked, alike := false, true
	for i, p := range planes {
		f := formatOf(n, bands[i], rounded)
		if f.has {
			alike = false
			continue
		}
		holes, uniform := e.holes(n.Size(), p)
		unmarked = unmarked || holes
		first := planes[0]
		alike = alike && uniform && p.node == first.node && p.off == first.off && p.show == first.show
	}
	if !unmarked {
		return false
	}
	if !alike {
		e.note("", n.Op(), "invalid samples of integer bands without a nodata value are 0 and not marked: one mask band cannot serve bands that differ in validity")
		return false
	}
	return true
}

// holes reports whether a plane can have invalid samples that no nodata value
// marks, and whether they are the same in every band of its node.
func (e *exporter) holes(canvas geom.Size, p plane) (holes, uniform bool) {
	holes = p.show != canvas.Bounds()
	uniform = true
	switch t := p.node.(type) {
	case *ast.Load, *ast.Overview:
		if o, ok := t.(*ast.Overview); ok {
			if !o.Stored() {
				return holes || !e.clean(t), e.uniform(t)
			}
			t = o.Input(0)
		}
		l := t.(*ast.Load)
		dirty := p.q != nil && (p.q.HasNoData || l.Band(p.band).HasNoData)
		return holes || l.HasMask() || dirty, !dirty
	case *ast.Fill:
		_, valid := p.constant(t)
		return holes || !valid, true
	case *ast.Warp:
		return holes || !e.clean(t) || !covers(t), e.uniform(t)
	}
	return true, false
}

// covers reports whether every pixel of a warp's canvas has a point in its
// input's canvas.
func covers(w *ast.Warp) bool {
	return w.Domain() == nil && inside(&warpGroup{size: w.Size(), inv: w.Inverse(), input: w.Input(0)})
}

// clean reports whether no leaf below has an invalid sample, as far as the
// metadata tells, and no node below adds any.
func (e *exporter) clean(n ast.Node) bool { return e.all(n, false) }

// uniform reports whether validity below is the same in every band: it comes
// from one leaf's mask and from geometry only.
func (e *exporter) uniform(n ast.Node) bool { return e.all(n, true) }

func (e *exporter) all(n ast.Node, masks bool) bool {
	ok := true
	ast.Inspect(n, func(n ast.Node) bool {
		switch t := n.(type) {
		case *ast.Load:
			ok = ok && (masks || !t.HasMask())
			for i := range t.NumBands() {
				ok = ok && !t.Band(i).HasNoData && !t.Band(i).Type.IsFloat()
			}
		case *ast.Fill:
			_, valid := t.Value()
			ok = ok && (masks || valid)
		case *ast.Dequantize:
			ok = ok && !t.Quantization().HasNoData
		case *ast.Pad:
			ok = ok && masks
		case *ast.Concat:
			ok = ok && !masks
		case *ast.Warp:
			ok = ok && (masks || covers(t))
		case *ast.Overview, *ast.Crop:
		default:
			ok = false
		}
		return ok
	})
	return ok
}

// mask is a mask band that is valid where a band of n is.
func (e *exporter) mask(n ast.Node, band int, q *ast.Quantization, path string) *elem {
	e.depth++
	d := e.dataset(n, []int{band}, q, exact, path)
	e.depth--
	r := n.Size().Bounds()
	s := el("SimpleSource",
		leaf("SourceFilename", e.inline(d)).with("relativeToVRT", "0"),
		leaf("SourceBand", "mask,1"), rectElem("SrcRect", r), rectElem("DstRect", r))
	return el("MaskBand", el("VRTRasterBand", s).with("dataType", "Byte"))
}
