package ast

import (
	"fmt"
	"strings"
)

// Error says which argument of which operation is wrong, and why.
type Error struct {
	Op    string // the operation, such as "crop"
	Arg   string // its argument, such as "window"
	Value any    // the value that was given; nil when the argument has none
	Limit string // what is wrong with it, such as "exceeds canvas 256×256"
	Path  string // where, relative to the node being built, such as "crop/warp"
	Err   error  // the cause, if any
}

// Error is for example "crop window [0 0 300 20] exceeds canvas 256×256 (at
// concat.1/crop)".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Arg != "" {
		b.WriteString(" " + e.Arg)
	}
	if e.Value != nil {
		fmt.Fprintf(&b, " %v", e.Value)
	}
	if e.Limit != "" {
		b.WriteString(" " + e.Limit)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Path != "" {
		b.WriteString(" (at " + e.Path + ")")
	}
	return b.String()
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.Err }

// At prepends a step to the path of an *Error; other errors pass unchanged.
func At(err error, step string) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	c := *e
	if c.Path == "" {
		c.Path = step
	} else {
		c.Path = step + "/" + c.Path
	}
	return &c
}

func fail(op Kind, arg string, value any, limit string, a ...any) *Error {
	return &Error{Op: op.String(), Arg: arg, Value: value, Limit: fmt.Sprintf(limit, a...)}
}
