package script

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// The names of the guards that parse puts in.
const (
	guardResult      = "guard result"
	guardAttr        = "guard attr"
	guardBinary      = "guard binary"
	guardAugment     = "guard augment"
	guardAugmentItem = "guard augment item"
	guardIndex       = "guard index"
	guardKey         = "guard key"
	guardSlice       = "guard slice"
	guardMakeSlice   = "guard make slice"
	guardTuple       = "guard tuple"
	guardSpread      = "guard spread"
	guardNone        = "guard none"
)

type builtin = func(t *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error)

var guards = map[string]builtin{
	guardResult: func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		if tree, ok := args[0].(*treeValue); ok {
			worldOf(t).result = tree
		}
		return args[0], nil
	},
	guardAttr: func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return attr(t, args[0], string(args[1].(starlark.String)))
	},
	guardBinary: func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return binary(t, operators[string(args[0].(starlark.String))], args[1], args[2])
	},
	guardAugment: func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return augment(t, operators[string(args[0].(starlark.String))], args[1], args[2])
	},
	guardAugmentItem: augmentItem,
	guardIndex: func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return index(t, args[0], args[1])
	},
	guardKey: func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return args[0], lookAt(t, args[0])
	},
	guardSlice: func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return sliceOf(t, args[0], &slice{args[1], args[2], args[3]})
	},
	guardMakeSlice: func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return newSlice(args[0], args[1], args[2])
	},
	guardTuple: func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return args[0], checkMade(t, args[0])
	},
	guardSpread: func(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		return args[0], alloc(t, size(args[0]))
	},
}

// augmented are the operators of augmented assignments.
var augmented = map[syntax.Token]syntax.Token{}

// operators are the binary operators by their text.
var operators = map[string]syntax.Token{}

func init() {
	for op := syntax.PLUS_EQ; op <= syntax.GTGT_EQ; op++ {
		augmented[op] = syntax.PLUS + op - syntax.PLUS_EQ
	}
	for _, op := range augmented {
		operators[op.String()] = op
	}
	for _, op := range []syntax.Token{syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE, syntax.IN, syntax.NOT_IN} {
		operators[op.String()] = op
	}
}

// binary is x op y.
func binary(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	switch op {
	case syntax.EQL, syntax.NEQ, syntax.LT, syntax.GT, syntax.LE, syntax.GE:
		if err := lookAt(t, x, y); err != nil {
			return nil, err
		}
		b, err := starlark.Compare(op, x, y)
		return starlark.Bool(b), err
	case syntax.IN, syntax.NOT_IN:
		if err := lookAt(t, x, y); err != nil {
			return nil, err
		}
		v, err := starlark.Binary(syntax.IN, x, y)
		if err != nil || op == syntax.IN {
			return v, err
		}
		return !v.Truth(), nil
	}
	if err := chargeBinary(t, op, x, y); err != nil {
		return nil, err
	}
	v, err := starlark.Binary(op, x, y)
	if err != nil {
		return nil, err
	}
	if v, ok := v.(starlark.Tuple); ok {
		return v, checkTuple(t, v)
	}
	return v, nil
}

// lookAt takes the time of comparing values.
func lookAt(t *starlark.Thread, values ...starlark.Value) error {
	for _, v := range values {
		n, err := deep(v, int64(budgetOf(t).steps)*bytesPerStep)
		if err == nil {
			err = work(t, n)
		}
		if err == nil {
			err = chargeTree(t, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// chargeBinary takes what x op y makes.
func chargeBinary(t *starlark.Thread, op syntax.Token, x, y starlark.Value) error {
	a, xInt := x.(starlark.Int)
	b, yInt := y.(starlark.Int)
	switch {
	case xInt && yInt:
		return checkBits(op, a, b)
	case op == syntax.STAR && (xInt || yInt):
		n, seq := a, y
		if yInt {
			n, seq = b, x
		}
		count, ok := n.Int64()
		if !ok {
			count = 1 << 62
		}
		switch seq.(type) {
		case starlark.String, starlark.Bytes, *starlark.List, starlark.Tuple:
			return alloc(t, times(max(count, 0), size(seq)))
		}
	case op == syntax.PERCENT:
		if s, ok := x.(starlark.String); ok {
			return chargeFormat(t, string(s), "%", y)
		}
	}
	switch x.(type) {
	case starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		return nil
	case *starlark.Dict, *starlark.Set: // which hash the keys again
		if err := lookAt(t, x, y); err != nil {
			return err
		}
	}
	return alloc(t, size(x)+size(y))
}

func checkBits(op syntax.Token, x, y starlark.Int) error {
	bits := func(v starlark.Int) int64 {
		if n, ok := v.Int64(); ok && n < 1<<31 && n > -1<<31 {
			return 32
		}
		return int64(v.BigInt().BitLen())
	}
	n := max(bits(x), bits(y)) + 1
	switch op {
	case syntax.STAR:
		n = bits(x) + bits(y)
	case syntax.LTLT:
		by, ok := y.Int64()
		if !ok || by > maxBits {
			by = maxBits
		}
		n = bits(x) + max(by, 0)
	}
	if n > maxBits {
		return fmt.Errorf("the number has more than %d bits, which is the limit", maxBits)
	}
	return nil
}

// chargeFormat takes what a format makes: the values, each as often as there
// are marks.
func chargeFormat(t *starlark.Thread, format, mark string, values ...starlark.Value) error {
	n := int64(0)
	for _, v := range values {
		d, err := deep(v, budgetOf(t).memory)
		if err != nil {
			return err
		}
		n += d
	}
	return alloc(t, int64(len(format))+times(n, int64(strings.Count(format, mark))))
}

// augment is x op y for x op= y: a list grows in place.
func augment(t *starlark.Thread, op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	list, isList := x.(*starlark.List)
	more, isIterable := y.(starlark.Iterable)
	if op != syntax.PLUS || !isList || !isIterable {
		return binary(t, op, x, y)
	}
	extend, err := attr(t, list, "extend")
	if err != nil {
		return nil, err
	}
	_, err = starlark.Call(t, extend, starlark.Tuple{more}, nil)
	return x, err
}

// augmentItem is x[k] op= y.
func augmentItem(t *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
	op, x, k, y := operators[string(args[0].(starlark.String))], args[1], args[2], args[3]
	old, err := index(t, x, k)
	if err != nil {
		return nil, err
	}
	v, err := augment(t, op, old, y)
	if err != nil {
		return nil, err
	}
	switch x := x.(type) {
	case starlark.HasSetKey:
		return starlark.None, x.SetKey(k, v)
	case starlark.HasSetIndex:
		i, err := starlark.AsInt32(k)
		if err == nil && i < 0 {
			i += x.Len()
		}
		if err != nil {
			return nil, err
		}
		return starlark.None, x.SetIndex(i, v)
	}
	return nil, fmt.Errorf("%s value does not support item assignment", x.Type())
}

// index is x[k].
func index(t *starlark.Thread, x, k starlark.Value) (starlark.Value, error) {
	switch x := x.(type) {
	case *treeValue:
		key, ok := k.(starlark.Tuple)
		if !ok {
			key = starlark.Tuple{k}
		}
		return x.index(t, key)
	case starlark.Mapping:
		if err := lookAt(t, k); err != nil {
			return nil, err
		}
		v, found, err := x.Get(k)
		if err == nil && !found {
			err = fmt.Errorf("key %s not in %s", short(k), x.Type())
		}
		return v, err
	case starlark.Indexable:
		i, err := starlark.AsInt32(k)
		if err != nil {
			return nil, fmt.Errorf("%s index: %w", x.Type(), err)
		}
		at := i
		if at < 0 {
			at += x.Len()
		}
		if at < 0 || at >= x.Len() {
			return nil, fmt.Errorf("%s index %d out of range of %d", x.Type(), i, x.Len())
		}
		return x.Index(at), nil
	}
	return nil, fmt.Errorf("unhandled index operation %s[%s]", x.Type(), k.Type())
}
