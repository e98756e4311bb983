package kernel

import (
	"image"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// runWideLinear computes an affine linear warp without stretch in float64, for
// samples that float32 does not hold. ok is false for any other job.
func runWideLinear[T raster.Sample](j *Job, scratch *Scratch) (invalid int, ok bool) {
	r := newRunner[T](j, scratch)
	px, py := newProfile(r.interp, r.fx), newProfile(r.interp, r.fy)
	if r.interp != ast.Linear || px.n != 2 || py.n != 2 {
		return 0, false
	}
	r.grid.sx, r.grid.sy = px.shift, py.shift
	r.guard = guardMap(r.sampler, scratch, 2, 2)
	return r.rows(func(y, a, b int) int {
		a1, b1, _, _ := r.inner(a, b, 2, 2)
		if a1 >= b1 {
			return r.each(y, a, b)
		}
		invalid := r.each(y, a, a1) + r.each(y, b1, b)
		for x := a1; x < b1; x += chunk {
			invalid += r.wideLinear(y, x, min(chunk, b1-x))
		}
		return invalid
	}), true
}

// wideLinear computes n pixels from x on, all of whose taps exist.
func (r *runner[T]) wideLinear(y, x, n int) (invalid int) {
	sc, g, bands := r.scratch, &r.grid, r.bands
	u, v := g.tracks(g.sx, g.sy)
	sc.f64 = grow(sc.f64, chunk*bands)
	out := sc.f64[:n*bands]
	again := sc.bad[:0] // what the sampler has to compute
	for i := range n {
		pu, pv := u.position(x+i)-g.sx, v.position(x+i)-g.sy
		iu, iv := math.Floor(pu), math.Floor(pv)
		tx, ty := pu-iu, pv-iv
		off := int32(float64(iu*g.bands) + float64(iv*g.stride) + g.base)
		row0 := r.pix[off:][: 2*bands : 2*bands]
		row1 := r.pix[int(off)+r.stride:][: 2*bands : 2*bands]
		bad := r.isGuarded(off)
		d := out[i*bands:][:bands]
		for b := range d {
			p, q := float64(row0[b]), float64(row0[b+bands])
			p += float64(ty * (float64(row1[b]) - p))
			q += float64(ty * (float64(row1[b+bands]) - q))
			p += float64(tx * (q - p))
			bad = bad || p-p != 0
			d[b] = r.scale(p, b)
		}
		if bad {
			clear(d)
			again = append(again, int32(i))
		}
	}
	sc.bad = again
	invalid = r.write(image.Pt(x, y), out)
	for _, i := range again {
		invalid += r.each(y, x+int(i), x+int(i)+1)
	}
	return invalid
}
