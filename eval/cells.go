package eval

import (
	"image"
	"time"

	"github.com/rewarp/rewarp/ast/raster"
)

// atOnce is how many cells are read together, where a source can.
const atOnce = 4

// cells calls use for each cell of a feed that a window touches, cached or read
// for it, in no particular order.
func (x *exec) cells(f *feed, w image.Rectangle, use func(*block)) error {
	c := &x.s.cache
	var claimed [atOnce]*block
	n := 0
	for cy := w.Min.Y / f.cell.H; cy*f.cell.H < w.Max.Y; cy++ {
		for cx := w.Min.X / f.cell.W; cx*f.cell.W < w.Max.X; cx++ {
			b, ready, mine := c.claim(f, cx, cy)
			for !mine && ready != nil {
				// Who waits for another run must not hold what that may wait for.
				if err := x.load(f, claimed[:n], use); err != nil {
					c.put(b)
					return err
				}
				n = 0
				again, err := c.wait(x.ctx, b, ready)
				if err != nil {
					return err
				}
				if ready = nil; again {
					b, ready, mine = c.claim(f, cx, cy)
				}
			}
			if !mine {
				x.count.Hits += f.blocks(b.window)
				use(b)
				c.put(b)
				continue
			}
			claimed[n] = b
			if n++; n == atOnce {
				if err := x.load(f, claimed[:n], use); err != nil {
					return err
				}
				n = 0
			}
		}
	}
	return x.load(f, claimed[:n], use)
}

// load reads the cells that were claimed, and gives them back.
func (x *exec) load(f *feed, claimed []*block, use func(*block)) error {
	c := &x.s.cache
	if len(claimed) > 1 && x.readTogether(f, claimed) {
		for _, b := range claimed {
			c.settle(b, nil)
		}
		for _, b := range claimed {
			use(b)
			c.put(b)
		}
		return nil
	}
	var failed error
	for _, b := range claimed {
		err := x.readFeed(x.ctx, f, b.window, &b.pix)
		c.settle(b, err)
		if err == nil {
			use(b)
		} else if failed == nil {
			failed = err
		}
		c.put(b)
	}
	return failed
}

// readTogether reads cells where the source reads several at a time. It reports
// whether that is done: else they are read one by one, which tells what fails.
func (x *exec) readTogether(f *feed, cells []*block) (done bool) {
	start := time.Now()
	defer func() {
		if recover() != nil {
			done = false
		}
		x.count.Read += time.Since(start)
	}()
	h, err := x.s.sources.use(x.ctx, f.uri)
	if err != nil {
		return false
	}
	defer x.s.sources.done(h)
	t, ok := h.src.(Together)
	if !ok || f.check(&h.meta) != nil {
		return false
	}
	windows, dst := make([]image.Rectangle, len(cells)), make([]*raster.Buffer, len(cells))
	for i, b := range cells {
		windows[i], dst[i] = b.window, &b.pix
	}
	if t.ReadWindows(x.ctx, f.level, windows, f.bands, dst) != nil {
		return false
	}
	for _, b := range cells {
		if f.checkSamples(b.window, &b.pix) != nil {
			return false
		}
	}
	for _, b := range cells {
		x.count.read(f, b.window, &b.pix)
	}
	return true
}
