package kernel

import (
	"fmt"
	"image"
	"math"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// TestAccuracy compares fast runs with Precise ones on full-range noise, the
// worst case, over canvases that are several chunks wide. Run it with -v for
// the figures.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	const n = 400
	c := geom.Translate(n/2, n/2)
	maps := []struct {
		name string
		inv  geom.Transform
	}{
		{"turn", c.Mul(geom.Rotate(0.5)).Mul(geom.Scale(0.8, 0.8)).Mul(geom.Translate(-n/2, -n/2))},
		{"turn+reduce", c.Mul(geom.Rotate(0.5)).Mul(geom.Scale(2.3, 1.7)).Mul(geom.Translate(-n/2, -n/2))},
		{"scale", geom.Scale(0.37, 0.41)},
		{"reduce", geom.Scale(3.1, 2.7)},
		{"projective", geom.Transform{0.8, -0.3, 100, 0.3, 0.8, 20, 1e-4, 2e-4, 1}},
	}
	for _, m := range maps {
		for _, k := range []ast.Interpolation{ast.Nearest, ast.Linear, ast.Cubic, ast.Lanczos, ast.Area} {
			if m.name == "projective" && (k == ast.Lanczos || k == ast.Area) {
				continue // slow where it is stretched, and nothing new
			}
			for _, st := range []raster.DataType{raster.Uint8, raster.Uint16, raster.Int16, raster.Float32} {
				j := benchJob(st, 3, n, n, m.inv, ast.Sampling{Interp: k, Antialias: true})
				if m.name == "reduce" || m.name == "turn+reduce" {
					j.Rect.Max.X, j.Rect.Max.Y = 280, 100
				}
				switch {
				case testing.Short():
					j.Rect.Max.Y = 10
				case !full:
					j.Rect.Max.Y = min(j.Rect.Max.Y, 50)
				}
				fast, precise := withOutput(j), withOutput(j)
				precise.Precise = true
				a, b := fast.Run(Best(), nil), precise.Run(Portable, nil)
				if a != b {
					t.Errorf("%s %v %v: %d invalid samples, want %d", m.name, k, st, a, b)
				}
				off, worst, count := 0, 0.0, 0
				for y := range j.Rect.Max.Y {
					for x := range j.Rect.Max.X {
						for band := range 3 {
							v, okV := fast.Dst.At(x, y, band)
							w, okW := precise.Dst.At(x, y, band)
							if okV != okW {
								t.Fatalf("%s %v %v: validity differs", m.name, k, st)
							}
							if v != w && okV {
								off++
								worst = max(worst, math.Abs(v-w))
							}
							count++
						}
					}
				}
				share := float64(off) / float64(count)
				name := fmt.Sprintf("%-12s %-8v %-8v", m.name, k, st)
				if st.IsFloat() {
					t.Logf("%s largest difference %.1e of the range", name, worst/2000)
					if worst/2000 > 1e-5 {
						t.Errorf("%s: difference %v", name, worst)
					}
					continue
				}
				t.Logf("%s %.3f %% one off", name, 100*share)
				if share >= 0.005 || worst > 1 || k == ast.Nearest && off > 0 {
					t.Errorf("%s: %.3f %% differ, by up to %v", name, 100*share, worst)
				}
			}
		}
	}
}

// TestCancel maps integers to values near the zero of the map, where its two terms
// all but cancel: the result is the value in float64, rounded once.
func TestCancel(t *testing.T) {
	j := &Job{
		Src: raster.New(raster.Uint8, 256, 1, 1), Canvas: geom.Size{W: 256, H: 1}, Inv: geom.Identity,
		Mul: []float64{(7.8 + 6.12) / 255}, Add: []float64{-6.12},
		Dst: raster.New(raster.Float32, 256, 1, 1), Rect: image.Rect(0, 0, 256, 1),
	}
	for i := range 256 {
		j.Src.Set(i, 0, 0, float64(i))
	}
	for set := Portable; set <= Best(); set++ {
		j.Run(set, nil)
		for i, v := range raster.Samples[float32](j.Dst) {
			if want := float32(float64(float64(i)*j.Mul[0]) + j.Add[0]); v != want {
				t.Errorf("%v: %d became %v, want %v", set, i, v, want)
			}
		}
	}
}
