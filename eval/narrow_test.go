package eval_test

import (
	"context"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// A source narrower than the kernel leaves it less than half of its weight
// along one axis alone, so that linear is used: (70·3 + 65)/4.
func TestNarrowSource(t *testing.T) {
	pix, err := raster.FromSlice([]uint8{70, 65, 10, 20, 30}, 5, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	src, err := ast.NewRaster(pix, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := ast.Sampling{Interp: ast.Lanczos, Antialias: true}
	w, err := ast.NewWarp(src, geom.Affine(0.5, 0, 0.5, 0, 1, 0), geom.Size{W: 1, H: 1}, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := open(t).Plan(context.Background(), w, eval.WithType(raster.Float64))
	if err != nil {
		t.Fatal(err)
	}
	got, err := p.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, []float64{68.75}, 1e-6)
}
