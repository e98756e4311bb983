package eval

import (
	"context"
	"fmt"
	"image"
	"sync"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// stream is one call of Stream. Workers compute tiles in order into a ring of
// buffers, the caller's goroutine hands them out in order. A worker that finds
// no buffer free leaves, so that nobody waits for emit while holding a token.
type stream struct {
	s       *Session
	plan    *Plan
	ctx     context.Context
	cancel  context.CancelFunc
	profile *Profile
	tiling
	slots []slot

	helpers sync.WaitGroup
	mu      sync.Mutex
	next    int64 // the first tile that nobody has taken
	emitted int64
	active  int
	err     error
}

// slot is a tile buffer of the ring. Tile i uses slot i modulo their number.
type slot struct {
	pix   raster.Buffer
	ready chan struct{} // holds one when the tile is computed
}

// streamTile is the tile of streams: a unit that files are written in.
var streamTile = geom.Size{W: 256, H: 256}

// Stream computes the canvas tile by tile, row by row from the top left, and
// calls emit for each, one at a time, from the calling goroutine. The tile is
// reused once emit returns. Memory stays bounded whatever the canvas. An error
// of emit ends the stream and is returned.
func (p *Plan) Stream(ctx context.Context, emit func(window image.Rectangle, tile *raster.Buffer) error, opts ...RunOption) error {
	if err := p.s.begin(); err != nil {
		return err
	}
	defer p.s.end()
	var set run
	for _, o := range opts {
		o(&set)
	}
	st := &stream{s: p.s, plan: p, profile: set.profile, tiling: tiling{rect: canvasOf(p.root.size), tile: p.s.tile}}
	if st.tile == (geom.Size{}) {
		st.tile = streamTile
	}
	st.count()
	size := int64(st.tile.W) * int64(st.tile.H) * p.root.pixelBytes()
	if size > p.s.memory/4 {
		return fmt.Errorf("eval: tile of %v pixels takes %s, which exceeds a quarter of the memory limit of %s", st.tile, bytesText(size), bytesText(p.s.memory))
	}
	st.slots = make([]slot, min(int64(2*p.s.threads+1), st.total, p.s.memory/4/max(1, size)))
	for i := range st.slots {
		st.slots[i].ready = make(chan struct{}, 1)
	}
	st.ctx, st.cancel = context.WithCancel(ctx)
	defer st.helpers.Wait()
	defer st.cancel()
	pixels := int64(st.rect.Dx()) * int64(st.rect.Dy())
	done := int64(0)
	for i := range st.total {
		st.engage()
		if err := st.await(i); err != nil {
			return err
		}
		t := st.at(i)
		if err := emit(t, &st.slot(i).pix); err != nil {
			return err
		}
		st.mu.Lock()
		st.emitted++
		st.mu.Unlock()
		if done += int64(t.Dx()) * int64(t.Dy()); set.progress != nil {
			set.progress(done, pixels)
		}
	}
	p.measured.runs.Add(1)
	return nil
}

func (st *stream) slot(i int64) *slot { return &st.slots[i%int64(len(st.slots))] }

// open reports whether a tile can be taken. The caller holds the lock.
func (st *stream) open() bool {
	return st.next < min(st.total, st.emitted+int64(len(st.slots))) && st.err == nil
}

// engage brings in as many idle workers as there are tiles to take.
func (st *stream) engage() {
	st.mu.Lock()
	n := 0
	if st.open() {
		n = int(min(int64(st.s.threads-st.active), min(st.total, st.emitted+int64(len(st.slots)))-st.next))
	}
	st.mu.Unlock()
	if n > 0 {
		st.s.recruit(n, st)
	}
}

// await returns when tile i is computed, computing it here if no worker has
// taken it.
func (st *stream) await(i int64) error {
	st.mu.Lock()
	taken := st.next > i
	st.mu.Unlock()
	if !taken {
		if err := st.s.acquire(st.ctx); err != nil {
			return st.failure(err)
		}
		st.mu.Lock()
		if taken = st.next > i; !taken {
			st.next = i + 1
		}
		st.mu.Unlock()
		if !taken {
			st.compute(i)
		}
		st.s.release()
	}
	select {
	case <-st.slot(i).ready:
		return nil
	case <-st.ctx.Done():
		return st.failure(st.ctx.Err())
	}
}

func (st *stream) failure(err error) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.err != nil {
		return st.err
	}
	return err
}

func (st *stream) joining() {
	st.helpers.Add(1)
	st.mu.Lock()
	st.active++
	st.mu.Unlock()
}

func (st *stream) help() {
	for {
		st.mu.Lock()
		if !st.open() || st.ctx.Err() != nil {
			st.active--
			st.mu.Unlock()
			break
		}
		i := st.next
		st.next++
		st.mu.Unlock()
		st.compute(i)
	}
	st.s.release()
	st.helpers.Done()
}

// compute fills the slot of tile i.
func (st *stream) compute(i int64) {
	if err := st.fill(i); err != nil {
		st.mu.Lock()
		if st.err == nil {
			st.err = err
		}
		st.mu.Unlock()
		st.cancel()
		return
	}
	st.slot(i).ready <- struct{}{}
}

// fill computes tile i. After a panic the working memory is dropped.
func (st *stream) fill(i int64) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked(v)
		}
	}()
	x := st.s.exec()
	x.begin(st.ctx, st.plan, st.profile)
	t := st.at(i)
	pix := &st.slot(i).pix
	st.plan.reset(pix, t.Dx(), t.Dy())
	err = x.fill(st.plan.root, t, pix, t.Min, 0)
	x.count.Tiles++
	st.plan.measured.add(&x.count)
	x.endProfile()
	st.s.putExec(x)
	return err
}
