package vrt

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds on a text that is read. Inline datasets count towards those of the
// text that holds them.
const (
	// MaxBytes is the size of the largest text that is read.
	MaxBytes = 16 << 20

	maxDepth    = 64      // elements inside each other
	maxElements = 1 << 18 // elements in all
	maxInline   = 16      // datasets inside each other
)

// elem is an element of a VRT.
type elem struct {
	name  string
	attrs [][2]string
	text  string
	kids  []*elem
}

func el(name string, kids ...*elem) *elem { return &elem{name: name, kids: kids} }

func leaf(name, text string) *elem { return &elem{name: name, text: text} }

// with adds an attribute.
func (e *elem) with(name, value string) *elem {
	e.attrs = append(e.attrs, [2]string{name, value})
	return e
}

func (e *elem) add(kids ...*elem) *elem {
	e.kids = append(e.kids, kids...)
	return e
}

// attr is an attribute. GDAL takes names without regard to case.
func (e *elem) attr(name string) (string, bool) {
	for _, a := range e.attrs {
		if strings.EqualFold(a[0], name) {
			return a[1], true
		}
	}
	return "", false
}

// child is the first child of a name, or nil.
func (e *elem) child(name string) *elem {
	for _, k := range e.kids {
		if strings.EqualFold(k.name, name) {
			return k
		}
	}
	return nil
}

// at follows names downwards; nil where one is missing.
func (e *elem) at(names ...string) *elem {
	for _, n := range names {
		if e = e.child(n); e == nil {
			return nil
		}
	}
	return e
}

// value is the text of a child, trimmed.
func (e *elem) value(name string) (string, bool) {
	k := e.child(name)
	if k == nil {
		return "", false
	}
	return strings.TrimSpace(k.text), true
}

// String is the element as text on one line.
func (e *elem) String() string {
	var b strings.Builder
	e.write(&b, -1)
	return b.String()
}

// write writes the element, indented unless indent is negative.
func (e *elem) write(b *strings.Builder, indent int) {
	if indent > 0 {
		b.WriteString(strings.Repeat("  ", indent))
	}
	b.WriteString("<" + e.name)
	for _, a := range e.attrs {
		b.WriteString(" " + a[0] + `="` + escape(a[1]) + `"`)
	}
	switch {
	case len(e.kids) > 0:
		b.WriteString(">")
		for _, k := range e.kids {
			if indent >= 0 {
				b.WriteString("\n")
				k.write(b, indent+1)
			} else {
				k.write(b, indent)
			}
		}
		if indent >= 0 {
			b.WriteString("\n" + strings.Repeat("  ", indent))
		}
		b.WriteString("</" + e.name + ">")
	case e.text != "":
		b.WriteString(">" + escape(e.text) + "</" + e.name + ">")
	default:
		b.WriteString(" />")
	}
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;")

func escape(s string) string { return escaper.Replace(s) }

// writable reports whether s can stand in XML.
func writable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && r != '\n' && r != '\t' || r == 0xfffe || r == 0xffff || r == 0x7f
	})
}

// budget bounds what all the texts of one reading may hold.
type budget struct{ elements int }

// parseXML reads one element and what is in it.
func parseXML(r io.Reader, left *budget) (*elem, error) {
	limited := &io.LimitedReader{R: r, N: MaxBytes + 1}
	d := xml.NewDecoder(limited)
	d.Entity = map[string]string{}
	d.CharsetReader = func(name string, in io.Reader) (io.Reader, error) {
		if strings.EqualFold(name, "utf-8") || strings.EqualFold(name, "us-ascii") {
			return in, nil
		}
		return nil, fmt.Errorf("encoding %q is not read, only UTF-8", name)
	}
	var root *elem
	var open []*elem
	for {
		tok, err := d.Token()
		if limited.N <= 0 {
			return nil, fmt.Errorf("the text exceeds %d MiB", MaxBytes>>20)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		switch t := tok.(type) {
		case xml.Directive:
			return nil, errors.New("the text holds a <! directive; document types and entities are not read")
		case xml.StartElement:
			if left.elements--; left.elements < 0 {
				return nil, fmt.Errorf("the text has more than %d elements", maxElements)
			}
			if len(open) == maxDepth {
				return nil, fmt.Errorf("elements stand more than %d deep", maxDepth)
			}
			e := &elem{name: t.Name.Local}
			for _, a := range t.Attr {
				e.with(a.Name.Local, a.Value)
			}
			if len(open) > 0 {
				open[len(open)-1].add(e)
			} else if root != nil {
				return nil, fmt.Errorf("<%s> follows the end of <%s>", e.name, root.name)
			} else {
				root = e
			}
			open = append(open, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				e := open[len(open)-1]
				e.text += string(t)
			}
		}
	}
	if root == nil {
		return nil, errors.New("the text has no element")
	}
	return root, nil
}

// number reads a number as GDAL writes it.
func number(s string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a number", quote(s))
	}
	return v, nil
}

// numbers reads a list with commas.
func numbers(s string, n int) ([]float64, error) {
	parts := strings.Split(s, ",")
	if len(parts) != n {
		return nil, fmt.Errorf("%s is not %d numbers", quote(s), n)
	}
	out := make([]float64, n)
	for i, p := range parts {
		var err error
		if out[i], err = number(p); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// format writes a number so that it reads back as itself.
func format(v float64) string {
	if math.IsNaN(v) {
		return "nan"
	}
	if a := math.Abs(v); a >= 1e-4 && a < 1e16 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

func quote(s string) string {
	const most = 60
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return strconv.Quote(s)
}
