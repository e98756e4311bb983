package script

import (
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"go.starlark.net/starlark"
)

// guarded is a function of Starlark behind a check of what it makes.
func guarded(b *starlark.Builtin, charge func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) error) *starlark.Builtin {
	return starlark.NewBuiltin(b.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		if err := charge(t, args, kwargs); err != nil {
			return nil, err
		}
		v, err := b.CallInternal(t, args, kwargs)
		if err != nil {
			return nil, err
		}
		return v, checkMade(t, v)
	})
}

// chargeFunction takes what a function of the universe makes.
func chargeFunction(name string) func(*starlark.Thread, starlark.Tuple, []starlark.Tuple) error {
	return func(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) error {
		switch name {
		case "len", "type", "bool", "abs", "ord", "chr", "range":
			return nil
		case "hasattr", "dir":
			if len(args) > 0 {
				return chargeTree(t, args[0])
			}
			return nil
		case "int", "float":
			if len(args) > 0 {
				if s, ok := args[0].(starlark.String); ok && len(s) > maxBits/4 {
					return fmt.Errorf("%s: the text has more than %d characters", name, maxBits/4)
				}
			}
			return nil
		case "str", "repr", "print", "fail":
			for _, list := range append([]starlark.Tuple{args}, kwargs...) {
				for _, v := range list {
					n, err := deep(v, budgetOf(t).memory)
					if err == nil {
						err = alloc(t, n)
					}
					if err != nil {
						return err
					}
				}
			}
			return nil
		case "sorted", "min", "max":
			n := sizes(args, kwargs)
			if err := alloc(t, n); err != nil {
				return err
			}
			for _, v := range args {
				d, err := deep(v, int64(budgetOf(t).steps)*bytesPerStep)
				if err == nil {
					err = work(t, times(d, int64(bits.Len64(uint64(n/elementCost)))))
				}
				if err != nil {
					return err
				}
			}
			return nil
		}
		switch name {
		case "set", "dict", "hash":
			if err := lookAt(t, args...); err != nil {
				return err
			}
		}
		return alloc(t, times(2, sizes(args, kwargs)))
	}
}

// ordered is sorted, min or max: what a key function returns is compared too.
func ordered(b *starlark.Builtin) *starlark.Builtin {
	return starlark.NewBuiltin(b.Name(), func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		rounds := bits.Len64(uint64(sizes(args, kwargs) / elementCost))
		own := make([]starlark.Tuple, len(kwargs))
		for i, kv := range kwargs {
			own[i] = kv
			key, ok := kv[1].(starlark.Callable)
			if !ok || kv[0] != starlark.String("key") {
				continue
			}
			own[i] = starlark.Tuple{kv[0], starlark.NewBuiltin("key", func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
				v, err := starlark.Call(t, key, args, kwargs)
				for n := 0; n < rounds && err == nil; n++ {
					err = lookAt(t, v)
				}
				return v, err
			})}
		}
		return b.CallInternal(t, args, own)
	})
}

// chargeTree takes the time of going through a tree, if the value is one.
func chargeTree(t *starlark.Thread, v starlark.Value) error {
	tree, ok := v.(*treeValue)
	if !ok {
		return nil
	}
	return work(t, elementCost*(int64(budgetOf(t).nodes)+int64(tree.node.NumBands())))
}

// getattr is Starlark's.
var getattr = starlark.Universe["getattr"].(*starlark.Builtin)

// attr is x.name; methods of strings, lists, dicts and sets come guarded.
func attr(t *starlark.Thread, x starlark.Value, name string) (starlark.Value, error) {
	if tree, ok := x.(*treeValue); ok {
		v, err := tree.Attr(name)
		switch v.(type) {
		case starlark.String, *starlark.List:
			err = alloc(t, size(v))
		}
		if v != nil || err != nil {
			return v, err
		}
	}
	v, err := getattr.CallInternal(t, starlark.Tuple{x, starlark.String(name)}, nil)
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "getattr: ")
		if with, ok := x.(starlark.HasAttrs); ok {
			text += didYouMean(name, with.AttrNames())
		}
		return nil, errors.New(text)
	}
	b, ok := v.(*starlark.Builtin)
	if !ok {
		return v, nil
	}
	switch x.(type) {
	case starlark.String, starlark.Bytes, *starlark.List, *starlark.Dict, *starlark.Set:
	default:
		return v, nil
	}
	switch name {
	case "elems", "elem_ords", "codepoints", "codepoint_ords":
		return nil, fmt.Errorf("%s has no .%s in scripts", x.Type(), name)
	}
	return guarded(b, func(t *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) error {
		return chargeMethod(t, x, name, args, kwargs)
	}), nil
}

// chargeMethod takes what x.name(…) makes.
func chargeMethod(t *starlark.Thread, x starlark.Value, name string, args starlark.Tuple, kwargs []starlark.Tuple) error {
	s, isString := x.(starlark.String)
	if !isString {
		switch name {
		case "append", "get", "setdefault", "popitem", "add", "discard", "clear":
			if name != "append" {
				if err := lookAt(t, args...); err != nil {
					return err
				}
			}
			return alloc(t, elementCost)
		case "pop", "insert": // move what follows
			if err := work(t, size(x)/4); err != nil {
				return err
			}
			return alloc(t, elementCost)
		case "index", "remove":
			return lookAt(t, append(starlark.Tuple{x}, args...)...)
		case "extend":
			return alloc(t, sizes(args, kwargs))
		}
		if _, isSet := x.(*starlark.Set); isSet || name == "update" {
			if err := lookAt(t, append(starlark.Tuple{x}, args...)...); err != nil {
				return err
			}
		}
		return alloc(t, times(2, size(x)+sizes(args, kwargs)))
	}
	switch name {
	case "join":
		n := int64(0)
		for _, a := range args {
			n = size(a)
			list, ok := a.(starlark.Iterable)
			if !ok || n > budgetOf(t).memory {
				break
			}
			for e := range starlark.Elements(list) {
				n += size(e) + int64(len(s))
			}
		}
		return alloc(t, n)
	case "replace":
		if len(args) > 1 {
			old, _ := args[0].(starlark.String)
			with, _ := args[1].(starlark.String)
			count := int64(strings.Count(string(s), string(old)))
			return alloc(t, int64(len(s))+times(count, int64(len(with))))
		}
	case "format":
		values := append(starlark.Tuple{}, args...)
		for _, kv := range kwargs {
			values = append(values, kv[1])
		}
		return chargeFormat(t, string(s), "{", values...)
	case "split", "rsplit", "splitlines":
		return alloc(t, times(elementCost, int64(len(s))+1))
	}
	return alloc(t, times(4, int64(len(s)))+sizes(args, kwargs))
}
