package kernel

import (
	"bytes"
	"fmt"
	"image"
	"math/rand/v2"
	"testing"

	"github.com/rewarp/rewarp/ast/raster"
)

// Interleave puts each sample and its validity where it belongs and touches
// nothing else, with every set, past the caches or not.
func TestInterleave(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	at := image.Pt(3, 1)
	for _, typ := range []raster.DataType{raster.Uint8, raster.Int16, raster.Uint32, raster.Float32, raster.Float64} {
		for n := 1; n <= 9; n++ {
			for _, width := range []int{1, 31, 64, 131, 256} {
				planes := randomPlanes(rng, typ, width, 3, n)
				for _, h := range []int{5, 1 + streamBytes/((width+5)*n*typ.Size())} {
					if h > 5 && width != 131 {
						continue
					}
					want := raster.New(typ, width+5, h, n)
					setMask(want, 7)
					for b, p := range planes {
						for i := range p.Len() {
							x, y := at.X+i%width, at.Y+i/width
							v, _ := p.At(i%width, i/width, 0)
							want.Set(x, y, b, v)
							if p.Mask != nil {
								want.Mask[(y*want.W+x)*n+b] = p.Mask[i]
							}
						}
					}
					for set := Portable; set <= Best(); set++ {
						got := raster.New(typ, width+5, h, n)
						setMask(got, 7)
						Interleave(set, new(Scratch), got, at, planes)
						if !sameBytes(got, want) || !bytes.Equal(got.Mask, want.Mask) {
							t.Fatalf("%v: %d planes of %v, %d wide, into %d rows differ", set, n, typ, width, h)
						}
					}
				}
			}
		}
	}
}

// randomPlanes are n planes, the last of which is the first once more. Some of
// their rows are valid, some not.
func randomPlanes(rng *rand.Rand, typ raster.DataType, w, h, n int) []*raster.Buffer {
	var planes []*raster.Buffer
	for range n {
		p := raster.New(typ, w, h, 1)
		setMask(p, 255)
		for i := range p.Len() {
			p.Set(i%w, i/w, 0, float64(rng.IntN(128)))
		}
		if p.Mask != nil {
			p.Mask[w+rng.IntN(w)] = 0
		}
		planes = append(planes, p)
	}
	planes[n-1] = planes[0]
	return planes
}

// setMask gives an integer buffer a mask of one value.
func setMask(b *raster.Buffer, v byte) {
	if b.Type.IsFloat() {
		return
	}
	b.Mask = make([]byte, b.Len())
	for i := range b.Mask {
		b.Mask[i] = v
	}
}

func BenchmarkInterleave(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	planes := randomPlanes(rng, raster.Uint16, 256, 256, 6)
	for _, side := range []int{256, 2048} {
		dst := raster.New(raster.Uint16, side, side, 6)
		setMask(dst, 0)
		for set := Portable; set <= Best(); set++ {
			b.Run(fmt.Sprintf("%d/%v", side, set), func(b *testing.B) {
				b.SetBytes(int64(len(planes) * (len(planes[0].Bytes()) + len(planes[0].Mask))))
				s := new(Scratch)
				for i := range b.N {
					x := i % (side / 256) * 256
					Interleave(set, s, dst, image.Pt(x, i/(side/256)%(side/256)*256), planes)
				}
			})
		}
	}
}
