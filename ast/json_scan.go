package ast

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"
)

// scanner reads JSON, as RFC 8259 has it, without recursion.
type scanner struct {
	document
	pos   int
	stack []open
}

type open struct{ container, last int32 }

func parseDocument(data []byte) (*document, error) {
	s := &scanner{document: document{data: data}}
	if len(data) > MaxFileBytes {
		return nil, s.failAt(0, -1, fmt.Sprintf("%d bytes", len(data)), fmt.Sprintf("at most %d", MaxFileBytes))
	}
	if len(data) >= 3 && string(data[:3]) == "\xef\xbb\xbf" {
		s.pos = 3
	}
	for {
		done, err := s.value()
		if err != nil {
			return nil, err
		}
		if done {
			break
		}
	}
	s.space()
	if s.pos < len(data) {
		return nil, s.failAt(s.pos, -1, s.next()+" after the end of the tree", "nothing")
	}
	return &s.document, nil
}

// value reads one value, or what opens it, with the key before and the closing
// brackets after. It reports whether the top is complete.
func (s *scanner) value() (done bool, err error) {
	v := value{parent: -1}
	in := int32(-1)
	if len(s.stack) > 0 {
		in = s.stack[len(s.stack)-1].container
		v.parent = in
		s.space()
		if s.values[in].kind == objectValue {
			if v.key, v.keyEnd, err = s.keyOf(in); err != nil {
				return false, err
			}
		}
	}
	s.space()
	if len(s.values) == maxValues {
		return false, s.failAt(s.pos, in, fmt.Sprintf("more than %d values", maxValues), "a smaller file")
	}
	v.off = int32(s.pos)
	opened := false
	switch c := s.peek(); {
	case c == '{' || c == '[':
		if len(s.stack) == maxNesting {
			return false, s.failAt(s.pos, in, fmt.Sprintf("nesting deeper than %d nodes", MaxDepth), "a flatter tree")
		}
		s.pos++
		v.kind, opened = arrayValue, true
		if c == '{' {
			v.kind = objectValue
		}
	case c == '"':
		v.kind = stringValue
		err = s.str(in)
	case c == '-' || c >= '0' && c <= '9':
		v.kind = numberValue
		err = s.number(in)
	case s.word("true"), s.word("false"):
		v.kind = boolValue
	case s.word("null"):
	default:
		return false, s.failAt(s.pos, in, s.next(), "a value")
	}
	if err != nil {
		return false, err
	}
	v.end = int32(s.pos)
	id := int32(len(s.values))
	s.values = append(s.values, v)
	if in >= 0 {
		s.link(in, id)
	}
	if opened {
		s.stack = append(s.stack, open{container: id})
		s.space()
		if c := s.peek(); c != s.closer(id) {
			return false, nil
		}
		s.close()
	}
	return s.after()
}

func (s *scanner) link(in, id int32) {
	top := &s.stack[len(s.stack)-1]
	if top.last == 0 {
		s.values[in].child = id
	} else {
		s.values[top.last].sibling = id
	}
	top.last = id
	s.values[in].count++
}

// after reads the commas and closing brackets that follow a value.
func (s *scanner) after() (done bool, err error) {
	for len(s.stack) > 0 {
		s.space()
		in := s.stack[len(s.stack)-1].container
		switch c := s.peek(); c {
		case ',':
			s.pos++
			return false, nil
		case s.closer(in):
			if err := s.unique(in); err != nil {
				return false, err
			}
			s.close()
		default:
			return false, s.failAt(s.pos, in, s.next(), fmt.Sprintf("\",\" or %q", string(s.closer(in))))
		}
	}
	return true, nil
}

func (s *scanner) closer(id int32) byte {
	if s.values[id].kind == objectValue {
		return '}'
	}
	return ']'
}

func (s *scanner) close() {
	s.pos++
	s.values[s.stack[len(s.stack)-1].container].end = int32(s.pos)
	s.stack = s.stack[:len(s.stack)-1]
}

// unique refuses a key that an object has twice.
func (s *scanner) unique(in int32) error {
	v := &s.values[in]
	if v.kind != objectValue || v.count < 2 {
		return nil
	}
	var few [16]string
	keys := few[:0]
	var many map[string]bool
	if v.count > int32(len(few)) {
		many = make(map[string]bool, v.count)
	}
	for id := v.child; id != 0; id = s.values[id].sibling {
		k := s.keyName(id)
		if many != nil && many[k] || many == nil && slices.Contains(keys, k) {
			return s.failAt(int(s.values[id].key), in, "a second "+quoteShort(k), "each field once")
		}
		if many != nil {
			many[k] = true
		} else {
			keys = append(keys, k)
		}
	}
	return nil
}

func (s *scanner) keyOf(in int32) (start, end int32, err error) {
	if s.peek() != '"' {
		return 0, 0, s.failAt(s.pos, in, s.next(), "a field name in quotes")
	}
	start = int32(s.pos)
	if err := s.str(in); err != nil {
		return 0, 0, err
	}
	end = int32(s.pos)
	s.space()
	if s.peek() != ':' {
		return 0, 0, s.failAt(s.pos, in, s.next(), "\":\"")
	}
	s.pos++
	return start, end, nil
}

func (s *scanner) space() {
	for s.pos < len(s.data) {
		switch s.data[s.pos] {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return
		}
	}
}

// peek is the next byte, 0 at the end of the file.
func (s *scanner) peek() byte {
	if s.pos < len(s.data) {
		return s.data[s.pos]
	}
	return 0
}

func (s *scanner) word(w string) bool {
	if len(s.data)-s.pos < len(w) || string(s.data[s.pos:s.pos+len(w)]) != w {
		return false
	}
	s.pos += len(w)
	return true
}

// next describes what stands at the position.
func (s *scanner) next() string { return describeNext(s.data, s.pos) }

func describeNext(data []byte, pos int) string {
	if pos >= len(data) {
		return "the end of the file"
	}
	end := pos
	for end < len(data) && end-pos < 20 && (data[end] >= 'a' && data[end] <= 'z' || data[end] >= 'A' && data[end] <= 'Z') {
		end++
	}
	if end > pos {
		return strconv.Quote(string(data[pos:end]))
	}
	_, n := utf8.DecodeRune(data[pos:])
	return strconv.Quote(string(data[pos : pos+n]))
}

func (s *scanner) digits() int {
	n := 0
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.pos++
		n++
	}
	return n
}

func (s *scanner) number(in int32) error {
	start := s.pos
	if s.peek() == '-' {
		s.pos++
	}
	zero := s.peek() == '0'
	if n := s.digits(); n == 0 {
		return s.failAt(s.pos, in, s.next(), "a digit")
	} else if zero && n > 1 {
		return s.failAt(start, in, "a number with a leading 0", "one without")
	}
	if s.peek() == '.' {
		s.pos++
		if s.digits() == 0 {
			return s.failAt(s.pos, in, s.next(), "a digit")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.pos++
		if c := s.peek(); c == '+' || c == '-' {
			s.pos++
		}
		if s.digits() == 0 {
			return s.failAt(s.pos, in, s.next(), "a digit")
		}
	}
	return nil
}

// str reads a string, and checks that unquote will understand it.
func (s *scanner) str(in int32) error {
	start := s.pos
	s.pos++
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return nil
		case c < ' ':
			return s.failAt(s.pos, in, fmt.Sprintf("control character %#02x in a string", c), "an escape such as \\n")
		case c == '\\':
			if err := s.escape(in); err != nil {
				return err
			}
		case c < utf8.RuneSelf:
			s.pos++
		default:
			r, n := utf8.DecodeRune(s.data[s.pos:])
			if r == utf8.RuneError && n == 1 {
				return s.failAt(s.pos, in, fmt.Sprintf("byte %#02x in a string", c), "UTF-8")
			}
			s.pos += n
		}
	}
	return s.failAt(start, in, "a string that never ends", "a closing quote")
}

func (s *scanner) escape(in int32) error {
	start := s.pos
	s.pos++
	switch c := s.peek(); c {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos++
		return nil
	case 'u':
		r, ok := s.hex()
		if ok && r >= 0xd800 && r < 0xe000 { // half of a pair
			var low int
			high := r < 0xdc00
			ok = high && s.word("\\")
			if ok {
				low, ok = s.hex()
				ok = ok && low >= 0xdc00 && low < 0xe000
			}
		}
		if ok {
			return nil
		}
	}
	return s.failAt(start, in, "a bad escape", "one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX")
}

// hex reads uXXXX.
func (s *scanner) hex() (r int, ok bool) {
	if len(s.data)-s.pos < 5 || s.data[s.pos] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s.data[s.pos+1:s.pos+5]), 16, 32)
	s.pos += 5
	return int(v), err == nil
}
