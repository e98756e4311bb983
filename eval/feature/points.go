package feature

import (
	"fmt"
	"image"

	"github.com/rewarp/rewarp/ast/geom"
)

// Points are positions on a canvas. They may lie outside it.
type Points struct {
	at     [][2]float64
	canvas *geom.Size
}

// NewPoints makes points of [][2]float64, which is kept, of [][2]float32,
// [][2]int, a flat []float64, []image.Point (the left top corners of those
// pixels), or other Points. All numbers must be finite.
func NewPoints(from any, canvas geom.Size) (Points, error) {
	if err := checkCanvas("points", canvas); err != nil {
		return Points{}, err
	}
	p := Points{canvas: &canvas}
	switch from := from.(type) {
	case [][2]float64:
		p.at = from
	case [][2]float32:
		for _, v := range from {
			p.at = append(p.at, [2]float64{float64(v[0]), float64(v[1])})
		}
	case [][2]int:
		for _, v := range from {
			p.at = append(p.at, [2]float64{float64(v[0]), float64(v[1])})
		}
	case []float64:
		if len(from)%2 != 0 {
			return Points{}, fmt.Errorf("feature: %d numbers do not make points of two", len(from))
		}
		for i := 0; i < len(from); i += 2 {
			p.at = append(p.at, [2]float64(from[i:]))
		}
	case []image.Point:
		for _, v := range from {
			p.at = append(p.at, [2]float64{float64(v.X), float64(v.Y)})
		}
	case Points:
		p.at = from.at
	default:
		return Points{}, fmt.Errorf("feature: points cannot be made of %T, expected [][2]float64, [][2]float32, [][2]int, []float64, []image.Point or Points", from)
	}
	for i := range p.at {
		if !finite(p.at[i][:]) {
			return Points{}, fmt.Errorf("feature: point %d is %v, which is not finite", i, p.at[i])
		}
	}
	return p, nil
}

// WrapLike is other points on the same canvas. Nothing is copied or read, and
// at must not change any more.
func (p Points) WrapLike(at [][2]float64) Points { return Points{at, p.canvas} }

// On is the same points on another canvas, as they stand.
func (p Points) On(canvas geom.Size) Points { return Points{p.at, &canvas} }

// Len is the number of points.
func (p Points) Len() int { return len(p.at) }

// At is the i-th point.
func (p Points) At(i int) (x, y float64) { return p.at[i][0], p.at[i][1] }

// Values is all points, shared: they must not be changed.
func (p Points) Values() [][2]float64 { return p.at }

// Canvas is the size of the canvas.
func (p Points) Canvas() geom.Size { return orZero(p.canvas) }

func orZero(s *geom.Size) geom.Size {
	if s == nil {
		return geom.Size{}
	}
	return *s
}

// Polygons are outlines on a canvas, each a ring of vertices that does not
// repeat the first. They may reach beyond the canvas, and need not be convex.
type Polygons struct {
	at     []geom.Polygon
	canvas *geom.Size
}

// NewPolygons makes polygons of []geom.Polygon or [][][2]float64, which are
// kept, of rows of flat coordinates [][]float64, or of other Polygons. Each
// has at least three vertices, all finite.
func NewPolygons(from any, canvas geom.Size) (Polygons, error) {
	if err := checkCanvas("polygons", canvas); err != nil {
		return Polygons{}, err
	}
	p := Polygons{canvas: &canvas}
	switch from := from.(type) {
	case []geom.Polygon:
		p.at = from
	case [][][2]float64:
		for _, ring := range from {
			p.at = append(p.at, ring)
		}
	case [][]float64:
		for i, flat := range from {
			if len(flat)%2 != 0 {
				return Polygons{}, fmt.Errorf("feature: polygon %d has %d numbers, expected two a vertex", i, len(flat))
			}
			ring := make(geom.Polygon, len(flat)/2)
			for k := range ring {
				ring[k] = [2]float64(flat[2*k:])
			}
			p.at = append(p.at, ring)
		}
	case Polygons:
		p.at = from.at
	default:
		return Polygons{}, fmt.Errorf("feature: polygons cannot be made of %T, expected []geom.Polygon, [][][2]float64, [][]float64 or Polygons", from)
	}
	for i, ring := range p.at {
		if len(ring) < 3 {
			return Polygons{}, fmt.Errorf("feature: polygon %d has %d vertices, expected at least 3", i, len(ring))
		}
		for k := range ring {
			if !finite(ring[k][:]) {
				return Polygons{}, fmt.Errorf("feature: polygon %d has vertex %v, which is not finite", i, ring[k])
			}
		}
	}
	return p, nil
}

// WrapLike is other polygons on the same canvas. Nothing is copied or read, and
// at must not change any more.
func (p Polygons) WrapLike(at []geom.Polygon) Polygons { return Polygons{at, p.canvas} }

// On is the same polygons on another canvas, as they stand.
func (p Polygons) On(canvas geom.Size) Polygons { return Polygons{p.at, &canvas} }

// Len is the number of polygons.
func (p Polygons) Len() int { return len(p.at) }

// At is the i-th polygon, shared: it must not be changed.
func (p Polygons) At(i int) geom.Polygon { return p.at[i] }

// Values is all polygons, shared: they must not be changed.
func (p Polygons) Values() []geom.Polygon { return p.at }

// Canvas is the size of the canvas.
func (p Polygons) Canvas() geom.Size { return orZero(p.canvas) }

// Bounds is the upright boxes around the polygons, left, top, right, bottom.
func (p Polygons) Bounds() Boxes {
	b := Boxes{make([][4]float64, len(p.at)), &boxesMeta{p.Canvas(), XYXY}}
	for i, ring := range p.at {
		b.at[i][0], b.at[i][1], b.at[i][2], b.at[i][3] = ring.Bounds()
	}
	return b
}
