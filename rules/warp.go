package rules

import (
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/rewrite"
)

// Warps become one:
//
//	Warp(x)            → x                     drop-warp (identity, same size, no domain)
//	Warp(Concat(x, …)) → Concat(Warp(x), …)    warp-below-concat
//	Warp(Warp(x))      → Warp'(x)              fuse-warps
//	Warp(x)            → Warp'(x)              reduce-domain
//
// fuse-warps keeps the clip of the inner canvas as a domain, where the outer
// canvas and the edge of x do not imply it. It needs equal samplings and a
// nodata border: anything else is a barrier. It leaves copies of a source
// alone, and transforms that together are too close to singular.
var warpRules = []rewrite.Rule{
	rewrite.On("drop-warp", ast.Exact, dropWarp).
		WithDoc("Warp(x) → x where the transform is the identity and the canvas stays"),
	rewrite.On("warp-below-concat", ast.Exact, warpBelowConcat).
		WithDoc("Warp(Concat(x, y, …)) → Concat(Warp(x), …): each part is sampled as its own path says"),
	rewrite.On("fuse-warps", ast.Geometric, fuseWarps).
		WithDoc("Warp(Warp(x)) → Warp'(x): one resampling; the inner canvas becomes a domain"),
	rewrite.On("reduce-domain", ast.Geometric, reduceDomain).
		WithDoc("Warp(x) → Warp'(x) without the half-planes that its canvas or the edge of x implies"),
}

func pt(x, y int) image.Point { return image.Point{X: x, Y: y} }

func dropWarp(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	if !n.IsNoOp() {
		return c.No(n, "it moves, resizes or clips")
	}
	return n.Input(0), nil
}

func warpBelowConcat(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	in, ok := n.Input(0).(*ast.Concat)
	if !ok {
		return c.No(n, "its input is not a concat")
	}
	return mapParts(c, in, func(x ast.Node) ast.Node {
		return ast.TrustedWarp(x, n.Transform(), n.Size(), n.Sampling(), n.Domain())
	}), nil
}

func fuseWarps(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	in, ok := n.Input(0).(*ast.Warp)
	if !ok {
		return c.No(n, "its input is not a warp")
	}
	if n.Barrier(in.Sampling()) {
		return c.No(n, "the samplings differ, or a border is not nodata")
	}
	if isCopy(in) {
		return c.No(n, "the inner warp is a copy of a source")
	}
	x := in.Input(0)
	m := n.Transform().Mul(in.Transform())
	if !front(m, x.Size()) {
		return c.No(n, "the input's centre lies behind the projection")
	}
	if !m.WellConditioned(x.Size()) {
		return c.No(n, "together the transforms are too close to singular")
	}
	planes := make([]geom.HalfPlane, 0, 8)
	planes = append(planes, n.Domain().Planes()...)
	inv := n.Inverse()
	if !inv.IsAffine() {
		w := [3]float64{inv[6], inv[7], inv[8]}
		planes = append(planes, geom.HalfPlane{Row: w, Den: w, Closed: true})
	}
	for _, e := range in.Size().Edges() {
		planes = append(planes, e.Pullback(inv))
	}
	for i := range in.Domain().Len() {
		planes = append(planes, in.Domain().At(i).Pullback(inv))
	}
	return c.Warp(x, m, n.Size(), n.Sampling(), reduce(n.Size(), planes, x, m, n.Sampling())), nil
}

func reduceDomain(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	d := n.Domain()
	if d == nil {
		return c.No(n, "it has no domain")
	}
	r := reduce(n.Size(), d.Planes(), n.Input(0), n.Transform(), n.Sampling())
	out := c.Warp(n.Input(0), n.Transform(), n.Size(), n.Sampling(), r)
	if out.Domain().Equal(d) || out.Domain().Len() == d.Len() {
		return c.No(n, "no half-plane is redundant")
	}
	return out, nil
}
