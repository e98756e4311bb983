package ast

import "math"

// Memo is a node as engines see it: what it shows of itself at a glance, and
// what they remember about it. That is a few slots for the ids of the passes and
// pipelines that found the node canonical, and what a root was optimized to. It
// keeps no pipeline alive, and losing a race costs only work. A node that was
// copied by value remembers nothing.
type Memo Base

const slots = 4

// forward is what a pipeline made of a node.
type forward struct {
	id     uint32
	result Node
}

// taken marks the place of a forward that is being set.
const taken = math.MaxUint32

// Shape is what tells which rules can fire at the node.
func (m *Memo) Shape() Shape {
	return Shape{Kind(m.kindBelow >> 4), Kind(m.kindBelow & 15), Marks(m.flags / copies)}
}

// Kinds is the kinds of the nodes of the tree.
func (m *Memo) Kinds() Kinds { return m.kinds }

// Canonical reports whether the pass or pipeline with this id found the node
// canonical.
func (m *Memo) Canonical(id uint32) bool {
	return m.canonical[id%slots].Load() == id && m.self == (*Base)(m)
}

// IsCanonical is Memo().Canonical for warps and crops, which most canonical
// roots are, without a call; for any other node it is false.
func IsCanonical(n Node, id uint32) bool {
	var m *Memo
	if w, ok := n.(*Warp); ok {
		m = w.Memo()
	} else if c, ok := n.(*Crop); ok {
		m = c.Memo()
	}
	return m != nil && m.Canonical(id)
}

// SetCanonical records that the pass or pipeline with this id, which is not
// zero, found the node canonical. An older record may make room.
func (m *Memo) SetCanonical(id uint32) { m.canonical[id%slots].Store(id) }

// Forward is the optimized tree that the pipeline with this id made of the
// node, or nil.
func (m *Memo) Forward(id uint32) Node {
	by := m.forwarder.Load()
	if by == 0 || m.self != (*Base)(m) {
		return nil
	}
	if by == id {
		return m.forward
	}
	if l := m.lazy.Load(); l != nil {
		if f := l.forward.Load(); f != nil && f.id == id {
			return f.result
		}
	}
	return nil
}

// SetForward records the optimized tree for the pipeline with this id. The first
// stays, of further ones the latest.
func (m *Memo) SetForward(id uint32, result Node) {
	switch {
	case m.self != (*Base)(m):
	case m.forwarder.CompareAndSwap(0, taken):
		m.forward = result
		m.forwarder.Store(id)
	default:
		(*Base)(m).cache().forward.Store(&forward{id, result})
	}
}
