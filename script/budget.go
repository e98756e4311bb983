package script

import (
	"fmt"

	"go.starlark.net/starlark"
)

// The bounds on a run that Options do not change.
const (
	maxBits   = 4096    // of a number
	maxTuple  = 1 << 16 // values in a tuple, counting those of the tuples in it, and 64 characters for one
	maxNested = 500     // lists in lists, to be compared or written out
	maxNodes  = 1 << 15 // operations that a run makes
	maxLoads  = 4096    // rasters that a run has described
)

// What a value counts as in the memory that a script may use. An element is
// counted at what an entry of a dict takes, the dearest container.
const (
	elementCost = 64
	nodeCost    = 512
)

// A step of Starlark's interpreter stands for this many bytes looked at or
// made by one operation.
const bytesPerStep = 256

// budget is what is left to a run. Nothing is given back when values die: it
// bounds what a script makes in all, hence what it holds.
type budget struct {
	memory, given int64
	steps         uint64
	nodes         int
}

const budgetKey = "rewarp.budget"

func budgetOf(t *starlark.Thread) *budget { return t.Local(budgetKey).(*budget) }

// work takes the time of looking at n bytes.
func work(t *starlark.Thread, n int64) error {
	b := budgetOf(t)
	if n < 0 || uint64(n)/bytesPerStep > b.steps-min(b.steps, t.Steps) {
		return stepsError(b.steps)
	}
	t.Steps += uint64(n) / bytesPerStep
	return nil
}

// alloc takes the memory and the time of making n bytes.
func alloc(t *starlark.Thread, n int64) error {
	b := budgetOf(t)
	if n < 0 || n > b.memory {
		return fmt.Errorf("the script makes more than %s of values, which is its limit", bytes(b.given))
	}
	b.memory -= n
	return work(t, n)
}

// made takes a new node: its bands too, if they are its own.
func made(t *starlark.Thread, bands int) error {
	b := budgetOf(t)
	if b.nodes++; b.nodes > maxNodes {
		return fmt.Errorf("the script makes more than %d operations, which is its limit", maxNodes)
	}
	return alloc(t, nodeCost+elementCost*int64(bands))
}

func stepsError(steps uint64) error {
	return fmt.Errorf("the script takes more than %d steps, which is its limit", steps)
}

func bytes(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// times is a·b, or the largest number where that is larger.
func times(a, b int64) int64 {
	if a > 0 && b > (1<<62)/a {
		return 1 << 62
	}
	return a * b
}

// size is what a value takes, without what its elements refer to. Of a range
// it is what a list of it would take.
func size(v starlark.Value) int64 {
	switch v := v.(type) {
	case starlark.String:
		return int64(len(v))
	case starlark.Bytes:
		return int64(len(v))
	case starlark.Sequence: // and mappings, which are sequences of keys
		return elementCost + times(elementCost, int64(v.Len()))
	}
	return elementCost
}

// sizes is the sum over the arguments of a call.
func sizes(args starlark.Tuple, kwargs []starlark.Tuple) int64 {
	n := int64(0)
	for _, v := range args {
		n = min(n+size(v), 1<<62)
	}
	for _, kv := range kwargs {
		n = min(n+size(kv[1]), 1<<62)
	}
	return n
}

// deep is what a value takes when it is written out, shared parts as often as
// they occur. It is an error if that is more than the limit.
func deep(v starlark.Value, limit int64) (int64, error) {
	m := measure{left: limit}
	if !m.add(v, 0) {
		return 0, fmt.Errorf("the value is too large or too deep to be compared or written out")
	}
	return limit - m.left, nil
}

type measure struct{ left int64 }

func (m *measure) add(v starlark.Value, depth int) bool {
	m.left -= elementCost
	switch v := v.(type) {
	case starlark.String:
		m.left -= 4 * int64(len(v)) // as it may be quoted
	case starlark.Bytes:
		m.left -= 4 * int64(len(v))
	case starlark.Int:
		if _, small := v.Int64(); !small {
			m.left -= maxBits
		}
	case starlark.Float:
		m.left -= 5 * elementCost
	case *starlark.Dict:
		for k, e := range v.Entries() {
			if !m.add(k, depth+1) || !m.add(e, depth+1) {
				return false
			}
		}
	case *starlark.List:
		return m.elements(v, depth)
	case starlark.Tuple:
		return m.elements(v, depth)
	case *starlark.Set:
		return m.elements(v, depth)
	}
	return m.left >= 0
}

func (m *measure) elements(v starlark.Iterable, depth int) bool {
	if depth > maxNested {
		return false
	}
	for e := range starlark.Elements(v) {
		if m.left < 0 || !m.add(e, depth+1) {
			return false
		}
	}
	return m.left >= 0
}

// checkTuple keeps tuples small enough to be hashed and compared.
func checkTuple(t *starlark.Thread, v starlark.Tuple) error {
	n := int64(maxTuple)
	if !countTuple(v, &n) {
		return fmt.Errorf("the tuple has more than %d values, counting those of the tuples in it", maxTuple)
	}
	return work(t, elementCost*(maxTuple-n))
}

func countTuple(v starlark.Tuple, left *int64) bool {
	if *left -= int64(len(v)) + 1; *left < 0 {
		return false
	}
	for _, e := range v {
		switch e := e.(type) {
		case starlark.Tuple:
			if !countTuple(e, left) {
				return false
			}
		case starlark.String:
			*left -= int64(len(e)) / elementCost
		}
	}
	return *left >= 0
}

// checkMade checks the tuples in what a builtin returned: itself, or the
// elements of a list.
func checkMade(t *starlark.Thread, v starlark.Value) error {
	switch v := v.(type) {
	case starlark.Tuple:
		return checkTuple(t, v)
	case *starlark.List:
		for i := range v.Len() {
			e, ok := v.Index(i).(starlark.Tuple)
			if !ok {
				continue
			}
			if err := checkTuple(t, e); err != nil {
				return err
			}
		}
	}
	return nil
}
