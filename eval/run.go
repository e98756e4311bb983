package eval

import (
	"context"
	"fmt"
	"image"
	"sync"
	"sync/atomic"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/internal/hugepage"
)

// run is one call of Run, RunInto or Window.
type run struct {
	s        *Session
	plan     *Plan
	ctx      context.Context
	dst      *raster.Buffer
	tiles    tiling
	next     atomic.Int64
	failed   atomic.Bool
	helpers  sync.WaitGroup
	progress func(done, total int64)
	profile  *Profile

	mu   sync.Mutex
	err  error
	done int64
}

// Run computes the whole canvas into a new buffer.
func (p *Plan) Run(ctx context.Context, opts ...RunOption) (*raster.Buffer, error) {
	dst := &raster.Buffer{}
	if err := p.RunInto(ctx, dst, opts...); err != nil {
		return nil, err
	}
	return dst, nil
}

// RunInto computes the whole canvas into dst, which is reset to its shape; its
// store and mask are reused where they are large enough. After an error what
// dst holds is not defined.
func (p *Plan) RunInto(ctx context.Context, dst *raster.Buffer, opts ...RunOption) error {
	return p.Window(ctx, canvasOf(p.root.size), dst, opts...)
}

// Window computes a window of the canvas into dst, as RunInto does the whole.
func (p *Plan) Window(ctx context.Context, window image.Rectangle, dst *raster.Buffer, opts ...RunOption) error {
	if err := p.s.begin(); err != nil {
		return err
	}
	defer p.s.end()
	if err := p.check(window, dst); err != nil {
		return err
	}
	p.reset(dst, window.Dx(), window.Dy())
	r := p.s.run()
	r.plan, r.ctx, r.dst, r.tiles = p, ctx, dst, p.cut(window)
	for _, o := range opts {
		o(r)
	}
	err := r.do()
	p.s.putRun(r)
	if err == nil {
		p.measured.runs.Add(1)
	}
	return err
}

func (p *Plan) check(window image.Rectangle, dst *raster.Buffer) error {
	if dst == nil {
		return fmt.Errorf("eval: no buffer to run into")
	}
	if window.Empty() || !window.In(canvasOf(p.root.size)) {
		return fmt.Errorf("eval: window [%d %d %d %d] is empty or exceeds the canvas %v",
			window.Min.X, window.Min.Y, window.Max.X, window.Max.Y, p.root.size)
	}
	samples := float64(window.Dx()) * float64(window.Dy()) * float64(p.root.bands)
	need := float64(window.Dx()) * float64(window.Dy()) * float64(p.root.pixelBytes())
	if need > float64(p.s.memory) || samples > raster.MaxSamples {
		return fmt.Errorf("eval: output of %d×%d pixels, %d bands of %v takes %s, the memory limit is %s: use Stream or smaller windows",
			window.Dx(), window.Dy(), p.root.bands, p.root.typ, bytesText(int64(need)), bytesText(p.s.memory))
	}
	return nil
}

// reset gives dst the shape of the output, with a mask if it has one.
func (p *Plan) reset(dst *raster.Buffer, w, h int) {
	mask := dst.Mask
	dst.Reset(p.root.typ, w, h, p.root.bands)
	if p.root.mask {
		if n := dst.Len(); cap(mask) < n {
			mask = hugepage.Make[byte](n)
		} else {
			mask = mask[:n]
		}
		dst.Mask = mask
	}
}

func (s *Session) run() *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.runs); n > 0 {
		r := s.runs[n-1]
		s.runs = s.runs[:n-1]
		return r
	}
	return &run{s: s}
}

func (s *Session) putRun(r *run) {
	r.plan, r.ctx, r.dst, r.progress, r.profile, r.err, r.done = nil, nil, nil, nil, nil, nil, 0
	r.next.Store(0)
	r.failed.Store(false)
	s.mu.Lock()
	if len(s.runs) < 64 {
		s.runs = append(s.runs, r)
	}
	s.mu.Unlock()
}

// do computes all tiles, on this goroutine and on idle workers.
func (r *run) do() error {
	if err := r.s.acquire(r.ctx); err != nil {
		return err
	}
	if r.tiles.total > 1 {
		r.s.recruit(int(min(r.tiles.total, int64(r.s.threads)))-1, r)
	}
	r.work()
	r.s.release()
	r.helpers.Wait()
	return r.err
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

func (r *run) joining() { r.helpers.Add(1) }

func (r *run) help() {
	r.work()
	r.s.release()
	r.helpers.Done()
}

// work computes tiles until none is left. A panic becomes the run's error, so
// that it leaves the session as any error does; the working memory is dropped.
func (r *run) work() {
	defer func() {
		if v := recover(); v != nil {
			r.fail(panicked(v))
		}
	}()
	x := r.s.exec()
	x.begin(r.ctx, r.plan, r.profile)
	for !r.failed.Load() {
		i := r.next.Add(1) - 1
		if i >= r.tiles.total {
			break
		}
		t := r.tiles.at(i)
		err := r.ctx.Err()
		if err == nil {
			err = x.fill(r.plan.root, t, r.dst, r.tiles.rect.Min, 0)
		}
		if err != nil {
			r.fail(err)
			break
		}
		x.count.Tiles++
		if r.progress != nil {
			r.report(int64(t.Dx()) * int64(t.Dy()))
		}
	}
	r.plan.measured.add(&x.count)
	x.endProfile()
	r.s.putExec(x)
}

// report tells the caller that further pixels are done.
func (r *run) report(pixels int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += pixels
	r.progress(r.done, int64(r.tiles.rect.Dx())*int64(r.tiles.rect.Dy()))
}

// fail keeps the first error.
func (r *run) fail(err error) {
	r.mu.Lock()
	if r.err == nil {
		r.err = err
	}
	r.mu.Unlock()
	r.failed.Store(true)
}
