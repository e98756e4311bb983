package rules

import (
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/rewrite"
)

// fusion is a warp that takes in the warps below it, one after another, before
// it is made a node. Its domain goes beside it, as half-planes on the canvas that
// are not reduced, so that they can stay on the stack.
type fusion struct {
	x        ast.Node       // its input
	m, inv   geom.Transform // from x's coordinates to the canvas's, and back
	canvas   geom.Size
	sampling ast.Sampling
}

// manyPlanes is how many half-planes a fusion gathers before it reduces them.
const manyPlanes = 8

// start makes f the warp of x by m onto a canvas, sampled as w is.
func (f *fusion) start(w *ast.Warp, x ast.Node, m *geom.Transform, canvas geom.Size) {
	f.x, f.m, f.canvas, f.sampling = x, *m, canvas, w.Sampling()
	f.inv.Invert(m)
}

// add takes in the warp that f samples, and returns the domain that f then has.
// Or it says why it cannot, and leaves f and its domain as they were.
func (f *fusion) add(in *ast.Warp, domain []geom.HalfPlane) (left []geom.HalfPlane, why string) {
	if f.sampling != in.Sampling() || f.sampling.Border.Mode != ast.NoDataBorder {
		return domain, "the samplings differ, or a border is not nodata"
	}
	if in.Copies() || in.IsNoOp() {
		return domain, "the inner warp is a copy of a source, or one of the two is no node"
	}
	x, inner := in.Input(0), in.Transform()
	m := geom.Compose(&f.m, &inner)
	if !m.IsAffine() {
		if !front(&m, x.Size()) {
			return domain, "the input's centre lies behind the projection"
		}
		m, _ = m.Normalize(x.Size().Center()) // two projections may undo each other
	}
	innerInv := in.Inverse()
	_, err := f.m.Rounding(&f.inv, f.canvas, in.Size())
	stretch, added := inner.Rounding(&innerInv, in.Size(), x.Size())
	if !m.WellConditioned(x.Size()) || stretch*err+added > mostRounding {
		return domain, "together the transforms are too close to singular"
	}
	if len(domain) > manyPlanes {
		domain = geom.Reduce(f.canvas, domain, nil).Append(domain[:0])
	}
	domain = appendFront(domain, &f.inv)
	domain = in.Size().AppendEdges(domain, f.canvas, &f.inv)
	domain = in.Domain().AppendTo(domain, &f.inv)
	f.x, f.m = x, m
	f.inv.Invert(&m)
	return domain, ""
}

// addAll takes in whatever warps follow, one by one, as fuse-warps would. It
// leaves them to fuse-warps where each firing is to be seen.
func (f *fusion) addAll(c *rewrite.Context, domain []geom.HalfPlane) []geom.HalfPlane {
	for !c.Stepwise() && f.m.IsAffine() {
		in, ok := f.x.(*ast.Warp)
		if !ok || !in.IsAffine() {
			break
		}
		var why string
		if domain, why = f.add(in, domain); why != "" {
			break
		}
	}
	return domain
}

// warp is the fusion as a node.
func (f *fusion) warp(c *rewrite.Context, domain []geom.HalfPlane) *ast.Warp {
	return c.Warp(f.x, f.m, f.canvas, f.sampling, f.reduce(domain))
}

// reduce drops the half-planes that are implied: by the canvas, by each other,
// and by the edges of the input where the border is nodata.
func (f *fusion) reduce(domain []geom.HalfPlane) *geom.Domain {
	if len(domain) == 0 {
		return nil
	}
	if f.sampling.Border.Mode != ast.NoDataBorder {
		return geom.Reduce(f.canvas, domain, nil)
	}
	return geom.Reduce(f.canvas, domain, f.x.Size().AppendEdges(make([]geom.HalfPlane, 0, 4), f.canvas, &f.inv))
}

// mostRounding is how many pixels of the input rounding may move positions by on
// the way back through two warps that fuse: far less than what decides a tie, as
// what stands above adds to it. The product of two transforms may be well
// conditioned though its entries are what cancellation left of large ones.
const mostRounding = geom.MaxDrift / 16
