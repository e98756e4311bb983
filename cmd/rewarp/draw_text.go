package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rivo/uniseg"

	"github.com/rewarp/rewarp/ast"
)

// textLine is a line of a tree: bars, what stands on them, and the bars that
// go on where the text needs more lines than one.
type textLine struct {
	bars, rest string
	text       string
	node       ast.Node // nil on a line of bars only
	more       bool     // the rest of the line above
}

// treeLines is ast.FormatText line by line.
func treeLines(root ast.Node) []textLine {
	type drawn struct {
		node        ast.Node
		first, rest string
		below       bool // its parent has no other input
	}
	parents := map[ast.Node]int{}
	for _, n := range distinct(root) {
		for i := range n.NumInputs() {
			parents[n.Input(i)]++
		}
	}
	const deepest = 240 // cells of indent
	var lines []textLine
	numbers := map[ast.Node]int{}
	for stack := []drawn{{root, "╙── ", "    ", false}}; len(stack) > 0; {
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if d.below {
			lines = append(lines, textLine{bars: d.rest + "╽"})
		}
		line := textLine{bars: d.first, rest: d.rest, text: ast.Label(d.node), node: d.node}
		if number := numbers[d.node]; number > 0 {
			op, _, _ := strings.Cut(line.text, " ")
			line.text = fmt.Sprintf("%s [shared #%d]", op, number)
			lines = append(lines, line)
			continue
		}
		if parents[d.node] > 1 {
			numbers[d.node] = len(numbers) + 1
			line.text += fmt.Sprintf(" [#%d]", numbers[d.node])
		}
		lines = append(lines, line)
		count := d.node.NumInputs()
		if count == 1 {
			stack = append(stack, drawn{d.node.Input(0), d.rest, d.rest, true})
			continue
		}
		for i := count - 1; i >= 0; i-- {
			c := drawn{node: d.node.Input(i), first: d.rest + "├─╼ ", rest: d.rest + "│   "}
			if i == count-1 {
				c.first, c.rest = d.rest+"└─╼ ", d.rest+"    "
			}
			if len(d.rest) > deepest {
				c.rest = d.rest
			}
			stack = append(stack, c)
		}
	}
	return lines
}

// hanging is how far the text of a node that is broken is indented.
const hanging = "  "

// fit breaks lines at commas so that they take at most width cells, where they
// can be broken.
func fit(lines []textLine, width int) []textLine {
	var out []textLine
	for _, l := range lines {
		room := max(width-uniseg.StringWidth(l.bars), 24)
		first := true
		for rest := l.text; ; {
			part, more := breakText(rest, room)
			next := l
			next.text, next.more = part, !first
			if !first {
				next.bars = l.rest
				if l.node != nil && l.node.NumInputs() > 1 {
					next.bars += "│"
					next.text = strings.Replace(part, " ", "", 1)
				} else if l.node != nil && l.node.NumInputs() == 1 {
					next.bars += "╽"
					next.text = strings.Replace(part, " ", "", 1)
				}
			}
			out = append(out, next)
			if more == "" {
				break
			}
			rest, first = hanging+more, false
		}
	}
	return out
}

// breakText cuts a text after the last comma, or at the last blank, that lets
// the first part fit; else where it is full.
func breakText(text string, room int) (part, more string) {
	cells, cut, full := 0, 0, 0
	state := -1
	for rest := text; rest != ""; {
		cluster, tail, w, next := uniseg.FirstGraphemeClusterInString(rest, state)
		if cells+w > room {
			at := cut
			if at <= len(hanging) {
				at = max(full, len(cluster))
			}
			return strings.TrimRight(text[:at], " "), strings.TrimLeft(text[at:], " ")
		}
		cells += w
		rest, state = tail, next
		full = len(text) - len(rest)
		if cluster == "," || cluster == " " {
			cut = full
		}
	}
	return text, ""
}

// wrap breaks the lines of a text that are wider than the terminal at blanks,
// and indents what goes on.
func (t terminal) wrap(text string) string {
	if t.width == 0 {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		rest := strings.TrimLeft(line, " ")
		indent := line[:len(line)-len(rest)]
		room := max(t.width-len(indent), 24)
		for {
			part, more := breakText(rest, room)
			b.WriteString(indent + part + "\n")
			if more == "" {
				break
			}
			rest = hanging + more
		}
	}
	return b.String()
}

// widest is how many cells the lines take.
func widest(lines []textLine) int {
	most := 0
	for _, l := range lines {
		most = max(most, uniseg.StringWidth(l.bars)+uniseg.StringWidth(l.text))
	}
	return most
}

// tree writes a tree in text. With fates, marks stand before the nodes.
func (t terminal) tree(b *bytes.Buffer, n ast.Node, fates map[ast.Node]fate) {
	lines := treeLines(n)
	if t.width > 0 {
		lines = fit(lines, t.width-len(fateMarks[0]))
	}
	for _, l := range lines {
		b.WriteString(t.line(l, fates) + "\n")
	}
}

// line is a line as the terminal shows it.
func (t terminal) line(l textLine, fates map[ast.Node]fate) string {
	f := fates[l.node]
	if l.node == nil {
		f = kept
	}
	mark := ""
	if fates != nil {
		mark = fateMarks[f]
		if l.more {
			mark = fateMarks[kept]
		}
	}
	style := [...]string{kept: "", changed: yellow, added: green, dropped: red}[f]
	op, fields, found := strings.Cut(l.text, " ")
	if l.more || !found {
		return t.paint(style, mark) + t.paint(faint, l.bars) + t.paint(style, l.text)
	}
	return t.paint(style, mark) + t.paint(faint, l.bars) + t.paint(bold+style, op) + t.paint(style, " "+fields)
}

// wideEnough is the width from which two trees stand side by side even if
// their lines must be broken.
const wideEnough = 120

// gap stands between two trees side by side.
const gap = " │ "

// pair writes two trees, side by side where the terminal is wide enough.
func (t terminal) pair(b *bytes.Buffer, before, after ast.Node, first, second string) {
	c := compareTrees(before, after)
	left, right := treeLines(before), treeLines(after)
	mark := len(fateMarks[0])
	wl, wr, ok := columns(t.width, max(widest(left)+mark, len(first)), max(widest(right)+mark, len(second)))
	if !ok {
		fmt.Fprintln(b, t.paint(bold, first))
		t.tree(b, before, c.of)
		fmt.Fprintf(b, "\n%s\n", t.paint(bold, second))
		t.tree(b, after, c.of)
		return
	}
	left, right = fit(left, wl-mark), fit(right, wr-mark)
	fmt.Fprintf(b, "%s%*s%s%s\n", t.paint(bold, first), wl-uniseg.StringWidth(first), "", t.paint(faint, gap), t.paint(bold, second))
	for i := range max(len(left), len(right)) {
		blank := wl
		if i < len(left) {
			l := left[i]
			b.WriteString(t.line(l, c.of))
			blank -= mark + uniseg.StringWidth(l.bars) + uniseg.StringWidth(l.text)
		}
		fmt.Fprintf(b, "%*s", max(blank, 0), "")
		if i < len(right) {
			b.WriteString(t.paint(faint, gap) + strings.TrimRight(t.line(right[i], c.of), " "))
		} else {
			b.WriteString(t.paint(faint, strings.TrimRight(gap, " ")))
		}
		b.WriteByte('\n')
	}
}

// columns is how many cells two texts that would take left and right get side
// by side in width, if they do.
func columns(width, left, right int) (wl, wr int, ok bool) {
	room := width - len([]rune(gap))
	switch {
	case left+right <= room:
		return left, right, true
	case width < wideEnough:
		return 0, 0, false
	case left <= room/2:
		return left, room - left, true
	case right <= room/2:
		return room - right, right, true
	}
	return room - room/2, room / 2, true
}
