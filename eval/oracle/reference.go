package oracle

import (
	"context"
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// Reference evaluates what the tree means, unrounded. Its metadata is known.
func Reference(ctx context.Context, n ast.Node, r Reader, opts Options) (*Result, error) {
	ref := reference{paths: map[pathKey]*path{}, customs: customs{}}
	return evaluate(ctx, n, r, opts, func(band int) (*grid, error) {
		p, err := ref.path(n, band, quant{})
		if err != nil {
			return nil, err
		}
		return p.onCanvas(), nil
	})
}

// path is one band of a node, followed down to its source: the samples at the
// bottom, and the way that a point of the canvas takes to them.
type path struct {
	canvas geom.Size
	source *source // not nil while the path is made of source nodes only
	bottom *grid   // the samples, above a source

	// What a number that is given on this canvas means as a sample: in stored
	// units as long as no dequantize is on the way down, else a value.
	sample func(number float64) float64

	// Above the samples: the step to the canvas below.
	below  *path // nil where canvas is that of the samples
	inv    geom.Transform
	domain *geom.Domain
	op     string

	// What all steps amount to.
	toSource, fromSource geom.Transform
	warped               bool         // a warp is on the way
	sampling             ast.Sampling // its sampling; without one nearest, for whole pixels
	outside              float64      // the sample of a number border
	stretch              float64      // of an error on the canvas, down to the samples
	rounding             float64      // bounds the error of a position, in the samples' pixels

	rendered *grid
}

// step is the path on the canvas of another node above; m maps the canvas of p
// to it.
func (p *path) step(op string, canvas geom.Size, m, inv geom.Transform, domain *geom.Domain) *path {
	stretch, added := m.Rounding(&inv, canvas, p.canvas)
	return &path{
		rounding: added*p.stretch + p.rounding, stretch: p.stretch * stretch,
		canvas: canvas, bottom: p.bottom, sample: p.sample,
		below: p, inv: inv, domain: domain, op: op,
		toSource: p.toSource.Mul(inv), fromSource: m.Mul(p.fromSource),
		warped: p.warped, sampling: p.sampling, outside: p.outside,
	}
}

// ofGrid is a path whose samples are g.
func ofGrid(g *grid, sample func(float64) float64) *path {
	return &path{
		canvas: g.size, bottom: g, sample: sample, op: g.op, stretch: 1,
		toSource: geom.Identity, fromSource: geom.Identity,
	}
}

// onCanvas plans the samples of the path on its own canvas.
func (p *path) onCanvas() *grid {
	switch {
	case p.rendered != nil:
	case p.source != nil:
		p.rendered = p.source.grid()
	case p.below == nil:
		p.rendered = p.bottom
	default:
		p.rendered = newGrid(p.op, p.canvas, p.render, p.bottom)
	}
	return p.rendered
}

// render samples the source at every pixel centre of the canvas.
func (p *path) render(r *run, g *grid) error {
	s := newSampler(p.op, p.bottom, p.sampling, p.outside)
	j := p.toSource.Jacobian(0.5, 0.5)
	affine := p.toSource.IsAffine()
	return g.each(r, func(x, y int) (float64, error) {
		cx, cy := float64(x)+0.5, float64(y)+0.5
		u, v, ok := p.locate(cx, cy)
		if !ok {
			return nan, nil
		}
		if !affine {
			j = p.toSource.Jacobian(cx, cy)
		}
		return s.at(u, v, j)
	})
}

// locate takes a point of the canvas down to the source's canvas. ok is false
// where a domain or a canvas on the way does not hold it.
func (p *path) locate(x, y float64) (u, v float64, ok bool) {
	endless := p.sampling.Border.Mode != ast.NoDataBorder
	for ; p.below != nil; p = p.below {
		if !p.domain.Contains(x, y) || !(p.inv.Denominator(x, y) > 0) {
			return 0, 0, false
		}
		x, y = p.inv.Apply(x, y)
		if p.below.below == nil && endless {
			return x, y, true
		}
		if !inside(x, p.below.canvas.W) || !inside(y, p.below.canvas.H) {
			return 0, 0, false
		}
	}
	return x, y, true
}

// inside reports whether u lies on a canvas n pixels long.
func inside(u float64, n int) bool {
	return u >= -geom.EdgeTolerance && u < float64(n)-geom.EdgeTolerance
}

type pathKey struct {
	node ast.Node
	band int
	q    quant
}

type reference struct {
	paths   map[pathKey]*path
	customs customs
}

// path follows a band of n down, under a dequantize q that stands above n.
func (f *reference) path(n ast.Node, band int, q quant) (*path, error) {
	key := pathKey{n, band, q}
	p := f.paths[key]
	if p == nil {
		var err error
		if p, err = f.follow(n, band, q); err != nil {
			return nil, err
		}
		f.paths[key] = p
	}
	return p, nil
}

func (f *reference) follow(n ast.Node, band int, q quant) (*path, error) {
	if l := leafOf(n, band, q); l != nil {
		return &path{canvas: l.size, source: newSource(l), sample: l.sample}, nil
	}
	switch n := n.(type) {
	case *ast.Concat:
		part, band := n.Part(band)
		return f.path(n.Input(part), band, q)
	case *ast.Dequantize:
		if q.on {
			return nil, &ast.Error{Op: n.Op(), Arg: "input", Limit: "is dequantized twice"}
		}
		p, err := f.path(n.Input(0), band, quant{n.Quantization(), true})
		if err != nil {
			return nil, err
		}
		values := *p
		values.sample = finite
		return &values, nil
	case *ast.Crop:
		o := n.Window().Min
		return f.shift(n, n.Pick(band), q, -o.X, -o.Y)
	case *ast.Pad:
		left, top, _, _ := n.Margins()
		return f.shift(n, band, q, left, top)
	case *ast.Overview:
		p, err := f.path(n.Input(0), band, q)
		if err != nil || n.Size() == n.Input(0).Size() {
			return p, err
		}
		m := n.Transform()
		inv, _ := m.Inverse()
		return warped(n, p, m, inv, nil, ast.DefaultSampling)
	case *ast.Warp:
		p, err := f.path(n.Input(0), band, q)
		if err != nil || n.IsNoOp() {
			return p, err
		}
		if m, ok := n.Transform().Copy(); ok && p.source != nil && n.Domain() == nil {
			inv, _ := m.Inverse()
			return p.seen(n, inv), nil
		}
		return warped(n, p, n.Transform(), n.Inverse(), n.Domain(), n.Sampling())
	case ast.Custom:
		g, err := f.customs.band(n, band, func(in ast.Node, band int) (*grid, error) {
			p, err := f.path(in, band, quant{})
			if err != nil {
				return nil, err
			}
			return p.onCanvas(), nil
		})
		if err != nil {
			return nil, err
		}
		if q.on {
			g = newGrid(g.op, g.size, mapped(g, q.computed), g)
		}
		info := n.Band(band)
		return ofGrid(g, func(v float64) float64 {
			if isNoData(info, v) {
				return nan
			}
			return q.value(v)
		}), nil
	}
	return nil, &ast.Error{Op: n.Op(), Limit: "is not a node that can be evaluated"}
}

// mapped fills a grid with what f makes of the samples of another.
func mapped(in *grid, f func(float64) float64) func(*run, *grid) error {
	return func(r *run, g *grid) error {
		return g.each(r, func(x, y int) (float64, error) { return f(in.at(x, y)), nil })
	}
}

// shift is a crop or pad: its input moved by whole pixels onto n's canvas.
func (f *reference) shift(n ast.Node, band int, q quant, dx, dy int) (*path, error) {
	p, err := f.path(n.Input(0), band, q)
	if err != nil {
		return nil, err
	}
	m := geom.Translate(float64(dx), float64(dy))
	inv := geom.Translate(-float64(dx), -float64(dy))
	if p.source != nil {
		return p.seen(n, inv), nil
	}
	return p.step(n.Op(), n.Size(), m, inv, nil), nil
}

// seen is a source on n's canvas, which inv maps onto the source's.
func (p *path) seen(n ast.Node, inv geom.Transform) *path {
	return &path{canvas: n.Size(), source: p.source.seen(n.Size(), inv), sample: p.sample}
}

// warped is a warp n over a path. A source, what stands directly on a custom
// node, and what is resampled because the warp is a barrier, become samples on
// their own canvas: a crop just below is a hard cut.
func warped(n ast.Node, p *path, m, inv geom.Transform, domain *geom.Domain, s ast.Sampling) (*path, error) {
	barrier := p.warped && p.sampling != s || s.Border.Mode != ast.NoDataBorder
	if barrier || !p.warped {
		g := p.onCanvas()
		if p.source == nil && s.Interp == ast.Mode {
			// Values that differ by rounding only are one class.
			g = newGrid(g.op, g.size, mapped(g, raster.Class), g)
		}
		p = ofGrid(g, p.sample)
	}
	w := p.step(n.Op(), n.Size(), m, inv, domain)
	w.warped, w.sampling, w.outside = true, s, p.sample(s.Border.Value)
	if t := w.fromSource; !t.WellConditioned(p.bottom.size) || w.rounding > geom.MaxDrift {
		return nil, &ast.Error{Op: n.Op(), Arg: "transform", Value: t[:], Limit: fmt.Sprintf(
			"composed from the source is too close to singular: rounding moves positions by %.2g source pixels over %v, the limit is 1e-07",
			max(t.Drift(p.bottom.size), w.rounding), p.bottom.size)}
	}
	return w, nil
}
