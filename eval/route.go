package eval

import (
	"fmt"
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// route is how some bands of a view come down to a node.
type route struct {
	node  ast.Node
	bands []int // of the node
	out   []int // of the view

	// Before the first warp, pixel p of the view is pixel p+shift of the node.
	shift image.Point
	clip  image.Rectangle

	// After it.
	warped   bool
	canvas   geom.Size // of the first warp
	fwd, inv geom.Transform
	planes   []geom.HalfPlane // on that canvas
	sampling ast.Sampling

	quant *ast.Quantization
}

// clipTo keeps what lies on a canvas that the route passes.
func (r *route) clipTo(size geom.Size) {
	if !r.warped {
		r.clip = r.clip.Intersect(canvasOf(size).Sub(r.shift))
		return
	}
	for _, e := range size.Edges() {
		r.planes = append(r.planes, e.Pullback(r.inv))
	}
	r.reduce()
}

// reduce keeps a long route linear.
func (r *route) reduce() {
	if len(r.planes) > 24 {
		r.planes = geom.Reduce(r.canvas, r.planes, nil).Planes()
	}
}

// move goes on to a node whose pixel p+by is the route's pixel p.
func (r *route) move(in ast.Node, by image.Point) {
	r.node = in
	if !r.warped {
		r.shift = r.shift.Add(by)
		return
	}
	x, y := float64(by.X), float64(by.Y)
	r.inv = geom.Translate(x, y).Mul(r.inv)
	r.fwd = r.fwd.Mul(geom.Translate(-x, -y))
}

// conditioned refuses a composite that rounding would shift.
func conditioned(r *route, size geom.Size) error {
	if r.warped && !r.fwd.WellConditioned(size) {
		return &ast.Error{Op: "warp", Arg: "transform", Value: r.fwd[:], Limit: fmt.Sprintf(
			"composed down to the %s is too close to singular: rounding moves positions by %.2g source pixels over %v, the limit is 1e-07",
			r.node.Op(), r.fwd.Drift(size), size)}
	}
	return nil
}
