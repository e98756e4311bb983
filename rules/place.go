package rules

import (
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/rewrite"
)

// These rules hold for a warp that is evaluated on its own pixel grid. Under
// another warp, which samples between its pixels and with a wider kernel, they
// would not.
//
//	Warp(x) → Fill           drop-unseen (no pixel centre shows any of x)
//	Warp(Fill) → Pad(Fill)   settle-fill (a constant that shows in a rectangle of pixels)
//	Warp(x) → Pad(copy(x))   settle-copy (a fused warp that turns out to be a copy)
//	Warp(x) → Warp'(Crop(x)) crop-below-warp
//
// The crop keeps what the kernel can reach from the part of the canvas that
// shows anything: its image in x, grown by the support that the sampling has
// under the warp's Jacobian. Past an endless border it cuts only where the
// taps stay inside, or keeps the edge (clamp, reflect).
var placeRules = []rewrite.Rule{
	rewrite.On("drop-unseen", ast.Exact, dropUnseen).
		WithDoc("Warp(x) → Fill where no pixel centre of the canvas shows any of x"),
	rewrite.On("settle-fill", ast.Geometric, settleFill).Except(ast.Copying | ast.NoOp).
		WithDoc("Warp(Fill) → Pad(Fill) where the constant shows in a rectangle of pixels"),
	rewrite.On("settle-copy", ast.Geometric, settleCopy).Only(ast.Clipped).
		WithDoc("Warp(x) → Pad(copy(x)) where fused warps add up to a copy of a source"),
}

var cropBelowWarpRules = []rewrite.Rule{
	rewrite.On("crop-below-warp", ast.Geometric, cropBelowWarp).Except(ast.Copying | ast.NoOp).
		WithDoc("Warp(x) → Warp'(Crop(x)): only what the kernel can reach is read"),
}

// appendClips appends the half-planes that decide, besides the canvas, which
// points of the warp are valid, less those that hold on all of it. Inv is the
// warp's inverse.
func appendClips(planes []geom.HalfPlane, n *ast.Warp, inv *geom.Transform) []geom.HalfPlane {
	planes = appendFront(n.Domain().Append(planes), inv)
	if n.Sampling().Border.Mode == ast.NoDataBorder {
		planes = n.Input(0).Size().AppendEdges(planes, n.Size(), inv)
	}
	return planes
}

// visible makes r the part of the warp's canvas that can be valid. Inv is the
// warp's inverse.
func visible(r *geom.Region, n *ast.Warp, inv *geom.Transform) {
	r.Reset(n.Size())
	planes := appendClips(make([]geom.HalfPlane, 0, 8), n, inv)
	for i := range planes {
		r.Clip(&planes[i])
	}
}

func dropUnseen(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	inv, s := c.Inverse(n), n.Size()
	if shows(n, inv, float64(s.W/2)+0.5, float64(s.H/2)+0.5) {
		return c.No(n, "some pixel centre shows its input")
	}
	planes := appendClips(make([]geom.HalfPlane, 0, 8), n, inv)
	if geom.NewDomain(planes...).CoversCenter(s.Bounds()) {
		return c.No(n, "some pixel centre shows its input")
	}
	return c.Invalid(n), nil
}

// shows reports whether the input of an affine warp shows at a point of its
// canvas; of a projective one it says no.
func shows(n *ast.Warp, inv *geom.Transform, x, y float64) bool {
	if !inv.IsAffine() || !n.Domain().Contains(x, y) {
		return false
	}
	if n.Sampling().Border.Mode != ast.NoDataBorder {
		return true
	}
	in := n.Input(0).Size()
	u, v := inv[0]*x+inv[1]*y+inv[2], inv[3]*x+inv[4]*y+inv[5]
	return u >= 0 && v >= 0 && u < float64(in.W)-geom.EdgeTolerance && v < float64(in.H)-geom.EdgeTolerance
}

func settleCopy(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	exact, ok := n.Transform().Copy()
	if !ok || n.Domain() == nil || !ast.IsSource(n.Input(0)) {
		return c.No(n, "it is not a copy with a domain on a source")
	}
	if n.Sampling().Border.Mode != ast.NoDataBorder {
		return c.No(n, "its border makes the source endless")
	}
	canvas := n.Size().Bounds()
	seen := mapRect(exact, n.Input(0).Size().Bounds()).Intersect(canvas)
	if seen.Empty() {
		return c.Invalid(n), nil
	}
	for i := range n.Domain().Len() {
		h := n.Domain().At(i)
		if h.Den != ([3]float64{}) || h.Row[0] != 0 && h.Row[1] != 0 {
			return c.No(n, "its domain is not a rectangle")
		}
		if edge := h.Row[2] / (h.Row[0] + h.Row[1]); math.Abs(edge-math.Round(edge)) > geom.EdgeTolerance {
			return c.No(n, "its domain ends inside a pixel")
		}
	}
	x0, x1 := n.Domain().Span(seen.Min.Y, seen.Min.X, seen.Max.X)
	y0, y1 := seen.Min.Y, seen.Max.Y
	for y0 < y1 && !covers(n, y0, x0, x1) {
		y0++
		x0, x1 = n.Domain().Span(y0, seen.Min.X, seen.Max.X)
	}
	for y0 < y1 && !covers(n, y1-1, x0, x1) {
		y1--
	}
	keep := image.Rect(x0, y0, x1, y1)
	if keep.Empty() {
		return c.Invalid(n), nil
	}
	size := geom.Size{W: keep.Dx(), H: keep.Dy()}
	m := geom.Translate(-float64(keep.Min.X), -float64(keep.Min.Y)).Mul(exact)
	part := c.Copy(n.Input(0), m, size)
	return c.Pad(part, keep.Min.X, keep.Min.Y, canvas.Max.X-keep.Max.X, canvas.Max.Y-keep.Max.Y), nil
}

// covers reports whether the domain holds pixels of row y.
func covers(n *ast.Warp, y, x0, x1 int) bool {
	a, b := n.Domain().Span(y, x0, x1)
	return a < b
}

func cropBelowWarp(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	if n.Copies() || n.IsNoOp() {
		return c.No(n, "it is a copy of a source, or no node")
	}
	x := n.Input(0)
	if x.Kind() == ast.KindFill {
		return c.No(n, "a fill is not read")
	}
	inv := *c.Inverse(n) // rules that go on by themselves ask for others
	w, ok := reach(n, &inv)
	if !ok {
		return c.No(n, "its taps may lie anywhere")
	}
	trimmed := false
	// Only above a source: up a long chain of barriers every trim would let the
	// next warp be trimmed again.
	if below, ok := x.(*ast.Warp); ok && n.Sampling().Border.Mode == ast.NoDataBorder && ast.IsSource(below.Input(0)) {
		seen := seenIn(w, below)
		w, trimmed = seen, seen != w
	}
	if w == x.Size().Bounds() {
		return c.No(n, "the kernel reaches all of its input")
	}
	m := n.Transform()
	m.ShiftInput(float64(w.Min.X), float64(w.Min.Y))
	size := geom.Size{W: w.Dx(), H: w.Dy()}
	if !front(&m, size) {
		return c.No(n, "the crop's centre would lie behind the projection")
	}
	var part ast.Node
	if ast.KindsIn(x)&(1<<ast.KindWarp|1<<ast.KindCustom) == 0 { // nothing below for rules of this pass
		var err error
		if part, err = cropped(c, x, w, nil); err != nil {
			return nil, err
		}
	} else {
		part = c.Crop(x, w, nil)
	}
	// The crop keeps what shows, so its edges imply what those of x did; but
	// half-planes that only x's edges implied are not brought back. None is
	// newly implied, but where the edge of what x shows is nearer.
	domain := n.Domain()
	if trimmed {
		domain = reduceOver(n, part, &m)
	}
	out := c.Warp(part, m, n.Size(), n.Sampling(), domain)
	if unsteady(out, roundingBy(n, &inv)) {
		return c.No(n, "with the offset of the crop rounding would move positions too far")
	}
	return out, nil
}

// reach is the window of the warp's input that its kernel can reach from the
// part of the canvas that can be valid. Inv is the warp's inverse. ok is false
// where there is no bound.
func reach(n *ast.Warp, inv *geom.Transform) (w image.Rectangle, ok bool) {
	in, s := n.Input(0).Size(), n.Sampling()
	nodata := s.Border.Mode == ast.NoDataBorder
	var x0, y0, x1, y1 float64
	j := [4]float64{inv[0], inv[1], inv[3], inv[4]}
	if n.Domain() == nil && inv.IsAffine() && inv[1] == 0 && inv[3] == 0 {
		canvas := n.Size()
		x0, x1 = axisBounds(inv[0], inv[2], canvas.W, in.W, nodata)
		y0, y1 = axisBounds(inv[4], inv[5], canvas.H, in.H, nodata)
		if !(x0 < x1 && y0 < y1) {
			return w, false
		}
	} else {
		var region geom.Region
		visible(&region, n, inv)
		if region.Len() == 0 {
			return w, false
		}
		x0, y0, x1, y1 = region.Bounds(inv)
		if !inv.IsAffine() {
			j = largestJacobian(inv, &region)
		}
	}
	rx, ry := s.Support(j)
	var xs, ys [2]int
	xs, okx := axisReach(x0-rx, x1+rx, in.W, s.Border.Mode)
	ys, oky := axisReach(y0-ry, y1+ry, in.H, s.Border.Mode)
	return image.Rect(xs[0], ys[0], xs[1], ys[1]), okx && oky
}

// axisBounds is what an axis of n pixels shows, by u = scale·x + offset, of one
// of size pixels, which a nodata border ends.
func axisBounds(scale, offset float64, n, size int, nodata bool) (lo, hi float64) {
	end := scale*float64(n) + offset
	lo, hi = min(offset, end), max(offset, end)
	if nodata {
		lo, hi = max(lo, 0), min(hi, float64(size))
	}
	return lo, hi
}

// seenIn is what shows anything of a window of a warp's canvas. What it leaves
// out is invalid, which for a warp above with a nodata border is the same as
// not being there.
func seenIn(w image.Rectangle, n *ast.Warp) image.Rectangle {
	var region geom.Region
	inv := n.Inverse()
	region.Reset(n.Size())
	var right, bottom bool // whether what is on that edge may show, too
	endX, endY := math.Inf(1), math.Inf(1)
	planes := appendClips(make([]geom.HalfPlane, 0, 8), n, &inv)
	for i := range planes {
		h := &planes[i]
		region.Clip(h)
		right = right || h.Closed && h.Row[0] < 0
		bottom = bottom || h.Closed && h.Row[1] < 0
		switch {
		case h.Closed:
		case h.Row[1] == 0 && h.Row[0] < 0:
			endX = min(endX, h.Row[2]/-h.Row[0])
		case h.Row[0] == 0 && h.Row[1] < 0:
			endY = min(endY, h.Row[2]/-h.Row[1])
		}
	}
	if region.Len() == 0 {
		return w
	}
	x0, y0, x1, y1 := region.Bounds(&geom.Identity)
	seen := image.Rect(
		int(math.Floor(outward(x0))), int(math.Floor(outward(y0))),
		pastEdge(x1, right && x1 < endX-nearEdge && !n.Copies()),
		pastEdge(y1, bottom && y1 < endY-nearEdge && !n.Copies())).Intersect(w)
	if seen.Empty() {
		return w
	}
	return seen
}

// pastEdge is the end of the pixels up to hi. A position on the edge between two
// belongs to the second, which is left out only if nothing shows there: the left
// or top edge of an input, which shows, is a right or bottom one through a flip.
func pastEdge(hi float64, shows bool) int {
	if shows {
		return int(math.Floor(hi+nearEdge)) + 1
	}
	return int(math.Ceil(-outward(-hi)))
}

// nearEdge is how near to an edge between pixels a position is taken to be on it,
// for all that tolerances of a stretched input may add: more costs a pixel.
const nearEdge = 1e-4

// largestJacobian is a 2×2 matrix whose rows are at least as long as those of
// inv's Jacobian anywhere in the region: the numerator of a row is affine in
// the canvas point (see leastStretch), so its largest norm is at a vertex.
func largestJacobian(inv *geom.Transform, region *geom.Region) [4]float64 {
	w := math.Inf(1)
	var norm [2]float64
	for i := range region.Len() {
		x, y := region.Vertex(i)
		w = min(w, inv.Denominator(x, y))
		for row := range norm {
			a, b := inv.JacobianNumerator(row, x, y)
			norm[row] = max(norm[row], math.Hypot(a, b))
		}
	}
	return [4]float64{norm[0] / (w * w), 0, norm[1] / (w * w), 0}
}

// outward is a lower bound of taps, or the whole number that only rounding can
// have moved it away from.
func outward(lo float64) float64 {
	if r := math.Round(lo); math.Abs(lo-r) < geom.SameEntry {
		return r
	}
	return lo
}

// axisReach is the run of an axis of n pixels that taps between lo and hi
// need, given what lies beyond its ends.
func axisReach(lo, hi float64, n int, border ast.BorderMode) (run [2]int, ok bool) {
	if !(lo > math.Inf(-1) && hi < math.Inf(1)) { // NaN too
		return run, false
	}
	lo, hi = outward(lo), -outward(-hi)
	size := float64(n)
	inside := lo >= 0 && hi <= size
	switch {
	case inside || border == ast.NoDataBorder:
		a, b := max(0, math.Floor(lo)), min(size, math.Ceil(hi))
		if a >= b { // only rounding can have moved all of it outside
			a = min(a, size-1)
			b = a + 1
		}
		return [2]int{int(a), int(b)}, true
	case border == ast.ClampBorder && lo < 0 && hi <= size:
		return [2]int{0, int(max(1, math.Ceil(hi)))}, true
	case border == ast.ClampBorder && lo >= 0:
		return [2]int{int(min(size-1, math.Floor(lo))), n}, true
	case border == ast.ReflectBorder && lo < 0 && hi <= size:
		return [2]int{0, int(min(size, max(1, math.Ceil(max(hi, -lo)))))}, true
	case border == ast.ReflectBorder && lo >= 0 && hi > size:
		return [2]int{int(max(0, math.Floor(min(lo, 2*size-hi)))), n}, true
	}
	return [2]int{0, n}, true
}
