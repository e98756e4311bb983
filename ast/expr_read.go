package ast

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rewarp/rewarp/internal/spelling"
)

// ParseExpr reads the compact form of a tree that FormatExpr writes:
//
//	(crop [0 0 128 128] bands=[0 2]
//	  (warp scale=0.5 cubic border=clamp
//	    (load astro.tif 512x512 bands=3 uint8 overviews=[256x256 128x128])))
//
// It is an exact form, meant for tests of rules: everything that is left out is
// the default. The operations and their arguments, in any order but before the
// inputs:
//
//	load        uri WxH dtype bands=3 or [names] types=[…] nodata= channels= overviews=[WxH …] block=WxH mask geo=[6] srs=
//	fill        WxH dtype bands= types= nodata= value=v or invalid
//	raster      WxH dtype bands= nodata= [samples] mask=[…]
//	crop        [x0 y0 x1 y1] bands=[…]
//	pad         left top right bottom
//	warp        scale=s or [sx sy] theta= shear= offset=[tx ty], or matrix=[6 or 9]; size=WxH
//	            nearest, linear, cubic, lanczos, area or mode; aliased; border=; domain=[(a b c) closed; (a b c) open]
//	overview    level
//	dequantize  dtype quant_min..quant_max -> orig_min..orig_max nodata=
//	concat
//	x-NAME      {JSON object}
//
// A node that is shared is written #1=(…) where it stands first, and #1# after
// that. Errors are *FileError; the limits are those of tree files.
func ParseExpr(text string, opts ...ReadOption) (Node, error) {
	var r reader
	for _, o := range opts {
		o(&r)
	}
	p := &exprReader{text: text, base: r.base, custom: r.custom, labels: map[int]built{}}
	n := p.tree()
	if p.err != nil {
		return nil, p.err
	}
	return n, nil
}

// exprReader makes nodes of an expression. The first error stays.
type exprReader struct {
	text   string
	pos    int
	base   string
	custom func(op string, raw json.RawMessage, inputs []Node) (Node, error)
	err    error

	stack  []exprFrame
	labels map[int]built
	nodes  int
	bands  int
	atoms  int
}

const (
	maxAtoms = 1 << 22 // words of all nodes
	maxArgs  = 32      // arguments of a node
)

// exprFrame is a node whose closing parenthesis has not been read.
type exprFrame struct {
	pos   int
	label int // 0 is none
	op    string
	args  []atom
	raw   json.RawMessage // of a custom node
	done  []built
}

// atom is an argument: a word or a list, with its key if it has one.
type atom struct {
	pos    int
	key    string
	text   string
	quoted bool
	list   []atom
	isList bool
}

func (p *exprReader) fail(pos int, found, expected string) {
	if p.err == nil {
		line, column := lineColumn([]byte(p.text), pos)
		p.err = &FileError{Line: line, Column: column, Found: found, Expected: expected}
	}
}

func (p *exprReader) next() string {
	if p.pos >= len(p.text) {
		return "the end of the expression"
	}
	return describeNext([]byte(p.text[p.pos:min(len(p.text), p.pos+40)]), 0)
}

func (p *exprReader) peek() byte {
	if p.pos < len(p.text) {
		return p.text[p.pos]
	}
	return 0
}

func (p *exprReader) space() {
	for p.pos < len(p.text) {
		r, n := utf8.DecodeRuneInString(p.text[p.pos:])
		if !unicode.IsSpace(r) {
			return
		}
		p.pos += n
	}
}

func (p *exprReader) tree() Node {
	if len(p.text) > MaxFileBytes {
		p.fail(0, fmt.Sprintf("%d bytes", len(p.text)), fmt.Sprintf("at most %d", MaxFileBytes))
		return nil
	}
	for p.err == nil {
		p.space()
		switch c := p.peek(); {
		case c == '(':
			p.open(p.pos, 0)
		case c == '#':
			if b, ok := p.label(); ok && p.attach(b) {
				return p.end(b)
			}
		case c == ')' && len(p.stack) > 0:
			p.pos++
			f := &p.stack[len(p.stack)-1]
			b := p.build(f)
			if f.label > 0 {
				p.labels[f.label] = b
			}
			p.stack = p.stack[:len(p.stack)-1]
			if p.err == nil && p.attach(b) {
				return p.end(b)
			}
		case len(p.stack) == 0:
			p.fail(p.pos, p.next(), "a node such as (load a.tif)")
		default:
			p.argument()
		}
	}
	return nil
}

// attach hands a node to the frame around it, and reports whether there is
// none.
func (p *exprReader) attach(b built) (top bool) {
	if len(p.stack) == 0 {
		return true
	}
	f := &p.stack[len(p.stack)-1]
	f.done = append(f.done, b)
	return false
}

func (p *exprReader) end(b built) Node {
	if p.space(); p.pos < len(p.text) {
		p.fail(p.pos, p.next()+" after the tree", "nothing")
	}
	return b.node
}

// open reads "(op".
func (p *exprReader) open(pos, label int) {
	p.pos++
	p.space()
	at := p.pos
	op := p.word()
	switch {
	case p.err != nil:
		return
	case op == "":
		p.fail(at, p.next(), "an operation such as load")
		return
	case kindOf(op) == KindCustom && (!strings.HasPrefix(op, "x-") || p.custom == nil):
		expected := "one of " + strings.Join(kindNames[KindLoad:], ", ")
		if near := spelling.Nearest(op, kindNames[KindLoad:]); near != "" {
			expected += fmt.Sprintf(" (did you mean %q?)", near)
		}
		p.fail(at, "op "+quoteShort(op), expected)
		return
	}
	if p.nodes++; p.nodes > MaxNodes {
		p.fail(pos, fmt.Sprintf("more than %d nodes", MaxNodes), "a smaller tree")
	}
	if len(p.stack) == MaxDepth {
		p.fail(pos, fmt.Sprintf("nesting deeper than %d nodes", MaxDepth), "a flatter tree")
	}
	p.stack = append(p.stack, exprFrame{pos: pos, label: label, op: op})
}

// label reads "#1=(op", which opens a node, or "#1#", which is one.
func (p *exprReader) label() (b built, ok bool) {
	start := p.pos
	p.pos++
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.pos++
	}
	n, err := strconv.Atoi(p.text[start+1 : p.pos])
	if err != nil || n < 1 {
		p.fail(start, p.text[start:p.pos], "a label such as #1= or #1#")
		return built{}, false
	}
	switch p.peek() {
	case '#':
		p.pos++
		if b, ok = p.labels[n]; !ok || b.node == nil {
			p.fail(start, fmt.Sprintf("#%d#", n), "a label whose node stands, complete, before it")
			return built{}, false
		}
		return b, true
	case '=':
		p.pos++
		if p.peek() != '(' {
			p.fail(p.pos, p.next(), "\"(\"")
		} else if _, dup := p.labels[n]; dup {
			p.fail(start, fmt.Sprintf("a second #%d=", n), "each label once")
		} else {
			p.labels[n] = built{}
			p.open(start, n)
		}
	default:
		p.fail(start, p.text[start:p.pos], "a label such as #1= or #1#")
	}
	return built{}, false
}

// argument reads a word, a list, either with a key, or a JSON object.
func (p *exprReader) argument() {
	f := &p.stack[len(p.stack)-1]
	if len(f.done) > 0 {
		p.fail(p.pos, p.next(), "another input or \")\"; arguments stand before inputs")
		return
	}
	if p.peek() == '{' && strings.HasPrefix(f.op, "x-") && f.raw == nil {
		d := json.NewDecoder(strings.NewReader(p.text[p.pos:]))
		if err := d.Decode(&f.raw); err != nil {
			p.fail(p.pos, "\"{\"", "a JSON object ("+err.Error()+")")
		}
		p.pos += int(d.InputOffset())
		return
	}
	if len(f.args) == maxArgs {
		p.fail(p.pos, fmt.Sprintf("more than %d arguments", maxArgs), "an input or \")\"")
		return
	}
	f.args = append(f.args, p.atom(true))
}

// atom reads a word or a list. Where a key may stand, "key=" may come first.
func (p *exprReader) atom(keyed bool) (a atom) {
	a.pos = p.pos
	if p.atoms++; p.atoms > maxAtoms {
		p.fail(p.pos, fmt.Sprintf("more than %d words", maxAtoms), "a smaller tree")
		return a
	}
	switch p.peek() {
	case '"':
		rest := p.text[p.pos:]
		raw, err := strconv.QuotedPrefix(rest)
		if err == nil {
			a.text, err = strconv.Unquote(raw)
		}
		if err != nil {
			p.fail(p.pos, "a string that is not closed or has a bad escape", "a Go string")
		}
		p.pos += len(raw)
		a.quoted = true
		return a
	case '[':
		p.list(&a, ']')
		return a
	case '(':
		if !keyed {
			p.list(&a, ')')
			return a
		}
	}
	if a.text = p.word(); a.text == "" {
		p.fail(p.pos, p.next(), "an argument or an input")
		return a
	}
	if keyed && p.peek() == '=' {
		p.pos++
		p.space()
		key := a.text
		a = p.atom(false)
		a.key = key
	}
	return a
}

// list reads up to the closing bracket. A semicolon is an item of its own.
func (p *exprReader) list(a *atom, closer byte) {
	p.pos++
	a.isList = true
	for p.err == nil {
		p.space()
		switch c := p.peek(); {
		case c == closer:
			p.pos++
			return
		case c == ';':
			a.list = append(a.list, atom{pos: p.pos, text: ";"})
			p.pos++
		case c == '[', c == '(' && closer == ')':
			p.fail(p.pos, p.next(), "a number, a word or "+strconv.Quote(string(closer)))
		default:
			a.list = append(a.list, p.atom(false))
		}
	}
}

// word reads up to a space or a character that means something.
func (p *exprReader) word() string {
	start := p.pos
	for p.pos < len(p.text) {
		r, n := utf8.DecodeRuneInString(p.text[p.pos:])
		if r == utf8.RuneError && n == 1 || unicode.IsSpace(r) || strings.ContainsRune(exprSpecial, r) {
			break
		}
		p.pos += n
	}
	return p.text[start:p.pos]
}

const exprSpecial = `()[]{};="`
