package kernel

import (
	"image"
	"math"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// borderJob is a warp of a canvas of one sample, most of whose output lies beyond
// it.
func borderJob(inv geom.Transform, s ast.Sampling) *Job {
	src := raster.New(raster.Uint8, 1, 1, 1)
	src.Set(0, 0, 0, 200)
	return &Job{
		Src: src, Canvas: geom.Size{W: 1, H: 1}, Inv: inv, Sampling: s,
		Dst: raster.New(raster.Float32, 27, 10, 1), Rect: image.Rect(0, 0, 27, 10),
	}
}

// TestNumberExactly asks for the number of a border itself, and not a mean of it,
// wherever no sample is reached, with the source in memory and without.
func TestNumberExactly(t *testing.T) {
	for _, inv := range []geom.Transform{
		geom.Affine(1, 0, -2.3e-8, 0, 1, 0), geom.Scale(1, 0.5), geom.Scale(2, 1./1.2), geom.Scale(1./3, 1./3),
		geom.Scale(5, 5), geom.Rotate(0.3), {1, 0.1, 0, 0, 1, 0, 1e-3, 2e-3, 1},
	} {
		for interp := ast.Nearest; interp <= ast.Mode; interp++ {
			for _, number := range []float64{49, 113, 0.3, -1e3} {
				s := ast.Sampling{Interp: interp, Border: ast.Border{Mode: ast.ValueBorder, Value: number}}
				whole, away := borderJob(inv, s), borderJob(inv, s)
				away.Origin = image.Pt(-1<<30, -1<<30)
				for set := Portable; set <= Best(); set++ {
					whole.Run(set, nil)
					away.Run(set, nil)
					count := 0
					for y := range 10 {
						for x := range 27 {
							u, v := inv.Apply(float64(x)+0.5, float64(y)+0.5)
							rx, ry := s.Support(inv.Jacobian(float64(x)+0.5, float64(y)+0.5))
							if max(math.Abs(u-0.5)-rx, math.Abs(v-0.5)-ry) < 2 {
								continue
							}
							count++
							for _, j := range []*Job{whole, away} {
								if got := raster.Samples[float32](j.Dst)[y*27+x]; got != float32(number) {
									t.Fatalf("%v, %v %v: pixel (%d, %d) is %v, with the source at %v", set, inv, s, x, y, got, j.Origin)
								}
							}
						}
					}
					if count == 0 {
						t.Fatalf("%v %v: no pixel beyond the source", inv, s)
					}
				}
			}
		}
	}
}

// TestNumberIsNoData: a number that is a nodata value is invalid, also one that
// no sample can have.
func TestNumberIsNoData(t *testing.T) {
	for _, number := range []float64{-1, 7, 0.3, 1e9} {
		for _, typ := range []raster.DataType{raster.Uint8, raster.Float32, raster.Float64} {
			j := borderJob(geom.Translate(1, 0), ast.Sampling{Interp: ast.Linear, Border: ast.Border{Mode: ast.ValueBorder, Value: number}})
			j.Src = raster.New(typ, 1, 1, 1)
			j.NoData = [][]float64{{number}}
			if n := j.Run(Best(), nil); n != 27*10 {
				t.Errorf("%v border=%v: %d of 270 samples are invalid", typ, number, n)
			}
			j.NoData = [][]float64{{3*number + 1}}
			if n := j.Run(Best(), nil); n != 0 {
				t.Errorf("%v border=%v: %d samples are invalid without that nodata value", typ, number, n)
			}
		}
	}
}
