package eval

import (
	"fmt"
	"runtime/debug"
)

// PanicError is a panic in code that a run called: a source, an opener, a
// progress function. The run fails with it; the session stays usable.
type PanicError struct {
	Value any
	Stack []byte // of the goroutine that panicked
}

func panicked(v any) error { return &PanicError{v, debug.Stack()} }

// Error names the value.
func (e *PanicError) Error() string { return fmt.Sprintf("panicked: %v", e.Value) }

// Unwrap is the value, where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
