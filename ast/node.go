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

	// Memo is where an engine remembers what it found about the node.
	Memo() *Memo

	base() *Base
}

// Base is what all nodes have in common. It is embedded, never used alone.
// A copied Base ignores its caches, as a copied strings.Builder would panic.
// What the engine looks at most comes first, in one line of the processor's
// cache.
type Base struct {
	self      *Base
	canonical [slots]atomic.Uint32 // ids, see Memo
	forwarder atomic.Uint32        // id of the pipeline that made forward, taken while it is being set
	kindBelow uint8                // the kind, times 16, and that of the only input
	flags     flags
	kinds     Kinds // those of the nodes of the tree
	canvas    extent
	list      *bandList // the bands, shared
	lazy      atomic.Pointer[lazy]
	forward   Node
}

// extent is the size of a canvas in half the room: sides are at most MaxExtent.
type extent struct{ w, h int32 }

func extentOf(s geom.Size) extent { return extent{int32(s.W), int32(s.H)} }

func (e extent) size() geom.Size { return geom.Size{W: int(e.w), H: int(e.h)} }

type flags uint8

const (
	known   flags = 1 << iota
	source        // every path below is made of source nodes only
	partly        // some path is, but not every
	fitted        // a warp whose size was left out
	copies        // a warp that permutes the samples of its source
	noOp          // a warp that is no node at all, or another node that changes nothing
	clipped       // a warp with a domain
	stored        // an overview that a load stores

	inherited = known | source | partly // what a node has from its input
)

// lazy holds what is found out on first use.
type lazy struct {
	fingerprint atomic.Pointer[Fingerprint]
	leaves      atomic.Pointer[[]LeafMap]
	forward     atomic.Pointer[forward] // the latest, once another pipeline has recorded one
}

func (b *Base) base() *Base { return b }

// Op is the name of the operation. Custom nodes define their own.
func (b *Base) Op() string { return b.Kind().String() }

// Kind is the kind of the node.
func (b *Base) Kind() Kind { return Kind(b.kindBelow >> 4) }

// Size is the canvas in pixels.
func (b *Base) Size() geom.Size { return b.canvas.size() }

// NumBands is the number of bands.
func (b *Base) NumBands() int { return len(b.bands()) }

// Band describes the i-th band.
func (b *Base) Band(i int) Band { return b.list.bands[i] }

func (b *Base) bands() []Band { return b.list.all() }

// Known reports whether canvas and bands are known.
func (b *Base) Known() bool { return b.flags&known != 0 }

// Memo is where an engine remembers what it found about the node.
func (b *Base) Memo() *Memo { return (*Memo)(b) }

func (b *Base) cache() *lazy {
	if b.self != b {
		return &lazy{}
	}
	l := b.lazy.Load()
	if l == nil {
		l = &lazy{}
		if !b.lazy.CompareAndSwap(nil, l) {
			l = b.lazy.Load()
		}
	}
	return l
}

// init fills a new node's base.
func (b *Base) init(kind Kind, size geom.Size, list *bandList, f flags) {
	b.self = b
	b.kindBelow, b.canvas, b.list, b.flags, b.kinds = uint8(kind)<<4, extentOf(size), list, f, 1<<kind
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
