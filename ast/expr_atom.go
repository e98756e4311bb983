package ast

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// describe says what an atom is, for an error.
func (a *atom) describe() string {
	switch {
	case a.isList:
		return fmt.Sprintf("a list of %d", len(a.list))
	case a.key != "":
		return a.key + "=" + quoteShort(a.text)
	}
	return quoteShort(a.text)
}

func (p *exprReader) number(a *atom) float64 {
	v, err := strconv.ParseFloat(a.text, 64)
	if a.isList || a.quoted || err != nil || math.IsNaN(v) || math.IsInf(v, 0) || strings.ContainsAny(a.text, "xX_pP") {
		p.fail(a.pos, a.describe(), "a number")
		return 0
	}
	return v
}

func (p *exprReader) int(a *atom) int {
	v, err := strconv.ParseInt(a.text, 10, 64)
	if a.isList || a.quoted || err != nil || v > MaxExtent || v < -MaxExtent {
		p.fail(a.pos, a.describe(), fmt.Sprintf("a whole number of at most %d", MaxExtent))
		return 0
	}
	return int(v)
}

// items are the parts of a list; n bounds their number if it is not 0.
func (p *exprReader) items(a *atom, n ...int) []atom {
	ok := len(n) == 0
	for _, n := range n {
		ok = ok || len(a.list) == n
	}
	if !a.isList || !ok {
		p.fail(a.pos, a.describe(), fmt.Sprintf("a list [ ] of %s", countText(n)))
		return nil
	}
	return a.list
}

func countText(n []int) string {
	switch len(n) {
	case 0:
		return "values"
	case 1:
		return strconv.Itoa(n[0])
	}
	return fmt.Sprintf("%d or %d", n[0], n[1])
}

func (p *exprReader) ints(a *atom, n ...int) []int {
	items := p.items(a, n...)
	out := make([]int, len(items))
	for i := range items {
		out[i] = p.int(&items[i])
	}
	return out
}

func (p *exprReader) numbers(a *atom, n ...int) []float64 {
	items := p.items(a, n...)
	out := make([]float64, len(items))
	for i := range items {
		out[i] = p.number(&items[i])
	}
	return out
}
