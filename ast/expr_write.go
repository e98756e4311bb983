package ast

import (
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// FormatExpr writes a tree in the form that ParseExpr reads, a node a line. It
// reads back Equal, and shared where n is shared; only a raster of more than
// MaxInline samples, shown without them, does not.
func FormatExpr(n Node) string {
	w := exprWriter{labels: map[Node]int{}}
	for _, s := range sharedNodes(n) {
		w.labels[s] = -1
	}
	w.tree(n)
	return w.String()
}

type exprWriter struct {
	strings.Builder
	labels map[Node]int // of shared nodes; -1 until written
	last   int
}

func (w *exprWriter) tree(n Node) {
	stack := []pending{{node: n}}
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p.node == nil {
			w.WriteString(p.text)
			continue
		}
		if p.indent > 0 {
			w.WriteString("\n" + strings.Repeat("  ", min(p.indent, 40)))
		}
		switch label := w.labels[p.node]; {
		case label > 0:
			w.WriteString("#" + strconv.Itoa(label) + "#")
			continue
		case label < 0:
			w.last++
			w.labels[p.node] = w.last
			w.WriteString("#" + strconv.Itoa(w.last) + "=")
		}
		w.WriteString("(" + p.node.Op())
		w.node(p.node)
		stack = append(stack, pending{text: ")"})
		for i := p.node.NumInputs() - 1; i >= 0; i-- {
			stack = append(stack, pending{node: p.node.Input(i), indent: p.indent + 1})
		}
	}
}

func (w *exprWriter) arg(s string) { w.WriteString(" " + s) }

func (w *exprWriter) node(n Node) {
	switch n := n.(type) {
	case *Load:
		w.load(n)
	case *Fill:
		w.arg(exprSize(n.Size()))
		w.bands(n.Base.bands(), 1, false)
		if v, ok := n.Value(); ok {
			w.arg("value=" + exprNumber(v))
		} else {
			w.arg("invalid")
		}
	case *Raster:
		w.raster(n)
	case *Crop:
		r := n.Window()
		w.arg(exprInts(r.Min.X, r.Min.Y, r.Max.X, r.Max.Y))
		if n.picks != nil {
			w.arg("bands=" + exprInts(n.picks...))
		}
	case *Pad:
		for _, v := range [4]int{n.left, n.top, n.right, n.bottom} {
			w.arg(strconv.Itoa(v))
		}
	case *Warp:
		w.warp(n)
	case *Overview:
		w.arg(strconv.Itoa(n.level))
	case *Dequantize:
		q := n.q
		w.arg(q.OrigType.String() + " " + exprNumber(q.QuantMin) + ".." + exprNumber(q.QuantMax) +
			" -> " + exprNumber(q.OrigMin) + ".." + exprNumber(q.OrigMax))
		if q.HasNoData {
			w.arg("nodata=" + exprNumber(q.NoData))
		}
	case *Concat:
	default:
		if m, ok := n.(interface{ MarshalFields() ([]byte, error) }); ok {
			if data, err := m.MarshalFields(); err == nil {
				w.arg(string(data))
			}
		}
	}
}

func (w *exprWriter) load(l *Load) {
	w.arg(exprWord(l.uri))
	count := 1
	if m := l.meta; m != nil {
		w.arg(exprSize(m.Size))
		if l.channels != "" {
			count = len(m.Bands)
		}
		w.bands(m.Bands, count, l.channels != "")
	}
	if l.channels != "" {
		w.arg("channels=" + exprWord(l.channels))
	}
	m := l.meta
	if m == nil {
		return
	}
	if len(m.Overviews) > 0 {
		sizes := make([]string, len(m.Overviews))
		for i, s := range m.Overviews {
			sizes[i] = exprSize(s)
		}
		w.arg("overviews=[" + strings.Join(sizes, " ") + "]")
	}
	if m.Block != (geom.Size{}) {
		w.arg("block=" + exprSize(m.Block))
	}
	if m.HasMask {
		w.arg("mask")
	}
	if g := m.Geo; g != nil {
		w.arg("geo=" + exprNumbers(g.Transform[:6]...))
		if g.SRS != "" {
			w.arg("srs=" + strconv.Quote(g.SRS))
		}
	}
}

// bands writes the bands of a leaf, but for the number, where that is the
// default or the number of types, and for names that stand elsewhere.
func (w *exprWriter) bands(bands []Band, count int, named bool) {
	sameType, sameNoData, numbered := true, true, true
	for i, b := range bands {
		sameType = sameType && b.Type == bands[0].Type
		sameNoData = sameNoData && equalNoData(b, bands[0])
		numbered = numbered && b.Name == strconv.Itoa(i+1)
	}
	if !named && !numbered {
		names := make([]string, len(bands))
		for i, b := range bands {
			names[i] = exprWord(b.Name)
		}
		w.arg("bands=[" + strings.Join(names, " ") + "]")
	} else if len(bands) != count && sameType {
		w.arg("bands=" + strconv.Itoa(len(bands)))
	}
	if sameType {
		w.arg(bands[0].Type.String())
	} else {
		types := make([]string, len(bands))
		for i, b := range bands {
			types[i] = b.Type.String()
		}
		w.arg("types=[" + strings.Join(types, " ") + "]")
	}
	switch {
	case sameNoData && bands[0].HasNoData:
		w.arg("nodata=" + exprNoData(bands[0]))
	case !sameNoData:
		values := make([]string, len(bands))
		for i, b := range bands {
			values[i] = exprNoData(b)
		}
		w.arg("nodata=[" + strings.Join(values, " ") + "]")
	}
}

func exprNoData(b Band) string {
	if !b.HasNoData {
		return "null"
	}
	return exprNumber(b.NoData)
}

func (w *exprWriter) raster(r *Raster) {
	w.arg(exprSize(r.Size()))
	w.bands(r.Base.bands(), 1, false)
	p := r.pix
	if p.Len() > MaxInline {
		w.arg("[…]")
		return
	}
	values := make([]string, 0, p.Len())
	for y := range p.H {
		for x := range p.W {
			for b := range p.Bands {
				v, _ := p.At(x, y, b)
				values = append(values, exprSample(v, p.Type))
			}
		}
	}
	w.arg("[" + strings.Join(values, " ") + "]")
	if p.Mask != nil {
		bits := make([]int, len(p.Mask))
		for i, m := range p.Mask {
			if m != 0 {
				bits[i] = 1
			}
		}
		w.arg("mask=" + exprInts(bits...))
	}
}

func exprSample(v float64, t raster.DataType) string {
	if t == raster.Float32 && v == v && !math.IsInf(v, 0) {
		return strconv.FormatFloat(v, 'g', -1, 32)
	}
	return exprNumber(v)
}

func (w *exprWriter) warp(n *Warp) {
	m := n.m
	switch {
	case !m.IsAffine():
		w.arg("matrix=" + exprNumbers(m[:]...))
	case m[1] != 0 || m[3] != 0:
		w.arg("matrix=" + exprNumbers(m[:6]...))
	default:
		if m[0] != m[4] {
			w.arg("scale=" + exprNumbers(m[0], m[4]))
		} else if m[0] != 1 {
			w.arg("scale=" + exprNumber(m[0]))
		}
		if m[2] != 0 || m[5] != 0 {
			w.arg("offset=" + exprNumbers(m[2], m[5]))
		}
	}
	if s := n.asked(); s != (geom.Size{}) {
		w.arg("size=" + exprSize(s))
	}
	s := n.Sampling()
	if s.Interp != Linear {
		w.arg(s.Interp.String())
	}
	if !s.Antialias && s.Interp != Nearest {
		w.arg("aliased")
	}
	switch s.Border.Mode {
	case NoDataBorder:
	case ValueBorder:
		w.arg("border=" + exprNumber(s.Border.Value))
	default:
		w.arg("border=" + s.Border.String())
	}
	if n.domain == nil {
		return
	}
	planes := make([]string, n.domain.Len())
	for i := range planes {
		h := n.domain.At(i)
		row := h.Row[:]
		if h.Den != ([3]float64{}) {
			row = append(h.Row[:], h.Den[:]...)
		}
		text := exprNumbers(row...)
		edge := " open"
		if h.Closed {
			edge = " closed"
		}
		planes[i] = "(" + text[1:len(text)-1] + ")" + edge
	}
	w.arg("domain=[" + strings.Join(planes, "; ") + "]")
}

func exprSize(s geom.Size) string { return strconv.Itoa(s.W) + "x" + strconv.Itoa(s.H) }

// exprNumber is the shortest text that reads back as v.
func exprNumber(v float64) string {
	switch {
	case v != v:
		return "nan"
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	return numberText(v)
}

func exprNumbers(v ...float64) string {
	parts := make([]string, len(v))
	for i := range v {
		parts[i] = exprNumber(v[i])
	}
	return "[" + strings.Join(parts, " ") + "]"
}

func exprInts(v ...int) string {
	parts := make([]string, len(v))
	for i := range v {
		parts[i] = strconv.Itoa(v[i])
	}
	return "[" + strings.Join(parts, " ") + "]"
}

// exprWord quotes a word that could be read as something else.
func exprWord(s string) string {
	if s == "" || s[0] == '#' || strings.ContainsAny(s, exprSpecial+`\`) ||
		strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || unicode.IsSpace(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(s)
	}
	return s
}
