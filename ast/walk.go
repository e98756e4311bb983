package ast

// Walk calls visit for every distinct node of the tree, children before
// parents. It stops at the first error.
func Walk(n Node, visit func(Node) error) error {
	w := walker{seen: map[Node]bool{}, visit: visit}
	return w.walk(n)
}

type walker struct {
	seen  map[Node]bool
	visit func(Node) error
}

func (w *walker) walk(n Node) error {
	if w.seen[n] {
		return nil
	}
	w.seen[n] = true
	for i := range n.NumInputs() {
		if err := w.walk(n.Input(i)); err != nil {
			return err
		}
	}
	return w.visit(n)
}

// Inspect calls f for every distinct node, parents before children. Where f
// returns false the children are left out, unless they are reached otherwise.
func Inspect(n Node, f func(Node) bool) {
	inspect(n, f, map[Node]bool{})
}

func inspect(n Node, f func(Node) bool, seen map[Node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	if !f(n) {
		return
	}
	for i := range n.NumInputs() {
		inspect(n.Input(i), f, seen)
	}
}

// All returns every distinct node of type T, parents before children.
func All[T Node](n Node) []T {
	var out []T
	Inspect(n, func(n Node) bool {
		if t, ok := n.(T); ok {
			out = append(out, t)
		}
		return true
	})
	return out
}

// Match returns n and its only input as the given types, if that is what they
// are: Match[*Crop, *Warp](n) is the shape Crop(Warp(…)).
func Match[P, C Node](n Node) (parent P, child C, ok bool) {
	if parent, ok = n.(P); !ok || parent.NumInputs() != 1 {
		return parent, child, false
	}
	child, ok = parent.Input(0).(C)
	return parent, child, ok
}

// Transform rewrites a tree bottom-up: f sees each distinct node once, over
// its rewritten children, and returns it or another node. A shared node stays
// shared, and a tree in which nothing changed comes back as the same pointer.
func Transform(n Node, f func(Node) (Node, error)) (Node, error) {
	return transform(n, f, map[Node]Node{})
}

func transform(n Node, f func(Node) (Node, error), done map[Node]Node) (Node, error) {
	if r, ok := done[n]; ok {
		return r, nil
	}
	over, err := mapInputs(n, func(in Node) (Node, error) { return transform(in, f, done) })
	if err != nil {
		return nil, err
	}
	r, err := f(over)
	if err != nil {
		return nil, err
	}
	done[n] = r
	return r, nil
}

// TransformDown rewrites a tree top-down: f sees each distinct node before its
// children, and the children of what it returns are rewritten next.
func TransformDown(n Node, f func(Node) (Node, error)) (Node, error) {
	return transformDown(n, f, map[Node]Node{})
}

func transformDown(n Node, f func(Node) (Node, error), done map[Node]Node) (Node, error) {
	if r, ok := done[n]; ok {
		return r, nil
	}
	r, err := f(n)
	if err != nil {
		return nil, err
	}
	r, err = mapInputs(r, func(in Node) (Node, error) { return transformDown(in, f, done) })
	if err != nil {
		return nil, err
	}
	done[n] = r
	return r, nil
}

// mapInputs replaces every input by f of it, and returns n itself when none
// changed. Errors get the path to the input.
func mapInputs(n Node, f func(Node) (Node, error)) (Node, error) {
	count := n.NumInputs()
	if count == 1 {
		in, err := f(n.Input(0))
		if err != nil {
			return nil, At(err, Step(n, 0))
		}
		r, err := WithInput(n, 0, in)
		return r, err
	}
	var inputs []Node
	for i := range count {
		old := n.Input(i)
		in, err := f(old)
		if err != nil {
			return nil, At(err, Step(n, i))
		}
		if in != old && inputs == nil {
			inputs = make([]Node, count)
			for k := range count {
				inputs[k] = n.Input(k)
			}
		}
		if inputs != nil {
			inputs[i] = in
		}
	}
	if inputs == nil {
		return n, nil
	}
	return n.WithInputs(inputs)
}

// Step is how a path names the way from n to its i-th input: "crop", or
// "concat.1" where there are several.
func Step(n Node, i int) string {
	if n.NumInputs() == 1 {
		return n.Op()
	}
	return n.Op() + "." + itoa(i)
}
