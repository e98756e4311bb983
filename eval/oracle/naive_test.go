package oracle_test

import (
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/oracle"
)

func TestNaiveRoundsEveryNode(t *testing.T) {
	row := pixels[uint8](4, 0, 1, 2, 3)
	half := func(n ast.Node) ast.Node { return slide(n, 0.5, 4, by(ast.Linear)) }
	same(t, values(t, oracle.Naive, half(row)), 1, 2, 3, nan)
	same(t, values(t, oracle.Naive, half(half(row))), 2, 3, nan, nan)
	means(t, half(half(row)), 1, 2, 3, nan)

	// Halves are rounded away from zero, values out of range saturate.
	ints := pixels[int16](2, -3, -2)
	same(t, values(t, oracle.Naive, slide(ints, 0.5, 1, by(ast.Linear))), -3)
	spike := pixels[uint8](6, 0, 0, 255, 255, 0, 0)
	high := values(t, oracle.Reference, slide(spike, 2.5, 1, by(ast.Cubic)))
	if high[0] <= 255 {
		t.Fatalf("cubic overshoots to %v, expected more than 255", high[0])
	}
	same(t, values(t, oracle.Naive, slide(spike, 2.5, 1, by(ast.Cubic))), 255)

	// Floats are rounded to float32.
	third := slide(pixels[float32](2, 0, 1), 1/3.0, 1, by(ast.Linear))
	same(t, values(t, oracle.Naive, third), float64(float32(1/3.0)))
	fill := must(ast.NewFill(geom.Size{W: 1, H: 1}, ast.NumberedBands(1, raster.Float32), 0.1))
	same(t, values(t, oracle.Naive, fill), float64(float32(0.1)))
	means(t, fill, 0.1)
}

func TestNaiveKeepsMasksApart(t *testing.T) {
	// The mean of two valid samples is the nodata value, and stays valid.
	n := withNoData(5, 4, 6, 5)
	n = slide(n, 0.5, 2, by(ast.Linear))
	same(t, values(t, oracle.Naive, n), 5, nan)
	same(t, values(t, oracle.Naive, slide(n, 0.25, 2, by(ast.Nearest))), 5, nan)
}

func TestBuffer(t *testing.T) {
	c := must(ast.NewConcat(withNoData(-9, 3, -9), pixels(2, 1.5, nan)))
	r, err := oracle.Reference(bg, c, nil, oracle.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.At(0, 0, 1); got != 1.5 {
		t.Errorf("At = %v, want 1.5", got)
	}
	b := r.Buffer(raster.Int16)
	for i, want := range []int16{3, 2, -9, 0} {
		if got := raster.Samples[int16](b)[i]; got != want {
			t.Errorf("int16 sample %d = %d, want %d", i, got, want)
		}
		if valid := b.Mask[i] != 0; valid != (i < 2) {
			t.Errorf("int16 mask %d = %v", i, valid)
		}
	}
	f := r.Buffer(raster.Float32)
	if f.Mask != nil {
		t.Error("a float buffer has a mask")
	}
	for i, want := range []float64{3, 1.5, nan, nan} {
		same(t, []float64{float64(raster.Samples[float32](f)[i])}, want)
	}
}
