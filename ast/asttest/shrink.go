package asttest

import (
	"cmp"
	"slices"

	"github.com/rewarp/rewarp/ast"
)

// MaxTries bounds how often Shrink asks whether a tree fails.
const MaxTries = 4000

// Shrink looks for a small tree that fails like n. It takes nodes away, drops
// parts of a Concat, makes windows, margins, canvases and leaf images smaller,
// and transforms and samplings simpler, for as long as the tree still fails.
// It is deterministic, and asks at most MaxTries times. If n does not fail, it
// is returned as it is.
func Shrink(n ast.Node, fails func(ast.Node) bool) ast.Node {
	return ShrinkOver(Standard(), MaxTries, n, fails)
}

// ShrinkOver is Shrink for trees over the given images, with another bound on
// the number of tries.
func ShrinkOver(images *Images, tries int, n ast.Node, fails func(ast.Node) bool) ast.Node {
	s := shrinker{images: images, tries: tries, seen: map[ast.Fingerprint]bool{}, fails: fails}
	if !s.fail(n) {
		return n
	}
	for {
		smaller := s.step(n)
		if smaller == nil {
			return s.unshare(n)
		}
		n = smaller
	}
}

type shrinker struct {
	images *Images
	tries  int
	seen   map[ast.Fingerprint]bool
	fails  func(ast.Node) bool
}

// fail asks about a tree that was not asked about before.
func (s *shrinker) fail(n ast.Node) bool {
	f := ast.FingerprintOf(n)
	if s.seen[f] || s.tries <= 0 {
		return false
	}
	s.seen[f] = true
	s.tries--
	return s.fails(n)
}

// step returns the first candidate that is simpler than n and still fails.
func (s *shrinker) step(n ast.Node) ast.Node {
	limit := complexity(n)
	try := func(c ast.Node) bool {
		return c != nil && c.Known() && sane(c) && complexity(c) < limit && s.fail(c)
	}
	order := postorder(n)

	// A subtree alone, the smallest first.
	below := slices.Clone(order[:len(order)-1])
	slices.SortStableFunc(below, func(a, b ast.Node) int { return cmp.Compare(complexity(a), complexity(b)) })
	for _, c := range below {
		if try(c) {
			return c
		}
	}
	// A node replaced by one of its inputs, or by a simpler node. Nodes near
	// the root first: with them goes the most.
	for i := len(order) - 1; i >= 0; i-- {
		for k := range order[i].NumInputs() {
			if c := s.replace(order, order[i], order[i].Input(k)); try(c) {
				return c
			}
		}
	}
	for i := len(order) - 1; i >= 0; i-- {
		for _, simple := range s.simpler(order[i]) {
			if c := s.replace(order, order[i], simple); try(c) {
				return c
			}
		}
	}
	return nil
}

func postorder(n ast.Node) []ast.Node {
	var order []ast.Node
	_ = ast.Walk(n, func(n ast.Node) error { order = append(order, n); return nil })
	return order
}

// replace puts another node in the place of old, and fits the nodes above it
// to its canvas and bands. It returns nil where that cannot be done.
func (s *shrinker) replace(order []ast.Node, old, by ast.Node) ast.Node {
	if by == nil {
		return nil
	}
	done := map[ast.Node]ast.Node{old: by}
	for _, n := range order {
		if n == old {
			continue
		}
		changed := false
		inputs := make([]ast.Node, n.NumInputs())
		for i := range inputs {
			in := n.Input(i)
			inputs[i] = in
			if r, ok := done[in]; ok && r != in {
				inputs[i], changed = r, true
			}
		}
		if !changed {
			continue
		}
		r := refit(n, inputs)
		if r == nil {
			return nil
		}
		done[n] = r
	}
	return done[order[len(order)-1]]
}

// refit is n over other inputs, a crop's window and bands clipped to them.
func refit(n ast.Node, inputs []ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.Crop:
		in := inputs[0]
		w := n.Window().Intersect(in.Size().Bounds())
		if w.Empty() {
			w = n.Window().Sub(n.Window().Min).Intersect(in.Size().Bounds())
		}
		picks := n.Picks()
		for i := range picks {
			picks[i] %= in.NumBands()
		}
		return valid(ast.NewCrop(in, w, picks...))
	case *ast.Warp:
		// An explicit size stays, a left-out one follows.
		return valid(rebuild(n, inputs))
	case *ast.Concat:
		return concatOf(inputs)
	case *Op:
		switch n.kernel.Name {
		case "ratio":
			b := inputs[0].NumBands()
			return valid(NewRatio(inputs[0], int(n.kernel.Params[0])%b, int(n.kernel.Params[1])%b))
		case "colors":
			return valid(NewColors(inputs[0], int(n.kernel.Params[0])%inputs[0].NumBands()))
		}
	}
	return valid(n.WithInputs(inputs))
}

// concatOf joins parts, cropping all to the canvas that they share if need be.
func concatOf(parts []ast.Node) ast.Node {
	w := parts[0].Size().Bounds()
	for _, p := range parts {
		w = w.Intersect(p.Size().Bounds())
	}
	parts = slices.Clone(parts)
	for i, p := range parts {
		if p.Size().Bounds() != w {
			c, err := ast.NewCrop(p, w)
			if err != nil {
				return nil
			}
			parts[i] = c
		}
	}
	return valid(ast.NewConcat(parts...))
}

func valid[T ast.Node](n T, err error) ast.Node {
	if err != nil {
		return nil
	}
	return n
}

// unshared is how many nodes a tree may have after its sharing is written out.
const unshared = 6

// unshare writes shared subtrees out where the tree stays small and still
// fails, which shows that sharing has no part in it.
func (s *shrinker) unshare(n ast.Node) ast.Node {
	size, shared := 0, false
	seen := map[ast.Node]bool{}
	var count func(ast.Node)
	count = func(n ast.Node) {
		if size++; size > unshared {
			return
		}
		shared = shared || seen[n]
		seen[n] = true
		for i := range n.NumInputs() {
			count(n.Input(i))
		}
	}
	count(n)
	if !shared || size > unshared || s.tries <= 0 {
		return n
	}
	var unfold func(ast.Node) ast.Node
	unfold = func(n ast.Node) ast.Node {
		inputs := make([]ast.Node, n.NumInputs())
		for i := range inputs {
			inputs[i] = unfold(n.Input(i))
		}
		return valid(rebuild(n, inputs))
	}
	if u := unfold(n); s.fails(u) {
		return u
	}
	return n
}
