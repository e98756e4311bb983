package ast

import (
	"image"
	"slices"
	"strconv"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// The Trusted constructors build nodes without validating, for rewriting
// engines whose rules keep trees valid. Slices are kept, not copied, and must
// not be changed afterwards. Everything else uses the New constructors.

// TrustedFill is NewFill without validation.
func TrustedFill(size geom.Size, bands []Band, value float64, invalid bool) *Fill {
	if invalid {
		value = 0
	}
	f := &Fill{value: value, invalid: invalid}
	f.init(KindFill, size, listOf(bands), known|source)
	return f
}

// TrustedCrop is NewCrop without validation. Nil bands keep the input's; others
// are copied where the input's list does not remember them.
func TrustedCrop(in Node, window image.Rectangle, bands []int) *Crop {
	b := in.base()
	c := &Crop{input: in, window: windowOf(window)}
	list := b.list
	switch {
	case len(bands) == 0:
	case list == nil:
		c.picks = slices.Clone(bands)
	case !identityPicks(bands, len(list.bands)):
		p := list.pick(bands)
		list, c.picks = &p.bandList, p.picks
	}
	canvas := knownExtent(b, window.Dx(), window.Dy())
	f := b.flags&inherited | noOpIf(c.picks == nil && canvas == b.canvas)
	c.over(b, KindCrop, canvas, list, f)
	return c
}

func identityPicks(picks []int, n int) bool {
	if len(picks) != n {
		return false
	}
	for i, k := range picks {
		if i != k {
			return false
		}
	}
	return true
}

// knownExtent is the extent of a canvas over b, none while b's is unknown.
func knownExtent(b *Base, w, h int) extent {
	if b.Known() {
		return extent{int32(w), int32(h)}
	}
	return extent{}
}

// TrustedPad is NewPad without validation.
func TrustedPad(in Node, left, top, right, bottom int) *Pad {
	b := in.base()
	p := &Pad{input: in, left: left, top: top, right: right, bottom: bottom}
	s := b.Size()
	canvas := knownExtent(b, s.W+left+right, s.H+top+bottom)
	p.over(b, KindPad, canvas, b.list, b.flags&inherited|noOpIf(canvas == b.canvas))
	return p
}

// TrustedWarp is NewWarp without validation. The sampling is normalized, the
// transform's denominator positive at the input's centre.
func TrustedWarp(in Node, m geom.Transform, size geom.Size, s Sampling, domain *geom.Domain) *Warp {
	w := &Warp{input: in, m: m, sampling: packSampling(s), domain: domain}
	w.ready(size, false)
	return w
}

// ready fills the base of a warp whose other fields are set.
func (w *Warp) ready(size geom.Size, sizeLeftOut bool) {
	in := w.input.base()
	f, canvas := w.flagsOver(in), extentOf(size)
	if sizeLeftOut {
		f |= fitted
	}
	switch {
	case f&known == 0:
		if !sizeLeftOut {
			w.want = canvas
		}
		canvas = extent{}
	case f&clipped == 0 && canvas == in.canvas:
		f |= noOpIf(w.m.IsIdentity())
	}
	w.over(in, KindWarp, canvas, in.list, f)
}

// flagsOver are those of a warp over an input but noOp: it is a source only if
// it is a copy.
func (w *Warp) flagsOver(in *Base) flags {
	f := in.flags & known
	if w.domain != nil {
		return f | clipped
	}
	if f&known == 0 || !w.m.IsCopy() {
		return f
	}
	f |= in.flags & (source | partly)
	if f&source != 0 {
		f |= copies
	}
	return f
}

// TrustedOverview is NewOverview without validation.
func TrustedOverview(in Node, level int) *Overview {
	b := in.base()
	o := &Overview{input: in, level: level}
	canvas, f := b.canvas, b.flags&inherited
	if s, ok := storedSize(in, level); ok {
		canvas, f = extentOf(s), f|stored|noOpIf(level == 0)
	} else {
		if level > 0 && b.Known() {
			canvas = extentOf(b.Size().Level(level))
		}
		f |= noOpIf(canvas == b.canvas)
		if canvas != b.canvas { // a canvas of one pixel reduces to itself
			f &^= source | partly
		}
	}
	o.over(b, KindOverview, canvas, b.list, f)
	return o
}

// TrustedDequantize is NewDequantize without validation.
func TrustedDequantize(in Node, q Quantization) *Dequantize {
	b := in.base()
	d := &Dequantize{input: in, q: q}
	d.over(b, KindDequantize, b.canvas, b.list.dequantize(q.OrigType), b.flags&inherited)
	return d
}

// TrustedDequantizeLike is the same map of another input without validation.
// The bands of d are kept where the input's are those of d's own.
func TrustedDequantizeLike(d *Dequantize, in Node) *Dequantize {
	a, b := d.input.base(), in.base()
	list := d.list
	if a.list != b.list {
		list = b.list.dequantize(d.q.OrigType)
	}
	n := &Dequantize{input: in, q: d.q}
	n.over(b, KindDequantize, b.canvas, list, b.flags&inherited)
	return n
}

// TrustedConcat is NewConcat without validation.
func TrustedConcat(inputs []Node) *Concat {
	c := &Concat{inputs: inputs}
	n, f, some, kinds := 0, known|source, flags(0), Kinds(1<<KindConcat)
	for _, in := range inputs {
		b := in.base()
		n += b.NumBands()
		f &= b.flags
		some |= b.flags
		kinds |= b.kinds
	}
	if f&source == 0 && some&(source|partly) != 0 {
		f |= partly
	}
	if len(inputs) == 1 {
		c.init(KindConcat, inputs[0].Size(), inputs[0].base().list, f)
		c.kinds = kinds
		return c
	}
	var bands []Band
	var size geom.Size
	if f&known != 0 {
		bands = make([]Band, 0, n)
		for _, in := range inputs {
			bands = append(bands, in.base().bands()...)
		}
		size = inputs[0].Size()
	}
	c.init(KindConcat, size, listOf(bands), f)
	c.kinds = kinds
	return c
}

// WithInput replaces one input by a node, the same pointer when it does not
// differ. Where the new input has the shape of the old one nothing is
// validated or, but for the node itself, allocated.
func WithInput(n Node, i int, in Node) (Node, error) {
	old := n.Input(i)
	if old == in {
		return n, nil
	}
	if SameShape(old, in) && in.Known() {
		switch n := n.(type) {
		case *Crop:
			return TrustedCropLike(n, in), nil
		case *Pad:
			return TrustedPad(in, n.left, n.top, n.right, n.bottom), nil
		case *Warp:
			return n.overSame(in), nil
		case *Dequantize:
			d := &Dequantize{input: in, q: n.q}
			d.over(in.base(), KindDequantize, n.canvas, n.list, in.base().flags&inherited)
			return d, nil
		}
	}
	inputs := make([]Node, n.NumInputs())
	for k := range inputs {
		inputs[k] = n.Input(k)
	}
	inputs[i] = in
	return n.WithInputs(inputs)
}

// Substitute is WithInput for an input of the same meaning. A warp that did not
// copy a source does not begin to because its new input is one, but gets a
// domain that is true everywhere; over a concat this is decided band by band.
// An overview that reduced its input does not begin to read a stored level, but
// becomes the warp that it means.
func Substitute(n Node, i int, in Node) (Node, error) {
	if o, ok := n.(*Overview); ok && o.level > 0 && o.flags&stored == 0 && hasLevel(in, o.level) {
		return TrustedWarp(in, o.Transform(), o.Size(), DefaultSampling, nil), nil
	}
	w, ok := n.(*Warp)
	if !ok || w.domain != nil || w.flags&(copies|noOp) != 0 || in.base().flags&(source|partly) == 0 {
		return WithInput(n, i, in)
	}
	if _, copies := w.m.Copy(); !copies {
		return WithInput(n, i, in)
	}
	begins := func(band int) bool { return !pathIsSource(w.input, band) && pathIsSource(in, band) }
	var parts []Node
	for band := 0; band < n.NumBands(); {
		first, mark := band, begins(band)
		for band++; band < n.NumBands() && begins(band) == mark; band++ {
		}
		part, domain := in, (*geom.Domain)(nil)
		if mark {
			domain = always
		}
		if first > 0 || band < n.NumBands() {
			part = TrustedCrop(in, in.Size().Bounds(), run(first, band))
		} else if !mark {
			return WithInput(n, i, in)
		}
		p := &Warp{input: part, m: w.m, sampling: w.sampling, domain: domain}
		p.ready(w.Size(), w.Fitted())
		parts = append(parts, p)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return TrustedConcat(parts), nil
}

// run is the numbers from a up to b.
func run(a, b int) []int {
	out := make([]int, b-a)
	for i := range out {
		out[i] = a + i
	}
	return out
}

// pathIsSource reports whether the path of a band is made of source nodes only.
func pathIsSource(n Node, band int) bool {
	for {
		b := n.base()
		if b.flags&source != 0 {
			return true
		}
		if b.flags&partly == 0 {
			return false
		}
		switch t := n.(type) {
		case *Concat:
			var part int
			part, band = t.Part(band)
			n = t.inputs[part]
		case *Crop:
			band = t.Pick(band)
			n = t.input
		default: // a pad, dequantize, copy, or an overview that is no node
			n = n.Input(0)
		}
	}
}

var always = geom.NewDomain(geom.Always)

// TrustedCropLike is the same window and bands of an input of the same shape.
func TrustedCropLike(c *Crop, in Node) *Crop {
	n := &Crop{input: in, window: c.window, picks: c.picks}
	n.over(in.base(), KindCrop, c.canvas, c.list, in.base().flags&inherited|c.flags&noOp)
	return n
}

// NumberedBands are n bands of a type, named "1" to "n".
func NumberedBands(n int, t raster.DataType) []Band {
	bands := make([]Band, n)
	for i := range bands {
		bands[i] = Band{Name: strconv.Itoa(i + 1), Type: t}
	}
	return bands
}
