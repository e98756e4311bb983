package main

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

// A film is a picture of the tree after every firing, one after another. What
// shows no motion, or is asked not to, shows the last one.
const (
	maxFrames  = 60
	frameTime  = 2.0 // seconds
	lastTime   = 5.0
	filmColumn = 44 // runes of a line beside the tree
	filmLine   = 18.0
)

// frame is one picture of a film.
type frame struct {
	tree  ast.Node
	last  ast.Node // of the frame before, nil for the first
	title string
	lines []string
}

// framesOf are the tree as written, and after each firing.
func framesOf(before ast.Node, res rewrite.Result, trees []ast.Node) []frame {
	frames := []frame{{tree: before, title: "as written"}}
	for i, n := range trees {
		if len(frames) == maxFrames && i < len(trees)-1 {
			continue
		}
		f := res.Trace()[i]
		frames = append(frames, frame{
			tree: n, last: frames[len(frames)-1].tree,
			title: fmt.Sprintf("%d of %d: %s", i+1, len(trees), f.Rule.Name()),
			lines: append([]string{fmt.Sprintf("%s, %v, at %s", f.Pass, f.Rule.Fidelity(), place(f.Path))}, folded(f.Rule.Doc(), filmColumn)...),
		})
	}
	return frames
}

// drawFilm writes a film as an SVG that needs no script.
func drawFilm(b *bytes.Buffer, before ast.Node, res rewrite.Result, trees []ast.Node) {
	frames := framesOf(before, res, trees)
	diagrams := make([]diagram, len(frames))
	var width, height float64
	lines := 0
	for i, f := range frames {
		diagrams[i] = layoutTree(f.tree)
		width, height = max(width, diagrams[i].width), max(height, diagrams[i].full())
		lines = max(lines, len(f.lines))
	}
	x := margin + width + 2*margin
	costs := margin + 16 + float64(lines+1)*filmLine
	openCard(b, x+filmColumn*7.3+margin, max(height+2*margin, costs+savingsHeight+margin),
		fmt.Sprintf("A tree is rewritten in %s", plural(int64(len(trees)), "step")))
	fmt.Fprintf(b, "<style>\n%s</style>\n", filmStyle(len(frames)))
	total := frameTime*float64(len(frames)-1) + lastTime
	for i, f := range frames {
		class := "frame"
		if i == len(frames)-1 {
			class = "frame last"
		}
		// Delays are negative, so that every frame is in its turn from the start.
		fmt.Fprintf(b, `<g class="%s" style="animation-delay:%ss">`+"\n", class, num(frameTime*float64(i)-total))
		var fates map[ast.Node]fate
		if f.last != nil {
			fates = compareTrees(f.last, f.tree).of
		}
		diagrams[i].draw(b, margin, margin, fates)
		fmt.Fprintf(b, `<text class="head" x="%s" y="%d">%s</text>`+"\n", num(x), margin+16, escape(f.title))
		for k, line := range f.lines {
			fmt.Fprintf(b, `<text class="note" x="%s" y="%s">%s</text>`+"\n", num(x), num(margin+16+float64(k+1)*filmLine+4), escape(line))
		}
		drawSavings(b, x, costs, rewrite.CostOf(before), rewrite.CostOf(f.tree))
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
}

// filmStyle shows each of n frames in its turn, for ever.
func filmStyle(n int) string {
	total := frameTime*float64(n-1) + lastTime
	turn := func(name string, seconds float64) string {
		return fmt.Sprintf("@keyframes %s { 0%% { visibility: visible } %s%%, 100%% { visibility: hidden } }\n", name, num(100*seconds/total))
	}
	return ".frame { visibility: hidden }\n.last { visibility: visible }\n" +
		turn("turn", frameTime) + turn("end", lastTime) +
		"@media (prefers-reduced-motion: no-preference) {\n" +
		fmt.Sprintf(".frame { animation: turn %ss step-end infinite }\n.last { animation-name: end }\n}\n", num(total))
}

// folded breaks a text into lines of at most so many runes, where it has blanks.
func folded(text string, width int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last >= 0 && len([]rune(lines[last]))+1+len([]rune(word)) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
