package main

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Select Graphic Rendition parameters.
const (
	bold   = "1;"
	faint  = "2;"
	red    = "31;"
	green  = "32;"
	yellow = "33;"
)

// terminal is how text is shown.
type terminal struct {
	color bool
	marks bool // what changed is marked
	width int  // in cells, 0 where lines may be of any length
}

// paint is text in a style, a list of parameters.
func (t terminal) paint(style, text string) string {
	if !t.color || style == "" || text == "" {
		return text
	}
	return "\x1b[" + style[:len(style)-1] + "m" + text + "\x1b[0m"
}

// newColor is the flag --color.
func newColor() choice { return choice{"auto", []string{"auto", "always", "never"}} }

// terminalOf is what can be shown on w: colour and marks on a terminal, where
// NO_COLOR takes the colour away, or where it is asked for.
func terminalOf(w io.Writer, color string, env func(string) string) terminal {
	t := terminal{}
	size := 0
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		t.marks = true
		size = 80
		if cells, _, err := term.GetSize(int(f.Fd())); err == nil && cells > 0 {
			size = cells
		}
	}
	t.color = color == "always" || color == "auto" && t.marks && env("NO_COLOR") == "" && env("TERM") != "dumb"
	t.marks = t.marks || t.color
	if t.marks {
		t.width = size
		if n, err := strconv.Atoi(env("COLUMNS")); err == nil && n > 0 {
			t.width = n
		}
	}
	return t
}
