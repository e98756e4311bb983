package feature

import (
	"context"
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
)

// Pipeline applies one tree to samples. It is safe for concurrent use if its
// build function is.
type Pipeline struct {
	session *eval.Session
	build   func(ast.Node) (ast.Node, error)
	set     settings
}

type settings struct {
	minVisible float64
	mask       ast.Interpolation
}

// Option sets up a pipeline.
type Option func(*settings)

// WithMinVisible drops boxes and polygons of which less than a share of their
// area shows, 0 to 1. The default, 0, drops only what does not show at all.
func WithMinVisible(share float64) Option { return func(s *settings) { s.minVisible = share } }

// WithMaskSampling resamples masks by ast.Nearest, the default, or ast.Mode,
// which takes the label that covers most of a pixel.
func WithMaskSampling(i ast.Interpolation) Option { return func(s *settings) { s.mask = i } }

// NewPipeline makes a pipeline of a function that builds the tree over a leaf,
// such as ast.From(x).Scale(0.5).Node(). The function is called once a plan,
// hence once a sample of a picture in memory, so it may draw its arguments at
// random: everything in the sample goes through the tree that it returns.
// Trees are optimized and run by the session.
func NewPipeline(session *eval.Session, build func(x ast.Node) (ast.Node, error), opts ...Option) (*Pipeline, error) {
	if session == nil || build == nil {
		return nil, fmt.Errorf("feature: a pipeline takes a session and a function that builds the tree")
	}
	p := &Pipeline{session: session, build: build}
	for _, o := range opts {
		o(&p.set)
	}
	if !(p.set.minVisible >= 0 && p.set.minVisible <= 1) {
		return nil, fmt.Errorf("feature: minimum visible share %v is not between 0 and 1", p.set.minVisible)
	}
	if p.set.mask != ast.Nearest && p.set.mask != ast.Mode {
		return nil, fmt.Errorf("feature: masks are sampled by nearest or mode, not by %v", p.set.mask)
	}
	return p, nil
}

// Plan builds the tree over a picture, an *ast.Load or *ast.Raster, and
// compiles it. The composite transform and what it shows are computed here,
// once, for everything that the plan is applied to.
func (p *Pipeline) Plan(ctx context.Context, source ast.Node) (*Plan, error) {
	switch source.(type) {
	case *ast.Load, *ast.Raster:
	default:
		return nil, fmt.Errorf("feature: a picture is an *ast.Load or *ast.Raster, not %T", source)
	}
	known := describer{p.session}
	leaf, err := ast.Prepare(ctx, source, known)
	if err != nil {
		return nil, err
	}
	tree, err := p.build(leaf)
	if err != nil {
		return nil, err
	}
	if tree == nil {
		return nil, fmt.Errorf("feature: the function that builds the tree returned none")
	}
	if tree, err = ast.Prepare(ctx, tree, known); err != nil {
		return nil, err
	}
	pixels, err := p.session.Plan(ctx, tree)
	if err != nil {
		return nil, err
	}
	plan := &Plan{p: p, leaf: leaf, tree: tree, pixels: pixels}
	plan.geo, plan.err = newGeometry(tree, pixels.Tree(), leaf)
	return plan, nil
}

// describer asks a session's opener for metadata.
type describer struct{ session *eval.Session }

// Describe is what a plan of the raster alone knows about it.
func (d describer) Describe(ctx context.Context, uri string) (ast.Meta, error) {
	load, err := ast.NewLoad(uri, "")
	if err != nil {
		return ast.Meta{}, err
	}
	plan, err := d.session.Plan(ctx, load)
	if err != nil {
		return ast.Meta{}, err
	}
	if l, ok := plan.Tree().(*ast.Load); ok {
		if m, ok := l.Meta(); ok {
			return m, nil
		}
	}
	return ast.Meta{}, fmt.Errorf("feature: the optimizer made something else of a load")
}

// Apply plans the tree over a sample's picture and applies it to everything in
// the sample. The picture comes back as Image, or as Video if it was one.
func (p *Pipeline) Apply(ctx context.Context, s Sample) (Sample, Report, error) {
	leaf, err := s.picture()
	if err != nil {
		return Sample{}, Report{}, err
	}
	plan, err := p.Plan(ctx, leaf)
	if err != nil {
		return Sample{}, Report{}, err
	}
	out, report, err := plan.annotate(ctx, s)
	if err != nil {
		return Sample{}, Report{}, err
	}
	if s.Video.IsZero() {
		out.Image, err = plan.image(ctx, s.Image)
	} else {
		out.Video, err = plan.video(ctx, s.Video)
	}
	if err != nil {
		return Sample{}, Report{}, err
	}
	return out, report, nil
}
