package ast

import (
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/internal/spelling"
)

// build makes the node of a frame that is complete.
func (p *exprReader) build(f *exprFrame) built {
	b := built{depth: 1}
	inputs := make([]Node, len(f.done))
	for i, in := range f.done {
		inputs[i], b.depth = in.node, max(b.depth, in.depth+1)
	}
	kind := kindOf(f.op)
	want := 1
	switch kind {
	case KindLoad, KindFill, KindRaster:
		want = 0
	case KindConcat, KindCustom:
		want = len(inputs)
	}
	if len(inputs) != want {
		p.fail(f.pos, fmt.Sprintf("%s with %d inputs", f.op, len(inputs)), strconv.Itoa(want))
	}
	if b.depth > MaxDepth {
		p.fail(f.pos, fmt.Sprintf("more than %d nodes from here to a leaf", MaxDepth), "a flatter tree")
	}
	if p.err != nil {
		return b
	}
	var err error
	b.node, err = p.node(kind, f, inputs)
	if err != nil && p.err == nil {
		line, column := lineColumn([]byte(p.text), f.pos)
		p.err = &FileError{Line: line, Column: column, Err: under(err, p.steps())}
	}
	if p.err == nil {
		p.countBands(f, b.node)
	}
	return b
}

func (p *exprReader) countBands(f *exprFrame, n Node) {
	own := n.base().bands()
	for _, in := range f.done {
		if b := in.node.base().bands(); len(own) > 0 && len(b) > 0 && &b[0] == &own[0] {
			return
		}
	}
	if p.bands += len(own); p.bands > maxTotalBands {
		p.fail(f.pos, fmt.Sprintf("more than %d bands over all nodes", maxTotalBands), "a smaller tree")
	}
}

func (p *exprReader) steps() []string {
	var steps []string
	for i := range p.stack[:len(p.stack)-1] {
		f := &p.stack[i]
		if f.op == "concat" || len(f.done) > 0 {
			steps = append(steps, f.op+"."+strconv.Itoa(len(f.done)))
		} else {
			steps = append(steps, f.op)
		}
	}
	return steps
}

func (p *exprReader) node(kind Kind, f *exprFrame, inputs []Node) (Node, error) {
	switch kind {
	case KindLoad, KindFill, KindRaster:
		return p.leaf(kind, f)
	case KindWarp:
		return p.warp(f, inputs[0])
	case KindDequantize:
		return p.dequantize(f, inputs[0])
	case KindCustom:
		p.noArgs(f, f.args)
		if f.raw == nil {
			f.raw = []byte("{}")
		}
		if p.err != nil {
			return nil, p.err
		}
		n, err := p.custom(f.op, f.raw, inputs)
		if err == nil && n == nil {
			err = &Error{Op: f.op, Limit: "was decoded to nothing"}
		}
		return n, err
	case KindConcat:
		if p.noArgs(f, f.args); p.err != nil {
			return nil, p.err
		}
		return nodeOr(NewConcat(inputs...))
	}
	positional, keyed := p.split(f)
	switch kind {
	case KindCrop:
		if len(positional) != 1 {
			p.fail(f.pos, fmt.Sprintf("crop with %d windows", len(positional)), "one, [x0 y0 x1 y1]")
			return nil, p.err
		}
		w := p.ints(&positional[0], 4)
		var bands []int
		for i := range keyed {
			if keyed[i].key != "bands" {
				p.unknown(f, &keyed[i], "bands")
			} else if bands = p.ints(&keyed[i]); len(bands) == 0 {
				p.fail(keyed[i].pos, "no bands", "at least one")
			}
		}
		if p.err != nil {
			return nil, p.err
		}
		window := image.Rectangle{Min: image.Pt(w[0], w[1]), Max: image.Pt(w[2], w[3])}
		return nodeOr(NewCrop(inputs[0], window, bands...))
	case KindPad, KindOverview:
		p.noArgs(f, keyed)
		want := 4
		if kind == KindOverview {
			want = 1
		}
		if len(positional) != want {
			p.fail(f.pos, fmt.Sprintf("%s with %d numbers", f.op, len(positional)), strconv.Itoa(want))
			return nil, p.err
		}
		v := make([]int, want)
		for i := range v {
			v[i] = p.int(&positional[i])
		}
		if p.err != nil {
			return nil, p.err
		}
		if kind == KindOverview {
			return nodeOr(NewOverview(inputs[0], v[0]))
		}
		return nodeOr(NewPad(inputs[0], v[0], v[1], v[2], v[3]))
	}
	panic("ast: " + f.op + " has no expression")
}

// split tells positional arguments from those with a key, and refuses a key
// that stands twice.
func (p *exprReader) split(f *exprFrame) (positional, keyed []atom) {
	for i, a := range f.args {
		if a.key == "" {
			positional = append(positional, a)
			continue
		}
		for _, b := range f.args[:i] {
			if b.key == a.key {
				p.fail(a.pos, "a second "+a.key+"=", "each argument once")
			}
		}
		keyed = append(keyed, a)
	}
	return positional, keyed
}

func (p *exprReader) noArgs(f *exprFrame, args []atom) {
	if len(args) > 0 {
		p.fail(args[0].pos, args[0].describe(), "an input or \")\" in "+f.op)
	}
}

func (p *exprReader) unknown(f *exprFrame, a *atom, expected ...string) {
	text := strings.Join(expected, ", ") + " in " + f.op
	name := a.key
	if name == "" {
		name = a.text
	}
	if near := spelling.Nearest(name, expected); near != "" {
		text += fmt.Sprintf(" (did you mean %q?)", near)
	}
	p.fail(a.pos, a.describe(), text)
}

// size reads 512x256.
func (p *exprReader) size(a *atom) geom.Size {
	w, h, ok := strings.Cut(a.text, "x")
	x, err1 := strconv.Atoi(w)
	y, err2 := strconv.Atoi(h)
	if !ok || a.quoted || err1 != nil || err2 != nil || x < 1 || y < 1 || x > MaxExtent || y > MaxExtent {
		p.fail(a.pos, a.describe(), fmt.Sprintf("a size such as 512x256, of at most %d pixels a side", MaxExtent))
	}
	return geom.Size{W: x, H: y}
}

// isSize reports whether a word looks like a size.
func (a *atom) isSize() bool {
	w, h, ok := strings.Cut(a.text, "x")
	return ok && !a.quoted && isDigits(w) && isDigits(h)
}

func (p *exprReader) dataType(a *atom) raster.DataType {
	t, err := raster.ParseDataType(a.text)
	if err != nil || a.isList {
		p.fail(a.pos, a.describe(), "uint8, int8, uint16, int16, uint32, int32, float32 or float64")
	}
	return t
}

func (p *exprReader) dequantize(f *exprFrame, in Node) (Node, error) {
	positional, keyed := p.split(f)
	if len(positional) != 4 || positional[2].text != "->" {
		p.fail(f.pos, "dequantize", "dtype quant_min..quant_max -> orig_min..orig_max")
		return nil, p.err
	}
	q := Quantization{OrigType: p.dataType(&positional[0])}
	q.QuantMin, q.QuantMax = p.span(&positional[1])
	q.OrigMin, q.OrigMax = p.span(&positional[3])
	for i := range keyed {
		if keyed[i].key != "nodata" {
			p.unknown(f, &keyed[i], "nodata")
		}
		q.NoData, q.HasNoData = p.number(&keyed[i]), true
	}
	if p.err != nil {
		return nil, p.err
	}
	return nodeOr(NewDequantize(in, q))
}

// span reads 0..255.
func (p *exprReader) span(a *atom) (lo, hi float64) {
	l, h, ok := strings.Cut(a.text, "..")
	if !ok {
		p.fail(a.pos, a.describe(), "a range such as 0..255")
		return 0, 0
	}
	return p.number(&atom{pos: a.pos, text: l}), p.number(&atom{pos: a.pos, text: h})
}

var transformKeys = []string{"scale", "theta", "shear", "offset", "matrix", "size", "border", "domain"}

func (p *exprReader) warp(f *exprFrame, in Node) (Node, error) {
	positional, keyed := p.split(f)
	parts, m, size := geom.Unit, geom.Identity, geom.Size{}
	matrix, components := false, false
	s := DefaultSampling
	var domain *geom.Domain
	for i := range positional {
		a := &positional[i]
		interp, err := ParseInterpolation(a.text)
		switch {
		case a.text == "antialias":
			s.Antialias = true
		case a.text == "aliased":
			s.Antialias = false
		case err != nil || a.isList:
			p.unknown(f, a, "nearest", "linear", "cubic", "lanczos", "area", "mode", "antialias", "aliased")
		default:
			s.Interp = interp
		}
	}
	for i := range keyed {
		a := &keyed[i]
		switch a.key {
		case "scale":
			if a.isList {
				copy(parts.Scale[:], p.numbers(a, 2))
			} else {
				parts.Scale[0] = p.number(a)
				parts.Scale[1] = parts.Scale[0]
			}
			components = true
		case "theta":
			parts.Theta, components = p.number(a), true
		case "shear":
			parts.Shear, components = p.number(a), true
		case "offset":
			copy(parts.Offset[:], p.numbers(a, 2))
			components = true
		case "matrix":
			m, matrix = matrixOf(p.numbers(a, 6, 9)), true
		case "size":
			size = p.size(a)
		case "border":
			s.Border = p.border(a)
		case "domain":
			domain = p.domain(a)
		default:
			p.unknown(f, a, transformKeys...)
		}
	}
	if matrix && components {
		p.fail(f.pos, "a matrix beside other components", "one or the other")
	}
	if p.err != nil {
		return nil, p.err
	}
	if components {
		m = parts.Transform()
	}
	return nodeOr(NewWarp(in, m, size, s, domain))
}

func (p *exprReader) border(a *atom) Border {
	for m, name := range borderNames {
		if name == a.text && BorderMode(m) != ValueBorder {
			return Border{Mode: BorderMode(m)}
		}
	}
	if v, err := strconv.ParseFloat(a.text, 64); err != nil || a.isList || math.IsNaN(v) {
		p.fail(a.pos, a.describe(), "nodata, clamp, reflect, wrap or a number")
	}
	return Border{Mode: ValueBorder, Value: p.number(a)}
}

// domain reads [(1 0 0) closed; (0 1 -0.5) open].
func (p *exprReader) domain(a *atom) *geom.Domain {
	items := p.items(a)
	var planes []geom.HalfPlane
	for i := 0; i < len(items) && p.err == nil; i += 3 {
		if len(items) < i+2 || len(items) > i+2 && items[i+2].text != ";" ||
			items[i+1].text != "closed" && items[i+1].text != "open" {
			p.fail(items[i].pos, items[i].describe(), "half-planes such as (a b c) closed; (a b c) open")
			break
		}
		v := p.numbers(&items[i], 3, 6)
		if p.err == nil {
			h := geom.HalfPlane{Closed: items[i+1].text == "closed"}
			copy(h.Row[:], v)
			copy(h.Den[:], v[3:])
			planes = append(planes, h)
		}
	}
	return geom.NewDomain(planes...)
}
