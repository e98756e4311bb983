package feature

import (
	"fmt"
	"math"
	"slices"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// way is how a leaf shows on the canvas of a node above it.
type way struct {
	node  ast.Node
	below *way // nil at the leaf

	// m maps the leaf's coordinates to the node's.
	m geom.Transform
	// planes are what the canvases and domains up to the node leave of the
	// leaf's canvas, in the leaf's coordinates.
	planes []geom.HalfPlane
}

// maxWays bounds the ways of one leaf that are told apart.
const maxWays = 64

// maxPlanes is how many half-planes pile up before the redundant ones are
// dropped.
const maxPlanes = 40

// survey finds the ways from a leaf up to the nodes of a tree.
type survey struct {
	leaf ast.Node
	live map[ast.Node][]bool // the bands that the root shows; nil is all of them
	done map[ast.Node][]*way
	err  error
}

// ways are the ways, all different, from the leaf to the root of a known tree.
// Unlike a path of pixels they clip below an endless border too: what a border
// makes up shows the edge of the picture once more, but no object of it.
func ways(root, leaf ast.Node) ([]*way, error) {
	s := survey{leaf: leaf, done: map[ast.Node][]*way{}}
	if len(ast.All[*ast.Concat](root)) > 0 {
		s.live = map[ast.Node][]bool{}
		all := make([]bool, root.NumBands())
		for i := range all {
			all[i] = true
		}
		s.need(root, all)
	}
	w := s.at(root)
	return w, s.err
}

// need records that bands of n show, and what follows for its inputs.
func (s *survey) need(n ast.Node, bands []bool) {
	have, news := s.live[n], false
	if have == nil {
		have = make([]bool, n.NumBands())
		s.live[n] = have
	}
	for i, b := range bands {
		news = news || b && !have[i]
		have[i] = have[i] || b
	}
	if !news {
		return
	}
	switch n := n.(type) {
	case *ast.Crop:
		below := make([]bool, n.Input(0).NumBands())
		for i, b := range have {
			below[n.Pick(i)] = below[n.Pick(i)] || b
		}
		s.need(n.Input(0), below)
	case *ast.Concat:
		for i := range n.NumInputs() {
			k := n.Input(i).NumBands()
			s.need(n.Input(i), have[:k])
			have = have[k:]
		}
	case ast.Custom:
		s.needOfCustom(n, have)
	default:
		for i := range n.NumInputs() {
			s.need(n.Input(i), have)
		}
	}
}

func (s *survey) needOfCustom(n ast.Custom, bands []bool) {
	total := 0
	for i := range n.NumInputs() {
		total += n.Input(i).NumBands()
	}
	read := make([]bool, total)
	reads := n.Traits().Reads
	for b, on := range bands {
		if reads == nil {
			for i := range read {
				read[i] = true
			}
			break
		}
		if on {
			for _, i := range reads(b) {
				read[i] = true
			}
		}
	}
	for i := range n.NumInputs() {
		k := n.Input(i).NumBands()
		s.need(n.Input(i), read[:k])
		read = read[k:]
	}
}

// shows reports whether any band of the i-th input of n shows at the root
// through n.
func (s *survey) shows(n ast.Node, i int) bool {
	if s.live == nil {
		return true
	}
	if n.Kind() != ast.KindConcat {
		return slices.Contains(s.live[n.Input(i)], true)
	}
	first := 0
	for k := range i {
		first += n.Input(k).NumBands()
	}
	return slices.Contains(s.live[n][first:first+n.Input(i).NumBands()], true)
}

// isLeaf reports whether n is the leaf. Rules may put one of two equal loads
// in the other's place.
func (s *survey) isLeaf(n ast.Node) bool {
	return n == s.leaf || n.Kind() == ast.KindLoad && s.leaf.Kind() == ast.KindLoad && ast.Equal(n, s.leaf)
}

func (s *survey) at(n ast.Node) []*way {
	if w, ok := s.done[n]; ok {
		return w
	}
	var out []*way
	if s.isLeaf(n) {
		out = []*way{{node: n, m: geom.Identity}}
	}
	for i := range n.NumInputs() {
		if !s.shows(n, i) {
			continue
		}
		for _, w := range s.at(n.Input(i)) {
			if up := s.step(n, w); up != nil && !slices.ContainsFunc(out, up.same) {
				if len(out) == maxWays {
					s.fail(fmt.Errorf("feature: the tree shows its leaf in more than %d places", maxWays))
					break
				}
				out = append(out, up)
			}
		}
	}
	s.done[n] = out
	return out
}

func (s *survey) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// step carries a way to an input of n up to n.
func (s *survey) step(n ast.Node, w *way) *way {
	switch n := n.(type) {
	case *ast.Crop:
		o := n.Window().Min
		return s.through(n, w, geom.Translate(-float64(o.X), -float64(o.Y)), nil)
	case *ast.Pad:
		l, t, _, _ := n.Margins()
		return s.through(n, w, geom.Translate(float64(l), float64(t)), nil)
	case *ast.Overview:
		if n.Size() != n.Input(0).Size() {
			return s.through(n, w, n.Transform(), nil)
		}
	case *ast.Warp:
		if !n.IsNoOp() {
			return s.through(n, w, n.Transform(), n.Domain())
		}
	case ast.Custom:
		if !n.Traits().ShiftInvariant {
			s.fail(fmt.Errorf("feature: custom node %s does not declare where its pixels come from (it is not shift invariant), so that nothing but an image passes it", n.Op()))
			return nil
		}
	}
	return &way{n, w, w.m, w.planes}
}

// through carries a way through a transform and onto n's canvas.
func (s *survey) through(n ast.Node, w *way, m geom.Transform, own *geom.Domain) *way {
	up := &way{node: n, below: w, m: m.Mul(w.m), planes: slices.Clip(w.planes)}
	if !up.m.IsAffine() {
		row := [3]float64{up.m[6], up.m[7], up.m[8]}
		up.planes = append(up.planes, geom.HalfPlane{Row: row, Den: row, Closed: true})
	}
	up.planes = n.Size().AppendEdges(up.planes, s.leaf.Size(), &up.m)
	up.planes = own.AppendTo(up.planes, &up.m)
	if len(up.planes) > maxPlanes {
		up.planes = geom.Reduce(s.leaf.Size(), up.planes, nil).Planes()
	}
	return up
}

// same reports whether two ways show the same of the leaf in the same place.
func (w *way) same(v *way) bool { return w.m == v.m && slices.Equal(w.planes, v.planes) }

// domain is what the way leaves of the leaf's canvas.
func (w *way) domain(leaf geom.Size) *geom.Domain { return geom.Reduce(leaf, w.planes, nil) }

// sameMap reports whether two transforms from a leaf's canvas lead to the same
// places: what one does and the other undoes moves no corner by a visible
// part of a pixel.
func sameMap(a, b geom.Transform, leaf geom.Size) bool {
	inv, ok := a.Inverse()
	if !ok {
		return false
	}
	t, ok := inv.Mul(b).Normalize(leaf.Center())
	if !ok {
		return false
	}
	const visible = 1e-4
	for _, c := range leaf.Corners() {
		x, y := t.Apply(c[0], c[1])
		if !(math.Abs(x-c[0]) < visible && math.Abs(y-c[1]) < visible) {
			return false
		}
	}
	return true
}
