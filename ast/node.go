package ast

import (
	"sync/atomic"

	"github.com/rewarp/rewarp/ast/geom"
)

// Kind tells the built-in nodes apart, and custom nodes from them.
type Kind uint8

// The kinds of node.
const (
	KindCustom Kind = iota
	KindLoad
	KindFill
	KindRaster
	KindCrop
	KindPad
	KindWarp
	KindOverview
	KindDequantize
	KindConcat
	NumKinds
)

var kindNames = [NumKinds]string{
	"custom", "load", "fill", "raster", "crop", "pad", "warp", "overview", "dequantize", "concat",
}

// String is the op of the kind in tree files.
func (k Kind) String() string {
	if k < NumKinds {
		return kindNames[k]
	}
	return "kind?"
}

// Node is one operation of a tree. Nodes are immutable and may be shared: a
// tree is a directed acyclic graph whose root is one node.
//
// Every implementation embeds Base. The built-in nodes are *Load, *Fill,
// *Raster, *Crop, *Pad, *Warp, *Overview, *Dequantize and *Concat; any other
// also implements Custom.
type Node interface {
	// Op is the name of the operation in tree files.
	Op() string
	// Kind tells the built-in nodes apart without a type switch.
	Kind() Kind

	// NumInputs is the number of children; Input returns the i-th.
	NumInputs() int
	Input(i int) Node
	// WithInputs returns the node over other children, the same pointer when
	// none differs. It validates as the node's builder does.
	WithInputs(inputs []Node) (Node, error)

	// Size is the canvas in pixels, zero as long as it is not Known.
	Size() geom.Size
	// NumBands is the number of bands, zero as long as it is not Known; Band
	// describes the i-th.
	NumBands() int
	Band(i int) Band
	// Known reports whether the metadata of every leaf below is known, so that
	// the canvas and the bands are.
	Known() bool

	// Memo is where an engine remembers what it found about the node, nil for
	// a node that was copied by value.
	Memo() *Memo

	base() *Base
}

// Base is what all nodes have in common. It is embedded, never used alone.
// A copied Base ignores its caches, as a copied strings.Builder would panic.
type Base struct {
	self   *Base
	list   *bandList // the bands, shared
	canvas extent
	kind   Kind
	below  Kind // that of the only input
	flags  flags
	kinds  Kinds // those of the nodes of the tree
	memo   Memo
}

// extent is the size of a canvas in half the room: sides are at most MaxExtent.
type extent struct{ w, h int32 }

func extentOf(s geom.Size) extent { return extent{int32(s.W), int32(s.H)} }

func (e extent) size() geom.Size { return geom.Size{W: int(e.w), H: int(e.h)} }

type flags uint16

const (
	known   flags = 1 << iota
	source        // every path below is made of source nodes only
	partly        // some path is, but not every
	copies        // a warp that permutes the samples of its source
	noOp          // a warp that is no node at all, or another node that changes nothing
	fitted        // a warp whose size was left out
	clipped       // a warp with a domain
	stored        // an overview that a load stores

	inherited = known | source | partly // what a node has from its input
)

// lazy holds what is found out on first use.
type lazy struct {
	fingerprint atomic.Pointer[Fingerprint]
	leaves      atomic.Pointer[[]LeafMap]
	forward     atomic.Pointer[forward]
	first       forward // the first to be recorded, set before the lazy is shared
}

func (b *Base) base() *Base { return b }

// Op is the name of the operation. Custom nodes define their own.
func (b *Base) Op() string { return b.kind.String() }

// Kind is the kind of the node.
func (b *Base) Kind() Kind { return b.kind }

// Size is the canvas in pixels.
func (b *Base) Size() geom.Size { return b.canvas.size() }

// NumBands is the number of bands.
func (b *Base) NumBands() int { return len(b.bands()) }

// Band describes the i-th band.
func (b *Base) Band(i int) Band { return b.list.bands[i] }

func (b *Base) bands() []Band { return b.list.all() }

// Known reports whether canvas and bands are known.
func (b *Base) Known() bool { return b.flags&known != 0 }

// Memo is where an engine remembers what it found about the node, nil for a
// node that was copied by value.
func (b *Base) Memo() *Memo {
	if b.self != b {
		return nil
	}
	return &b.memo
}

func (b *Base) cache() *lazy {
	if b.self != b {
		return &lazy{}
	}
	l := b.memo.lazy.Load()
	if l == nil {
		l = &lazy{}
		if !b.memo.lazy.CompareAndSwap(nil, l) {
			l = b.memo.lazy.Load()
		}
	}
	return l
}

// init fills a new node's base.
func (b *Base) init(kind Kind, size geom.Size, list *bandList, f flags) {
	b.self = b
	b.kind, b.canvas, b.list, b.flags, b.kinds = kind, extentOf(size), list, f, 1<<kind
}

// IsSource reports whether the subtree is computed as samples on its own
// canvas: it is made only of leaves, stored overviews, crops, pads,
// dequantizes, concats and copies.
func IsSource(n Node) bool { return n.base().flags&source != 0 }

// BandsOf is the bands of n. The slice is shared and must not be changed.
func BandsOf(n Node) []Band { return n.base().bands() }

// SameBands reports whether two nodes have equal bands.
func SameBands(a, b Node) bool { return a.base().list.same(b.base().list) }

// SameShape reports whether two nodes have the same canvas and equal bands, so
// that one can stand for the other under any parent without a check.
func SameShape(a, b Node) bool {
	x, y := a.base(), b.base()
	return x.canvas == y.canvas && x.flags&known == y.flags&known && x.list.same(y.list)
}

// Memo holds what engines remember about one node: a few slots for the ids of
// the passes and pipelines that found the node canonical, and one forward slot
// that a root keeps for its optimized tree. It keeps no pipeline alive, and losing a race
// costs only work. The zero Memo is empty.
type Memo struct {
	canonical [slots]atomic.Uint32
	lazy      atomic.Pointer[lazy]
}

const slots = 4

type forward struct {
	id     uint32
	result Node
}

// Canonical reports whether the pass or pipeline with this id found the node
// canonical.
func (m *Memo) Canonical(id uint32) bool {
	return m != nil && m.canonical[id%slots].Load() == id
}

// SetCanonical records that the pass or pipeline with this id, which is not
// zero, found the node canonical. An older record may make room.
func (m *Memo) SetCanonical(id uint32) {
	if m != nil {
		m.canonical[id%slots].Store(id)
	}
}

// Forward is the optimized tree that the pipeline with this id made of the
// node, or nil.
func (m *Memo) Forward(id uint32) Node {
	if m != nil {
		if l := m.lazy.Load(); l != nil {
			if f := l.forward.Load(); f != nil && f.id == id {
				return f.result
			}
			if l.first.id == id {
				return l.first.result
			}
		}
	}
	return nil
}

// SetForward records the optimized tree for the pipeline with this id.
func (m *Memo) SetForward(id uint32, result Node) {
	if m == nil {
		return
	}
	l := m.lazy.Load()
	if l == nil {
		l = &lazy{first: forward{id, result}}
		if m.lazy.CompareAndSwap(nil, l) {
			return
		}
		l = m.lazy.Load()
	}
	l.forward.Store(&forward{id, result})
}
