//go:build linux

package kernel

import (
	"image"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// TestStreamPages: outputs that are written past the caches, which begin anywhere
// in a line and end beside a page that must not be touched, are those of the
// plain kernels, also where tiles of odd widths, whose lines are shared, are
// computed at once.
func TestStreamPages(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 3))
	const most = 24 << 20
	dst, mask := newEnclosure(t, most), newEnclosure(t, most)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	enlarged := geom.Scale(301./1501, 201./933)
	for i, c := range []struct { // every other one, unless all are asked for
		typ    raster.DataType
		bands  int
		w, h   int
		interp ast.Interpolation
		inv    geom.Transform
	}{
		{raster.Uint8, 3, 1501, 933, ast.Linear, enlarged},
		{raster.Uint8, 4, 1501, 933, ast.Cubic, enlarged},
		{raster.Float32, 3, 1501, 933, ast.Linear, enlarged},
		{raster.Uint8, 3, 1703, 1657, ast.Linear, turned(1.25)},
		{raster.Int16, 2, 1703, 1657, ast.Linear, turned(1.25)},
		{raster.Uint8, 4, 1703, 1657, ast.Nearest, turned(1.25)},
		{raster.Uint8, 3, 1703, 1657, ast.Nearest, turned(1.25)},
		{raster.Uint16, 4, 1103, 957, ast.Nearest, turned(1.25)},
		{raster.Float32, 1, 2303, 1957, ast.Nearest, turned(1.25)},
		{raster.Float32, 3, 1303, 1157, ast.Nearest, turned(1.25)},
	} {
		if i%2 == 1 && !full {
			continue
		}
		j := &Job{
			Src: randomSource(rng, c.typ, 2048, 2048, c.bands, false), Canvas: geom.Size{W: 2048, H: 2048}, Inv: c.inv,
			Sampling: ast.Sampling{Interp: c.interp}.Normalize(),
			Dst:      raster.New(c.typ, c.w, c.h, c.bands), Rect: image.Rect(0, 0, c.w, c.h),
		}
		j.Src.Mask = nil
		if !c.typ.IsFloat() {
			j.Dst.Mask = make([]byte, j.Dst.Len())
		}
		want := withOutput(j)
		invalid := want.Run(Portable, nil)
		for set := AVX2; set <= Best(); set++ {
			for _, atEnd := range []bool{true, false} {
				held := *j
				held.Dst = dst.holdBuffer(j.Dst, atEnd)
				if j.Dst.Mask != nil {
					held.Dst.Mask = mask.hold(j.Dst.Mask, atEnd)
				}
				got := inTiles(&held, set, 217, 3)
				if got != invalid || !sameBytes(held.Dst, want.Dst) || string(held.Dst.Mask) != string(want.Dst.Mask) {
					t.Errorf("job %d, %v, at the end %v: %d invalid, expected %d, or other samples", i, set, atEnd, got, invalid)
				}
			}
		}
	}
}

// inTiles runs a job in tiles of a width and height, on some goroutines that
// take turns, and returns how many samples are invalid.
func inTiles(j *Job, set Set, size, goroutines int) (invalid int) {
	var all sync.WaitGroup
	counts := make([]int, goroutines)
	for g := range goroutines {
		all.Go(func() {
			var s Scratch
			part, n := *j, 0
			for y := j.Rect.Min.Y; y < j.Rect.Max.Y; y += size {
				for x := j.Rect.Min.X; x < j.Rect.Max.X; x += size {
					if n++; n%goroutines == g {
						part.Rect = image.Rect(x, y, x+size, y+size).Intersect(j.Rect)
						counts[g] += part.Run(set, &s)
					}
				}
			}
		})
	}
	all.Wait()
	for _, n := range counts {
		invalid += n
	}
	return invalid
}
