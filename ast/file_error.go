package ast

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// FileError says where a tree file or expression is wrong, what was found
// there, and what was expected.
type FileError struct {
	Line, Column int    // from 1; columns count characters
	Path         string // the way through a tree file, such as "tree/input/window"
	Found        string
	Expected     string
	Err          error // what a builder refused, an *Error
}

// Error is for example `4:12: tree/input/window: found an array of 3, expected
// 4 whole numbers`.
func (e *FileError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d: ", e.Line, e.Column)
	if e.Path != "" {
		b.WriteString(e.Path + ": ")
	}
	switch {
	case e.Err != nil:
		b.WriteString(e.Err.Error())
	case e.Expected == "":
		b.WriteString(e.Found)
	default:
		fmt.Fprintf(&b, "found %s, expected %s", e.Found, e.Expected)
	}
	return b.String()
}

// Unwrap is the *Error of the builder that refused, if one did.
func (e *FileError) Unwrap() error { return e.Err }

// lineColumn is the position of a byte offset.
func lineColumn(data []byte, off int) (line, column int) {
	off = min(off, len(data))
	line = 1
	start := 0
	for i, c := range data[:off] {
		if c == '\n' {
			line, start = line+1, i+1
		}
	}
	return line, utf8.RuneCount(data[start:off]) + 1
}

// joinPath joins steps, and leaves out the middle where there are too many to
// read.
func joinPath(steps []string) string {
	const head, tail = 6, 8
	if cut := len(steps) - head - tail; cut > 1 {
		short := append([]string{}, steps[:head]...)
		short = append(short, fmt.Sprintf("…%d more…", cut))
		steps = append(short, steps[len(steps)-tail:]...)
	}
	path := strings.Join(steps, "/")
	if strings.ContainsFunc(path, unicode.IsControl) { // a field's name can be any string
		q := strconv.Quote(path)
		path = q[1 : len(q)-1]
	}
	return path
}

// under prepends the steps to an *Error's path.
func under(err error, steps []string) error {
	if len(steps) == 0 {
		return err
	}
	return At(err, joinPath(steps))
}
