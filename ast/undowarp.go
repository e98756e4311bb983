package ast

import (
	"strconv"

	"github.com/rewarp/rewarp/ast/geom"
)

// Components are parts of an affine transform, as geom.Parts has them.
type Components uint8

// The components.
const (
	OffsetComponent Components = 1 << iota
	ScaleComponent             // with it, a reflection
	ShearComponent
	ThetaComponent
)

// Undone is one part of a tree with its warp undone.
type Undone struct {
	Node Node
	// Applied maps the canvas of the tree to that of Node.
	Applied geom.Transform
	// Bands are the tree's bands that Node has: First, First+1, …
	First int
}

// UndoOptions say what UndoWarp keeps.
type UndoOptions struct {
	// Retain is the components that stay. Without ScaleComponent, the parts
	// come at the scale of their leaves, aligned up to that scale.
	Retain Components
	// SquashInvalid makes a part without a valid sample one pixel.
	SquashInvalid bool
}

// UndoWarp removes the components that are not retained from the transform
// between each part of the tree's Concats and its leaf. The parts stand in the
// order of their bands. Each is a Warp over the part, sampled as the part
// itself is, so that the two fuse; a part that has nothing to undo comes back
// as it is.
//
// Where the offset is not retained, the result has none. Where it is, the
// applied transform keeps the part's top left corner at the origin: it moves
// the result only as far as is needed to lose none of it. The metadata of the
// tree is known, and the transforms are affine.
func UndoWarp(n Node, o UndoOptions) ([]Undone, error) {
	if n == nil {
		return nil, &Error{Op: "undowarp", Arg: "input", Limit: "is nil"}
	}
	if !n.Known() {
		return nil, &Error{Op: "undowarp", Arg: "input", Limit: "has a leaf whose metadata is unknown"}
	}
	parts, err := (&splitter{done: map[Node][]Node{}}).parts(n)
	if err != nil {
		return nil, err
	}
	out := make([]Undone, 0, len(parts))
	first := 0
	for i, p := range parts {
		u, err := undoPart(p, o)
		if err != nil {
			return nil, At(err, "part "+strconv.Itoa(i))
		}
		u.First = first
		first += p.NumBands()
		out = append(out, u)
	}
	return out, nil
}

func undoPart(n Node, o UndoOptions) (Undone, error) {
	maps, _ := Leaves(n)
	leaf := maps[0]
	if f, ok := leaf.Leaf.(*Fill); ok && f.invalid && o.SquashInvalid {
		size := n.Size()
		return Undone{
			Node:    TrustedFill(geom.Size{W: 1, H: 1}, n.base().bands(), 0, true),
			Applied: geom.Scale(1/float64(size.W), 1/float64(size.H)),
		}, nil
	}
	p, ok := leaf.Transform.Decompose()
	if !ok {
		return Undone{}, &Error{Op: "undowarp", Arg: "transform", Value: matrixValue(leaf.Transform), Limit: "has no components: it is projective"}
	}
	keep := geom.Unit
	if o.Retain&ScaleComponent != 0 {
		keep.Scale = p.Scale
	}
	if o.Retain&ShearComponent != 0 {
		keep.Shear = p.Shear
	}
	if o.Retain&ThetaComponent != 0 {
		keep.Theta = p.Theta
	}
	m := leaf.Transform
	if o.Retain&OffsetComponent != 0 {
		m[2], m[5] = 0, 0
	}
	inv, ok := m.Inverse()
	if !ok {
		return Undone{}, &Error{Op: "undowarp", Arg: "transform", Value: matrixValue(leaf.Transform), Limit: "is singular"}
	}
	applied := keep.Transform().Mul(inv)
	if o.Retain&OffsetComponent != 0 {
		x0, y0, _, _ := n.Size().Polygon().Map(applied).Bounds()
		if !near(x0, 0) || !near(y0, 0) {
			applied = geom.Translate(-x0, -y0).Mul(applied)
		}
	}
	if applied.IsIdentity() {
		return Undone{Node: n, Applied: geom.Identity}, nil
	}
	s := DefaultSampling
	if leaf.Warped {
		s = leaf.Sampling
		s.Border = Border{}
	}
	w, err := NewWarp(n, applied, geom.Size{}, s, nil)
	if err != nil {
		return Undone{}, err
	}
	return Undone{Node: w, Applied: w.Transform()}, nil
}

// splitter takes trees apart at their Concats.
type splitter struct{ done map[Node][]Node }

// parts are trees without a Concat above a custom node, whose bands one after
// another are those of n.
func (s *splitter) parts(n Node) ([]Node, error) {
	if p, ok := s.done[n]; ok {
		return p, nil
	}
	p, err := s.split(n)
	if err != nil {
		return nil, At(err, n.Op())
	}
	s.done[n] = p
	return p, nil
}

func (s *splitter) split(n Node) (out []Node, err error) {
	if n.Kind() == KindCustom || n.NumInputs() == 0 {
		return []Node{n}, nil
	}
	for i := range n.NumInputs() {
		p, err := s.parts(n.Input(i))
		if err != nil {
			return nil, err
		}
		out = append(out, p...)
	}
	if n.Kind() == KindConcat {
		return out, nil
	}
	if len(out) == 1 && out[0] == n.Input(0) {
		return []Node{n}, nil
	}
	if c, ok := n.(*Crop); ok {
		return cropParts(c, out)
	}
	over := make([]Node, len(out))
	for i, in := range out {
		if o, ok := n.(*Overview); ok && !o.Stored() {
			// Over a load, an overview would read the stored level instead.
			if over[i] = in; o.Size() != in.Size() {
				over[i], err = nodeOr(NewWarp(in, o.Transform(), o.Size(), DefaultSampling, nil))
			}
		} else {
			over[i], err = n.WithInputs([]Node{in})
		}
		if err != nil {
			return nil, err
		}
	}
	return over, nil
}

// cropParts crops each part, a part for each run of bands from one part.
func cropParts(c *Crop, parts []Node) ([]Node, error) {
	var from, band []int // of every band of the crop's input
	for i, p := range parts {
		for b := range p.NumBands() {
			from, band = append(from, i), append(band, b)
		}
	}
	var out []Node
	for i := 0; i < c.NumBands(); {
		part := from[c.Pick(i)]
		var picks []int
		for ; i < c.NumBands() && from[c.Pick(i)] == part; i++ {
			picks = append(picks, band[c.Pick(i)])
		}
		n, err := NewCrop(parts[part], c.Window(), picks...)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	return out, nil
}
