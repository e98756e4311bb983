package kernel

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// benchJob is a warp of an n×n noise image onto an m×m canvas.
func benchJob(t raster.DataType, bands, n, m int, inv geom.Transform, s ast.Sampling) *Job {
	rng := rand.New(rand.NewPCG(1, 1))
	return &Job{
		Src:      randomSource(rng, t, n, n, bands, false),
		Canvas:   geom.Size{W: n, H: n},
		Inv:      inv,
		Sampling: s.Normalize(),
		Dst:      raster.New(t, m, m, bands),
		Rect:     image.Rect(0, 0, m, m),
	}
}

const benchSize = 2048

// turned is the inverse of a turn by 30° about the centre, and an enlargement
// by the factor.
func turned(by float64) geom.Transform {
	c := geom.Translate(benchSize/2, benchSize/2)
	f := c.Mul(geom.Rotate(-math.Pi / 6)).Mul(geom.Scale(by, by)).Mul(geom.Translate(-benchSize/2, -benchSize/2))
	inv, _ := f.Inverse()
	return inv
}

func runBench(b *testing.B, j *Job) {
	for set := Portable; set <= Best(); set++ {
		b.Run(set.String(), func(b *testing.B) {
			var s Scratch
			for b.Loop() {
				j.Run(set, &s)
			}
		})
	}
}

var benchTypes = []raster.DataType{raster.Uint8, raster.Uint16, raster.Int16, raster.Float32}

func BenchmarkTurn(b *testing.B) {
	for _, k := range []ast.Interpolation{ast.Nearest, ast.Linear, ast.Cubic} {
		for _, t := range benchTypes {
			for _, n := range []int{1, 3, 4, 13} {
				if n == 13 && t != raster.Int16 {
					continue
				}
				b.Run(fmt.Sprintf("%v/%v×%d", k, t, n), func(b *testing.B) {
					runBench(b, benchJob(t, n, benchSize, benchSize, turned(1.25), ast.Sampling{Interp: k}))
				})
			}
		}
	}
}

// BenchmarkDequantize is a turn of integers to values, whose terms cancel in the
// middle of the range.
func BenchmarkDequantize(b *testing.B) {
	for _, k := range []ast.Interpolation{ast.Nearest, ast.Linear, ast.Cubic} {
		b.Run(k.String(), func(b *testing.B) {
			j := benchJob(raster.Uint8, 3, benchSize, benchSize, turned(1.25), ast.Sampling{Interp: k})
			j.Dst = raster.New(raster.Float32, benchSize, benchSize, 3)
			j.Mul, j.Add = []float64{2. / 255, 2. / 255, 2. / 255}, []float64{-1, -1, -1}
			runBench(b, j)
		})
	}
}

func BenchmarkTurnReduce(b *testing.B) {
	for _, k := range []ast.Interpolation{ast.Linear, ast.Cubic, ast.Lanczos, ast.Area} {
		for _, n := range []int{1, 3} {
			b.Run(fmt.Sprintf("%v/uint8×%d", k, n), func(b *testing.B) {
				runBench(b, benchJob(raster.Uint8, n, benchSize, benchSize, turned(0.5), ast.Sampling{Interp: k, Antialias: true}))
			})
		}
	}
}

func BenchmarkScale(b *testing.B) {
	for _, size := range [][2]int{{2048, 900}, {700, 2048}} {
		for _, k := range []ast.Interpolation{ast.Linear, ast.Cubic, ast.Lanczos, ast.Area} {
			for _, t := range []raster.DataType{raster.Uint8, raster.Float32} {
				for _, n := range []int{1, 3} {
					b.Run(fmt.Sprintf("%d-%d/%v/%v×%d", size[0], size[1], k, t, n), func(b *testing.B) {
						f := float64(size[0]) / float64(size[1])
						runBench(b, benchJob(t, n, size[0], size[1], geom.Scale(f, f), ast.Sampling{Interp: k, Antialias: true}))
					})
				}
			}
		}
	}
}

func BenchmarkProjective(b *testing.B) {
	for _, aa := range []bool{false, true} {
		for _, t := range []raster.DataType{raster.Uint8, raster.Float32} {
			for _, n := range []int{1, 3} {
				b.Run(fmt.Sprintf("antialias=%v/%v×%d", aa, t, n), func(b *testing.B) {
					f, _ := turned(1.25).Inverse()
					f[6], f[7] = 1e-5, 2e-5
					inv, _ := f.Inverse()
					inv, _ = inv.Normalize(benchSize/2, benchSize/2)
					runBench(b, benchJob(t, n, benchSize, benchSize, inv, ast.Sampling{Interp: ast.Linear, Antialias: aa}))
				})
			}
		}
	}
}

func BenchmarkNoData(b *testing.B) {
	for _, noisy := range []bool{false, true} {
		b.Run(fmt.Sprintf("noisy=%v", noisy), func(b *testing.B) {
			const bands = 13
			j := benchJob(raster.Int16, bands, benchSize, benchSize, turned(1.25), ast.Sampling{Interp: ast.Linear})
			j.Dst = raster.New(raster.Float32, benchSize, benchSize, bands)
			j.Mul, j.Add = make([]float64, bands), make([]float64, bands)
			j.NoData = make([][]float64, bands)
			rng := rand.New(rand.NewPCG(1, 1))
			for k := range bands {
				j.Mul[k], j.NoData[k] = 1e-4, []float64{-9999}
			}
			for y := range benchSize {
				for x := range benchSize {
					for k := range bands {
						if noisy && rng.IntN(100) == 0 || (x-500)*(x-500)+(y-700)*(y-700) < 300*300 {
							j.Src.Set(x, y, k, -9999)
						}
					}
				}
			}
			runBench(b, j)
		})
	}
}
