package kernel

import (
	"bytes"
	"fmt"
	"image"
	"math/rand/v2"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// window cuts the job's source down to the part of the canvas in r.
func window(j *Job, r image.Rectangle) {
	src := j.Src
	cut := raster.New(src.Type, r.Dx(), r.Dy(), src.Bands)
	size := src.Type.Size() * src.Bands
	for y := range r.Dy() {
		at := (y+r.Min.Y-j.Origin.Y)*src.W + r.Min.X - j.Origin.X
		copy(cut.Bytes()[y*r.Dx()*size:][:r.Dx()*size], src.Bytes()[at*size:])
		if src.Mask != nil {
			cut.Mask = append(cut.Mask, src.Mask[at*src.Bands:][:r.Dx()*src.Bands]...)
		}
	}
	j.Src, j.Origin = cut, r.Min
}

// reads is a box around the taps of a rectangle, from a dense look at its
// pixels.
func reads(j *Job, rect image.Rectangle) image.Rectangle {
	var box image.Rectangle
	for y := rect.Min.Y; y < rect.Max.Y; y++ {
		for x := rect.Min.X; x < rect.Max.X; x++ {
			px, py := float64(x)+.5, float64(y)+.5
			if !(j.Inv.Denominator(px, py) > 0) {
				continue
			}
			u, v := j.Inv.Apply(px, py)
			rx, ry := j.Sampling.Support(j.Inv.Jacobian(px, py))
			if !(max(u, -u, v, -v, rx, ry) < 1e6) {
				return image.Rect(0, 0, j.Canvas.W, j.Canvas.H)
			}
			box = box.Union(image.Rect(int(u-rx)-2, int(v-ry)-2, int(u+rx)+3, int(v+ry)+3))
		}
	}
	return box.Intersect(image.Rect(0, 0, j.Canvas.W, j.Canvas.H))
}

// TestTiles runs jobs whole, and cut at random into rectangles, each with a
// window of the source that is no larger than it needs: the bytes must be the
// same, for every set.
func TestTiles(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds(2000)) {
		testTiles(t, seed)
	}
}

func testTiles(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	j := randomJob(rng)
	whole := withOutput(j)
	invalid := whole.Run(Portable, nil)
	for set := Portable; set <= Best(); set++ {
		var scratch Scratch
		tiled := withOutput(j)
		n := 0
		var cut func(r image.Rectangle)
		cut = func(r image.Rectangle) {
			if r.Dx() > 1 && rng.IntN(5) > 0 && r.Dx() > r.Dy()/2 {
				x := r.Min.X + 1 + rng.IntN(r.Dx()-1)
				cut(image.Rect(r.Min.X, r.Min.Y, x, r.Max.Y))
				cut(image.Rect(x, r.Min.Y, r.Max.X, r.Max.Y))
				return
			}
			if r.Dy() > 1 && rng.IntN(4) > 0 {
				y := r.Min.Y + 1 + rng.IntN(r.Dy()-1)
				cut(image.Rect(r.Min.X, r.Min.Y, r.Max.X, y))
				cut(image.Rect(r.Min.X, y, r.Max.X, r.Max.Y))
				return
			}
			k := *tiled
			k.Rect = r
			switch w := reads(&k, r).Intersect(j.Src.Bounds().Add(j.Origin)); {
			case k.Sampling.Border.Mode != ast.NoDataBorder && k.Sampling.Border.Mode != ast.ValueBorder:
			case !w.Empty():
				window(&k, w)
			case k.Sampling.Border.Mode == ast.ValueBorder:
				k.Src, k.Origin = raster.New(j.Src.Type, 1, 1, j.Src.Bands), image.Pt(-1<<30, -1<<30)
			}
			n += k.Run(set, &scratch)
		}
		cut(j.Rect)
		if n != invalid {
			t.Fatalf("seed %d, %v: %d invalid samples, whole %d\n%s", seed, set, n, invalid, j.describe())
		}
		if !bytes.Equal(tiled.Dst.Mask, whole.Dst.Mask) || !bytes.Equal(tiled.Dst.Bytes(), whole.Dst.Bytes()) {
			t.Fatalf("seed %d, %v: tiles differ from the whole\n%s\n%s", seed, set, j.describe(), difference(j, tiled.Dst, whole.Dst))
		}
	}
}

// difference names the first sample in which two outputs differ.
func difference(j *Job, a, b *raster.Buffer) string {
	size := a.Type.Size()
	for i := range a.Len() {
		if !bytes.Equal(a.Bytes()[i*size:][:size], b.Bytes()[i*size:][:size]) {
			x, y, band := i/a.Bands%a.W, i/a.Bands/a.W, i%a.Bands
			v, _ := a.At(x, y, band)
			w, _ := b.At(x, y, band)
			return image.Pt(x, y).Add(j.DstOrigin).String() + " " + fmt.Sprint(band, v, w)
		}
	}
	return "masks"
}
