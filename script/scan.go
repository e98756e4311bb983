package script

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds on a source.
const (
	MaxSource = 256 << 10 // bytes

	maxStatement = 10000 // tokens of one statement, so that no expression nests deeper
	maxBrackets  = 200   // nested
)

// place is a position in a source, both from 1; columns count characters.
type place struct{ line, col int32 }

// lexeme is a token as far as the scan needs to know.
type lexeme struct {
	kind     lexemeKind
	off, end int // runes
	at       place
}

type lexemeKind uint8

const (
	nameLexeme lexemeKind = iota
	stringLexeme
	numberLexeme
	signLexeme // one character
	lineLexeme // the end of a line outside brackets
)

// source is a script whose text is changed in place, character for character,
// until Starlark's parser takes it.
type source struct {
	name    string
	text    []rune
	lexemes []lexeme
	load    string // the name that stands for load
	slices  map[place][]axis
}

// axis is one part of a subscript such as [0:128, 0:128, 0]: an expression, or
// a slice of two or three, some of them left out.
type axis struct {
	at    place
	parts []span
}

// span is a run of text; one without a lexeme is empty.
type span struct {
	off, end int // runes
	at       place
	text     string
	empty    bool
}

func newSource(name string, data []byte) (*source, error) {
	if len(data) > MaxSource {
		return nil, &Error{Name: name, Msg: fmt.Sprintf("the script has %d bytes, at most %d are read", len(data), MaxSource)}
	}
	if !utf8.Valid(data) {
		return nil, &Error{Name: name, Msg: "the script is not UTF-8"}
	}
	text := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.TrimPrefix(string(data), "\ufeff"))
	s := &source{name: name, text: []rune(text), slices: map[place][]axis{}}
	s.scan()
	if err := s.bound(); err != nil {
		return nil, err
	}
	if err := s.imports(); err != nil {
		return nil, err
	}
	s.renameLoad()
	s.subscripts()
	return s, nil
}

// scan splits the text into lexemes. What is malformed, such as a string that
// does not end, is left for the parser to complain about.
func (s *source) scan() {
	line, start, depth := int32(1), 0, 0
	add := func(k lexemeKind, off, end int) {
		s.lexemes = append(s.lexemes, lexeme{k, off, end, place{line, int32(off-start) + 1}})
	}
	for i := 0; i < len(s.text); {
		c := s.text[i]
		switch {
		case c == '\n':
			if depth == 0 {
				add(lineLexeme, i, i+1)
			}
			i++
			line, start = line+1, i
		case c == '#':
			for i < len(s.text) && s.text[i] != '\n' {
				i++
			}
		case c == '\\' && i+1 < len(s.text) && s.text[i+1] == '\n':
			i += 2
			line, start = line+1, i
		case unicode.IsSpace(c) || c == '\\':
			i++
		case s.stringAt(i) > 0:
			end := s.stringAt(i)
			add(stringLexeme, i, end)
			for ; i < end; i++ {
				if s.text[i] == '\n' {
					line, start = line+1, i+1
				}
			}
		case isNameStart(c) || isDigit(c):
			end := i + 1
			for end < len(s.text) && (isNameStart(s.text[end]) || isDigit(s.text[end]) || isDigit(c) && s.text[end] == '.') {
				end++
			}
			kind := nameLexeme
			if isDigit(c) {
				kind = numberLexeme
			}
			add(kind, i, end)
			i = end
		default:
			switch c {
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth = max(depth-1, 0)
			}
			add(signLexeme, i, i+1)
			i++
		}
	}
}

func isNameStart(c rune) bool { return c == '_' || unicode.IsLetter(c) }
func isDigit(c rune) bool     { return '0' <= c && c <= '9' }

// stringAt is the end of the string literal that starts at i, or 0.
func (s *source) stringAt(i int) int {
	t := s.text
	for n := 0; n < 2 && i < len(t) && strings.ContainsRune("rb", t[i]); n++ {
		i++
	}
	if i == len(t) || t[i] != '"' && t[i] != '\'' {
		return 0
	}
	quote, width := t[i], 1
	if i+2 < len(t) && t[i+1] == quote && t[i+2] == quote {
		width = 3
	}
	i += width
	for n := 0; i < len(t); i++ {
		switch {
		case t[i] == '\\':
			n = 0
			i++
		case t[i] == quote:
			if n++; n == width {
				return i + 1
			}
		case t[i] == '\n' && width == 1:
			return i
		default:
			n = 0
		}
	}
	return len(t)
}

// is reports whether lexeme i is a certain name or sign.
func (s *source) is(i int, text string) bool {
	if i < 0 || i >= len(s.lexemes) {
		return false
	}
	l := s.lexemes[i]
	return (l.kind == nameLexeme || l.kind == signLexeme) && string(s.text[l.off:l.end]) == text
}

func (s *source) fail(at place, format string, a ...any) error {
	return &Error{Name: s.name, Line: int(at.line), Column: int(at.col), Msg: fmt.Sprintf(format, a...)}
}

// bound refuses what would nest too deep for the stages that follow.
func (s *source) bound() error {
	depth, tokens := 0, 0
	for i, l := range s.lexemes {
		tokens++
		switch {
		case l.kind == lineLexeme:
			tokens = 0
		case s.is(i, "(") || s.is(i, "[") || s.is(i, "{"):
			if depth++; depth > maxBrackets {
				return s.fail(l.at, "brackets nest deeper than %d", maxBrackets)
			}
		case s.is(i, ")") || s.is(i, "]") || s.is(i, "}"):
			depth--
		}
		if tokens > maxStatement {
			return s.fail(l.at, "the statement has more than %d tokens", maxStatement)
		}
	}
	return nil
}

// imports blanks out imports of modules whose names are there anyway, and refuses
// any other.
func (s *source) imports() error {
	for i := 0; i < len(s.lexemes); i++ {
		if !s.is(i, "import") && !s.is(i, "from") || i > 0 && s.lexemes[i-1].kind != lineLexeme && !s.is(i-1, ";") {
			continue
		}
		end := i
		for end < len(s.lexemes) && s.lexemes[end].kind != lineLexeme && !s.is(end, ";") {
			end++
		}
		if !s.importable(i, end) {
			return s.fail(s.lexemes[i].at, "a script imports nothing but delayed_image, kwimage, math and \"numpy as np\", and from delayed_image; all may be left out")
		}
		s.blank(s.lexemes[i].off, s.lexemes[end-1].end, "pass")
		s.lexemes = slices.Delete(s.lexemes, i+1, end)
	}
	return nil
}

// importable reports whether a script may import what the lexemes from i to end
// do.
func (s *source) importable(i, end int) bool {
	words := make([]string, 0, 4)
	for _, l := range s.lexemes[i:end] {
		words = append(words, string(s.text[l.off:l.end]))
	}
	if len(words) < 2 {
		return false
	}
	name, known := importNames[words[1]]
	if words[0] == "import" {
		return known && (len(words) == 2 || len(words) == 4 && words[2] == "as" && words[3] == name)
	}
	return words[1] == "delayed_image" && !slices.Contains(words, "as")
}

// blank overwrites a run of text, line breaks aside.
func (s *source) blank(off, end int, with string) {
	rest := []rune(with)
	for i := off; i < end; i++ {
		if s.text[i] == '\n' {
			continue
		}
		s.text[i] = ' '
		if len(rest) > 0 {
			s.text[i], rest = rest[0], rest[1:]
		}
	}
}

// renameLoad gives load, a keyword of Starlark, a name of the same length that
// the script does not use. The parser's result gets the old name back.
func (s *source) renameLoad() {
	used := map[string]bool{}
	var at []lexeme
	for i, l := range s.lexemes {
		if l.kind == nameLexeme {
			if used[string(s.text[l.off:l.end])] = true; s.is(i, "load") {
				at = append(at, l)
			}
		}
	}
	for i := 0; ; i++ {
		s.load = fmt.Sprintf("l%03x", i)
		if !used[s.load] {
			break
		}
	}
	for _, l := range at {
		copy(s.text[l.off:l.end], []rune(s.load))
	}
}
