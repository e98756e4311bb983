package script

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"
)

// signature is the parameters of a builtin as they stand in the reference,
// such as `dsize, interpolation="linear"`. What has no default must be given;
// a default says what the builtin does without, in words that it knows itself.
// A parameter that begins with a star takes all further positional arguments.
type signature struct {
	text     string
	names    []string
	required int
	rest     string // the name of the star parameter
}

func sign(text string) signature {
	s := signature{text: text}
	if text == "" {
		return s
	}
	for _, p := range strings.Split(text, ", ") {
		name, _, optional := strings.Cut(p, "=")
		if star, ok := strings.CutPrefix(name, "*"); ok {
			s.rest = star
			continue
		}
		s.names = append(s.names, name)
		if !optional && s.rest == "" {
			s.required = len(s.names)
		}
	}
	return s
}

// arguments are those of one call, by parameter; None counts as left out.
type arguments struct {
	thread *starlark.Thread
	name   string
	values map[string]starlark.Value
	rest   starlark.Tuple
}

// bind sorts the arguments of a call to the parameters.
func (s *signature) bind(t *starlark.Thread, name string, args starlark.Tuple, kwargs []starlark.Tuple) (*arguments, error) {
	a := &arguments{thread: t, name: name, values: map[string]starlark.Value{}}
	switch {
	case s.rest != "":
		a.rest, args = args, nil
	case len(args) > len(s.names):
		return nil, fmt.Errorf("%s: got %d arguments, expected at most %d: %s(%s)", name, len(args), len(s.names), name, s.text)
	}
	for i, v := range args {
		a.values[s.names[i]] = v
	}
	for _, kv := range kwargs {
		k, _ := kv[0].(starlark.String)
		key := string(k)
		if !slices.Contains(s.names, key) {
			return nil, fmt.Errorf("%s: has no argument %s%s: %s(%s)", name, short(kv[0]), didYouMean(key, s.names), name, s.text)
		}
		if _, twice := a.values[key]; twice {
			return nil, fmt.Errorf("%s: got %q twice", name, key)
		}
		a.values[key] = kv[1]
	}
	for key, v := range a.values {
		if v == starlark.None {
			delete(a.values, key)
		}
	}
	for _, n := range s.names[:s.required] {
		if a.values[n] == nil {
			return nil, fmt.Errorf("%s: needs %q: %s(%s)", name, n, name, s.text)
		}
	}
	return a, nil
}

// has reports whether an argument was given and is not None.
func (a *arguments) has(name string) bool { return a.values[name] != nil }

// only is an error if one of the named arguments is given beside one that
// excludes them.
func (a *arguments) only(one string, others ...string) error {
	for _, o := range others {
		if a.has(one) && a.has(o) {
			return fmt.Errorf("%s: got both %q and %q", a.name, one, o)
		}
	}
	return nil
}

func (a *arguments) wrong(name, expected string) error {
	return fmt.Errorf("%s: %s is %s, expected %s", a.name, name, short(a.values[name]), expected)
}

func (a *arguments) text(name, missing string) (string, error) {
	if !a.has(name) {
		return missing, nil
	}
	s, ok := a.values[name].(starlark.String)
	if !ok {
		return "", a.wrong(name, "a string")
	}
	return string(s), nil
}

func (a *arguments) number(name string, missing float64) (float64, error) {
	if !a.has(name) {
		return missing, nil
	}
	f, ok := number(a.values[name])
	if !ok {
		return 0, a.wrong(name, "a number")
	}
	return f, nil
}

func (a *arguments) int(name string, missing int) (int, error) {
	if !a.has(name) {
		return missing, nil
	}
	i, err := starlark.AsInt32(a.values[name])
	if err != nil {
		return 0, a.wrong(name, "a whole number")
	}
	return i, nil
}

// flag takes True and False, and 1 and 0 as Python programs pass them.
func (a *arguments) flag(name string, missing bool) (bool, error) {
	if !a.has(name) {
		return missing, nil
	}
	switch v := a.values[name].(type) {
	case starlark.Bool:
		return bool(v), nil
	case starlark.Int:
		return bool(v.Truth()), nil
	}
	return false, a.wrong(name, "True or False")
}

func (a *arguments) ints(name string) ([]int, error) {
	list, ok := a.values[name].(starlark.Sequence)
	if !ok || list.Len() > maxTuple {
		return nil, a.wrong(name, "a list of whole numbers")
	}
	var out []int
	for v := range starlark.Elements(list) {
		i, err := starlark.AsInt32(v)
		if err != nil {
			return nil, a.wrong(name, "a list of whole numbers")
		}
		out = append(out, i)
	}
	return out, nil
}

// number is a number as a float.
func number(v starlark.Value) (float64, bool) {
	switch v.(type) {
	case starlark.Int, starlark.Float:
		return starlark.AsFloat(v)
	}
	return 0, false
}

// numbers is a list of as many numbers as one of the counts.
func numbers(v starlark.Value, counts ...int) ([]float64, bool) {
	list, ok := v.(starlark.Sequence)
	if !ok || list.Len() > 9 {
		return nil, false
	}
	var out []float64
	for e := range starlark.Elements(list) {
		f, ok := number(e)
		if !ok {
			return nil, false
		}
		out = append(out, f)
	}
	for _, n := range counts {
		if len(out) == n {
			return out, true
		}
	}
	return nil, false
}
