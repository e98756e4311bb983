package eval

import (
	"context"
	"image"
	"sync"

	"github.com/rewarp/rewarp/ast/raster"
)

// blockCache keeps decoded cells, so that tiles and threads that need the same
// one read it once. What is not in use goes, longest unused first, when the
// bound is reached.
type blockCache struct {
	mu     sync.Mutex
	limit  int64
	bytes  int64
	blocks map[blockKey]*block
	lru    block    // head of the ring: next is the most recent
	spare  []*block // whose memory the next ones take
	spared int64    // bytes of it
}

type blockKey struct {
	feed feedID
	x, y int
}

// block is one cell, or one being read. It is immutable once ready.
type block struct {
	key        blockKey
	window     image.Rectangle
	pix        raster.Buffer
	bytes      int64
	err        error
	ready      chan struct{} // nil once it is
	users      int
	prev, next *block
	stale      bool
}

func (c *blockCache) init(limit int64) {
	c.limit = limit
	c.blocks = map[blockKey]*block{}
	c.lru.prev, c.lru.next = &c.lru, &c.lru
}

func (c *blockCache) unlink(b *block) { b.prev.next, b.next.prev = b.next, b.prev }

func (c *blockCache) front(b *block) {
	b.prev, b.next = &c.lru, c.lru.next
	b.prev.next, b.next.prev = b, b
}

// claim is a cell of a feed. It is the caller's to read where mine is set, and
// with settle to say how that went. It is given back with put.
func (c *blockCache) claim(f *feed, cx, cy int) (b *block, ready chan struct{}, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := blockKey{f.id, cx, cy}
	if b := c.blocks[key]; b != nil {
		b.users++
		c.unlink(b)
		c.front(b)
		return b, b.ready, false
	}
	b = c.fresh()
	b.key, b.users, b.err, b.stale = key, 1, nil, false
	b.window = image.Rect(cx*f.cell.W, cy*f.cell.H, min((cx+1)*f.cell.W, f.size.W), min((cy+1)*f.cell.H, f.size.H))
	b.bytes = int64(b.window.Dx()) * int64(b.window.Dy()) * int64(f.typ.Size()*len(f.bands))
	b.ready = make(chan struct{})
	c.blocks[key] = b
	c.front(b)
	c.bytes += b.bytes
	return b, b.ready, true
}

// settle says how reading a claimed cell went.
func (c *blockCache) settle(b *block, err error) {
	c.mu.Lock()
	ready := b.ready
	b.err, b.ready = err, nil
	if err != nil && c.blocks[b.key] == b {
		c.remove(b)
	}
	c.mu.Unlock()
	close(ready)
}

// wait waits for a cell that another run reads. It gives the cell back where
// there is an error, and where that run gave up, not the source: again is set then.
func (c *blockCache) wait(ctx context.Context, b *block, ready chan struct{}) (again bool, err error) {
	select {
	case <-ready:
	case <-ctx.Done():
		c.put(b)
		return false, ctx.Err()
	}
	if b.err == nil {
		return false, nil
	}
	err = b.err
	c.put(b)
	if isContext(err) && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}

// fresh is a block to read into: one that makes room, if there is need. The
// caller holds the lock.
func (c *blockCache) fresh() *block {
	for b := c.lru.prev; c.bytes > c.limit && b != &c.lru; {
		prev := b.prev
		if b.users == 0 {
			c.remove(b)
			c.keep(b)
		}
		b = prev
	}
	if n := len(c.spare); n > 0 {
		b := c.spare[n-1]
		c.spare = c.spare[:n-1]
		c.spared -= b.bytes
		return b
	}
	return &block{}
}

// keep remembers the memory of a block for the next one.
func (c *blockCache) keep(b *block) {
	if len(c.spare) < 8 || c.spared+b.bytes <= c.limit/8 {
		c.spare = append(c.spare, b)
		c.spared += b.bytes
	}
}

func (c *blockCache) remove(b *block) {
	c.unlink(b)
	delete(c.blocks, b.key)
	c.bytes -= b.bytes
	b.stale = true
}

// put gives a block back.
func (c *blockCache) put(b *block) {
	c.mu.Lock()
	b.users--
	if b.users == 0 && b.stale && b.err == nil {
		c.keep(b)
	}
	c.mu.Unlock()
}

// forget drops the cells of a uri.
func (c *blockCache) forget(uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k, b := range c.blocks {
		if k.feed.Value().uri == uri {
			c.remove(b)
			if b.users == 0 {
				c.keep(b)
			}
		}
	}
}

func (c *blockCache) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.init(c.limit)
	c.bytes, c.spare, c.spared = 0, nil, 0
}
