package eval_test

import (
	"context"
	"image"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// A pixel at the edge of a tile whose outermost tap weighs nothing has the
// same bits as in the middle of one.
func TestTileEdges(t *testing.T) {
	images := asttest.Standard()
	s := open(t, eval.WithOpener(&memory{Images: images}))
	ctx := context.Background()
	for _, c := range []struct {
		uri string
		m   geom.Transform
	}{
		{"classes8", geom.Affine(1, 1, 0, 0, 1, 0)},
		{"mixed", geom.Scale(0.986, 1)},
		{"classes", geom.Scale(0.4, 1)},
	} {
		w, err := ast.NewWarp(images.Load(c.uri), c.m, geom.Size{W: 14, H: 1}, ast.DefaultSampling, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.Plan(ctx, w, eval.WithType(raster.Float64))
		if err != nil {
			t.Fatal(err)
		}
		whole, err := p.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		tile := &raster.Buffer{}
		for _, width := range []int{1, 2, 5} {
			for x := 0; x+width <= 14; x++ {
				if err := p.Window(ctx, image.Rect(x, 0, x+width, 1), tile); err != nil {
					t.Fatal(err)
				}
				for k := range width {
					got, _ := tile.At(k, 0, 0)
					if want, _ := whole.At(x+k, 0, 0); got != want && (got == got || want == want) {
						t.Errorf("%s: pixel %d of a tile from %d, %d wide, is %v, want %v", c.uri, x+k, x, width, got, want)
					}
				}
			}
		}
	}
}
