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

	// What rounding adds on the way back, in pixels of x, by the transforms last
	// put together, and before.
	is, was float64
}

// manyPlanes is how many half-planes a fusion gathers before it reduces them.
const manyPlanes = 8

// start makes f the warp of x by m onto a canvas, sampled as w is.
func (f *fusion) start(w *ast.Warp, x ast.Node, m *geom.Transform, canvas geom.Size) {
	f.x, f.m, f.canvas, f.sampling = x, *m, canvas, w.Sampling()
	f.inv.Invert(m)
}

// layer is a warp that a fusion can take in, seen through the crop that stands
// on it, if one does: what crop-into-warp makes of the two.
type layer struct {
	warp   *ast.Warp
	m      geom.Transform // from the warp's input to the canvas
	canvas geom.Size
	dx, dy float64 // where the canvas begins on the warp's own
}

const notOnWarp = "its input is not a warp, nor a crop of one"

// below finds the layer that n is or stands on. It says why there is none.
func (l *layer) below(n ast.Node) (why string) {
	var crop *ast.Crop
	switch in := n.(type) {
	case *ast.Warp:
		l.warp = in
	case *ast.Crop:
		crop = in
		w, ok := in.Input(0).(*ast.Warp)
		if !ok {
			return notOnWarp
		}
		l.warp = w
	default:
		return notOnWarp
	}
	if l.warp.Copies() || l.warp.IsNoOp() {
		return "the inner warp is a copy of a source, or one of the two is no node"
	}
	l.m, l.canvas = l.warp.Transform(), n.Size()
	if crop != nil {
		if !crop.AllBands() {
			return "the crop between the warps picks bands"
		}
		o := crop.Window().Min
		l.dx, l.dy = float64(o.X), float64(o.Y)
		l.m.Shift(-l.dx, -l.dy)
	}
	return ""
}

// steady reports whether what rounding adds is so little that nothing below can
// make it matter.
func (f *fusion) steady() bool { return steady(f.is, f.was) }

// add takes in the layer that f samples, and returns the domain that f then has.
// Or it says why it cannot, and leaves f and its domain as they were. Sure is
// for a layer that is taken in only if f is steady with it.
func (f *fusion) add(l *layer, domain []geom.HalfPlane, sure bool) (left []geom.HalfPlane, why string) {
	if f.sampling != l.warp.Sampling() || f.sampling.Border.Mode != ast.NoDataBorder {
		return domain, "the samplings differ, or a border is not nodata"
	}
	x := l.warp.Input(0)
	m := geom.Compose(&f.m, &l.m)
	if !m.IsAffine() {
		if !front(&m, x.Size()) {
			return domain, "the input's centre lies behind the projection"
		}
		m, _ = m.Normalize(x.Size().Center()) // two projections may undo each other
	}
	var inv geom.Transform
	inv.Invert(&l.m)
	_, err := f.m.Rounding(&f.inv, f.canvas, l.canvas)
	stretch, added := l.m.Rounding(&inv, l.canvas, x.Size())
	was := stretch*err + added
	if !m.WellConditioned(x.Size()) || !(was <= mostRounding) {
		return domain, "together the transforms are too close to singular"
	}
	inv.Invert(&m)
	_, is := m.Rounding(&inv, f.canvas, x.Size())
	if sure && !steady(is, was) {
		return domain, "rounding may move positions too far"
	}
	if len(domain) > manyPlanes {
		domain = geom.Reduce(f.canvas, domain, nil).Append(domain[:0])
	}
	domain = appendFront(domain, &f.inv)
	domain = l.canvas.AppendEdges(domain, f.canvas, &f.inv)
	if d := l.warp.Domain(); d != nil {
		f.inv.Shift(l.dx, l.dy)
		domain = d.AppendTo(domain, &f.inv)
	}
	f.x, f.m, f.inv, f.is, f.was = x, m, inv, is, was
	return domain, ""
}

// addAll takes in whatever warps follow, one by one, as fuse-warps would, those
// too that show once a dequantize has gone below them. It leaves them to
// fuse-warps where each firing is to be seen.
func (f *fusion) addAll(c *rewrite.Context, domain []geom.HalfPlane) ([]geom.HalfPlane, error) {
	for !c.Stepwise() && f.m.IsAffine() {
		if f.x.Kind() == ast.KindDequantize {
			x, err := c.Rewritten(f.x)
			if err != nil {
				return nil, err
			}
			f.x = x
		}
		if k := f.x.Kind(); k != ast.KindWarp && k != ast.KindCrop {
			break
		}
		var l layer
		if l.below(f.x) != "" || !l.m.IsAffine() {
			break
		}
		var why string
		if domain, why = f.add(&l, domain, true); why != "" {
			break
		}
		c.Refired()
	}
	return domain, nil
}

// mayRun reports whether addAll may find a warp to take in at x.
func mayRun(c *rewrite.Context, x ast.Node) bool {
	k := x.Kind()
	return k == ast.KindWarp || k == ast.KindDequantize && ast.KindsIn(x)&(1<<ast.KindWarp) != 0
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
