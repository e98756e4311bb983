package eval_test

import (
	"context"
	"slices"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/oracle"
)

// A band that is picked several times is read and computed once.
func TestRepeatedBands(t *testing.T) {
	images := &memory{Images: asttest.Standard()}
	s := open(t, eval.WithOpener(images), eval.WithTileSize(13, 9))
	for _, c := range []struct {
		expr  string
		bands []int // that are read
	}{
		{`(crop [0 0 30 20] bands=[0 0 1 0] (load masked))`, []int{0, 1}},
		{`(warp scale=0.7 theta=0.2 (crop [0 0 41 29] bands=[2 0 2] (load masked)))`, []int{2, 0}},
		{`(crop [0 0 20 20] bands=[1 1] (warp scale=0.7 cubic (load spectrum)))`, []int{1}},
		{`(concat #1=(warp scale=1.3 (load elevation)) #1# (crop [0 0 65 41] bands=[1] #1#))`, []int{0, 1}},
		{`(pad 1 0 2 3 (dequantize float32 0..255 -> 0..1 nodata=7 (crop [0 0 9 9] bands=[0 0] (load masked))))`, []int{0}},
		{`(warp scale=2 nearest (warp scale=0.5 area (crop [0 0 36 36] bands=[0 0 0] (load classes))))`, []int{0}},
		{`(warp scale=0.5 border=3 (fill 9x9 types=[uint8 int16 uint8] bands=[a b c] nodata=[null null 5] value=5))`, nil},
	} {
		n, err := ast.ParseExpr(c.expr)
		if err != nil {
			t.Fatal(err)
		}
		if n, err = ast.Prepare(context.Background(), n, images); err != nil {
			t.Fatal(err)
		}
		want, err := oracle.Reference(context.Background(), n, images, oracle.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, typ := range []raster.DataType{raster.Float32, raster.Float64} {
			p := plan(t, s, n, eval.WithType(typ), eval.WithMaxFidelity(ast.Geometric))
			var read []int
			for _, r := range p.Stats().Reads {
				read = append(read, r.Bands...)
			}
			if !slices.Equal(read, c.bands) {
				t.Errorf("%s reads bands %v, want %v", c.expr, read, c.bands)
			}
			got, err := p.Run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, want.Values, 2e-5)
		}
		p := plan(t, s, n, eval.WithType(raster.Int16), eval.WithMaxFidelity(ast.Geometric))
		got, err := p.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range want.Values {
			x, y, b := i/got.Bands%got.W, i/got.Bands/got.W, i%got.Bands
			if _, ok := got.At(x, y, b); ok != (v == v) {
				t.Fatalf("%s: pixel (%d, %d) of band %d is valid %v", c.expr, x, y, b, ok)
			}
		}
	}
}
