package eval

import (
	"image"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/internal/kernel"
)

// planeSide is the side, in pixels, of the blocks that planes are computed in:
// they stay in the processor's cache until they are interleaved.
const planeSide = 256

// separate has a view computed band by band, each into a plane, where that is
// what its parts are: to store a band between others takes longer than to
// interleave all of them.
func (v *view) separate() {
	if len(v.parts) < 2 {
		return
	}
	at := make([]int, v.bands)
	var planes []*part
	for i, p := range v.parts {
		if len(p.bands) != 1 || p.plain {
			return
		}
		alone := *p
		alone.bands, alone.first = []int{0}, 0
		planes = append(planes, &alone)
		at[p.bands[0]] = i
	}
	for _, r := range v.repeats {
		at[r.to] = at[r.from]
	}
	v.planes, v.planeOf = planes, at
}

// fillPlanes is fill by planes. It is not ok, and has done nothing, where they
// take too much of the working memory.
func (x *exec) fillPlanes(v *view, r image.Rectangle, dst *raster.Buffer, origin image.Point, depth int) (ok bool, err error) {
	block := image.Rect(0, 0, min(planeSide, r.Dx()), min(planeSide, r.Dy()))
	size := int64(block.Dx()) * int64(block.Dy()) * v.pixelBytes()
	if v.planes == nil || size > min(x.budget, x.free)/4 {
		return false, nil
	}
	x.free -= size
	defer func() { x.free += size }()
	lv := x.level(depth)
	for len(lv.planes) < len(v.planes) {
		lv.planes = append(lv.planes, &store{})
	}
	for y := r.Min.Y; y < r.Max.Y; y += planeSide {
		for c := r.Min.X; c < r.Max.X; c += planeSide {
			b := block.Add(image.Pt(c, y)).Intersect(r)
			for i, p := range v.planes {
				pix := lv.planes[i].reset(v.typ, b.Dx(), b.Dy(), 1, dst.Mask != nil)
				if err := x.fillPart(p, b, pix, b.Min, depth); err != nil {
					return true, err
				}
			}
			lv.bands = lv.bands[:0]
			for _, i := range v.planeOf {
				lv.bands = append(lv.bands, &lv.planes[i].pix)
			}
			kernel.Interleave(x.s.kernels, &x.scratch, dst, b.Min.Sub(origin), lv.bands)
		}
	}
	return true, nil
}
