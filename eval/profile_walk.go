package eval

import (
	"image"
	"slices"

	"github.com/rewarp/rewarp/ast"
)

// stepWalk lists the steps of a plan.
type stepWalk struct {
	counts  map[any]StepCount
	planned map[any]Work
	seen    map[any]bool
	steps   []Step
}

// add lists a step, and reports whether it was not listed yet.
func (w *stepWalk) add(key any, s Step) bool {
	if w.seen[key] {
		return false
	}
	w.seen[key] = true
	s.StepCount, s.Planned = w.counts[key], w.planned[key]
	w.steps = append(w.steps, s)
	return true
}

func (w *stepWalk) view(v *view) {
	for _, p := range v.parts {
		above, below := v.nodes(p)
		if !w.add(p, partStep(p, above)) {
			continue
		}
		switch g := p.grid.(type) {
		case *view:
			w.view(g)
		case *mapped:
			if w.add(g, Step{Kind: QuantizeStep, Node: g.node}) {
				w.view(g.view)
			}
		case *custom:
			if w.add(g, Step{Kind: CustomStep, Node: g.node}) {
				for _, in := range g.inputs {
					w.view(in)
				}
			}
		case *source:
			last := len(below) - 1
			w.add(g, Step{Kind: ReadStep, Node: below[last], Fused: below[:last]})
		}
	}
}

// partStep says for which node a part works: the outermost that resamples, else
// that maps values, else that is there.
func partStep(p *part, above []ast.Node) Step {
	s := Step{Kind: SampleStep}
	if p.plain || p.whole && p.mul == nil {
		s.Kind = CopyStep
	}
	lead := slices.IndexFunc(above, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Warp:
			return !n.Copies() && !n.IsNoOp()
		case *ast.Overview:
			return n.Size() != n.Input(0).Size()
		}
		return false
	})
	if lead < 0 {
		lead = max(0, slices.IndexFunc(above, func(n ast.Node) bool { return n.Kind() == ast.KindDequantize }))
	}
	if lead < len(above) {
		s.Node = above[lead]
		s.Fused = slices.Delete(slices.Clone(above), lead, lead+1)
	}
	return s
}

// nodes are what a part does the work of: the nodes from the view's down to
// where the samples of its grid are made, and where that is a leaf, those that
// only say which of the leaf's samples to read, down to the leaf.
func (v *view) nodes(p *part) (above, below []ast.Node) {
	var end ast.Node
	switch g := p.grid.(type) {
	case *view:
		end = g.node
	case *mapped:
		end = g.node
	case *custom:
		end = g.node
	}
	var paths []ast.Node
	leaves := 0
	for _, b := range p.bands {
		path := pathOf(v.node, v.picks[b], end)
		for _, n := range path {
			if !slices.Contains(paths, n) {
				paths = append(paths, n)
			}
		}
		if end != nil {
			continue
		}
		// Of every path the part below the last node that computes is the read's.
		for i := len(path) - 1; i >= 0 && places(path[i]); i-- {
			if !slices.Contains(below, path[i]) {
				below = append(below, path[i])
			}
		}
		leaves++
	}
	if _, ok := p.grid.(*source); !ok || leaves == 0 {
		return paths, nil
	}
	for _, n := range paths {
		if !slices.Contains(below, n) {
			above = append(above, n)
		}
	}
	slices.Reverse(below) // a leaf is the last again
	return above, below
}

// pathOf are the nodes that a band of n comes down through, to the leaf or the
// custom node, both included, or to end, which is not.
func pathOf(n ast.Node, band int, end ast.Node) []ast.Node {
	var path []ast.Node
	for n != end {
		path = append(path, n)
		in, at, ok := ast.BandInput(n, band)
		if !ok {
			break
		}
		n, band = in, at
	}
	return path
}

// places reports whether a node over stored samples only says which of them to
// read, and where they go.
func places(n ast.Node) bool {
	switch t := n.(type) {
	case *ast.Crop, *ast.Pad, *ast.Load, *ast.Raster, *ast.Fill:
		return true
	case *ast.Overview:
		return t.Stored()
	case *ast.Warp:
		return t.Copies() || t.IsNoOp()
	}
	return false
}

// visible is how many pixels of r, on the part's canvas, can be valid, by area.
func (p *part) visible(r image.Rectangle) int64 {
	h := hull{n: 4}
	for i, c := range [4]image.Point{r.Min, {X: r.Max.X, Y: r.Min.Y}, r.Max, {X: r.Min.X, Y: r.Max.Y}} {
		h.v[i] = [2]float64{float64(c.X), float64(c.Y)}
	}
	for _, g := range p.guard {
		h.clip(g)
	}
	area := 0.0
	for i := range h.n {
		a, b := h.v[i], h.v[(i+1)%h.n]
		area += a[0]*b[1] - a[1]*b[0]
	}
	return int64(area/2 + 0.5)
}
