package eval

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/rewarp/rewarp/eval/internal/kernel"
)

// Note is something that a session does otherwise than it was asked to.
type Note struct {
	About string // kernels, threads, opener, the name of a setting, …
	Text  string
}

// String is "kernels: …".
func (n Note) String() string { return n.About + ": " + n.Text }

// StrictError refuses a session that would have notes, since it, or one that it
// joins, is strict.
type StrictError struct{ Notes []Note }

// Error lists the notes.
func (e *StrictError) Error() string {
	text := make([]string, len(e.Notes))
	for i, n := range e.Notes {
		text[i] = n.String()
	}
	return "eval: a strict session: " + strings.Join(text, "; ")
}

// Checker is implemented by an Opener that depends on more than the code it is
// built from, such as a shared library. Open asks it once: an error refuses the
// session, notes become the session's.
type Checker interface {
	Check(ctx context.Context) (notes []string, err error)
}

// Notes tells what the session does otherwise than it was asked to, found out
// when it was opened; and which process-wide settings other sessions keep
// stricter just now. It is empty where all is as asked.
func (s *Session) Notes() []Note {
	return append(slices.Clip(s.notes), process.notes(s)...)
}

// examine compares what is asked with what there is, and settles for the
// latter.
func (set *settings) examine(ctx context.Context) ([]Note, error) {
	var notes []Note
	set.asked = set.kernels
	if best := kernel.Best(); set.kernels > best {
		notes = append(notes, Note{"kernels", fmt.Sprintf("%v asked for, %s; %v is used", kernelName(set.kernels), lacks(set.kernels), best)})
		set.kernels = best
	}
	if n := runtime.GOMAXPROCS(0); set.threads > n {
		notes = append(notes, Note{"threads", fmt.Sprintf("%d asked for, %d run at a time (GOMAXPROCS): the others wait", set.threads, n)})
	}
	text, err := checkOpener(ctx, set.opener)
	if err != nil {
		return nil, fmt.Errorf("eval: the opener cannot be used: %w", err)
	}
	for _, t := range text {
		notes = append(notes, Note{"opener", t})
	}
	return notes, nil
}

func checkOpener(ctx context.Context, o Opener) ([]string, error) {
	c, ok := o.(Checker)
	if !ok {
		return nil, nil
	}
	return c.Check(ctx)
}

// kernelName is Kernels.String for a number that may be none.
func kernelName(k Kernels) string {
	if k > kernel.AVX512 {
		return fmt.Sprintf("instruction set %d", uint8(k))
	}
	return k.String()
}

// feature is a part of an instruction set.
type feature struct {
	name string
	set  Kernels // that needs it
	has  bool
}

// lacks says what the processor lacks for a set.
func lacks(k Kernels) string { return missing(k, features()) }

func missing(k Kernels, all []feature) string {
	var names []string
	for _, f := range all {
		if f.set <= k && !f.has {
			names = append(names, f.name)
		}
	}
	if len(names) > 0 {
		return "this processor lacks " + strings.Join(names, ", ")
	}
	return "there are no such kernels for " + runtime.GOARCH
}
