package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"strings"
	"unicode"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

var (
	//go:embed assets/diagram.css
	diagramStyle string
	//go:embed assets/diagram-dark.css
	diagramDark string
)

// Both themes of a picture that stands alone: a card with its own ground, so
// that it reads on a page of any colour.
var (
	cardStyle = diagramStyle + `.card { fill: #ffffff; stroke: #d0d7de }
.head { font-weight: 700; font-size: 15px }
.note { fill: #57606a }
.was { fill: #8c959f }
.now { fill: #2da44e }
.arrow { fill: none; stroke: #218bff; stroke-width: 3 }
`
	cardDark = diagramDark + `.card { fill: #0d1117; stroke: #30363d }
.note { fill: #9da7b1 }
.was { fill: #6e7681 }
.now { fill: #3fb950 }
.arrow { stroke: #4493f8 }
`
)

// escape is text inside XML and HTML. What XML cannot hold becomes U+FFFD.
func escape(s string) string {
	return html.EscapeString(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == 0xfffe || r == 0xffff {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD")))
}

// num is a coordinate.
func num(v float64) string {
	s := fmt.Sprintf("%.2f", v)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

// draw writes the elements of a diagram, moved by (dx, dy).
func (d *diagram) draw(b *bytes.Buffer, dx, dy float64, fates map[ast.Node]fate) {
	for _, l := range d.links {
		fmt.Fprintf(b, `<path class="link" d="M%s %s`, num(dx+l.points[0][0]), num(dy+l.points[0][1]))
		for i, p := range l.points[1:] {
			q := l.points[i]
			if q[0] == p[0] {
				fmt.Fprintf(b, "V%s", num(dy+p[1]))
				continue
			}
			bend := (q[1] + p[1]) / 2
			fmt.Fprintf(b, "C%s %s %s %s %s %s", num(dx+q[0]), num(dy+bend), num(dx+p[0]), num(dy+bend), num(dx+p[0]), num(dy+p[1]))
		}
		b.WriteString("\"/>\n")
	}
	for _, n := range d.boxes {
		class := n.node.Kind().String()
		mark := ""
		if fates != nil {
			class += " " + fates[n.node].String()
			if f := fates[n.node]; f != kept {
				mark = f.String()
			}
		}
		title := ast.Label(n.node)
		if mark != "" {
			title += " (" + mark + ")"
		}
		fmt.Fprintf(b, `<g class="%s"><title>%s</title>`, class, escape(title))
		fmt.Fprintf(b, `<rect class="box" x="%s" y="%s" width="%s" height="%s" rx="6"/>`, num(dx+n.x), num(dy+n.y), num(n.w), num(n.h))
		y := dy + n.y + boxPadding + 12
		fmt.Fprintf(b, `<text class="op" x="%s" y="%s">%s</text>`, num(dx+n.x+10), num(y), escape(n.title))
		if mark != "" {
			fmt.Fprintf(b, `<text class="mark" x="%s" y="%s" text-anchor="end">%s</text>`, num(dx+n.x+n.w-9), num(y), mark)
		}
		for i, s := range n.details {
			fmt.Fprintf(b, `<text x="%s" y="%s">%s</text>`, num(dx+n.x+10), num(y+titleLine+float64(i)*detailLine-1), escape(s))
		}
		b.WriteString("</g>\n")
	}
	if d.left > 0 {
		fmt.Fprintf(b, `<text class="mark" x="%s" y="%s">and %s below</text>`, num(dx), num(dy+d.height+16), plural(int64(d.left), "more node"))
	}
}

// full is the height with the line on what is left out.
func (d *diagram) full() float64 {
	if d.left > 0 {
		return d.height + 24
	}
	return d.height
}

// openCard begins a picture that stands alone.
func openCard(b *bytes.Buffer, w, h float64, label string) {
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" role="img" aria-label="%s">`+"\n",
		num(w), num(h), num(w), num(h), escape(label))
	fmt.Fprintf(b, "<style>\n%s@media (prefers-color-scheme: dark) {\n%s}\n</style>\n", cardStyle, cardDark)
	fmt.Fprintf(b, `<rect class="card" x=".5" y=".5" width="%s" height="%s" rx="10"/>`+"\n", num(w-1), num(h-1))
}

// margin is around what a card holds.
const margin = 24

// drawTree is one tree as an SVG.
func drawTree(n ast.Node) string {
	var b bytes.Buffer
	d := layoutTree(n)
	openCard(&b, d.width+2*margin, d.full()+2*margin, "A tree of "+plural(int64(len(d.boxes)+d.left), "node"))
	d.draw(&b, margin, margin, nil)
	b.WriteString("</svg>\n")
	return b.String()
}

// drawPair is the tree as written beside the rewritten one, with what that
// saves below the shorter one.
func drawPair(b *bytes.Buffer, before ast.Node, res rewrite.Result) {
	const (
		head   = 30  // above a diagram
		middle = 120 // between the two
	)
	fates := compareTrees(before, res.Node).of
	l, r := layoutTree(before), layoutTree(res.Node)
	x := margin + l.width + middle
	costs := r.full() + 30
	h := max(l.full(), costs+savingsHeight) + head
	openCard(b, x+max(r.width, boxWidth)+margin, h+2*margin, fmt.Sprintf("A tree of %s becomes one of %d",
		plural(int64(len(l.boxes)+l.left), "node"), len(r.boxes)+r.left))
	y := float64(margin + head)
	fmt.Fprintf(b, `<text class="head" x="%d" y="%d">as written</text>`+"\n", margin, margin+8)
	fmt.Fprintf(b, `<text class="head" x="%s" y="%d">as run</text>`+"\n", num(x), margin+8)
	l.draw(b, margin, y, fates)
	r.draw(b, x, y, fates)
	ax, ay := margin+l.width+20, y+min(l.height, r.height)/2
	fmt.Fprintf(b, `<path class="arrow" d="M%s %sh78m-13 -9l14 9l-14 9"/>`+"\n", num(ax), num(ay))
	fmt.Fprintf(b, `<text class="note" x="%s" y="%s" text-anchor="middle">%s</text>`+"\n", num(ax+40), num(ay-16), plural(int64(res.Fired), "firing"))
	drawSavings(b, x, y+costs, rewrite.CostOf(before), rewrite.CostOf(res.Node))
	b.WriteString("</svg>\n")
}

const savingsHeight = 3 * 46

// drawSavings draws a pair of bars for each part of the cost.
func drawSavings(b *bytes.Buffer, x, y float64, before, after rewrite.Cost) {
	rows := []struct {
		what     string
		was, now float64
		text     func(float64) string
	}{
		{"read", before.Read, after.Read, count},
		{"resampled", before.Resampled, after.Resampled, count},
		{"moved", before.Bytes, after.Bytes, byteText},
	}
	for i, r := range rows {
		top := y + float64(i)*46
		whole := max(r.was, r.now, 1)
		length := func(v float64) string {
			if v == 0 {
				return "0"
			}
			return num(max(v/whole*boxWidth, 2))
		}
		fmt.Fprintf(b, `<text class="note" x="%s" y="%s">%s</text>`+"\n", num(x), num(top+4), r.what)
		fmt.Fprintf(b, `<text x="%s" y="%s" text-anchor="end">%s → %s</text>`+"\n", num(x+boxWidth), num(top+4), r.text(r.was), r.text(r.now))
		fmt.Fprintf(b, `<rect class="was" x="%s" y="%s" width="%s" height="6" rx="2"/>`+"\n", num(x), num(top+12), length(r.was))
		fmt.Fprintf(b, `<rect class="now" x="%s" y="%s" width="%s" height="6" rx="2"/>`+"\n", num(x), num(top+20), length(r.now))
	}
}
