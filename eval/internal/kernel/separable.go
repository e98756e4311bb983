package kernel

// runSeparable computes an axis-aligned scale: for each output row the
// source's rows are summed with the row's weights, sample by sample, and the
// result is summed along the row with weights that are computed once a column.
// ok is false if the kernel is too wide for it.
func runSeparable[T narrow](j *Job, scratch *Scratch) (invalid int, ok bool) {
	r := newRunner[T](j, scratch)
	px, py := newProfile(r.interp, r.fx), newProfile(r.interp, r.fy)
	if px.n > 4096 || py.n > 4096 {
		return 0, false
	}
	r.grid.sx, r.grid.sy = px.shift, py.shift
	r.grid.row(j.Rect.Min.Y)
	u, _ := r.grid.tracks(px.shift, py.shift)
	// The columns whose taps all exist, and the part of a row that they read.
	x0, x1 := max(0, r.ax.w0), min(r.ax.size, r.ax.w1)
	ca, cb := u.within(j.Rect.Min.X, j.Rect.Max.X, float64(x0), float64(x1-px.n))
	if ca >= cb {
		return 0, false
	}
	first := int(min(u.at(ca), u.at(cb-1)))
	last := int(max(u.at(ca), u.at(cb-1))) + px.n
	n := cb - ca
	// Weights and offsets of all columns, chunk by chunk.
	blocks := (n + chunk - 1) / chunk
	scratch.wx = grow(scratch.wx, blocks*px.n*chunk)
	scratch.off = grow(scratch.off, n)
	row := grid{m: r.grid.m, by: r.grid.by, sx: px.shift, bands: float64(r.bands), base: -float64(first * r.bands)}
	for k := range blocks {
		m := min(chunk, n-k*chunk)
		positions(scratch.set, &row, ca+k*chunk, scratch.off[k*chunk:][:m], scratch.fx[:m], scratch.fy[:m])
		for i := range m {
			px.exact(scratch.wx[k*px.n*chunk+i:], chunk, u.position(ca+k*chunk+i))
		}
	}
	wy := make([]float32, py.n)
	width := (last - first) * r.bands
	scratch.column = grow(scratch.column, width+16)
	r.guard = guardMap(r.sampler, scratch, px.n, py.n)
	guardOff := make([]int32, chunk)
	return r.rows(func(y, a, b int) (invalid int) {
		a1, b1 := max(a, ca), min(b, cb)
		_, v := r.grid.tracks(px.shift, py.shift)
		top := v.at(0)
		if a1 >= b1 || top < float64(max(0, r.ay.w0)) || top > float64(min(r.ay.size, r.ay.w1)-py.n) {
			return r.each(y, a, b)
		}
		py.exact(wy, 1, v.position(0))
		base := (int(top)-r.ay.w0)*r.stride + (first-r.ax.w0)*r.bands
		columns(scratch.set, scratch.column[:width], r.pix[base:], r.stride, wy)
		invalid = r.each(y, a, a1) + r.each(y, b1, b)
		for k := (a1 - ca) / chunk; k*chunk < b1-ca; k++ {
			lo, hi := max(a1-ca, k*chunk), min(b1-ca, (k+1)*chunk)
			off := scratch.off[lo:hi]
			t := r.target(y, ca+lo, hi-lo)
			fold(scratch.set, t, scratch.column, r.bands, off, scratch.wx[k*px.n*chunk+lo-k*chunk:], px.n)
			if r.guard != nil {
				for i, o := range off {
					guardOff[i] = o + int32(base)
				}
			}
			invalid += r.finish(y, ca+lo, t, guardOff[:hi-lo])
		}
		return invalid
	}), true
}
