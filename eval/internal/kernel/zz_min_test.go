//go:build minbench

package kernel

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"unsafe"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

func cpuNow() int64 {
	var ts syscall.Timespec
	syscall.Syscall(syscall.SYS_CLOCK_GETTIME, 3, uintptr(unsafe.Pointer(&ts)), 0)
	return ts.Nano()
}

func TestMin(t *testing.T) {
	runtime.LockOSThread()
	re := regexp.MustCompile(os.Getenv("CASES"))
	reps, _ := strconv.Atoi(os.Getenv("REPS"))
	if reps == 0 {
		reps = 12
	}
	do := func(name string, f func() *Job) {
		if !re.MatchString(name) {
			return
		}
		j := f()
		for set := AVX2; set <= Best(); set++ {
			var s Scratch
			best := int64(math.MaxInt64)
			for range reps {
				a := cpuNow()
				j.Run(set, &s)
				best = min(best, cpuNow()-a)
			}
			fmt.Printf("%-44s %-7v %8.2f ms\n", name, set, float64(best)/1e6)
		}
	}
	for _, k := range []ast.Interpolation{ast.Nearest, ast.Linear, ast.Cubic} {
		for _, ty := range []raster.DataType{raster.Uint8, raster.Uint16, raster.Float32} {
			for _, n := range []int{1, 3, 4} {
				do(fmt.Sprintf("turn/%v/%vx%d", k, ty, n), func() *Job {
					return benchJob(ty, n, benchSize, benchSize, turned(1.25), ast.Sampling{Interp: k})
				})
			}
		}
	}
	for _, aa := range []bool{false, true} {
		for _, ty := range []raster.DataType{raster.Uint8, raster.Float32} {
			for _, n := range []int{1, 3} {
				do(fmt.Sprintf("persp/aa=%v/%vx%d", aa, ty, n), func() *Job {
					f, _ := turned(1.25).Inverse()
					f[6], f[7] = 1e-5, 2e-5
					inv, _ := f.Inverse()
					inv, _ = inv.Normalize(benchSize/2, benchSize/2)
					return benchJob(ty, n, benchSize, benchSize, inv, ast.Sampling{Interp: ast.Linear, Antialias: aa})
				})
			}
		}
	}
	for _, size := range [][2]int{{2048, 900}, {700, 2048}} {
		for _, k := range []ast.Interpolation{ast.Linear, ast.Cubic, ast.Lanczos, ast.Area} {
			for _, ty := range []raster.DataType{raster.Uint8, raster.Float32} {
				for _, n := range []int{1, 3} {
					do(fmt.Sprintf("scale/%d-%d/%v/%vx%d", size[0], size[1], k, ty, n), func() *Job {
						f := float64(size[0]) / float64(size[1])
						return benchJob(ty, n, size[0], size[1], geom.Scale(f, f), ast.Sampling{Interp: k, Antialias: true})
					})
				}
			}
		}
	}
	for _, k := range []ast.Interpolation{ast.Linear, ast.Cubic} {
		for _, n := range []int{1, 3} {
			do(fmt.Sprintf("reduce/%v/uint8x%d", k, n), func() *Job {
				return benchJob(raster.Uint8, n, benchSize, benchSize, turned(0.5), ast.Sampling{Interp: k, Antialias: true})
			})
		}
	}
	noisy := func(j *Job) *Job {
		j.NoData = make([][]float64, j.Src.Bands)
		for b := range j.NoData {
			j.NoData[b] = []float64{7}
		}
		return j
	}
	for _, k := range []ast.Interpolation{ast.Linear, ast.Cubic} {
		do(fmt.Sprintf("noisy/turn/%v/uint8x3", k), func() *Job {
			return noisy(benchJob(raster.Uint8, 3, 512, 512, geom.Rotate(0.5).Mul(geom.Translate(30, -100)), ast.Sampling{Interp: k}))
		})
		do(fmt.Sprintf("noisy/scale/%v/uint8x3", k), func() *Job {
			return noisy(benchJob(raster.Uint8, 3, 200, 512, geom.Scale(200./512, 200./512), ast.Sampling{Interp: k}))
		})
		do(fmt.Sprintf("noisy/scaledown/%v/uint8x3", k), func() *Job {
			return noisy(benchJob(raster.Uint8, 3, 512, 200, geom.Scale(512./200, 512./200), ast.Sampling{Interp: k, Antialias: true}))
		})
	}
	for _, ty := range []raster.DataType{raster.Uint8, raster.Int16} {
		do(fmt.Sprintf("mode/turn/%vx1", ty), func() *Job {
			return benchJob(ty, 1, 512, 512, geom.Rotate(0.5).Mul(geom.Translate(30, -100)), ast.Sampling{Interp: ast.Mode})
		})
	}
	for _, ty := range []raster.DataType{raster.Uint32, raster.Int32, raster.Float64} {
		do(fmt.Sprintf("wide/turn/linear/%vx1", ty), func() *Job {
			return benchJob(ty, 1, 512, 512, geom.Rotate(0.5).Mul(geom.Translate(30, -100)), ast.Sampling{Interp: ast.Linear})
		})
	}
}
