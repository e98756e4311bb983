package vrt

import (
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// recipe is how one band of a dataset comes about. Bands of equal recipes are
// made together.
type recipe struct {
	from *canvas
	band int // of from

	src      [4]float64 // x, y, width, height in from's pixels
	dst      image.Rectangle
	interp   ast.Interpolation
	q        *ast.Quantization
	constant bool
	value    float64
	format   bandFormat
}

func (r *recipe) key() string {
	f := r.format
	f.name = ""
	if r.from == nil {
		return fmt.Sprint("none", f)
	}
	return fmt.Sprintf("%p %v %v %v %s %v %v %v", r.from.node, r.src, r.dst, r.interp, quantKey(r.q), r.constant, r.value, f)
}

// sources reads the bands of a dataset that is not warped.
func (in *importer) sources(bands []*elem, formats []bandFormat, size geom.Size, path string, depth int) (*canvas, error) {
	c := &canvas{size: size, bands: formats, known: true}
	opened := map[string]*canvas{}
	recipes := make([]*recipe, len(bands))
	ok := true
	for i, b := range bands {
		r, err := in.band(b, formats[i], size, in.bandPath(path, i), depth, opened)
		if err != nil {
			return nil, err
		}
		recipes[i] = r
		ok = ok && r != nil
	}
	if !ok || len(in.unsupported) > 0 {
		return nil, nil
	}
	var parts []ast.Node
	for i := 0; i < len(recipes); {
		end := i + 1
		for end < len(recipes) && recipes[end].key() == recipes[i].key() {
			end++
		}
		n, err := in.build(recipes[i:end], size, in.bandPath(path, i), c)
		if err != nil {
			return nil, err
		}
		if n == nil {
			return nil, nil
		}
		parts = append(parts, n)
		i = end
	}
	c.node = parts[0]
	if len(parts) > 1 {
		n, err := ast.NewConcat(parts...)
		if err != nil {
			return nil, err
		}
		c.node = n
	}
	return c, nil
}

// band reads one band and its source.
func (in *importer) band(b *elem, f bandFormat, size geom.Size, path string, depth int, opened map[string]*canvas) (*recipe, error) {
	var found []*elem
	for _, k := range b.kids {
		switch name := strings.ToLower(k.name); {
		case name == "simplesource" || name == "complexsource":
			found = append(found, k)
		case strings.HasSuffix(name, "source"):
			in.refuse(join(path, k.name), k.name, "has no form in a tree")
			return nil, nil
		}
	}
	switch len(found) {
	case 0:
		return &recipe{format: f}, nil
	case 1:
	default:
		in.refuse(path, b.name, "is a mosaic of %d sources; a tree has one under each band", len(found))
		return nil, nil
	}
	s := found[0]
	path = join(path, s.name)
	r := &recipe{format: f}
	level, ok := in.openOptions(s, path)
	if !ok {
		return nil, nil
	}
	name := s.child("SourceFilename")
	if name == nil {
		return nil, in.malformed(path, "has no SourceFilename")
	}
	id := fmt.Sprint(name.attrs, name.text, level)
	if opened[id] == nil {
		c, err := in.open(name, level, path, depth)
		if err != nil || c == nil {
			return nil, err
		}
		opened[id] = c
	}
	r.from = opened[id]
	band, _ := s.value("SourceBand")
	if band == "" {
		band = "1"
	}
	v, err := strconv.Atoi(band)
	switch {
	case err != nil:
		in.refuse(path, s.name, "reads band %s; a tree has no mask as a band", quote(band))
		return nil, nil
	case v < 1 || v > ast.MaxBands || r.from.known && v > len(r.from.bands):
		return nil, in.malformed(path, "SourceBand %d does not exist", v)
	}
	r.band = v - 1
	if ok, err := in.rects(s, r, size, path); err != nil || !ok {
		return nil, err
	}
	return r, in.values(s, r, path)
}

// openOptions is the level that a source opens its file at.
func (in *importer) openOptions(s *elem, path string) (level int, ok bool) {
	o := s.child("OpenOptions")
	if o == nil {
		return 0, true
	}
	for _, k := range o.kids {
		key, _ := k.attr("key")
		v, err := strconv.Atoi(strings.TrimSpace(k.text))
		if !strings.EqualFold(key, "OVERVIEW_LEVEL") || err != nil || v < 0 || v >= ast.MaxLevel {
			in.refuse(join(path, "OpenOptions"), "OpenOptions", "open option %s=%s has no form in a tree", key, quote(k.text))
			return 0, false
		}
		level = v + 1
	}
	return level, true
}

// rects reads what of the source goes where.
func (in *importer) rects(s *elem, r *recipe, size geom.Size, path string) (bool, error) {
	dst := [4]float64{0, 0, float64(size.W), float64(size.H)}
	r.src = dst
	from := r.from.size
	if p := s.child("SourceProperties"); p != nil && from == (geom.Size{}) {
		w, _ := p.attr("RasterXSize")
		h, _ := p.attr("RasterYSize")
		from.W, _ = strconv.Atoi(w)
		from.H, _ = strconv.Atoi(h)
	}
	if from != (geom.Size{}) {
		r.src = [4]float64{0, 0, float64(from.W), float64(from.H)}
	}
	for _, t := range []struct {
		name string
		to   *[4]float64
	}{{"SrcRect", &r.src}, {"DstRect", &dst}} {
		e := s.child(t.name)
		if e == nil {
			continue
		}
		for i, a := range [4]string{"xOff", "yOff", "xSize", "ySize"} {
			text, _ := e.attr(a)
			v, err := number(text)
			if err != nil || math.IsNaN(v) || math.Abs(v) > ast.MaxExtent || i > 1 && v <= 0 {
				return false, in.malformed(join(path, t.name), "%s=%s is not a number of pixels", a, quote(text))
			}
			t.to[i] = v
		}
	}
	for _, v := range dst {
		if v != math.Round(v) {
			in.refuse(join(path, "DstRect"), "DstRect", "begins or ends within a pixel, which has no form in a tree")
			return false, nil
		}
	}
	r.dst = image.Rect(int(dst[0]), int(dst[1]), int(dst[0]+dst[2]), int(dst[1]+dst[3]))
	if name, ok := s.attr("resampling"); ok {
		if r.interp, ok = parseKernel(name); !ok {
			in.refuse(path, s.name, "resampling %s has no form in a tree", quote(name))
			return false, nil
		}
	}
	if r.copies() {
		r.clip(from)
	}
	if r.dst.Intersect(size.Bounds()).Empty() {
		*r = recipe{format: r.format}
	}
	return true, nil
}

// copies reports whether the source's pixels are copied as they are.
func (r *recipe) copies() bool {
	return r.src[2] == float64(r.dst.Dx()) && r.src[3] == float64(r.dst.Dy()) &&
		r.src[0] == math.Round(r.src[0]) && r.src[1] == math.Round(r.src[1])
}

// clip leaves out of a copy what lies outside a source whose size is known.
func (r *recipe) clip(from geom.Size) {
	w := r.window()
	in := w
	if from != (geom.Size{}) {
		in = w.Intersect(from.Bounds())
	} else {
		in.Min = image.Pt(max(0, w.Min.X), max(0, w.Min.Y))
	}
	if in.Empty() {
		in = image.Rectangle{Min: w.Min, Max: w.Min}
	}
	r.dst = in.Add(r.dst.Min.Sub(w.Min))
	r.src = [4]float64{float64(in.Min.X), float64(in.Min.Y), float64(in.Dx()), float64(in.Dy())}
}

func (r *recipe) window() image.Rectangle {
	x, y := int(r.src[0]), int(r.src[1])
	return image.Rect(x, y, x+r.dst.Dx(), y+r.dst.Dy())
}

// values reads what becomes of the samples: scale and offset, and which of them
// are invalid.
func (in *importer) values(s *elem, r *recipe, path string) error {
	if r.from == nil {
		return nil
	}
	var bad error
	get := func(name string, missing float64) float64 {
		text, ok := s.value(name)
		if !ok {
			return missing
		}
		v, err := number(text)
		if err != nil {
			bad = in.malformed(join(path, name), "%v", err)
		}
		return v
	}
	var nodata []float64 // what the VRT takes for invalid, in stored units
	useMask := false
	add, mul := 0.0, 1.0
	if strings.EqualFold(s.name, "ComplexSource") {
		add, mul = get("ScaleOffset", 0), get("ScaleRatio", 1)
		if _, ok := s.value("NODATA"); ok {
			nodata = append(nodata, get("NODATA", 0))
		}
		text, _ := s.value("UseMaskBand")
		useMask = strings.EqualFold(text, "true") || text == "1"
		for _, k := range s.kids {
			switch strings.ToLower(k.name) {
			case "lut", "exponent", "colortablecomponent", "scalemin", "srcmin", "srcmax", "dstmin", "dstmax":
				in.refuse(join(path, k.name), k.name, "has no form in a tree")
			}
		}
	}
	if bad != nil {
		return bad
	}
	if mul == 0 {
		r.constant, r.value = true, add
		return nil
	}
	if len(nodata) > 0 && !r.format.has && !r.format.typ.IsFloat() {
		in.note(path, s.name, "samples of %v are 0 for GDAL and invalid in the tree", nodata[0])
	}
	scaled := mul != 1 || add != 0
	if r.format.has && !scaled {
		nodata = append(nodata, r.format.nodata)
	}
	extra, known, ok := in.invalid(r, nodata, useMask, path, s.name)
	if !ok {
		return nil
	}
	if !scaled && len(extra) == 0 {
		return nil
	}
	q := quantization(add, mul, r.format.typ, known)
	if len(extra) > 0 {
		q.HasNoData, q.NoData = true, extra[0]
	}
	r.q = &q
	return nil
}

// quantization is s ↦ s·mul + add as a dequantize of samples of a type.
func quantization(add, mul float64, orig, stored raster.DataType) ast.Quantization {
	span := 255.0
	if mul == 1 && add == 0 {
		span = 1
	} else if stored.Size() > 1 {
		span = 65535
	}
	return ast.Quantization{OrigType: orig, OrigMin: add, OrigMax: add + mul*span, QuantMax: span}
}

// invalid is what a dequantize has to mark, besides what the source itself says
// is invalid, so that just these stored values are. ok is false where a tree
// cannot.
func (in *importer) invalid(r *recipe, nodata []float64, useMask bool, path, op string) (extra []float64, stored raster.DataType, ok bool) {
	if !r.from.known {
		if len(nodata) > 0 {
			in.note(path, op, "the nodata value %v is taken to be that of the file", nodata[0])
		}
		return nil, raster.Unknown, true
	}
	f := r.from.bands[r.band]
	covered := !f.has || useMask || math.IsNaN(f.nodata)
	for _, v := range nodata {
		switch {
		case math.IsNaN(v):
		case f.has && v == f.nodata:
			covered = true
		case f.typ != raster.Unknown && f.typ.Round(v) != v:
		case len(extra) == 0:
			extra = append(extra, v)
		case extra[0] != v:
			in.refuse(path, op, "marks both %v and %v as invalid, besides what the source does; a tree has one value a dequantize", extra[0], v)
			return nil, f.typ, false
		}
	}
	if !covered {
		in.refuse(path, op, "takes the source's nodata value %v for valid, which a tree cannot", f.nodata)
		return nil, f.typ, false
	}
	if r.from.mask && !useMask {
		in.note(path, op, "the source's mask is ignored by GDAL and counts in the tree")
	}
	return extra, f.typ, true
}
