package kernel

import "github.com/rewarp/rewarp/ast"

// minRow is the least row of the window, in bytes, that assembly is used on:
// loads may pass the end of a row by less.
const minRow = 32

// maxBlock is the most taps along an axis that the block kernel takes.
const maxBlock = 256

// runAffine computes a general affine warp: positions, then 2×2 or nx×ny taps
// a pixel. ok is false if the kernel is too wide for it.
func runAffine[T narrow](j *Job, scratch *Scratch) (invalid int, ok bool) {
	r := newRunner[T](j, scratch)
	px, py := newProfile(r.interp, r.fx), newProfile(r.interp, r.fy)
	if px.n > maxBlock || py.n > maxBlock {
		return 0, false
	}
	linear := r.interp == ast.Linear && px.n == 2 && py.n == 2
	r.grid.sx, r.grid.sy = px.shift, py.shift
	if !linear || !maskNoData(r) {
		r.guard = guardMap(r.sampler, scratch, px.n, py.n)
	}
	if !linear {
		scratch.tmp = grow(scratch.tmp, 4*maxBlock+20)
		scratch.wx, scratch.wy = grow(scratch.wx, px.n*chunk), grow(scratch.wy, py.n*chunk)
	}
	ahead := newAhead(&r.grid, r.bands*j.Src.Type.Size())
	set := scratch.set
	if r.stride*j.Src.Type.Size() < minRow {
		set = Portable
	}
	var along lerpRails
	if linear && r.guard == nil && !r.masked && r.mulRow == nil && j.Dst.Type == j.Src.Type {
		along = lerpRailsOf[T](set, r.bands, r.stride)
	}
	block := func(set Set, y, x, n int) int {
		if m := n &^ (railLanes - 1); along.plain != nil && set == AVX512 && m > 0 && r.lerpAlong(along, ahead, y, x, m) {
			if x, n = x+m, n-m; n == 0 {
				return 0
			}
		}
		off, fx, fy := scratch.off[:n], scratch.fx[:n], scratch.fy[:n]
		positions(scratch.set, &r.grid, x, off, fx, fy)
		fetch(ahead, scratch.set, r.pix, off)
		if linear {
			return bilinear(r, set, y, x, off, fx, fy)
		}
		px.weights(scratch.set, scratch.wx, fx)
		py.weights(scratch.set, scratch.wy, fy)
		v := r.target(y, x, n)
		taps(set, scratch.tmp, v, r.pix, r.stride, r.bands, off, scratch.wx, scratch.wy, px.n, py.n)
		return r.finish(y, x, v, off)
	}
	run := func(set Set, y, a, b int) (invalid int) {
		for a < b {
			n := min(chunk-a&(chunk-1), b-a) // to the end of a block of positions
			invalid += block(set, y, a, n)
			a += n
		}
		return invalid
	}
	r.startStream(scratch.set)
	defer r.endStream(scratch.set)
	row := func(y, a, b int) int {
		a1, b1, c, d := r.inner(a, b, px.n, py.n)
		if a1 >= b1 {
			return r.each(y, a, b)
		}
		return r.each(y, a, a1) + run(Portable, y, a1, c) + run(set, y, c, d) + run(Portable, y, d, b1) + r.each(y, b1, b)
	}
	if along.plain != nil {
		return r.blocks(2, func(y, a, b int) int { return run(set, y, a, b) }, row), true
	}
	return r.rows(row), true
}
