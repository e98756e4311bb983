package rewrite

import "github.com/rewarp/rewarp/ast"

// table maps keys to nodes. Small tables are a list, searched from its end; large
// ones a map with the first key of each node, and one with further keys, which
// few nodes have.
type table struct {
	list    []entry
	first   map[*ast.Memo]entry
	further map[key]ast.Node
}

type entry struct {
	key  key
	node ast.Node
}

// listed is how many entries a table keeps as a list.
const listed = 24

func (t *table) get(k key) ast.Node {
	if t.first != nil {
		e, ok := t.first[k.node]
		if !ok || e.key == k {
			return e.node
		}
		return t.further[k]
	}
	for i := len(t.list) - 1; i >= 0; i-- {
		if t.list[i].key == k {
			return t.list[i].node
		}
	}
	return nil
}

func (t *table) put(k key, n ast.Node) {
	if t.first == nil {
		t.list = append(t.list, entry{k, n})
		if len(t.list) <= listed {
			return
		}
		t.first, t.further = map[*ast.Memo]entry{}, map[key]ast.Node{}
		for _, e := range t.list[:listed] {
			t.put(e.key, e.node)
		}
	}
	if e, ok := t.first[k.node]; ok && e.key != k {
		t.further[k] = n
		return
	}
	t.first[k.node] = entry{k, n}
}

// clear forgets everything and keeps the store of a small table.
func (t *table) clear() {
	if len(t.list) > 0 {
		clear(t.list)
		t.list = t.list[:0]
		t.first, t.further = nil, nil
	}
}

// kindTable says for each set of kinds of node whether no rule of a pass can
// fire in a tree that has no others.
type kindTable [1 << ast.NumKinds / 64]uint64

var allIdle = func() (t kindTable) {
	for i := range t {
		t[i] = 1<<64 - 1
	}
	return t
}()

func (t *kindTable) has(k ast.Kinds) bool { return t[k/64]>>(k%64)&1 != 0 }

// wake takes out all sets that have the given kinds.
func (t *kindTable) wake(k ast.Kinds) {
	for set := range ast.Kinds(1 << ast.NumKinds) {
		if set&k == k {
			t[set/64] &^= 1 << (set % 64)
		}
	}
}

// kindsOf is the kind of an operation as a set; none for every operation.
func kindsOf(op string) ast.Kinds {
	if op == anyOp {
		return 0
	}
	return 1 << kindOf(op)
}
