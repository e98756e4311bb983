package ast

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// leafArgs are the arguments of load, fill and raster.
type leafArgs struct {
	uri      string
	size     geom.Size
	dtype    raster.DataType
	invalid  bool
	mask     bool
	samples  *atom
	bands    *atom
	types    *atom
	nodata   *atom
	value    *atom
	channels string
	meta     Meta
	maskBits *atom
	srs      *atom
}

var leafKeys = [NumKinds][]string{
	KindLoad:   {"bands", "types", "nodata", "channels", "overviews", "block", "geo", "srs"},
	KindFill:   {"bands", "types", "nodata", "value"},
	KindRaster: {"bands", "nodata", "mask"},
}

func (p *exprReader) leaf(kind Kind, f *exprFrame) (Node, error) {
	positional, keyed := p.split(f)
	var l leafArgs
	if kind == KindLoad {
		if len(positional) == 0 || positional[0].isList {
			p.fail(f.pos, "load", "a uri first, as in (load a.tif)")
			return nil, p.err
		}
		l.uri = ResolveURI(p.base, positional[0].text)
		positional = positional[1:]
	}
	for i := range positional {
		p.leafWord(kind, f, &positional[i], &l)
	}
	for i := range keyed {
		a := &keyed[i]
		if !slices.Contains(leafKeys[kind], a.key) {
			p.unknown(f, a, leafKeys[kind]...)
			break
		}
		p.leafKey(kind, a, &l)
	}
	if p.err != nil {
		return nil, p.err
	}
	if kind == KindLoad && l.size == (geom.Size{}) {
		if l.dtype != 0 || l.mask || len(keyed) > 1 || len(keyed) == 1 && l.channels == "" {
			p.fail(f.pos, "a load with metadata but no size", "both or neither")
			return nil, p.err
		}
		return nodeOr(NewLoad(l.uri, l.channels))
	}
	if l.size == (geom.Size{}) {
		p.fail(f.pos, f.op+" without a size", "one such as 512x256")
		return nil, p.err
	}
	bands := p.leafBands(f, &l)
	if p.err != nil {
		return nil, p.err
	}
	switch kind {
	case KindLoad:
		l.meta.Size, l.meta.Bands, l.meta.HasMask = l.size, bands, l.mask
		if l.srs != nil {
			if l.meta.Geo == nil {
				p.fail(l.srs.pos, "srs=", "geo= with it")
				return nil, p.err
			}
			l.meta.Geo.SRS = l.srs.text
		}
		return nodeOr(NewLoadMeta(l.uri, l.channels, l.meta))
	case KindFill:
		switch {
		case l.invalid == (l.value != nil):
			p.fail(f.pos, "fill", "either value= or invalid")
			return nil, p.err
		case l.invalid:
			return nodeOr(NewInvalid(l.size, bands))
		}
		v := p.number(l.value)
		if p.err != nil {
			return nil, p.err
		}
		return nodeOr(NewFill(l.size, bands, v))
	}
	return p.raster(f, &l, bands)
}

func (p *exprReader) leafWord(kind Kind, f *exprFrame, a *atom, l *leafArgs) {
	t, err := raster.ParseDataType(a.text)
	switch {
	case kind == KindRaster && a.isList && l.samples == nil:
		l.samples = a
	case a.isSize() && l.size == geom.Size{}:
		l.size = p.size(a)
	case err == nil && !a.isList && l.dtype == raster.Unknown:
		l.dtype = t
	case kind == KindLoad && a.text == "mask" && !l.mask:
		l.mask = true
	case kind == KindFill && a.text == "invalid" && !l.invalid:
		l.invalid = true
	default:
		p.fail(a.pos, a.describe(), "one size, one data type, or "+strings.Join(leafKeys[kind], "=, ")+"= in "+f.op)
	}
}

func (p *exprReader) leafKey(kind Kind, a *atom, l *leafArgs) {
	switch a.key {
	case "bands":
		l.bands = a
	case "types":
		l.types = a
	case "nodata":
		l.nodata = a
	case "value":
		l.value = a
	case "mask":
		l.maskBits = a
	case "channels":
		l.channels = a.text
		if a.isList || a.text == "" {
			p.fail(a.pos, a.describe(), "a channel spec such as r|g|b")
		}
	case "srs":
		l.srs = a
	case "block":
		l.meta.Block = p.size(a)
	case "overviews":
		items := p.items(a)
		for i := range items {
			l.meta.Overviews = append(l.meta.Overviews, p.size(&items[i]))
		}
	case "geo":
		if v := p.numbers(a, 6); p.err == nil {
			l.meta.Geo = &GeoRef{Transform: matrixOf(v)}
		}
	}
}

func (p *exprReader) leafBands(f *exprFrame, l *leafArgs) []Band {
	count := 1
	if l.channels != "" {
		names, err := ParseChannels(l.channels)
		if err != nil {
			p.fail(f.pos, err.Error(), "a channel spec such as r|g|b")
			return nil
		}
		count = len(names)
	} else if l.types != nil {
		count = len(l.types.list)
	}
	var names []atom
	if l.bands != nil && l.bands.isList {
		names = l.bands.list
		count = len(names)
	} else if l.bands != nil {
		count = p.int(l.bands)
	}
	if count < 1 || count > MaxBands {
		p.fail(f.pos, fmt.Sprintf("%d bands", count), fmt.Sprintf("1 to %d", MaxBands))
		return nil
	}
	bands := NumberedBands(count, l.dtype)
	for i := range names {
		bands[i].Name = names[i].text
	}
	if l.types != nil {
		items := p.items(l.types, count)
		for i := range items {
			bands[i].Type = p.dataType(&items[i])
		}
	}
	if l.nodata != nil && l.nodata.isList {
		items := p.items(l.nodata, count)
		for i := range items {
			p.noData(&items[i], &bands[i])
		}
	} else if l.nodata != nil {
		for i := range bands {
			p.noData(l.nodata, &bands[i])
		}
	}
	if bands[0].Type == raster.Unknown {
		p.fail(f.pos, f.op+" without a data type", "one such as uint8")
	}
	return bands
}

// noData reads a number, nan, inf, -inf, or null for none.
func (p *exprReader) noData(a *atom, b *Band) {
	switch a.text {
	case "null":
		return
	case "nan":
		b.NoData = math.NaN()
	case "inf":
		b.NoData = math.Inf(1)
	case "-inf":
		b.NoData = math.Inf(-1)
	default:
		b.NoData = p.number(a)
	}
	b.HasNoData = true
}

func (p *exprReader) raster(f *exprFrame, l *leafArgs, bands []Band) (Node, error) {
	samples := int64(l.size.W) * int64(l.size.H)
	if samples <= MaxInline {
		samples *= int64(len(bands))
	}
	if samples > MaxInline || l.samples == nil || len(l.samples.list) != int(samples) {
		p.fail(f.pos, fmt.Sprintf("raster of %v pixels and %d bands", l.size, len(bands)), fmt.Sprintf("a list of that many samples, at most %d", MaxInline))
		return nil, p.err
	}
	pix := raster.New(l.dtype, l.size.W, l.size.H, len(bands))
	var bits []int
	if l.maskBits != nil {
		if bits = p.ints(l.maskBits, int(samples)); l.dtype.IsFloat() {
			p.fail(l.maskBits.pos, "a mask in a raster of "+l.dtype.String(), "none: nan marks invalid samples")
		}
	}
	i := 0
	for y := range pix.H {
		for x := range pix.W {
			for b := range pix.Bands {
				p.sample(pix, x, y, b, &l.samples.list[i])
				i++
			}
		}
	}
	if bits != nil && p.err == nil {
		pix.Mask = make([]byte, len(bits))
		for i, v := range bits {
			if v != 0 {
				pix.Mask[i] = 255
			}
		}
	}
	if p.err != nil {
		return nil, p.err
	}
	return nodeOr(NewRaster(pix, bands))
}

func (p *exprReader) sample(pix *raster.Buffer, x, y, band int, a *atom) {
	if pix.Type.IsFloat() {
		switch a.text {
		case "nan":
			pix.Set(x, y, band, math.NaN())
			return
		case "inf":
			pix.Set(x, y, band, math.Inf(1))
			return
		case "-inf":
			pix.Set(x, y, band, math.Inf(-1))
			return
		}
	}
	v := p.number(a)
	if p.err == nil && !pix.Type.IsFloat() && pix.Type.Round(v) != v {
		p.fail(a.pos, a.describe(), "a sample that "+pix.Type.String()+" can hold")
	}
	pix.Set(x, y, band, v)
}
