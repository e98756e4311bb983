package script

// subscripts finds the subscripts that Starlark's grammar lacks: those with a
// colon and a comma, such as x[0:128, 0:128]. It records their parts by the
// place of the bracket and leaves x[0], innermost first.
func (s *source) subscripts() {
	var open []int // lexemes of brackets
	for i := range s.lexemes {
		switch {
		case s.is(i, "(") || s.is(i, "[") || s.is(i, "{"):
			open = append(open, i)
		case (s.is(i, ")") || s.is(i, "]") || s.is(i, "}")) && len(open) > 0:
			first := open[len(open)-1]
			open = open[:len(open)-1]
			if s.is(i, "]") && s.is(first, "[") && s.isSubscript(first) {
				s.subscript(first, i)
			}
		}
	}
}

var beforeList = map[string]bool{
	"and": true, "elif": true, "else": true, "for": true, "if": true, "in": true,
	"lambda": true, "not": true, "or": true, "return": true,
}

// isSubscript reports whether the bracket follows an expression.
func (s *source) isSubscript(bracket int) bool {
	if bracket == 0 {
		return false
	}
	l := s.lexemes[bracket-1]
	text := string(s.text[l.off:l.end])
	switch l.kind {
	case nameLexeme:
		return !beforeList[text]
	case stringLexeme:
		return true
	case signLexeme:
		return text == ")" || text == "]" || text == "}"
	}
	return false
}

// subscript records what stands between two brackets.
func (s *source) subscript(first, last int) {
	var axes []axis
	commas, colons, lambdas, depth := 0, 0, 0, 0
	part := s.after(first)
	at := axis{}
	endPart := func(i int) {
		part.end = s.lexemes[i].off
		at.parts = append(at.parts, part)
		part = s.after(i)
	}
	for i := first + 1; i < last; i++ {
		if at.at == (place{}) {
			at.at = s.lexemes[i].at
		}
		switch {
		case s.is(i, "(") || s.is(i, "[") || s.is(i, "{"):
			depth++
		case s.is(i, ")") || s.is(i, "]") || s.is(i, "}"):
			depth--
		case depth > 0:
		case s.is(i, "lambda"):
			lambdas++
		case s.is(i, ":") && lambdas > 0:
			lambdas--
		case s.is(i, ":"):
			colons++
			endPart(i)
			continue
		case s.is(i, ",") && lambdas == 0:
			commas++
			endPart(i)
			axes = append(axes, at)
			at = axis{}
			continue
		}
		part.empty = false
	}
	if commas == 0 || colons == 0 {
		return
	}
	endPart(last)
	if len(at.parts) > 1 || !at.parts[0].empty { // else a comma at the end
		axes = append(axes, at)
	}
	bracket := s.lexemes[first]
	for i := range axes {
		for k := range axes[i].parts {
			p := &axes[i].parts[k]
			p.text = string(s.text[p.off:p.end])
		}
	}
	s.slices[bracket.at] = axes
	s.blank(bracket.end, s.lexemes[last].off, "0")
}

// after is the empty span that starts behind a lexeme of one character.
func (s *source) after(i int) span {
	l := s.lexemes[i]
	return span{off: l.end, at: place{l.at.line, l.at.col + 1}, empty: true}
}
