package script

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Error says where a script is wrong, and why.
type Error struct {
	Name         string // the script
	Line, Column int    // from 1, columns count characters; 0 where no place is to blame
	Msg          string
	Calls        []string // the calls that led there, outermost first, such as "half (a.star:3:9)"
	Err          error    // the cause, such as an *ast.Error; may be nil
}

// Error is for example `a.star:3:12: crop window [0 0 300 20] exceeds canvas
// 256×256 of its input (load)`.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Name + ": " + e.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Name, e.Line, e.Column, e.Msg)
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// wrap makes an *Error of what Starlark reports.
func wrap(name string, err error) error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	var parse syntax.Error
	if errors.As(err, &parse) {
		return at(name, parse.Pos, parse.Msg)
	}
	var list resolve.ErrorList
	if errors.As(err, &list) && len(list) > 0 {
		return at(name, list[0].Pos, suggested(list[0].Msg))
	}
	var eval *starlark.EvalError
	if !errors.As(err, &eval) {
		return &Error{Name: name, Msg: err.Error(), Err: err}
	}
	out := &Error{Name: name, Msg: eval.Msg, Err: errors.Unwrap(eval)}
	for _, f := range eval.CallStack {
		if f.Pos.Line > 0 { // not a built-in function
			out.Line, out.Column = int(f.Pos.Line), int(f.Pos.Col)
			out.Calls = append(out.Calls, fmt.Sprintf("%s (%s)", f.Name, f.Pos))
		}
	}
	return out
}

func at(name string, pos syntax.Position, msg string) *Error {
	return &Error{Name: name, Line: int(pos.Line), Column: int(pos.Col), Msg: msg}
}

// suggested adds to the message about an undefined name the one that may have
// been meant, where Starlark has found none.
func suggested(msg string) string {
	name, ok := strings.CutPrefix(msg, "undefined: ")
	if !ok || strings.Contains(name, " ") {
		return msg
	}
	var names []string
	for _, f := range functionTable {
		names = append(names, f.name)
	}
	return msg + didYouMean(name, append(names, slices.Sorted(maps.Keys(starlark.Universe))...))
}
