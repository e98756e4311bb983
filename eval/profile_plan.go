package eval

import (
	"image"
	"slices"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// planned is the work of each step for the whole canvas. A view that several
// steps read is computed once, in a window that holds what all of them read.
func (p *Plan) planned() map[any]Work {
	work := map[any]Work{}
	need := map[*view]image.Rectangle{p.root: p.root.extent()}
	ask := func(v *view, w image.Rectangle) { need[v] = need[v].Union(w) }
	for _, v := range slices.Backward(viewsBelow(p.root, nil, map[*view]bool{})) {
		for _, q := range v.parts {
			r := need[v].Intersect(q.clip)
			if q.grid == nil || r.Empty() {
				continue
			}
			w, ok := q.need(r.Add(q.shift))
			if !ok {
				continue
			}
			visible := q.visible(r.Add(q.shift))
			if q.plain {
				visible = pixels(w)
			}
			work[q] = writes(visible*int64(len(q.bands)), v.typ)
			if w.Empty() {
				continue
			}
			switch g := q.grid.(type) {
			case *view:
				ask(g, w)
			case *mapped:
				work[g] = writes(pixels(w)*int64(g.view.bands), g.q.OrigType)
				ask(g.view, w)
			case *custom:
				work[g] = writes(pixels(w)*int64(g.node.NumBands()), raster.Float64)
				for i, in := range g.inputs {
					ask(in, ast.InputWindow(g.node, i, w))
				}
			case *source:
				if g.load == nil {
					continue
				}
				stored := g.place.rect(w)
				read := writes(pixels(stored)*int64(len(g.bands)), g.typ)
				read.Blocks = g.load.blocks(stored)
				work[g] = read
			}
		}
	}
	return work
}

func pixels(r image.Rectangle) int64 { return int64(r.Dx()) * int64(r.Dy()) }

// viewsBelow appends v and all views below it to a list, each once and behind
// those that it reads.
func viewsBelow(v *view, list []*view, seen map[*view]bool) []*view {
	if seen[v] {
		return list
	}
	seen[v] = true
	for _, p := range v.parts {
		switch g := p.grid.(type) {
		case *view:
			list = viewsBelow(g, list, seen)
		case *mapped:
			list = viewsBelow(g.view, list, seen)
		case *custom:
			for _, in := range g.inputs {
				list = viewsBelow(in, list, seen)
			}
		}
	}
	return append(list, v)
}
