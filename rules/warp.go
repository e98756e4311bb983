package rules

import (
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/rewrite"
)

// Warps become one:
//
//	Warp(x)            → x                     drop-warp (identity, same size, no domain)
//	Warp(Warp(x))      → Warp'(x)              fuse-warps
//	Warp(Crop(Warp(x)))→ Warp'(x)              fuse-warps
//	Warp(x)            → Warp'(x)              reduce-domain
//
// fuse-warps keeps the clip of the inner canvas as a domain, where the outer
// canvas and the edge of x do not imply it. It needs equal samplings and a
// nodata border: anything else is a barrier. It leaves copies of a source
// alone, and transforms that together are too close to singular.
var warpRules = []rewrite.Rule{
	rewrite.On("drop-warp", ast.Exact, dropWarp).Only(ast.NoOp).
		WithDoc("Warp(x) → x where the transform is the identity and the canvas stays"),
	rewrite.On("fuse-warps", ast.Geometric, fuseWarps).Except(ast.NoOp).
		WithDoc("Warp(Warp(x)) → Warp'(x), and so with a crop between them: one resampling; the inner canvas becomes a domain"),
	rewrite.On("reduce-domain", ast.Geometric, reduceDomain).Only(ast.Clipped).
		WithDoc("Warp(x) → Warp'(x) without the half-planes that its canvas or the edge of x implies"),
}

func dropWarp(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	if !n.IsNoOp() {
		return c.No(n, "it moves, resizes or clips")
	}
	return n.Input(0), nil
}

func fuseWarps(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	if k := n.Input(0).Kind(); k != ast.KindWarp && k != ast.KindCrop {
		return c.No(n, notOnWarp)
	}
	var l layer
	if why := l.below(n.Input(0)); why != "" {
		return c.No(n, why)
	}
	if n.IsNoOp() {
		return c.No(n, "the inner warp is a copy of a source, or one of the two is no node")
	}
	var f fusion
	m := n.Transform()
	f.start(n, n.Input(0), &m, n.Size())
	outerInv := f.inv
	domain, why := f.add(&l, n.Domain().Append(make([]geom.HalfPlane, 0, 12)), false)
	if why != "" {
		return c.No(n, why)
	}
	if f.m.IsAffine() && f.steady() {
		domain, err := f.addAll(c, domain)
		if err != nil {
			return nil, err
		}
		return f.warp(c, domain), nil
	}
	var innerInv geom.Transform
	innerInv.Invert(&l.m)
	out := f.warp(c, domain)
	if !f.m.IsAffine() && !(samePositions(out, geom.Compose(&innerInv, &outerInv)) && returns(out)) || unsteady(out, f.was) {
		return c.No(n, "together the transforms are too close to singular")
	}
	return out, nil
}

// samePositions reports whether the warp's inverse agrees with another map to
// its input wherever the canvas can show anything.
func samePositions(n *ast.Warp, inv geom.Transform) bool {
	const tolerance = 1e-8 // input pixels, far below what decides a tie
	var region geom.Region
	own := n.Inverse()
	visible(&region, n, &own)
	for i := range region.Len() {
		x, y := region.Vertex(i)
		a, b := own.Apply(x, y)
		u, v := inv.Apply(x, y)
		if !(math.Abs(a-u) <= tolerance && math.Abs(b-v) <= tolerance) {
			return false
		}
	}
	return true
}

// appendFront appends the half-plane in front of a projection, if inv is one.
func appendFront(planes []geom.HalfPlane, inv *geom.Transform) []geom.HalfPlane {
	if h, ok := inv.Front(); ok {
		planes = append(planes, h)
	}
	return planes
}

func reduceDomain(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	d := n.Domain()
	if d.Reduced() || d.Len() == 1 && d.At(0) == geom.Always {
		return c.No(n, "it has no domain, or one that is reduced already")
	}
	var f fusion
	m := n.Transform()
	f.start(n, n.Input(0), &m, n.Size())
	r := f.reduce(d.Planes())
	if r.Len() == d.Len() {
		return c.No(n, "no half-plane is redundant")
	}
	return c.Warp(f.x, m, n.Size(), n.Sampling(), r), nil
}
