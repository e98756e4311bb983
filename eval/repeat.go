package eval

import (
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// repeat is a band of a view that is the same as another, and copied from it.
type repeat struct{ from, to int }

// repeats takes the bands out of a target that have the same samples as an
// earlier one, and says of which. Bands are of the node, by view band.
func (t *target) repeats(n ast.Node, bands []int) []repeat {
	var found []repeat
	var keep, out []int
	first := map[sampleKey]int{}
	for i, k := range t.bands {
		key := sampleKeyOf(t.node, k, n.Band(bands[t.out[i]]))
		from, ok := first[key]
		if ok {
			found = append(found, repeat{from, t.out[i]})
			continue
		}
		first[key] = t.out[i]
		keep, out = append(keep, k), append(out, t.out[i])
	}
	if found != nil {
		t.bands, t.out = keep, out
	}
	return found
}

// sampleKey tells apart bands of one target that differ: by their number in
// the node that the target samples, but in a fill by what they hold, and by
// what marks an invalid sample.
type sampleKey struct {
	band       int
	leaf, view invalidKey
	typ        raster.DataType
}

type invalidKey struct {
	has  bool
	bits uint64
}

func sampleKeyOf(n ast.Node, band int, view ast.Band) sampleKey {
	key := sampleKey{band: band, view: invalidKeyOf(view)}
	if f, ok := n.(*ast.Fill); ok {
		b := f.Band(band)
		key.band, key.leaf, key.typ = 0, invalidKeyOf(b), b.Type
	}
	return key
}

func invalidKeyOf(b ast.Band) invalidKey {
	if !b.HasNoData {
		return invalidKey{}
	}
	return invalidKey{true, math.Float64bits(b.NoData)}
}

// repeatBands copies bands in the pixels r of dst.
func repeatBands(repeats []repeat, dst *raster.Buffer, r image.Rectangle) {
	if len(repeats) == 0 {
		return
	}
	size := dst.Type.Size()
	raw := dst.Bytes()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		first := (y*dst.W + r.Min.X) * dst.Bands
		for i := first; i < first+r.Dx()*dst.Bands; i += dst.Bands {
			for _, p := range repeats {
				copy(raw[(i+p.to)*size:(i+p.to+1)*size], raw[(i+p.from)*size:])
				if dst.Mask != nil {
					dst.Mask[i+p.to] = dst.Mask[i+p.from]
				}
			}
		}
	}
}
