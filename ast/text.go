package ast

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/rewarp/rewarp/ast/geom"
)

// FormatText draws the tree as network text: root first, a node a line, a bar
// between a node and its only input, branches where there are several. A
// shared subtree is drawn where it stands first, marked [#1], and as
// [shared #1] after that. The text is for reading; numbers are rounded.
func FormatText(n Node) string {
	var b strings.Builder
	labels := map[Node]int{}
	for _, s := range sharedNodes(n) {
		labels[s] = -1
	}
	last := 0
	for stack := []drawn{{node: n, first: "╙── ", rest: "    "}}; len(stack) > 0; {
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if d.vertical {
			b.WriteString(d.rest + "╽\n")
		}
		b.WriteString(d.first)
		switch label := labels[d.node]; {
		case label > 0:
			fmt.Fprintf(&b, "%s [shared #%d]\n", title(d.node), label)
			continue
		case label < 0:
			last++
			labels[d.node] = last
			fmt.Fprintf(&b, "%s [#%d]\n", Label(d.node), last)
		default:
			b.WriteString(Label(d.node) + "\n")
		}
		count := d.node.NumInputs()
		if count == 1 {
			stack = append(stack, drawn{node: d.node.Input(0), first: d.rest, rest: d.rest, vertical: true})
			continue
		}
		for i := count - 1; i >= 0; i-- {
			c := drawn{node: d.node.Input(i), first: d.rest + "├─╼ ", rest: d.rest + "│   "}
			if i == count-1 {
				c.first, c.rest = d.rest+"└─╼ ", d.rest+"    "
			}
			if len(d.rest) > maxIndent {
				c.rest = d.rest
			}
			stack = append(stack, c)
		}
	}
	return b.String()
}

// drawn is a node with what stands before it on its own line and on the lines
// below.
type drawn struct {
	node        Node
	first, rest string
	vertical    bool
}

// maxIndent stops deep nesting from making a text grow with its square.
const maxIndent = 240

// Label is the line of FormatText for one node, such as "Overview
// dsize=(256,256),overview=1".
func Label(n Node) string {
	return title(n) + " " + strings.Join(labelFields(n), ",")
}

// title is the name of the operation, as a headline has it.
func title(n Node) string {
	op := n.Op()
	if n.Kind() == KindCustom {
		return shown(op)
	}
	return strings.ToUpper(op[:1]) + op[1:]
}

func labelFields(n Node) []string {
	dsize := "dsize=" + sizeLabel(n)
	switch n := n.(type) {
	case *Load:
		return loadLabel(n)
	case *Fill:
		value := "value=nan"
		if v, ok := n.Value(); ok {
			value = "value=" + numberLabel(v)
		}
		return []string{dsize, bandsLabel(n), "dtype=" + typeLabel(n), value}
	case *Raster:
		return []string{dsize, bandsLabel(n), "dtype=" + typeLabel(n)}
	case *Crop:
		r := n.Window()
		f := []string{dsize, fmt.Sprintf("space_slice=(%d:%d,%d:%d)", r.Min.Y, r.Max.Y, r.Min.X, r.Max.X)}
		if n.picks != nil {
			f = append(f, "bands="+picksLabel(n.picks))
		}
		return f
	case *Pad:
		return []string{dsize, fmt.Sprintf("left=%d,top=%d,right=%d,bottom=%d", n.left, n.top, n.right, n.bottom)}
	case *Warp:
		return append([]string{dsize}, warpLabel(n)...)
	case *Overview:
		return []string{dsize, "overview=" + strconv.Itoa(n.level)}
	case *Dequantize:
		q := n.q
		text := fmt.Sprintf("quantization={orig_dtype=%v,orig_min=%s,orig_max=%s,quant_min=%s,quant_max=%s", q.OrigType,
			numberLabel(q.OrigMin), numberLabel(q.OrigMax), numberLabel(q.QuantMin), numberLabel(q.QuantMax))
		if q.HasNoData {
			text += ",nodata=" + numberLabel(q.NoData)
		}
		return []string{dsize, text + "}"}
	}
	return []string{dsize, bandsLabel(n)}
}

// picksLabel leaves out the middle of a long list.
func picksLabel(picks []int) string {
	const most = 16
	if len(picks) <= most {
		return strings.ReplaceAll(intsText(picks...), " ", "")
	}
	text := strings.ReplaceAll(intsText(picks[:most-1]...), " ", "")
	return fmt.Sprintf("%s,…%d more]", text[:len(text)-1], len(picks)-most+1)
}

func loadLabel(l *Load) []string {
	var f []string
	overviews := "?"
	switch {
	case l.channels != "":
		f = append(f, "channels="+shown(l.channels))
	case l.Known():
		f = append(f, bandsLabel(l))
	}
	if l.Known() {
		overviews = strconv.Itoa(l.NumOverviews())
	}
	return append(f, "dsize="+sizeLabel(l), "num_overviews="+overviews, "fname="+shown(path.Base(l.uri)))
}

func warpLabel(w *Warp) []string {
	f := []string{transformLabel(w.m)}
	s := w.Sampling()
	if s.Interp != DefaultSampling.Interp {
		f = append(f, "interpolation="+s.Interp.String())
	}
	if !s.Antialias && s.Interp != Nearest {
		f = append(f, "antialias=false")
	}
	if s.Border.Mode != NoDataBorder {
		f = append(f, "border="+s.Border.String())
	}
	if w.domain != nil && w.Known() {
		f = append(f, "domain="+polygonLabel(ValidPolygon(w)))
	}
	return f
}

// ValidPolygon is what is left of a warp's canvas: the part inside its domain
// and, where the border is nodata, inside the canvas of its input. The first
// vertex is the topmost, of several the leftmost; nil is nothing.
func ValidPolygon(w *Warp) geom.Polygon {
	p := w.Size().Polygon().ClipDomain(w.domain)
	if w.sampling.border == NoDataBorder {
		for _, e := range w.input.Size().Edges() {
			p = p.Clip(e.Pullback(w.Inverse()))
		}
	}
	p = p.Simplify(geom.EdgeTolerance)
	if len(p) < 3 {
		return nil
	}
	first := 0
	for i, v := range p {
		f := p[first]
		if dy := v[1] - f[1]; dy < -geom.SameEntry || math.Abs(dy) <= geom.SameEntry && v[0] < f[0] {
			first = i
		}
	}
	return append(append(geom.Polygon{}, p[first:]...), p[:first]...)
}

func polygonLabel(p geom.Polygon) string {
	points := make([]string, len(p))
	for i, v := range p {
		points[i] = "(" + decimals(v[0], 6) + "," + decimals(v[1], 6) + ")"
	}
	return "[" + strings.Join(points, ",") + "]"
}

// transformLabel shows the components that are not those of the identity, and
// a projective transform as its matrix.
func transformLabel(m geom.Transform) string {
	p, ok := m.Decompose()
	if !ok {
		rows := make([]string, 3)
		for i := range rows {
			rows[i] = fmt.Sprintf("[%s,%s,%s]", numberLabel(m[3*i]), numberLabel(m[3*i+1]), numberLabel(m[3*i+2]))
		}
		return "matrix=[" + strings.Join(rows, ",") + "]"
	}
	if near(m[1], 0) && near(m[3], 0) { // a flip, rather than a half turn and another flip
		p.Scale, p.Shear, p.Theta = [2]float64{m[0], m[4]}, 0, 0
	}
	var f []string
	if !near(p.Offset[0], 0) || !near(p.Offset[1], 0) {
		f = append(f, fmt.Sprintf("offset=(%s,%s)", partLabel(p.Offset[0], 0), partLabel(p.Offset[1], 0)))
	}
	switch {
	case near(p.Scale[0], 1) && near(p.Scale[1], 1):
	case near(p.Scale[0], p.Scale[1]):
		f = append(f, "scale="+partLabel(p.Scale[0], 1))
	default:
		f = append(f, fmt.Sprintf("scale=(%s,%s)", partLabel(p.Scale[0], 1), partLabel(p.Scale[1], 1)))
	}
	if !near(p.Shear, 0) {
		f = append(f, "shearx="+partLabel(p.Shear, 0))
	}
	if !near(p.Theta, 0) {
		f = append(f, "theta="+partLabel(p.Theta, 0))
	}
	return "transform={" + strings.Join(f, ",") + "}"
}

func near(a, b float64) bool { return math.Abs(a-b) <= geom.SameEntry }

// partLabel rounds to two decimals, but shows more of a value that would then
// look like another: the identity's, or zero.
func partLabel(v, identity float64) string {
	text := decimals(v, 2)
	if r, _ := strconv.ParseFloat(text, 64); (r == identity || r == 0) && !near(v, r) {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return text
}

// decimals is v with at most n decimals, trailing zeros trimmed.
func decimals(v float64, n int) string {
	text := strconv.FormatFloat(v, 'f', n, 64)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}

func numberLabel(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// sizeLabel is "(512,256)", or "?" while it is unknown.
func sizeLabel(n Node) string {
	s := n.Size()
	if !n.Known() {
		switch n := n.(type) {
		case *Warp:
			s = n.want.size()
		case *Crop:
			s = geom.Size{W: n.Window().Dx(), H: n.Window().Dy()}
		}
	}
	if s == (geom.Size{}) {
		return "?"
	}
	return fmt.Sprintf("(%d,%d)", s.W, s.H)
}

func bandsLabel(n Node) string {
	if !n.Known() {
		return "bands=?"
	}
	return "bands=" + strconv.Itoa(n.NumBands())
}

// typeLabel is the type of all bands, or "mixed".
func typeLabel(n Node) string {
	for i := range n.NumBands() {
		if n.Band(i).Type != n.Band(0).Type {
			return "mixed"
		}
	}
	return n.Band(0).Type.String()
}

// shown is text from a file as a terminal may see it.
func shown(s string) string {
	if len(s) > 200 {
		return quoteShort(s)
	}
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(s)
	}
	return s
}
