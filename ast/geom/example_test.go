package geom_test

import (
	"fmt"

	"github.com/rewarp/rewarp/ast/geom"
)

func ExampleTransform_Decompose() {
	m := geom.Translate(3, 4).Mul(geom.Scale(2, 0.5))
	p, _ := m.Decompose()
	fmt.Println(p.Offset, p.Scale, p.Shear, p.Theta)
	// Output: [3 4] [2 0.5] 0 0
}

func ExampleReduce() {
	canvas := geom.Size{W: 10, H: 10}
	inner := geom.Size{W: 20, H: 6} // twice as fine: 10×3 of this canvas
	inv := geom.Scale(2, 2)
	d := geom.Reduce(canvas, inner.AppendEdges(nil, canvas, &inv), nil)
	fmt.Println(canvas.Polygon().ClipDomain(d))
	// Output: [[0 3] [0 0] [10 0] [10 3]]
}
