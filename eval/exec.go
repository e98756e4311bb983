package eval

import (
	"context"
	"fmt"
	"image"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/internal/kernel"
)

// exec is one goroutine's working memory and what it counts.
type exec struct {
	s       *Session
	ctx     context.Context
	scratch kernel.Scratch
	levels  []*level
	count   counters
	budget  int64 // of one level, bytes: a pixel may take more, out of what is free
	free    int64 // of all levels

	profile *Profile
	steps   map[any]*StepCount // where there is a profile
}

// begin makes x ready for a run.
func (x *exec) begin(ctx context.Context, p *Plan, profile *Profile) {
	x.ctx = ctx
	x.startProfile(profile)
	x.free = x.s.budget
	x.budget = x.free / int64(p.depth)
}

// level is the working memory for one level of nested views.
type level struct {
	job    kernel.Job
	window store // the samples that a part reads
	file   store // of a source, before it is turned or its bands are picked
	out    store // bands that do not lie side by side in the view
	inputs []store
	planes []*store         // of single bands
	bands  []*raster.Buffer // the plane of each band
	tiles  []ast.Tile
}

// store is a buffer that keeps its mask's memory when it is reset.
type store struct {
	pix  raster.Buffer
	mask []byte
}

func (s *store) reset(t raster.DataType, w, h, bands int, mask bool) *raster.Buffer {
	s.pix.Reset(t, w, h, bands)
	if mask && !t.IsFloat() {
		n := s.pix.Len()
		if cap(s.mask) < n {
			s.mask = make([]byte, n)
		}
		s.pix.Mask = s.mask[:n]
	}
	return &s.pix
}

func (s *store) bytes() int64 { return int64(cap(s.mask)) + int64(len(s.pix.Bytes())) }

func (x *exec) level(depth int) *level {
	for depth >= len(x.levels) {
		x.levels = append(x.levels, &level{})
	}
	return x.levels[depth]
}

// trim lets go of what an unusual run left behind.
func (x *exec) trim() {
	const keep = 64 << 20
	if x.held() > min(keep, x.s.budget) {
		x.levels = nil
	}
}

// held is the memory of the levels, in bytes.
func (x *exec) held() (n int64) {
	for _, l := range x.levels {
		n += l.window.bytes() + l.file.bytes() + l.out.bytes()
		for i := range l.inputs {
			n += l.inputs[i].bytes()
		}
		for _, p := range l.planes {
			n += p.bytes()
		}
	}
	return n
}

// Windows of sources are cut so that they stay in the processor's cache, as
// long as that does not make tiles too small for the kernels.
const (
	softWindow = 8 << 20 // bytes
	softPixels = 64 * 64
)

// fill computes the pixels r of a view into dst, whose first pixel is the
// view's pixel origin.
func (x *exec) fill(v *view, r image.Rectangle, dst *raster.Buffer, origin image.Point, depth int) error {
	if ok, err := x.fillPlanes(v, r, dst, origin, depth); ok {
		return err
	}
	for _, p := range v.parts {
		if err := x.fillPart(p, r, dst, origin, depth); err != nil {
			return err
		}
	}
	repeatBands(v.repeats, dst, r.Sub(origin))
	return nil
}

// fillPart is fill for the bands of one part.
func (x *exec) fillPart(p *part, r image.Rectangle, dst *raster.Buffer, origin image.Point, depth int) error {
	inner := r.Intersect(p.clip)
	if inner.Empty() || p.grid == nil {
		p.invalidate(dst, r.Sub(origin))
		return nil
	}
	if inner != r {
		p.surround(dst, r.Sub(origin), inner.Sub(origin))
	}
	return x.sample(p, inner, dst, origin, depth)
}

// surround marks what r has around inner invalid.
func (p *part) surround(dst *raster.Buffer, r, inner image.Rectangle) {
	p.invalidate(dst, image.Rect(r.Min.X, r.Min.Y, r.Max.X, inner.Min.Y))
	p.invalidate(dst, image.Rect(r.Min.X, inner.Min.Y, inner.Min.X, inner.Max.Y))
	p.invalidate(dst, image.Rect(inner.Max.X, inner.Min.Y, r.Max.X, inner.Max.Y))
	p.invalidate(dst, image.Rect(r.Min.X, inner.Max.Y, r.Max.X, r.Max.Y))
}

// sample computes one part in r, which lies in its clip, cutting r where the
// window that it reads is too large.
func (x *exec) sample(p *part, r image.Rectangle, dst *raster.Buffer, origin image.Point, depth int) error {
	w, ok := p.need(r.Add(p.shift))
	if !ok {
		p.invalidate(dst, r.Sub(origin))
		return nil
	}
	if p.plain && dst.Type == p.grid.(*source).typ {
		return x.plain(p, r, w.Sub(p.shift), dst, origin, depth)
	}
	size := windowBytes(p.grid, w)
	one := r.Dx() == 1 && r.Dy() == 1
	switch {
	case one && size > x.free:
		return &ast.Error{Op: "eval", Arg: "memory", Limit: fmt.Sprintf(
			"limit of %s leaves %s for what one pixel reads, which is %d×%d pixels and takes %s", bytesText(x.s.memory), bytesText(x.free), w.Dx(), w.Dy(), bytesText(size))}
	case !one && (size > min(x.budget, x.free) || size > softWindow && r.Dx()*r.Dy() > softPixels):
		a, b := halves(r)
		if err := x.sample(p, a, dst, origin, depth); err != nil {
			return err
		}
		return x.sample(p, b, dst, origin, depth)
	}
	if err := x.ctx.Err(); err != nil {
		return err
	}
	if w.Empty() {
		return x.run(p, r, x.nothing(p, depth), image.Point{X: -1 << 30, Y: -1 << 30}, dst, origin, depth)
	}
	x.free -= size
	src, at, err := x.fetch(p.grid, w, depth)
	if err == nil {
		err = x.run(p, r, src, at, dst, origin, depth)
	}
	x.free += size
	return err
}

// windowBytes is the memory that a window of a grid takes while it is read.
func windowBytes(g grid, w image.Rectangle) int64 {
	size := int64(w.Dx()) * int64(w.Dy()) * g.pixelBytes()
	switch g := g.(type) {
	case *source:
		if g.direct {
			return 0
		}
	case *custom:
		for i, in := range g.inputs {
			r := ast.InputWindow(g.node, i, w)
			size += int64(r.Dx()) * int64(r.Dy()) * in.pixelBytes()
		}
	}
	return size
}

// plain copies the pixels w of r, outside of which nothing is stored, cutting
// what does not fit into working memory.
func (x *exec) plain(p *part, r, w image.Rectangle, dst *raster.Buffer, origin image.Point, depth int) error {
	if w != r {
		p.surround(dst, r.Sub(origin), w.Sub(origin))
	}
	whole := w == dst.Bounds().Add(origin)
	if size := int64(w.Dx()) * int64(w.Dy()) * p.grid.pixelBytes(); !whole && size > x.budget && w.Dx()*w.Dy() > 1 {
		a, b := halves(w)
		if err := x.plain(p, a, a, dst, origin, depth); err != nil {
			return err
		}
		return x.plain(p, b, b, dst, origin, depth)
	}
	if err := x.ctx.Err(); err != nil {
		return err
	}
	return x.copyPlain(p, w, dst, origin, depth)
}

// halves cuts a rectangle across its longer side.
func halves(r image.Rectangle) (a, b image.Rectangle) {
	a, b = r, r
	if r.Dx() >= r.Dy() {
		a.Max.X = r.Min.X + (r.Dx()+1)/2
		b.Min.X = a.Max.X
	} else {
		a.Max.Y = r.Min.Y + (r.Dy()+1)/2
		b.Min.Y = a.Max.Y
	}
	return a, b
}

// run calls the kernel for the pixels r of the view with a window of samples
// whose first is the grid's at.
func (x *exec) run(p *part, r image.Rectangle, src *raster.Buffer, at image.Point, dst *raster.Buffer, origin image.Point, depth int) error {
	lv := x.level(depth)
	out, first, from := dst, p.first, origin
	if first < 0 {
		out, first, from = lv.out.reset(dst.Type, r.Dx(), r.Dy(), len(p.bands), dst.Mask != nil), 0, r.Min
	}
	start := time.Now()
	noData, mul, add := p.noData, p.mul, p.add
	if p.classes {
		classify(p, src)
		noData, mul, add = nil, nil, nil
	}
	lv.job = kernel.Job{
		Src: src, Origin: at, Canvas: p.canvas, NoData: noData, Mul: mul, Add: add,
		Inv: p.inv, Sampling: p.sampling, Domain: p.domain,
		Dst: out, DstOrigin: from.Add(p.shift), Rect: r.Add(p.shift), DstBand: first,
		Fill: p.fill, Precise: p.precise,
	}
	lv.job.Run(x.s.kernels, &x.scratch)
	lv.job.Src, lv.job.Dst = nil, nil
	if p.first < 0 {
		scatter(dst, r.Sub(origin), out, p.bands)
	}
	took := time.Since(start)
	x.count.Kernel += took
	if c := x.step(p.key); c != nil {
		c.add(&StepCount{Work: writes(p.visible(r.Add(p.shift))*int64(len(p.bands)), dst.Type), Calls: 1, Time: took})
	}
	return nil
}

// fetch is a window of a grid's samples, and the grid's pixel that it begins
// with. It holds until the level is used again.
func (x *exec) fetch(g grid, w image.Rectangle, depth int) (*raster.Buffer, image.Point, error) {
	switch g := g.(type) {
	case *source:
		start, before := x.clock(), x.count
		buf, at, err := x.fetchSource(g, w, depth)
		if x.profile != nil {
			x.readStep(g, before, time.Since(start))
		}
		return buf, at, err
	case *view:
		buf := x.level(depth).window.reset(g.typ, w.Dx(), w.Dy(), g.bands, g.mask)
		return buf, w.Min, x.fill(g, w, buf, w.Min, depth+1)
	case *mapped:
		return x.fetchMapped(g, w, depth)
	case *custom:
		return x.fetchCustom(g, w, depth)
	}
	panic("eval: unknown grid")
}

// fetchSource reads a window of a source.
func (x *exec) fetchSource(g *source, w image.Rectangle, depth int) (*raster.Buffer, image.Point, error) {
	lv := x.level(depth)
	n := len(g.bands)
	if f, ok := g.leaf.(*ast.Fill); ok {
		buf := lv.window.reset(g.typ, w.Dx(), w.Dy(), n, false)
		v, _ := f.Value()
		fillValue(buf, v)
		return buf, w.Min, nil
	}
	if g.direct {
		by, _ := g.place.straight()
		return g.leaf.(*ast.Raster).Buffer(), image.Point{}.Sub(by), nil
	}
	_, straight := g.place.straight()
	window := g.place.rect(w)
	file := &lv.file
	if straight {
		file = &lv.window
	}
	buf := file.reset(g.typ, window.Dx(), window.Dy(), n, g.mask)
	if l, ok := g.leaf.(*ast.Raster); ok {
		cut(buf, l.Buffer(), window, g.bands)
	} else if err := x.readBlocks(g.load, window, buf); err != nil {
		return nil, image.Point{}, err
	}
	if straight {
		return buf, w.Min, nil
	}
	turned := lv.window.reset(g.typ, w.Dx(), w.Dy(), n, g.mask)
	turn(turned, w, buf, window.Min, g.place)
	return turned, w.Min, nil
}

// readBlocks assembles a window of a feed from its cells.
func (x *exec) readBlocks(f *feed, w image.Rectangle, dst *raster.Buffer) error {
	return x.cells(f, w, func(b *block) { paste(dst, w.Min, &b.pix, b.window) })
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%d bytes", n)
}

// nothing is a sample that is invalid, for a part that reads none.
func (x *exec) nothing(p *part, depth int) *raster.Buffer {
	typ, n := raster.Float64, 0
	switch g := p.grid.(type) {
	case *view:
		n = g.bands
	case *mapped:
		n = g.view.bands
	case *custom:
		n = len(g.bands)
	case *source:
		typ, n = g.typ, len(g.bands)
	}
	buf := x.level(depth).window.reset(typ, 1, 1, n, true)
	for i := range n {
		buf.SetInvalid(0, 0, i, 0)
	}
	return buf
}
