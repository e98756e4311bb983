package eval

import (
	"fmt"
	"image"
	"math"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// source ends a route at the top of a source, whose canvas is the grid's, and
// follows it down to the leaves.
func (b *builder) source(r route) error {
	t := target{route: r, kind: toLeaf, place: upright, size: r.node.Size()}
	t.valid = canvasOf(t.size)
	if !r.warped {
		t.clip = t.clip.Intersect(t.valid.Sub(t.shift))
	}
	return b.descend(t)
}

func (b *builder) descend(t target) error {
	for {
		n := t.node
		t.valid = t.valid.Intersect(t.place.inverse().rect(canvasOf(n.Size())))
		switch s := n.(type) {
		case *ast.Crop:
			bands := make([]int, len(t.bands))
			for i, k := range t.bands {
				bands[i] = s.Pick(k)
			}
			o := s.Window().Min
			t.bands, t.node = bands, s.Input(0)
			t.place = t.place.then(shifted(o.X, o.Y))
		case *ast.Pad:
			left, top, _, _ := s.Margins()
			t.node, t.place = s.Input(0), t.place.then(shifted(-left, -top))
		case *ast.Dequantize:
			q := s.Quantization()
			t.quant, t.node = &q, s.Input(0)
		case *ast.Warp:
			if !s.IsNoOp() {
				exact, _ := s.Transform().Copy()
				inv, _ := exact.Inverse()
				t.place = t.place.then(placed(inv))
			}
			t.node = s.Input(0)
		case *ast.Concat:
			return b.split(t.route, func(k int) any { part, _ := s.Part(t.bands[k]); return part }, func(g route) error {
				part, _ := s.Part(g.bands[0])
				bands := make([]int, len(g.bands))
				for i, k := range g.bands {
					_, bands[i] = s.Part(k)
				}
				u := t
				u.route = g
				u.node, u.bands = s.Input(part), bands
				return b.descend(u)
			})
		case *ast.Overview:
			if s.Stored() && s.Level() > 0 {
				t.level = s.Level()
			}
			t.node = s.Input(0)
			if s.Stored() {
				return b.leafTarget(t)
			}
		default:
			return b.leafTarget(t)
		}
	}
}

// leafTarget ends a target at a leaf. Bands of one sample type are read
// together.
func (b *builder) leafTarget(t target) error {
	if f, ok := t.node.(*ast.Fill); ok {
		if _, constant := f.Value(); !constant {
			t.valid = image.Rectangle{}
		}
		if !b.exact {
			t.typ = raster.Float64
			return b.add(&t)
		}
	}
	return b.split(t.route, func(k int) any { return t.node.Band(t.bands[k]).Type }, func(r route) error {
		u := t
		u.route, u.typ = r, t.node.Band(r.bands[0]).Type
		return b.add(&u)
	})
}

// partKey is what bands have in common that one part computes.
type partKey struct {
	kind     targetKind
	node     any // a load by its uri, any other node by itself
	typ      raster.DataType
	from     raster.DataType
	level    int
	place    placement
	valid    image.Rectangle
	size     geom.Size
	shift    image.Point
	clip     image.Rectangle
	canvas   geom.Size
	inv      geom.Transform
	sampling ast.Sampling
	planes   string
	quant    ast.Quantization
	has      bool
	precise  bool
}

// add joins a target to those found before.
func (b *builder) add(t *target) error {
	if err := conditioned(&t.route, t.size); err != nil {
		return err
	}
	key := partKey{
		kind: t.kind, node: t.node, typ: t.typ, from: t.from, level: t.level, place: t.place, valid: t.valid, size: t.size,
		shift: t.shift, clip: t.clip, canvas: t.canvas, inv: t.inv, sampling: t.sampling, planes: planesKey(t.planes), precise: t.precise,
	}
	if l, ok := t.node.(*ast.Load); ok {
		key.node = l.URI()
	}
	if t.quant != nil {
		key.quant, key.has = *t.quant, true
	}
	if i, ok := b.byKey[key]; ok {
		f := b.found[i]
		f.bands = append(f.bands[:len(f.bands):len(f.bands)], t.bands...)
		f.out = append(f.out[:len(f.out):len(f.out)], t.out...)
		return nil
	}
	b.byKey[key] = len(b.found)
	b.found = append(b.found, t)
	return nil
}

func planesKey(planes []geom.HalfPlane) string {
	if len(planes) == 0 {
		return ""
	}
	var s strings.Builder
	for _, h := range planes {
		for _, v := range h.Row {
			fmt.Fprintf(&s, "%x ", math.Float64bits(v))
		}
		for _, v := range h.Den {
			fmt.Fprintf(&s, "%x ", math.Float64bits(v))
		}
		fmt.Fprint(&s, h.Closed)
	}
	return s.String()
}

// grid compiles what a target's part samples, and what the kernel has to do
// with the samples.
func (b *builder) grid(t *target, p *part) (grid, error) {
	switch t.kind {
	case toView:
		v, err := b.compiler.view(t.node, t.bands, t.typ, t.quant, b.precise || t.precise)
		if err != nil {
			return nil, err
		}
		return v, nil
	case toMapped:
		d := t.node.(*ast.Dequantize)
		in := d.Input(0)
		v, err := b.compiler.view(in, t.bands, t.from, nil, b.precise)
		if err != nil {
			return nil, err
		}
		return &mapped{node: d, view: v, q: d.Quantization()}, nil
	case toCustom:
		n := t.node.(ast.Custom)
		inputs, err := b.inputs(n)
		if err != nil {
			return nil, err
		}
		var noData *float64
		if q := t.quant; q != nil {
			p.scale(len(t.bands), q, func(int) ast.Band { return ast.Band{} })
			if q.HasNoData {
				noData = &q.NoData
			}
		}
		all := len(t.bands) == n.NumBands()
		for i, k := range t.bands {
			all = all && i == k
		}
		return &custom{node: n, inputs: inputs, bands: t.bands, all: all, noData: noData}, nil
	}
	p.scale(len(t.bands), t.quant, func(i int) ast.Band { return t.node.Band(t.bands[i]) })
	s := &source{leaf: t.node, level: t.level, bands: t.bands, typ: t.typ, place: t.place, valid: t.valid}
	switch l := t.node.(type) {
	case *ast.Load:
		s.mask = l.HasMask() && !t.typ.IsFloat()
		if b.s.opener == nil {
			return nil, &ast.Error{Op: "load", Arg: "uri", Value: fmt.Sprintf("%q", l.URI()), Limit: "cannot be opened: the session has no opener"}
		}
		s.load = newFeed(l, t.level, t.bands, t.typ)
	case *ast.Raster:
		s.mask = l.Buffer().Mask != nil
		_, straight := s.place.straight()
		s.direct = straight && len(s.bands) == l.NumBands() && s.bands[0] == 0 && contiguous(s.bands) == 0 &&
			s.valid == canvasOf(t.size).Intersect(s.place.inverse().rect(l.Buffer().Bounds()))
	}
	return s, nil
}

// scale tells the kernel which samples are invalid, and the values of the
// others.
func (p *part) scale(n int, q *ast.Quantization, band func(int) ast.Band) {
	for i := range n {
		var list []float64
		if b := band(i); b.HasNoData {
			list = append(list, b.NoData)
		}
		if q != nil && q.HasNoData {
			list = append(list, q.NoData)
		}
		if list != nil && p.noData == nil {
			p.noData = make([][]float64, n)
		}
		if list != nil {
			p.noData[i] = list
		}
	}
	if q != nil {
		p.mul, p.add = make([]float64, n), make([]float64, n)
		for i := range n {
			p.mul[i], p.add[i] = q.Affine()
		}
	}
}

type customKey struct {
	node    ast.Custom
	precise bool
}

// inputs are the views that a custom node reads, once a node.
func (b *builder) inputs(n ast.Custom) ([]*view, error) {
	key := customKey{n, b.precise}
	if v, ok := b.customs[key]; ok {
		return v, nil
	}
	views := make([]*view, n.NumInputs())
	for i := range views {
		in := n.Input(i)
		v, err := b.compiler.view(in, upTo(in.NumBands()), raster.Float64, nil, b.precise)
		if err != nil {
			return nil, err
		}
		views[i] = v
	}
	b.customs[key] = views
	return views, nil
}
