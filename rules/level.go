package rules

import (
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/rewrite"
)

// A warp that shrinks reads the smallest stored level that is still at least as
// fine as its canvas, and one that stands on a level coarser than that goes
// back to a finer one, whatever the distance:
//
//	Warp(Dequantize?(Crop?(Overviewⱼ?(Load)))) → Warp'(Dequantize?(Crop'?(Overviewₖ?(Load))))
//
// Level k qualifies iff w/wₖ ≤ fx·(1 + 1e-9) and h/hₖ ≤ fy·(1 + 1e-9), where f
// is the stretch of an antialiased kernel at level 0. Sizes are those that the
// file has, never powers of two. A crop that is not whole at the new level
// becomes a wider crop, and its edges go into the warp's domain.
//
// Only antialiased linear, cubic, lanczos and area: a label, a nearest pick
// or an aliased sample has no coarser stand-in. A coarser level needs
// the nodata value of a dequantize to be the file's own.
var levelRules = []rewrite.Rule{
	rewrite.On("substitute-overview", ast.Resolution, substituteOverview).Except(ast.Copying | ast.NoOp).
		WithDoc("Warp(Load) → Warp'(Overview(Load)): a downscale reads the smallest stored level that is fine enough"),
	rewrite.On("absorb-overview", ast.Resolution, absorbOverview).Except(ast.Copying | ast.NoOp).
		WithDoc("Warp(Overview(Load)) → Warp'(Load): an upscale over an overview goes back to the finer level"),
}

func substituteOverview(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	return changeLevel(c, n, true)
}

func absorbOverview(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
	return changeLevel(c, n, false)
}

// storedSource is a warp's source that reads a load: a copy of a dequantize of
// a crop of a level, each but the level optional.
type storedSource struct {
	load  *ast.Load
	level int
	crop  *ast.Crop
	deq   *ast.Dequantize
	copy  *ast.Warp
}

func sourceOf(n ast.Node) (s storedSource, ok bool) {
	if w, isWarp := n.(*ast.Warp); isWarp && w.Copies() {
		if exact := w.Exact(); mapRect(exact, w.Input(0).Size().Bounds()) != w.Size().Bounds() {
			return s, false // a margin or a cut, which goes first
		}
		s.copy, n = w, w.Input(0)
	}
	if d, isDeq := n.(*ast.Dequantize); isDeq {
		s.deq, n = d, d.Input(0)
	}
	if p, isCrop := n.(*ast.Crop); isCrop {
		s.crop, n = p, p.Input(0)
	}
	s.load, s.level = ast.StoredLevel(n)
	return s, s.load != nil
}

// toCanvas maps the coordinates of the stored level to those of the source's
// canvas.
func (s *storedSource) toCanvas() geom.Transform {
	m := geom.Identity
	if s.crop != nil {
		o := s.crop.Window().Min
		m = geom.Translate(-float64(o.X), -float64(o.Y))
	}
	if s.copy != nil {
		exact, _ := s.copy.IsCopy()
		m = exact.Mul(m)
	}
	return m
}

func changeLevel(c *rewrite.Context, n *ast.Warp, coarser bool) (ast.Node, error) {
	s, ok := sourceOf(n.Input(0))
	if !ok {
		return c.No(n, "it does not stand on a load")
	}
	if s.load.NumOverviews() == 0 {
		return c.No(n, "the file stores no overviews")
	}
	if n.Copies() || n.IsNoOp() {
		return c.No(n, "it is a copy of a source, or no node")
	}
	sampling := n.Sampling()
	switch sampling.Interp {
	case ast.Linear, ast.Cubic, ast.Lanczos, ast.Area:
	default:
		return c.No(n, "labels and nearest picks have no coarser stand-in")
	}
	if !sampling.Antialias {
		return c.No(n, "it is not antialiased")
	}
	if !coarser && s.level == 0 {
		return c.No(n, "it reads the raster itself")
	}
	level := bestLevel(n, &s, c.Inverse(n))
	switch {
	case level == s.level:
		return c.No(n, "it reads the level that fits best already")
	case coarser != smaller(s.load, level, s.level):
		return c.No(n, "the level that fits best lies the other way")
	}
	if coarser && s.deq != nil && s.deq.Quantization().HasNoData {
		q := s.deq.Quantization()
		for i := range s.deq.NumBands() {
			if b := s.deq.Input(0).Band(i); !b.HasNoData || b.NoData != q.NoData {
				return c.No(n, "the stored level was made without the dequantize's nodata value")
			}
		}
	}
	return atLevel(c, n, &s, level)
}

func inverse(m geom.Transform) geom.Transform { inv, _ := m.Inverse(); return inv }

func scaleBetween(from, to geom.Size) geom.Transform {
	return geom.Scale(float64(to.W)/float64(from.W), float64(to.H)/float64(from.H))
}

func smaller(l *ast.Load, a, b int) bool {
	x, _ := l.LevelSize(a)
	y, _ := l.LevelSize(b)
	return float64(x.W)*float64(x.H) < float64(y.W)*float64(y.H)
}

// bestLevel is the smallest stored level that qualifies for a warp over s. Inv is
// the warp's inverse.
func bestLevel(n *ast.Warp, s *storedSource, inv *geom.Transform) int {
	from, _ := s.load.LevelSize(s.level)
	full := s.load.Size()
	sx, sy := float64(full.W)/float64(from.W), float64(full.H)/float64(from.H)
	var fx, fy float64
	if inv.IsAffine() && s.copy == nil {
		fx, fy = geom.Stretch([4]float64{sx * inv[0], sx * inv[1], sy * inv[3], sy * inv[4]})
	} else {
		toFull := geom.Scale(sx, sy).Mul(inverse(s.toCanvas()))
		all := geom.Compose(&toFull, inv)
		fx, fy = leastStretch(&all, n)
	}
	best := 0
	for k := 1; k <= s.load.NumOverviews(); k++ {
		at, _ := s.load.LevelSize(k)
		if float64(full.W)/float64(at.W) <= fx*(1+1e-9) &&
			float64(full.H)/float64(at.H) <= fy*(1+1e-9) && smaller(s.load, k, best) {
			best = k
		}
	}
	return best
}

// leastStretch bounds the stretch of an antialiased kernel over the canvas of a
// warp from below, inv being the map from the canvas to level 0. A row of the
// Jacobian has a numerator that is affine in the canvas point, so its least norm
// over the canvas is that of a convex polygon.
func leastStretch(inv *geom.Transform, n *ast.Warp) (fx, fy float64) {
	if inv.IsAffine() {
		return geom.Stretch([4]float64{inv[0], inv[1], inv[3], inv[4]})
	}
	var region geom.Region
	own := n.Inverse()
	visible(&region, n, &own)
	if region.Len() == 0 {
		return 1, 1
	}
	w := 0.0
	var rows [2]geom.Polygon
	for i := range region.Len() {
		x, y := region.Vertex(i)
		w = max(w, inv.Denominator(x, y))
		for row := range rows {
			a, b := inv.JacobianNumerator(row, x, y)
			rows[row] = append(rows[row], [2]float64{a, b})
		}
	}
	return max(1, distanceFromOrigin(rows[0])/(w*w)), max(1, distanceFromOrigin(rows[1])/(w*w))
}

// distanceFromOrigin is the least norm over the convex hull of the points.
func distanceFromOrigin(p geom.Polygon) float64 {
	if surrounded(p) {
		return 0
	}
	best := math.Inf(1)
	for i, a := range p {
		for _, b := range p[:i+1] {
			dx, dy := b[0]-a[0], b[1]-a[1]
			t := 0.0
			if d := dx*dx + dy*dy; d > 0 {
				t = min(1, max(0, -(a[0]*dx+a[1]*dy)/d))
			}
			best = min(best, math.Hypot(a[0]+t*dx, a[1]+t*dy))
		}
	}
	return best
}

// surrounded reports whether no half-plane through the origin holds all the
// points, so that the origin is inside their convex hull.
func surrounded(p geom.Polygon) bool {
	for _, a := range p {
		left := true
		for _, b := range p {
			left = left && a[0]*b[1]-a[1]*b[0] >= 0
		}
		if left {
			return false
		}
	}
	return true
}

// atLevel is the warp n over another level of its source.
func atLevel(c *rewrite.Context, n *ast.Warp, s *storedSource, level int) (ast.Node, error) {
	from, _ := s.load.LevelSize(s.level)
	to, _ := s.load.LevelSize(level)
	var x ast.Node = s.load
	if level > 0 {
		x = c.Overview(x, level)
	}
	m := n.Transform() // to be from the new level to the canvas
	if s.crop != nil || s.copy != nil {
		toCanvas := s.toCanvas()
		m = geom.Compose(&m, &toCanvas)
	}
	scale := scaleBetween(to, from)
	m = geom.Compose(&m, &scale)
	var planes []geom.HalfPlane
	if n.Domain() != nil {
		planes = n.Domain().Append(make([]geom.HalfPlane, 0, 8))
	}
	if s.crop != nil {
		w, whole := scaleWindow(s.crop.Window(), from, to)
		if !whole {
			if n.Sampling().Border.Mode != ast.NoDataBorder {
				return c.No(n, "the crop is not whole at the level, and the border makes its edge endless")
			}
			for _, e := range n.Input(0).Size().Edges() {
				planes = append(planes, e.Pullback(n.Inverse()))
			}
		}
		w = w.Intersect(to.Bounds())
		x = c.Crop(x, w, ast.PicksOf(s.crop))
		m.ShiftInput(float64(w.Min.X), float64(w.Min.Y))
	}
	if s.deq != nil {
		x = c.DequantizeLike(s.deq, x)
	}
	if s.copy != nil {
		exact, size := orientation(s.copy, x.Size())
		x = c.Copy(x, exact, size)
		m = m.Mul(inverse(exact))
	}
	if !front(&m, x.Size()) {
		return c.No(n, "the input's centre lies behind the projection")
	}
	if !m.WellConditioned(x.Size()) {
		return c.No(n, "the transform from that level is too close to singular")
	}
	domain := n.Domain()
	// Over a whole level the edges of the input lie where they did.
	if len(planes) > 0 && !(s.crop == nil && domain.Reduced()) {
		var f fusion
		f.start(n, x, &m, n.Size())
		domain = f.reduce(planes)
	}
	if domain == nil && n.Sampling().Border.Mode == ast.NoDataBorder {
		if exact, ok := m.Copy(); ok && exact[0] == 1 && exact[4] == 1 {
			return translated(c, n, x, int(exact[2]), int(exact[5])), nil
		} else if ok {
			return c.Copy(x, exact, n.Size()), nil
		}
	}
	return c.Warp(x, m, n.Size(), n.Sampling(), domain), nil
}

// orientation is the flip or turn of a copy, for a canvas of another size, and
// the size of its result.
func orientation(w *ast.Warp, in geom.Size) (exact geom.Transform, size geom.Size) {
	e, _ := w.IsCopy()
	linear := geom.Affine(e[0], e[1], 0, e[3], e[4], 0)
	r := mapRect(linear, in.Bounds())
	return geom.Translate(-float64(r.Min.X), -float64(r.Min.Y)).Mul(linear), geom.Size{W: r.Dx(), H: r.Dy()}
}
