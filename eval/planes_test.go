package eval_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// Parts of one band each, which are computed into planes, come out as each does
// by itself: valid or not, with or without repeats, whatever the memory.
func TestPlanes(t *testing.T) {
	images := &memory{Images: asttest.Standard()}
	parts := []string{
		`(crop [0 0 60 40] (warp scale=2.2 theta=0.3 (crop [0 0 41 29] bands=[2] (load masked))))`,
		`(crop [0 0 60 40] (warp scale=1.7 theta=-0.2 cubic (crop [0 0 36 36] bands=[0] (load classes))))`,
		`(pad 7 9 13 1 (warp scale=2 nearest (crop [0 0 20 15] bands=[1] (load masked))))`,
		`(crop [0 0 60 40] (warp scale=2.2 theta=0.3 (crop [0 0 41 29] bands=[2] (load masked))))`,
		`(pad 0 0 10 20 (warp scale=5 (fill 10x4 types=[uint8] bands=[a] nodata=[5] value=3)))`,
	}
	prepared := func(expr string) ast.Node {
		n, err := ast.ParseExpr(expr)
		if err != nil {
			t.Fatal(err)
		}
		if n, err = ast.Prepare(context.Background(), n, images); err != nil {
			t.Fatal(err)
		}
		return n
	}
	run := func(s *eval.Session, n ast.Node, typ raster.DataType) *raster.Buffer {
		pix, err := plan(t, s, n, eval.WithType(typ), eval.WithMaxFidelity(ast.Geometric)).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return pix
	}
	joined := prepared("(concat " + strings.Join(parts, " ") + ")")
	alone := open(t, eval.WithOpener(images))
	for _, opts := range [][]eval.Option{nil, {eval.WithTileSize(17, 33)}, {eval.WithMemoryLimit(1 << 20)}} {
		s := open(t, append(opts, eval.WithOpener(images))...)
		for typ := raster.Uint8; typ <= raster.Float64; typ++ {
			got := run(s, joined, typ)
			for b, expr := range parts {
				want := run(alone, prepared(expr), typ)
				for i := range want.Len() {
					x, y := i%want.W, i/want.W
					g, gok := got.At(x, y, b)
					w, ok := want.At(x, y, 0)
					if gok != ok || fmt.Sprint(g) != fmt.Sprint(w) {
						t.Fatalf("%v of band %d at (%d, %d): %v valid %v, by itself %v %v", typ, b, x, y, g, gok, w, ok)
					}
				}
			}
		}
	}
}
