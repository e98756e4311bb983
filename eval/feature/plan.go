package feature

import (
	"context"
	"fmt"
	"slices"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// Plan is a pipeline's tree over one picture, compiled. It is immutable and
// safe for concurrent use.
type Plan struct {
	p      *Pipeline
	leaf   ast.Node
	tree   ast.Node // as it was built
	pixels *eval.Plan
	geo    *geometry
	err    error // why geo is nil
}

// Size is the canvas of everything that the plan makes.
func (p *Plan) Size() geom.Size { return p.pixels.Size() }

// Source is the size of the picture, which everything that the plan is applied
// to is on.
func (p *Plan) Source() geom.Size { return p.leaf.Size() }

// Pixels is the plan that resamples the picture.
func (p *Plan) Pixels() *eval.Plan { return p.pixels }

// Transform is the composite map from the picture's coordinates to the
// canvas's.
func (p *Plan) Transform() (geom.Transform, error) {
	if p.err != nil {
		return geom.Transform{}, p.err
	}
	return p.geo.m, nil
}

// Shown is the part of the picture that shows on the canvas, in the picture's
// coordinates: a convex polygon, nil if none shows.
func (p *Plan) Shown() (geom.Polygon, error) {
	if p.err != nil || p.geo.hidden {
		return nil, p.err
	}
	return p.geo.source.Polygon().ClipDomain(p.geo.domain), nil
}

// Apply is the plan's picture, and what became of the sample's masks and
// geometry. The sample has no picture of its own.
func (p *Plan) Apply(ctx context.Context, s Sample) (Sample, Report, error) {
	if s.Source != nil || !s.Image.IsZero() || !s.Video.IsZero() {
		return Sample{}, Report{}, fmt.Errorf("feature: the plan has its picture; the sample has another")
	}
	out, report, err := p.annotate(ctx, s)
	if err != nil {
		return Sample{}, Report{}, err
	}
	if out.Image, err = p.Image(ctx); err != nil {
		return Sample{}, Report{}, err
	}
	return out, report, nil
}

func (p *Plan) annotate(ctx context.Context, s Sample) (out Sample, r Report, err error) {
	if s.Masks != nil {
		out.Masks = make([]Mask, len(s.Masks))
	}
	for i, m := range s.Masks {
		if out.Masks[i], err = p.Mask(ctx, m); err != nil {
			return out, r, err
		}
	}
	for _, b := range s.Boxes {
		b, sel, err := p.Boxes(b)
		if err != nil {
			return out, r, err
		}
		out.Boxes, r.Boxes = append(out.Boxes, b), append(r.Boxes, sel)
	}
	for _, v := range s.Points {
		v, sel, err := p.Points(v)
		if err != nil {
			return out, r, err
		}
		out.Points, r.Points = append(out.Points, v), append(r.Points, sel)
	}
	for _, v := range s.Polygons {
		v, sel, err := p.Polygons(v)
		if err != nil {
			return out, r, err
		}
		out.Polygons, r.Polygons = append(out.Polygons, v), append(r.Polygons, sel)
	}
	return out, r, nil
}

// Image is the picture, resampled. Its colour space is guessed from its bands.
func (p *Plan) Image(ctx context.Context) (Image, error) { return p.image(ctx, Image{}) }

// image keeps the colour space of a picture in memory where its bands are
// still there.
func (p *Plan) image(ctx context.Context, from Image) (Image, error) {
	pix, err := p.pixels.Run(ctx)
	if err != nil {
		return Image{}, err
	}
	img, err := NewImage(pix, WithBands(p.pixels.Bands()...))
	if err != nil {
		return Image{}, err
	}
	sameName := func(a, b ast.Band) bool { return a.Name == b.Name }
	if !from.IsZero() && slices.EqualFunc(from.meta.bands, img.meta.bands, sameName) {
		return img.As(from.Space())
	}
	return img, nil
}

// video runs the tree over every frame.
func (p *Plan) video(ctx context.Context, v Video) (Video, error) {
	head, err := p.image(ctx, v.Frame(0))
	if err != nil {
		return Video{}, err
	}
	frames := make([]*raster.Buffer, v.Len())
	frames[0] = head.pix
	for i := 1; i < v.Len(); i++ {
		leaf, err := v.Frame(i).Node()
		if err != nil {
			return Video{}, err
		}
		tree, err := ast.Transform(p.tree, func(n ast.Node) (ast.Node, error) {
			if n == p.leaf {
				return leaf, nil
			}
			return n, nil
		})
		if err != nil {
			return Video{}, err
		}
		plan, err := p.p.session.Plan(ctx, tree)
		if err != nil {
			return Video{}, err
		}
		if frames[i], err = plan.Run(ctx); err != nil {
			return Video{}, err
		}
	}
	return Video{frames, head.meta}, nil
}

// Boxes maps boxes by the composite transform, clips them to what shows, and
// puts an upright box of the same format around what is left of each. For what
// is left itself, map boxes.Polygons().
func (p *Plan) Boxes(b Boxes) (Boxes, Selection, error) {
	if err := p.on("boxes", b.Canvas()); err != nil {
		return Boxes{}, Selection{}, err
	}
	out := make([][4]float64, 0, len(b.at))
	sel := p.choose(len(b.at), func(i int) geom.Polygon {
		c := b.Corners(i)
		return geom.Rect(c[0], c[1], c[2], c[3])
	}, func(shown geom.Polygon) {
		var c [4]float64
		c[0], c[1], c[2], c[3] = shown.Bounds()
		out = append(out, b.Format().format(c))
	})
	return Boxes{out, &boxesMeta{p.Size(), b.Format()}}, sel, nil
}

// Polygons maps polygons by the composite transform and clips them to what
// shows. The parts of a polygon that is not convex stay joined along the edge
// that cut them.
func (p *Plan) Polygons(v Polygons) (Polygons, Selection, error) {
	if err := p.on("polygons", v.Canvas()); err != nil {
		return Polygons{}, Selection{}, err
	}
	canvas := p.Size()
	out := make([]geom.Polygon, 0, len(v.at))
	sel := p.choose(len(v.at), v.At, func(shown geom.Polygon) { out = append(out, shown) })
	return Polygons{out, &canvas}, sel, nil
}

// Points maps points by the composite transform and drops those that do not
// show. A point on an edge counts as a pixel's centre would there.
func (p *Plan) Points(v Points) (Points, Selection, error) {
	if err := p.on("points", v.Canvas()); err != nil {
		return Points{}, Selection{}, err
	}
	canvas := p.Size()
	out := make([][2]float64, 0, len(v.at))
	sel := Selection{Kept: make([]int, 0, len(v.at))}
	for i, at := range v.at {
		if !p.geo.contains(at[0], at[1]) {
			sel.Dropped = append(sel.Dropped, Dropped{Index: i})
			continue
		}
		x, y := p.geo.m.Apply(at[0], at[1])
		out, sel.Kept = append(out, [2]float64{x, y}), append(sel.Kept, i)
	}
	return Points{out, &canvas}, sel, nil
}

func (p *Plan) on(what string, canvas geom.Size) error {
	if p.err != nil {
		return p.err
	}
	return sameCanvas(what, canvas, p.Source())
}

// slack keeps what shows whole from being dropped by rounding.
const slack = 1e-9

// choose clips n outlines, and keeps those of which enough shows.
func (p *Plan) choose(n int, at func(int) geom.Polygon, keep func(shown geom.Polygon)) Selection {
	sel := Selection{Kept: make([]int, 0, n)}
	for i := range n {
		shown, visible := p.geo.clip(at(i))
		if shown == nil || visible < p.p.set.minVisible-slack {
			sel.Dropped = append(sel.Dropped, Dropped{i, visible})
			continue
		}
		keep(shown)
		sel.Kept = append(sel.Kept, i)
	}
	return sel
}
