package kernel

import (
	"bytes"
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// pixels are the kinds of pixel that a rail is tried with.
var pixels = []struct {
	typ   raster.DataType
	bands int
}{
	{raster.Uint8, 1}, {raster.Uint8, 2}, {raster.Uint8, 3}, {raster.Int8, 4}, {raster.Uint8, 6}, {raster.Uint8, 8},
	{raster.Uint8, 12}, {raster.Uint8, 17}, {raster.Int16, 1}, {raster.Uint16, 3}, {raster.Uint16, 4}, {raster.Int16, 13},
	{raster.Uint32, 1}, {raster.Int32, 3}, {raster.Float32, 1}, {raster.Float32, 2}, {raster.Float32, 3}, {raster.Float32, 4},
	{raster.Float32, 13}, {raster.Float32, 16}, {raster.Float64, 1}, {raster.Float64, 2},
}

// TestPickRail holds nearest picks along rails against those of plain Go, where
// many positions are on the edges of pixels, and where some samples are not
// finite, in outputs that go past the caches and others.
func TestPickRail(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 4))
	edges := geom.Transform{0.6, -0.8, 300.1, 0.8, 0.6, -150.1, 0, 0, 1}
	turn, _ := geom.Translate(350, 20).Mul(geom.Rotate(0.5)).Mul(geom.Scale(1.9, 1.7)).Inverse()
	for _, p := range pixels {
		for k, inv := range []geom.Transform{edges, turn} {
			src := randomSource(rng, p.typ, 700, 500, p.bands, false)
			src.Mask = nil
			size := p.bands * p.typ.Size()
			w, h := 900, 300
			if k == 1 {
				if testing.Short() {
					continue // large outputs, of one goroutine
				}
				for w*h*size < streamBytes {
					h += 100
				}
			}
			if p.typ.IsFloat() {
				for i := range 20 {
					src.Set(rng.IntN(700), rng.IntN(500), i%p.bands, []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[i%3])
				}
			}
			job := func(set Set) (*raster.Buffer, int) {
				dst := raster.New(p.typ, w, h, p.bands)
				if !p.typ.IsFloat() {
					dst.Mask = make([]byte, dst.Len())
				}
				j := &Job{
					Src: src, Canvas: geom.Size{W: 700, H: 500}, Inv: inv, Sampling: ast.Sampling{Interp: ast.Nearest}.Normalize(),
					Dst: dst, DstOrigin: image.Pt(-3, 5), Rect: dst.Bounds().Add(image.Pt(-3, 5)),
				}
				return dst, j.Run(set, nil)
			}
			want, wantInvalid := job(Portable)
			if wantInvalid == 0 || wantInvalid == want.Len() {
				t.Fatalf("%v×%d: %d samples of %d are invalid", p.typ, p.bands, wantInvalid, want.Len())
			}
			pick, _ := railPicksOf(AVX512, size, 700*p.bands)
			for set := AVX2; set <= Best(); set++ {
				if set == AVX512 && pick == nil {
					t.Errorf("%v×%d: no kernel", p.typ, p.bands)
				}
				got, invalid := job(set)
				if invalid != wantInvalid {
					t.Errorf("%v, %v×%d, map %d: %d invalid, want %d", set, p.typ, p.bands, k, invalid, wantInvalid)
				}
				if !sameBytes(got, want) || !bytes.Equal(got.Mask, want.Mask) {
					t.Errorf("%v, %v×%d, map %d: the output differs at %v", set, p.typ, p.bands, k, difference(&Job{}, got, want))
				}
			}
		}
	}
}
