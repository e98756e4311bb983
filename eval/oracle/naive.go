package oracle

import (
	"context"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// Naive materializes every node in turn, rounded to the node's type, each from
// its inputs as they were materialized. The tree's metadata is known.
func Naive(ctx context.Context, n ast.Node, r Reader, opts Options) (*Result, error) {
	nv := naive{layers: map[layerKey]*layer{}, customs: customs{}}
	return evaluate(ctx, n, r, opts, func(band int) (*grid, error) {
		l, err := nv.layer(n, band)
		if err != nil {
			return nil, err
		}
		return l.grid, nil
	})
}

// layer is one band of a node, materialized.
type layer struct {
	*grid
	source bool                         // made of source nodes only
	sample func(number float64) float64 // as in path
}

type layerKey struct {
	node ast.Node
	band int
}

type naive struct {
	layers  map[layerKey]*layer
	customs customs
}

func (f *naive) layer(n ast.Node, band int) (*layer, error) {
	key := layerKey{n, band}
	l := f.layers[key]
	if l == nil {
		var err error
		if l, err = f.materialize(n, band); err != nil {
			return nil, err
		}
		f.layers[key] = l
	}
	return l, nil
}

// rounded fills a grid of a type with what at returns.
func rounded(t raster.DataType, at func(x, y int) (float64, error)) func(*run, *grid) error {
	return func(r *run, g *grid) error {
		return g.each(r, func(x, y int) (float64, error) {
			v, err := at(x, y)
			if v == v {
				v = finite(t.Round(v))
			}
			return v, err
		})
	}
}

func (f *naive) materialize(n ast.Node, band int) (*layer, error) {
	info := n.Band(band)
	if l := leafOf(n, band, quant{}); l != nil {
		g := newSource(l).grid()
		if n.Kind() == ast.KindFill { // stored samples have their type
			g = newGrid(n.Op(), n.Size(), rounded(info.Type, lookup(g, geom.Identity)), g)
		}
		return &layer{g, true, l.sample}, nil
	}
	switch n := n.(type) {
	case *ast.Concat:
		part, band := n.Part(band)
		return f.layer(n.Input(part), band)
	case ast.Custom:
		g, err := f.customs.band(n, band, func(in ast.Node, band int) (*grid, error) {
			l, err := f.layer(in, band)
			if err != nil {
				return nil, err
			}
			return l.grid, nil
		})
		if err != nil {
			return nil, err
		}
		g = newGrid(n.Op(), n.Size(), rounded(info.Type, lookup(g, geom.Identity)), g)
		return &layer{g, false, func(v float64) float64 {
			if isNoData(info, v) {
				return nan
			}
			return v
		}}, nil
	}

	pick := band
	if c, ok := n.(*ast.Crop); ok {
		pick = c.Pick(band)
	}
	in, err := f.layer(n.Input(0), pick)
	if err != nil {
		return nil, err
	}
	out := &layer{source: in.source, sample: in.sample}
	var at func(x, y int) (float64, error)
	switch n := n.(type) {
	case *ast.Crop:
		o := n.Window().Min
		at = lookup(in.grid, geom.Translate(float64(o.X), float64(o.Y)))
	case *ast.Pad:
		left, top, _, _ := n.Margins()
		at = lookup(in.grid, geom.Translate(-float64(left), -float64(top)))
	case *ast.Dequantize:
		q := quant{n.Quantization(), true}
		at = func(x, y int) (float64, error) { return q.value(in.at(x, y)), nil }
		out.sample = finite
	case *ast.Overview:
		if n.Size() == n.Input(0).Size() {
			return in, nil
		}
		inv, _ := n.Transform().Inverse()
		out.source = false
		at = resample(n.Op(), in, inv, nil, ast.DefaultSampling)
	case *ast.Warp:
		if n.IsNoOp() {
			return in, nil
		}
		if m, ok := n.Transform().Copy(); ok && in.source && n.Domain() == nil {
			inv, _ := m.Inverse()
			at = lookup(in.grid, inv)
			break
		}
		out.source = false
		at = resample(n.Op(), in, n.Inverse(), n.Domain(), n.Sampling())
	default:
		return nil, &ast.Error{Op: n.Op(), Limit: "is not a node that can be evaluated"}
	}
	out.grid = newGrid(n.Op(), n.Size(), rounded(info.Type, at), in.grid)
	return out, nil
}

// lookup takes the samples of g as they are; t maps pixels of the canvas to
// those of g.
func lookup(g *grid, t geom.Transform) func(x, y int) (float64, error) {
	at := pixels(t)
	return func(x, y int) (float64, error) {
		p := at(x, y)
		return g.at(p.X, p.Y), nil
	}
}

// resample samples the layer at the positions that inv maps pixel centres to.
func resample(op string, in *layer, inv geom.Transform, domain *geom.Domain, s ast.Sampling) func(x, y int) (float64, error) {
	smp := newSampler(op, in.grid, s, in.sample(s.Border.Value))
	return func(x, y int) (float64, error) {
		cx, cy := float64(x)+0.5, float64(y)+0.5
		if !domain.Contains(cx, cy) || !(inv.Denominator(cx, cy) > 0) {
			return nan, nil
		}
		u, v := inv.Apply(cx, cy)
		if s.Border.Mode == ast.NoDataBorder && !(inside(u, in.size.W) && inside(v, in.size.H)) {
			return nan, nil
		}
		return smp.at(u, v, inv.Jacobian(cx, cy))
	}
}
