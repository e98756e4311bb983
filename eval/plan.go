package eval

import (
	"context"
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// Plan is a compiled tree. It is immutable, and any number of runs of it may
// be under way at once.
type Plan struct {
	s        *Session
	given    ast.Node // as it was planned
	set      planSettings
	tree     ast.Node
	root     *view
	fidelity ast.Fidelity
	depth    int   // levels of nested windows
	strips   *feed // that the whole output is copied from
	measured measures
}

// Plan compiles a tree: metadata that it lacks is looked up, the session's
// optimizer rewrites it, and every band is followed down to its samples. What
// is opened for its metadata stays open for the runs.
func (s *Session) Plan(ctx context.Context, n ast.Node, opts ...PlanOption) (*Plan, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer s.end()
	if n == nil {
		return nil, fmt.Errorf("eval: no tree to plan")
	}
	set := planSettings{fidelity: ast.Resolution}
	for _, o := range opts {
		o.plan(&set)
	}
	return s.planned(ctx, n, set)
}

func (s *Session) planned(ctx context.Context, n ast.Node, set planSettings) (*Plan, error) {
	given, asked := n, set
	set.fidelity = min(set.fidelity, s.fidelity)
	if !n.Known() {
		if s.opener == nil {
			return nil, fmt.Errorf("eval: the tree's metadata is unknown, and the session has no opener to look it up with")
		}
		var err error
		if n, err = ast.Prepare(ctx, n, begun{s}); err != nil {
			return nil, err
		}
	}
	if s.optimizer != nil {
		var err error
		if n, err = s.optimizer(ctx, n, set.fidelity); err != nil {
			return nil, err
		}
	}
	if set.typ == raster.Unknown {
		for i := range n.NumBands() {
			set.typ = raster.Common(set.typ, n.Band(i).Type)
		}
	}
	root, err := s.compile(n, set.typ, set.fidelity)
	if err != nil {
		return nil, err
	}
	p := &Plan{s: s, given: given, set: asked, tree: n, root: root, fidelity: set.fidelity, depth: max(1, root.depth)}
	if len(root.parts) == 1 && root.parts[0].plain && root.repeats == nil {
		p.strips = root.parts[0].grid.(*source).load
	}
	root.mask = !root.typ.IsFloat() && !p.opaque()
	return p, nil
}

// Under plans the tree again for another session: with its opener and its
// policy, its optimizer, its threads and memory. The plan keeps its own options:
// of its cap and the session's the lower holds.
func (p *Plan) Under(ctx context.Context, s *Session) (*Plan, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer s.end()
	set := p.set
	set.fidelity = p.fidelity
	return s.planned(ctx, p.given, set)
}

// Session is the session that the plan runs in.
func (p *Plan) Session() *Session { return p.s }

// Size is the canvas in pixels.
func (p *Plan) Size() geom.Size { return p.root.size }

// Type is the sample type of the output.
func (p *Plan) Type() raster.DataType { return p.root.typ }

// Tree is the tree that is run: the one that was planned, with its metadata,
// as the optimizer left it.
func (p *Plan) Tree() ast.Node { return p.tree }

// Fidelity is the cap that the plan was compiled under.
func (p *Plan) Fidelity() ast.Fidelity { return p.fidelity }

// Bands describes the bands: names, the types that they have in the tree, and
// nodata values.
func (p *Plan) Bands() []ast.Band {
	b := make([]ast.Band, p.tree.NumBands())
	for i := range b {
		b[i] = p.tree.Band(i)
	}
	return b
}

// Masked reports whether an integer output has a mask. It has none only where
// every pixel is known to be valid beforehand.
func (p *Plan) Masked() bool { return p.root.mask }

// Geo places the output in the world: the georeference of the first leaf that
// has one, seen through the transform from the leaf to the canvas. It is nil
// where no leaf has one.
func (p *Plan) Geo() *ast.GeoRef {
	return ast.GeoOf(p.tree)
}

// opaque reports whether every sample of the output is known to be valid.
func (p *Plan) opaque() bool {
	for _, q := range p.root.parts {
		if !q.covers(p.root.size) {
			return false
		}
	}
	return true
}

// covers reports whether a part is valid everywhere: its samples are integers
// that nothing marks invalid, and no pixel reads beyond them.
func (p *part) covers(size geom.Size) bool {
	s, ok := p.grid.(*source)
	if !ok || s.mask || s.typ.IsFloat() || p.noData != nil || p.domain != nil || p.clip != canvasOf(size) {
		return false
	}
	if _, fill := s.leaf.(*ast.Fill); fill {
		return false
	}
	if s.valid != canvasOf(p.canvas) && p.sampling.Border.Mode != ast.NoDataBorder {
		return false
	}
	if !p.affine {
		return false
	}
	if p.sampling.Border.Mode != ast.NoDataBorder {
		return true
	}
	const edge = 1e-3
	for _, c := range size.Corners() {
		x := min(max(c[0], 0.5), float64(size.W)-0.5) + float64(p.shift.X)
		y := min(max(c[1], 0.5), float64(size.H)-0.5) + float64(p.shift.Y)
		u, v := p.inv.Apply(x, y)
		if u < float64(s.valid.Min.X)+edge || v < float64(s.valid.Min.Y)+edge ||
			u > float64(s.valid.Max.X)-edge || v > float64(s.valid.Max.Y)-edge {
			return false
		}
	}
	return true
}
