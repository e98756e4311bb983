package ast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// WriteOption changes how tree files are written.
type WriteOption func(*writer)

// Compact writes the file on one line. By default each node has a line.
func Compact() WriteOption { return func(w *writer) { w.compact = true } }

// RelativeTo writes the uris of files relative to a folder, where that can be
// done, so that BaseFolder reads them back.
func RelativeTo(folder string) WriteOption { return func(w *writer) { w.folder = folder } }

// WithoutMeta leaves out the metadata of loads. By default it is written, so
// that the tree can be rewritten with no file at hand.
func WithoutMeta() WriteOption { return func(w *writer) { w.bare = true } }

// WriteJSON writes the tree file of n in one Write. What ReadJSON reads back is
// Equal to n, and shared where n is shared. Custom nodes write their own
// arguments through a method
//
//	MarshalFields() ([]byte, error)
//
// that returns a JSON object.
func WriteJSON(w io.Writer, n Node, opts ...WriteOption) error {
	data, err := MarshalTree(n, opts...)
	if err != nil {
		return err
	}
	_, err = w.Write(data)
	return err
}

// MarshalTree is the tree file that WriteJSON writes.
func MarshalTree(n Node, opts ...WriteOption) ([]byte, error) {
	w := &writer{names: map[Node]string{}}
	for _, o := range opts {
		o(w)
	}
	if n == nil {
		return nil, &Error{Op: "tree", Limit: "is nil"}
	}
	shared := sharedNodes(n)
	for i, s := range shared {
		w.names[s] = "n" + strconv.Itoa(i+1)
	}
	w.raw(fmt.Sprintf(`{"version": %d, "tree":`, FileVersion))
	w.tree(n, 1, w.names[n] == "")
	for i, s := range shared {
		if i == 0 {
			w.raw(",")
			w.line(0)
			w.raw(` "defs": {`)
		} else {
			w.raw(",")
		}
		w.line(1)
		w.raw(`"` + w.names[s] + `":`)
		w.tree(s, 2, true)
		if i == len(shared)-1 {
			w.raw("}")
		}
	}
	w.raw("}\n")
	if w.err != nil {
		return nil, w.err
	}
	return w.buf.Bytes(), nil
}

// sharedNodes are the nodes that are an input more than once, in the order in
// which the tree is written.
func sharedNodes(root Node) []Node {
	order, parents := writtenOrder(root)
	shared := order[:0]
	for _, n := range order {
		if parents[n] > 1 {
			shared = append(shared, n)
		}
	}
	return shared
}

// writtenOrder is every distinct node, parents first and inputs in turn, with
// how often each is reached.
func writtenOrder(root Node) (order []Node, reached map[Node]int) {
	reached = map[Node]int{}
	for stack := []Node{root}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if reached[n]++; reached[n] > 1 {
			continue
		}
		order = append(order, n)
		for i := n.NumInputs() - 1; i >= 0; i-- {
			stack = append(stack, n.Input(i))
		}
	}
	return order, reached
}

type writer struct {
	compact bool
	folder  string
	bare    bool

	buf   bytes.Buffer
	names map[Node]string // of shared nodes
	err   error
}

// pending is text, or a node, that stands further on in the file.
type pending struct {
	text   string
	node   Node
	indent int
}

// tree writes n; its shared nodes become references, n itself only if it is
// not to be spelled out.
func (w *writer) tree(n Node, indent int, spell bool) {
	stack := []pending{{node: n, indent: indent}}
	for w.err == nil && len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if p.node == nil {
			w.raw(p.text)
			continue
		}
		w.line(p.indent)
		if name := w.names[p.node]; name != "" && !(spell && p.node == n) {
			w.raw(`{"ref": "` + name + `"}`)
			continue
		}
		w.raw(`{"op": `)
		w.text(p.node.Op())
		w.node(p.node)
		count := p.node.NumInputs()
		switch {
		case count == 0:
			w.raw("}")
		case count == 1 && p.node.Kind() != KindConcat:
			w.raw(`, "input":`)
			stack = append(stack, pending{text: "}"}, pending{node: p.node.Input(0), indent: p.indent})
		default:
			w.raw(`, "inputs": [`)
			stack = append(stack, pending{text: "]}"})
			for i := count - 1; i >= 0; i-- {
				stack = append(stack, pending{node: p.node.Input(i), indent: p.indent + 1})
				if i > 0 {
					stack = append(stack, pending{text: ","})
				}
			}
		}
	}
}

// node writes the node's own fields.
func (w *writer) node(n Node) {
	switch n := n.(type) {
	case *Load:
		w.load(n)
	case *Fill:
		w.field("size", sizeText(n.Size().W, n.Size().H))
		w.bands(n.Base.bands(), false)
		if v, ok := n.Value(); ok {
			w.number("value", v)
		} else {
			w.field("value", "null")
		}
	case *Raster:
		w.raster(n)
	case *Crop:
		r := n.Window()
		w.field("window", intsText(r.Min.X, r.Min.Y, r.Max.X, r.Max.Y))
		if n.picks != nil {
			w.field("bands", intsText(n.picks...))
		}
	case *Pad:
		w.field("left", strconv.Itoa(n.left))
		w.field("top", strconv.Itoa(n.top))
		w.field("right", strconv.Itoa(n.right))
		w.field("bottom", strconv.Itoa(n.bottom))
	case *Warp:
		w.warp(n)
	case *Overview:
		w.field("level", strconv.Itoa(n.level))
	case *Dequantize:
		q := n.q
		w.field("orig_dtype", quote(q.OrigType.String()))
		w.number("orig_min", q.OrigMin)
		w.number("orig_max", q.OrigMax)
		w.number("quant_min", q.QuantMin)
		w.number("quant_max", q.QuantMax)
		if q.HasNoData {
			w.number("nodata", q.NoData)
		} else {
			w.field("nodata", "null")
		}
	case *Concat:
	default:
		w.custom(n)
	}
}

func (w *writer) custom(n Node) {
	m, ok := n.(interface{ MarshalFields() ([]byte, error) })
	if !ok {
		w.fail(&Error{Op: n.Op(), Limit: "cannot be written: it has no method MarshalFields"})
		return
	}
	data, err := m.MarshalFields()
	if err != nil {
		w.fail(&Error{Op: n.Op(), Err: err})
		return
	}
	doc, err := parseDocument(data)
	if err != nil || doc.values[0].kind != objectValue {
		w.fail(&Error{Op: n.Op(), Limit: "cannot be written: MarshalFields returned no JSON object", Err: err})
		return
	}
	for k := doc.values[0].child; k != 0; k = doc.values[k].sibling {
		switch name := doc.keyName(k); name {
		case "op", "input", "inputs", "ref":
			w.fail(&Error{Op: n.Op(), Arg: quote(name), Limit: "is not a field that MarshalFields may write"})
			return
		}
		v := doc.values[k]
		w.raw(", " + string(data[v.key:v.keyEnd]) + ": ")
		if err := json.Compact(&w.buf, data[v.off:v.end]); err != nil {
			w.fail(&Error{Op: n.Op(), Err: err})
		}
	}
}

func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *writer) raw(s string) { w.buf.WriteString(s) }

// line begins a line. Deep nesting stops to indent, or a file would grow with
// the square of its depth.
func (w *writer) line(indent int) {
	if w.compact {
		return
	}
	w.raw("\n" + strings.Repeat("  ", min(indent, 40)))
}

func (w *writer) field(name, value string) { w.raw(`, "` + name + `": ` + value) }

func (w *writer) number(name string, v float64) {
	if !finite([]float64{v}) {
		w.fail(&Error{Op: "tree", Arg: name, Value: v, Limit: "cannot be written: it is not finite"})
	}
	w.field(name, numberText(v))
}

// text writes a JSON string.
func (w *writer) text(s string) {
	if !utf8.ValidString(s) {
		w.fail(&Error{Op: "tree", Arg: "string", Value: quoteShort(s), Limit: "cannot be written: it is not UTF-8"})
	}
	w.raw(jsonString(s))
}

func jsonString(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.Encode(s) // a string cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// numberText is the shortest text that reads back as v.
func numberText(v float64) string {
	format := byte('f')
	if a := max(v, -v); a != 0 && (a < 1e-6 || a >= 1e15) {
		format = 'g'
	}
	return strconv.FormatFloat(v, format, -1, 64)
}

func numbersText(v ...float64) string {
	parts := make([]string, len(v))
	for i := range v {
		parts[i] = numberText(v[i])
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func intsText(v ...int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, x := range v {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Itoa(x))
	}
	b.WriteByte(']')
	return b.String()
}

func sizeText(w, h int) string { return intsText(w, h) }

// uri is the uri as it is written.
func (w *writer) uri(uri string) string {
	if w.folder == "" || !relativeURI(uri) && !filepath.IsAbs(uri) || strings.HasPrefix(uri, "/vsi") {
		return uri
	}
	rel, err := filepath.Rel(w.folder, uri)
	if err != nil || !relativeURI(rel) {
		return uri
	}
	return filepath.ToSlash(rel)
}
