package eval

import (
	"fmt"
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// compiler makes a view of a tree by following every band down to where its
// samples come from, composing the steps on the way. Bands that take the same
// way are followed together.
type compiler struct {
	s     *Session
	exact bool // node by node, as naive evaluation does

	mixed     map[ast.Node]bool // a concat joins sources with what is none
	quantized map[ast.Node]bool // a dequantize is below
	classes   map[classKey]class
	customs   map[customKey][]*view
	views     map[viewKey]*view
}

type viewKey struct {
	node    ast.Node
	bands   string
	typ     raster.DataType
	quant   ast.Quantization
	has     bool
	precise bool
}

// compile is the view of a whole tree in one type.
func (s *Session) compile(root ast.Node, typ raster.DataType, fidelity ast.Fidelity) (*view, error) {
	c := &compiler{
		s: s, exact: fidelity == ast.Exact,
		mixed: map[ast.Node]bool{}, quantized: map[ast.Node]bool{},
		classes: map[classKey]class{}, customs: map[customKey][]*view{}, views: map[viewKey]*view{},
	}
	ast.Walk(root, func(n ast.Node) error {
		switch n.(type) {
		case *ast.Concat:
			c.mixed[n] = !ast.IsSource(n)
		case *ast.Dequantize:
			c.quantized[n] = true
		case ast.Custom:
			return nil
		}
		for i := range n.NumInputs() {
			c.mixed[n] = c.mixed[n] || c.mixed[n.Input(i)]
			c.quantized[n] = c.quantized[n] || c.quantized[n.Input(i)]
		}
		return nil
	})
	return c.view(root, upTo(root.NumBands()), typ, nil, c.exact)
}

func upTo(n int) []int {
	b := make([]int, n)
	for i := range b {
		b[i] = i
	}
	return b
}

// view compiles bands of a node to a canvas of one type. Quant is a dequantize
// above, which applies to the samples of the leaves. Precise says that its
// values are compared with one another, so that rounding shows.
func (c *compiler) view(n ast.Node, bands []int, typ raster.DataType, quant *ast.Quantization, precise bool) (*view, error) {
	key := viewKey{node: n, bands: fmt.Sprint(bands), typ: typ, precise: precise}
	if quant != nil {
		key.quant, key.has = *quant, true
	}
	if v := c.views[key]; v != nil {
		return v, nil
	}
	v := &view{node: n, picks: bands, size: n.Size(), typ: typ, bands: len(bands), mask: !typ.IsFloat()}
	b := &builder{compiler: c, view: v, precise: precise, byKey: map[partKey]int{}}
	r := route{node: n, bands: bands, out: upTo(len(bands)), clip: canvasOf(v.size), quant: quant}
	if err := b.enter(r); err != nil {
		return nil, err
	}
	for _, t := range b.found {
		v.repeats = append(v.repeats, t.repeats(n, bands)...)
		p, err := b.finish(t)
		if err != nil {
			return nil, err
		}
		p.fill = fills(n, bands, p.bands)
		v.parts = append(v.parts, p)
		if p.grid != nil {
			v.depth = max(v.depth, p.grid.nested())
		}
	}
	v.separate()
	c.views[key] = v
	return v, nil
}

// fills are the values that mark invalid samples in an integer type.
func fills(n ast.Node, bands, picks []int) []float64 {
	var f []float64
	for i, k := range picks {
		if b := n.Band(bands[k]); b.HasNoData && b.NoData != 0 {
			if f == nil {
				f = make([]float64, len(picks))
			}
			f[i] = b.NoData
		}
	}
	return f
}

// builder collects the parts of one view.
type builder struct {
	*compiler
	view    *view
	precise bool
	found   []*target
	byKey   map[partKey]int
}

// target is a part whose grid is not compiled yet, so that bands which differ
// in nothing else can still join it.
type target struct {
	route
	kind    targetKind
	place   placement       // of a leaf
	valid   image.Rectangle // of a leaf
	level   int
	typ     raster.DataType // of the grid's samples
	from    raster.DataType // that a dequantize maps
	size    geom.Size       // of the grid's canvas
	precise bool            // of a view
}

type targetKind uint8

const (
	toNothing targetKind = iota
	toLeaf
	toView
	toCustom
	toMapped
)

// enter begins a route. At the exact cap the bands of a view keep the types of
// their node: others are converted from a view of those types.
func (b *builder) enter(r route) error {
	if !b.exact {
		return b.follow(r)
	}
	return b.split(r, func(k int) any { return r.node.Band(r.bands[k]).Type }, func(r route) error {
		t := r.node.Band(r.bands[0]).Type
		if t == b.view.typ {
			return b.follow(r)
		}
		return b.add(&target{route: r, kind: toView, typ: t, size: r.node.Size()})
	})
}

// split groups the bands of a route by a key and follows the groups apart.
func (b *builder) split(r route, key func(k int) any, next func(route) error) error {
	var keys []any
	groups := map[any][]int{}
	for k := range r.bands {
		v := key(k)
		if _, ok := groups[v]; !ok {
			keys = append(keys, v)
		}
		groups[v] = append(groups[v], k)
	}
	if len(keys) == 1 {
		return next(r)
	}
	for _, v := range keys {
		g := r
		g.bands, g.out = pick(r.bands, groups[v]), pick(r.out, groups[v])
		g.planes = r.planes[:len(r.planes):len(r.planes)]
		if err := next(g); err != nil {
			return err
		}
	}
	return nil
}

func pick(of, which []int) []int {
	out := make([]int, len(which))
	for i, k := range which {
		out[i] = of[k]
	}
	return out
}

// follow takes a route on from its node.
func (b *builder) follow(r route) error {
	for {
		n := r.node
		if ast.IsSource(n) && !(b.exact && b.quantized[n]) {
			return b.source(r)
		}
		if b.mixed[n] && !b.exact {
			src, rest := b.sources(r)
			if len(src.bands) > 0 {
				if err := b.source(src); err != nil {
					return err
				}
			}
			if r = rest; len(r.bands) == 0 {
				return nil
			}
		}
		r.clipTo(n.Size())
		switch t := n.(type) {
		case *ast.Crop:
			bands := make([]int, len(r.bands))
			for i, k := range r.bands {
				bands[i] = t.Pick(k)
			}
			r.bands = bands
			r.move(t.Input(0), t.Window().Min)
		case *ast.Pad:
			left, top, _, _ := t.Margins()
			r.move(t.Input(0), image.Pt(-left, -top))
		case *ast.Dequantize:
			if b.exact {
				return b.split(r, func(k int) any { return t.Input(0).Band(r.bands[k]).Type }, func(r route) error {
					return b.add(&target{route: r, kind: toMapped, typ: t.Quantization().OrigType, from: t.Input(0).Band(r.bands[0]).Type, size: n.Size()})
				})
			}
			q := t.Quantization()
			r.quant, r.node = &q, t.Input(0)
		case *ast.Overview:
			if n.Size() == t.Input(0).Size() {
				r.node = t.Input(0)
				continue
			}
			m := t.Transform()
			inv, _ := m.Inverse()
			next, on, err := b.warp(r, t.Input(0), m, inv, ast.DefaultSampling, nil)
			if !on {
				return err
			}
			r = next
		case *ast.Warp:
			if t.IsNoOp() {
				r.node = t.Input(0)
				continue
			}
			if exact, ok := t.Transform().Copy(); ok && b.exact && t.Domain() == nil {
				return b.split(r, func(k int) any { return b.class(t.Input(0), r.bands[k]).kind == isSource }, func(r route) error {
					if b.class(t.Input(0), r.bands[0]).kind == isSource {
						return b.permute(r, t, exact)
					}
					_, _, err := b.warp(r, t.Input(0), t.Transform(), t.Inverse(), t.Sampling(), nil)
					return err
				})
			}
			next, on, err := b.warp(r, t.Input(0), t.Transform(), t.Inverse(), t.Sampling(), t.Domain())
			if !on {
				return err
			}
			r = next
		case *ast.Concat:
			return b.split(r, func(k int) any { part, _ := t.Part(r.bands[k]); return part }, func(g route) error {
				part, _ := t.Part(g.bands[0])
				bands := make([]int, len(g.bands))
				for i, k := range g.bands {
					_, bands[i] = t.Part(k)
				}
				g.node, g.bands = t.Input(part), bands
				return b.follow(g)
			})
		case ast.Custom:
			return b.add(&target{route: r, kind: toCustom, typ: raster.Float64, size: n.Size()})
		default:
			return &ast.Error{Op: n.Op(), Limit: "is not a node that can be evaluated"}
		}
	}
}

// warp takes a route through a warp of in, whose canvas the route stands on. It
// returns the route where it simply goes on.
func (b *builder) warp(r route, in ast.Node, m, inv geom.Transform, s ast.Sampling, domain *geom.Domain) (next route, on bool, err error) {
	if !r.warped {
		r.warped, r.canvas = true, r.node.Size()
		r.fwd, r.inv, r.planes = geom.Identity, geom.Identity, nil
	}
	r.sampling = s
	r.planes = domain.AppendTo(r.planes[:len(r.planes):len(r.planes)], &r.inv)
	if h, ok := inv.Front(); ok {
		r.planes = append(r.planes, h.Pullback(r.inv))
	}
	r.inv, r.fwd = inv.Mul(r.inv), r.fwd.Mul(m)
	r.node = in
	if b.exact {
		return r, false, b.barrier(r)
	}
	on = true
	for _, k := range r.bands {
		on = on && b.below(in, k, s) == inChain
	}
	if on {
		return r, true, nil
	}
	return r, false, b.split(r, func(k int) any { return b.below(in, r.bands[k], s) }, func(r route) error {
		switch b.below(in, r.bands[0], s) {
		case fromSource:
			return b.source(r)
		case inChain:
			return b.follow(r)
		}
		return b.barrier(r)
	})
}

// finish compiles the grid of a target.
func (b *builder) finish(t *target) (*part, error) {
	if err := conditioned(&t.route, t.size); err != nil {
		return nil, err
	}
	p := &part{
		bands: t.out, first: contiguous(t.out), shift: t.shift, clip: t.clip,
		canvas: t.size, inv: geom.Identity, precise: b.precise,
	}
	p.key = p
	if t.warped {
		p.inv, p.sampling = t.inv, t.sampling
		p.classes = t.sampling.Interp == ast.Mode && !b.exact &&
			(t.kind == toCustom || t.kind == toView && b.class(t.node, t.bands[0]).kind != isSource)
	}
	if t.kind == toNothing || p.clip.Empty() {
		return p, nil
	}
	var err error
	if p.grid, err = b.grid(t, p); err != nil {
		return nil, err
	}
	if t.warped {
		var implied []geom.HalfPlane
		if t.sampling.Border.Mode == ast.NoDataBorder {
			for _, e := range t.size.Edges() {
				implied = append(implied, e.Pullback(t.inv))
			}
		}
		p.domain = geom.Reduce(t.canvas, t.planes, implied)
		if p.grid.extent().Empty() && t.sampling.Border.Mode != ast.ValueBorder || !p.domain.CoversCenter(p.clip.Add(p.shift)) {
			p.grid = nil
			return p, nil
		}
	}
	p.prepare()
	p.plain = p.isPlain(b.view.typ)
	return p, nil
}

func contiguous(b []int) int {
	for i := range b {
		if b[i] != b[0]+i {
			return -1
		}
	}
	return b[0]
}
