package script

import (
	"fmt"

	"go.starlark.net/starlark"
)

// slice is Python's slice(start, stop, step); a part that is left out is None.
type slice struct{ start, stop, step starlark.Value }

func newSlice(start, stop, step starlark.Value) (starlark.Value, error) {
	for _, v := range []starlark.Value{start, stop, step} {
		if v == starlark.None {
			continue
		}
		if _, err := starlark.AsInt32(v); err != nil {
			return nil, fmt.Errorf("a slice has %s, expected whole numbers", short(v))
		}
	}
	return &slice{start, stop, step}, nil
}

// makeSlice is the builtin slice(stop) or slice(start, stop, step).
func makeSlice(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var first, second, step starlark.Value = starlark.None, nil, starlark.None
	if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &first, &second, &step); err != nil {
		return nil, err
	}
	if second == nil {
		return newSlice(starlark.None, first, step)
	}
	return newSlice(first, second, step)
}

// String is for example "slice(0, 10, None)".
func (s *slice) String() string {
	return fmt.Sprintf("slice(%s, %s, %s)", short(s.start), short(s.stop), short(s.step))
}

// colons is the slice as it stands in a subscript.
func (s *slice) colons() string {
	text := ""
	for i, v := range []starlark.Value{s.start, s.stop, s.step} {
		if i == 1 || i == 2 && v != starlark.None {
			text += ":"
		}
		if v != starlark.None {
			text += short(v)
		}
	}
	return text
}

func (s *slice) Type() string          { return "slice" }
func (s *slice) Freeze()               {}
func (s *slice) Truth() starlark.Bool  { return true }
func (s *slice) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable type: slice") }

func (s *slice) Attr(name string) (starlark.Value, error) {
	switch name {
	case "start":
		return s.start, nil
	case "stop":
		return s.stop, nil
	case "step":
		return s.step, nil
	}
	return nil, nil
}

func (s *slice) AttrNames() []string { return []string{"start", "step", "stop"} }

// bound is a start or stop as a number; ok is false where it is left out.
func bound(v starlark.Value) (i int, ok bool) {
	i, err := starlark.AsInt32(v)
	return i, err == nil && v != starlark.None
}

// run is the run [from, to) of n items that the slice takes, clipped to them;
// n is negative while it is unknown. Step is 1 or left out.
func (s *slice) run(n int, what, of string) (from, to int, err error) {
	if step, ok := bound(s.step); ok && step != 1 {
		return 0, 0, fmt.Errorf("%s %s have step %d; a tree takes every pixel of a slice, use scale to take fewer", what, s.colons(), step)
	}
	from, hasFrom := bound(s.start)
	to, hasTo := bound(s.stop)
	if n < 0 {
		if from < 0 || to < 0 || !hasTo {
			return 0, 0, unknownSize(of)
		}
		n = max(from, to)
	}
	at := func(i int) int {
		if i < 0 {
			i += n
		}
		return min(max(i, 0), n)
	}
	if !hasFrom {
		from = 0
	}
	if !hasTo {
		to = n
	}
	given := from
	if from, to = at(from), at(to); to <= from {
		if to > 0 && given >= n {
			return 0, 0, fmt.Errorf("%s %s start beyond the last of %d", what, s.colons(), n)
		}
		return 0, 0, fmt.Errorf("%s %s are none of %d", what, s.colons(), n)
	}
	return from, to, nil
}

// sliceOf is x[start:stop:step]: rows of a tree, or a part of a string, list,
// tuple or range.
func sliceOf(t *starlark.Thread, x starlark.Value, s *slice) (starlark.Value, error) {
	if tree, ok := x.(*treeValue); ok {
		checked, err := newSlice(s.start, s.stop, s.step)
		if err != nil {
			return nil, err
		}
		return tree.index(t, starlark.Tuple{checked})
	}
	seq, ok := x.(starlark.Sliceable)
	if !ok {
		return nil, fmt.Errorf("invalid slice operand %s", x.Type())
	}
	if _, err := newSlice(s.start, s.stop, s.step); err != nil {
		return nil, err
	}
	n, step := seq.Len(), 1
	if k, ok := bound(s.step); ok {
		if step = k; step == 0 {
			return nil, fmt.Errorf("zero is not a valid slice step")
		}
	}
	low, high, first, last := 0, n, 0, n
	if step < 0 {
		low, high, first, last = -1, n-1, n-1, -1
	}
	at := func(v starlark.Value, missing int) int {
		i, ok := bound(v)
		if !ok {
			return missing
		}
		if i < 0 {
			i += n
		}
		return min(max(i, low), high)
	}
	from, to := at(s.start, first), at(s.stop, last)
	if step > 0 {
		to = max(from, to)
	} else {
		to = min(from, to)
	}
	if err := alloc(t, min(size(x), times(elementCost, int64((to-from)/step)+1))); err != nil {
		return nil, err
	}
	return seq.Slice(from, to, step), nil
}

// short writes a value for an error, cut where it is too long to read.
func short(v starlark.Value) string {
	switch v := v.(type) {
	case *starlark.List, starlark.Tuple, *starlark.Dict, *starlark.Set:
		if _, err := deep(v, 4096); err != nil {
			return "a large " + v.Type()
		}
	case starlark.String:
		if len(v) > 80 {
			return "a long string"
		}
	}
	return v.String()
}
