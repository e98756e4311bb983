package asttest

import (
	"encoding/json"
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"pgregory.net/rapid"
)

// Gen draws random trees. It holds no state between trees and is safe for
// concurrent use.
type Gen struct{ o Options }

// NewGen is a generator of the trees that the options allow.
func NewGen(o Options) *Gen { return &Gen{o.withDefaults()} }

// Images is what the leaves of the trees load.
func (g *Gen) Images() *Images { return g.o.Images }

// Decode reads the custom nodes that the generator draws from tree files; it is
// what ast.CustomDecoder takes.
func (g *Gen) Decode(op string, raw json.RawMessage, inputs []ast.Node) (ast.Node, error) {
	if g.o.Decode != nil {
		return g.o.Decode(op, raw, inputs)
	}
	return Decode(op, raw, inputs)
}

// HasFiles reports whether the custom nodes that the generator draws can be
// written to tree files.
func (g *Gen) HasFiles() bool { return g.o.Custom == nil || g.o.Decode != nil }

// Tree is the tree of a seed. All its metadata is known.
func (g *Gen) Tree(seed uint64) ast.Node {
	return draw(newSeeded(seed), &g.o)
}

// Tree draws trees in a rapid test, which shrinks them.
func Tree(o Options) *rapid.Generator[ast.Node] {
	o = o.withDefaults()
	return rapid.Custom(func(t *rapid.T) ast.Node { return draw(rapidly{t}, &o) })
}

// drawing is the state of one tree being drawn.
type drawing struct {
	source
	o     *Options
	style ast.Sampling // the sampling that most warps of the tree have
	mixed bool         // warps draw samplings of their own now and then
	pool  []ast.Node   // every node drawn so far, to share
}

func draw(s source, o *Options) ast.Node {
	d := &drawing{source: s, o: o}
	d.style = d.sampling()
	d.mixed = d.chance(2, 5)
	if d.chance(3, 4) {
		d.style.Border = ast.Border{}
	}
	return d.tree(1 + d.IntN(o.MaxDepth))
}

// chance is true n times in m.
func (d *drawing) chance(n, m int) bool { return d.IntN(m) >= m-n }

// between draws from lo to hi, both included.
func (d *drawing) between(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

// decimal draws a number with n digits after the point.
func (d *drawing) decimal(lo, hi float64, digits int) float64 {
	unit := 1.0
	for range digits {
		unit *= 10
	}
	return float64(d.between(int(lo*unit), int(hi*unit))) / unit
}

func pick[T any](d *drawing, s []T) T { return s[d.IntN(len(s))] }

// weighted draws an index, i with a probability in proportion to w[i].
func (d *drawing) weighted(w ...int) int {
	sum := 0
	for _, v := range w {
		sum += v
	}
	k := d.IntN(sum)
	for i, v := range w {
		if k -= v; k < 0 {
			return i
		}
	}
	return 0
}

// tree draws depth operations, one over another.
func (d *drawing) tree(depth int) ast.Node {
	var n ast.Node
	if !d.o.NoShare && len(d.pool) > 0 && d.chance(1, 2) {
		n = pick(d, d.pool)
	} else {
		n = d.keep(d.leaf())
	}
	for i := 0; i < depth && len(d.pool) < d.o.MaxNodes; i++ {
		n = d.wrap(n, depth-i-1)
	}
	return n
}

func (d *drawing) keep(n ast.Node) ast.Node {
	d.pool = append(d.pool, n)
	return n
}

// wrap puts an operation over n. Where the draw is not valid over n (floats
// under a dequantize, a transform that is refused) another is drawn.
func (d *drawing) wrap(n ast.Node, depth int) ast.Node {
	customs := 2
	if d.o.Custom != nil {
		customs = 12
	}
	for range 8 {
		var r ast.Node
		var err error
		switch d.weighted(8, 16, 6, 5, 5, 4, customs, 3) {
		case 0:
			if d.o.allows(ast.KindCrop) {
				r, err = d.crop(n)
			}
		case 1:
			if d.o.allows(ast.KindWarp) {
				r, err = d.warp(n)
			}
		case 2:
			if d.o.allows(ast.KindPad) {
				r, err = d.pad(n)
			}
		case 3:
			if d.o.allows(ast.KindOverview) {
				r, err = ast.NewOverview(n, d.weighted(1, 8, 4, 2))
			}
		case 4:
			if d.o.allows(ast.KindDequantize) {
				r, err = ast.NewDequantize(n, d.quantization(n))
			}
		case 5:
			if d.o.allows(ast.KindConcat) && len(d.pool)+4 < d.o.MaxNodes {
				r, err = d.concat(n, depth)
			}
		case 6:
			if d.o.allows(ast.KindCustom) {
				r, err = d.custom(n)
			}
		case 7:
			if d.o.allows(ast.KindWarp) {
				r, err = d.warpPair(n)
			}
		}
		if err == nil && r != nil && sane(r) && cheap(r) && (visible(r) || !visible(n) || d.chance(1, 12)) {
			return d.keep(r)
		}
	}
	return n
}

func (d *drawing) crop(n ast.Node) (ast.Node, error) {
	s := n.Size()
	w := image.Rect(0, 0, s.W, s.H)
	switch d.weighted(2, 5, 2, 1, 2) {
	case 1: // anywhere
		w = image.Rect(d.IntN(s.W), d.IntN(s.H), 0, 0)
		w.Max = image.Pt(d.between(w.Min.X+1, s.W), d.between(w.Min.Y+1, s.H))
	case 2: // a thin rim off
		w = image.Rect(d.IntN(min(3, s.W)), d.IntN(min(3, s.H)), s.W, s.H)
		w.Max = image.Pt(max(w.Min.X+1, s.W-d.IntN(3)), max(w.Min.Y+1, s.H-d.IntN(3)))
	case 3: // one pixel
		x, y := d.IntN(s.W), d.IntN(s.H)
		w = image.Rect(x, y, x+1, y+1)
	case 4: // from the origin
		w.Max = image.Pt(d.between(1, s.W), d.between(1, s.H))
	}
	return ast.NewCrop(n, w, d.picks(n.NumBands())...)
}

// picks draws a choice of bands, nil to keep them.
func (d *drawing) picks(bands int) []int {
	if !d.chance(2, 5) {
		return nil
	}
	p := make([]int, d.between(1, min(d.o.MaxBands, bands+1)))
	for i := range p {
		p[i] = d.IntN(bands)
	}
	return p
}

func (d *drawing) pad(n ast.Node) (ast.Node, error) {
	s := n.Size()
	room := func(side int) int { return max(0, min(12, d.o.MaxSide-side)) }
	l, t := d.IntN(room(s.W)+1), d.IntN(room(s.H)+1)
	r, b := d.IntN(room(s.W+l)+1), d.IntN(room(s.H+t)+1)
	switch d.weighted(4, 1, 1) {
	case 1:
		l, t = 0, 0
	case 2:
		r, b = 0, 0
	}
	return ast.NewPad(n, l, t, r, b)
}

func (d *drawing) quantization(n ast.Node) ast.Quantization {
	lo, hi := n.Band(0).Type.Range()
	q := ast.Quantization{OrigType: raster.Float32, OrigMax: 1, QuantMax: 255}
	switch d.IntN(5) {
	case 1: // over the whole range of the type
		q.QuantMin, q.QuantMax = lo, hi
		q.OrigMin, q.OrigMax = d.decimal(-10, 0, 2), d.decimal(1, 20, 2)
	case 2: // downwards
		q.OrigMin, q.OrigMax = 1, -1
	case 3: // to integers, which are rounded only at the end
		q.OrigType, q.OrigMax, q.QuantMax = raster.Int16, float64(d.between(1, 900)), float64(d.between(1, 99))
	case 4:
		q.OrigType, q.OrigMax, q.QuantMin = raster.Float64, d.decimal(0.1, 9, 3), float64(d.between(-50, 50))
	}
	if d.chance(2, 5) {
		q.HasNoData = true
		q.NoData = pick(d, []float64{0, 255, 7, -1})
		if b := n.Band(0); b.HasNoData && b.NoData == b.NoData && d.chance(1, 2) {
			q.NoData = b.NoData
		}
	}
	return q
}

// custom draws one of the author's nodes, or of the test nodes of this package.
func (d *drawing) custom(n ast.Node) (ast.Node, error) {
	if d.o.Custom != nil {
		return pick(d, d.o.Custom)(n, Draw{d, n})
	}
	switch d.IntN(5) {
	case 0:
		return NewGain(n, pick(d, []float64{2, 0.5, -1, 3}), float64(d.between(-2, 2)))
	case 1:
		return NewRatio(n, d.IntN(n.NumBands()), d.IntN(n.NumBands()))
	case 2:
		return NewBox(n)
	case 3:
		return NewColors(n, d.IntN(n.NumBands()))
	}
	p, err := d.part(n, 1)
	if err != nil || p.NumBands() < n.NumBands() {
		return NewEither(n, n)
	}
	if p.NumBands() > n.NumBands() {
		keep := make([]int, n.NumBands())
		for i := range keep {
			keep[i] = i
		}
		c, err := ast.NewCrop(p, p.Size().Bounds(), keep...)
		if err != nil {
			return nil, err
		}
		p = d.keep(c)
	}
	return NewEither(n, p)
}
