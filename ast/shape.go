package ast

// Shape is what tells at a glance which rules can fire at a node.
type Shape struct {
	Kind  Kind
	Below Kind // that of its only input; KindCustom where there is none, or several
	Marks Marks
}

// Marks are what a node has known of itself since it was built. The metadata of
// the tree is known.
type Marks uint8

// The marks.
const (
	// Copying marks a warp that permutes the samples of its source.
	Copying Marks = 1 << iota
	// NoOp marks a node that changes nothing: a warp that IsNoOp, a crop of the
	// whole canvas with all bands, a pad without margins, an overview that
	// reduces nothing.
	NoOp
	// Clipped marks a warp with a domain.
	Clipped
	// Stored marks an overview that a load stores.
	Stored

	// AllMarks is the set of all marks.
	AllMarks Marks = 1<<iota - 1
)

// ShapeOf is the shape of a node.
func ShapeOf(n Node) Shape { return n.Memo().Shape() }

// Kinds is a set of kinds of node, kind k at bit k.
type Kinds uint16

// KindsIn is the kinds of the nodes of a tree.
func KindsIn(n Node) Kinds { return n.base().kinds }

// over is init for a node with one input.
func (b *Base) over(in *Base, kind Kind, canvas extent, list *bandList, f flags) {
	b.self = b
	b.kindBelow, b.canvas, b.list, b.flags = uint8(kind)<<4|in.kindBelow>>4, canvas, list, f
	b.kinds = in.kinds | 1<<kind
}

// noOpIf is the mark of a node that changes nothing.
func noOpIf(b bool) flags {
	if b {
		return noOp
	}
	return 0
}
