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
	lru    block // head of the ring: next is the most recent
	spare  []*block
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

// get is a cell of a feed, read now if it is not cached. It is given back with
// put.
func (x *exec) block(ctx context.Context, f *feed, cx, cy int) (*block, error) {
	c := &x.s.cache
	key := blockKey{f.id, cx, cy}
	for {
		c.mu.Lock()
		b := c.blocks[key]
		if b == nil {
			break
		}
		b.users++
		c.unlink(b)
		c.front(b)
		ready := b.ready
		c.mu.Unlock()
		if ready != nil {
			select {
			case <-ready:
			case <-ctx.Done():
				c.put(b)
				return nil, ctx.Err()
			}
			if b.err != nil {
				err := b.err
				c.put(b)
				if isContext(err) && ctx.Err() == nil {
					continue // another run gave up, not the source
				}
				return nil, err
			}
		}
		x.count.Hits += f.blocks(b.window)
		return b, nil
	}
	b := c.fresh()
	b.key, b.users, b.err, b.stale = key, 1, nil, false
	b.window = image.Rect(cx*f.cell.W, cy*f.cell.H, min((cx+1)*f.cell.W, f.size.W), min((cy+1)*f.cell.H, f.size.H))
	b.bytes = int64(b.window.Dx()) * int64(b.window.Dy()) * int64(f.typ.Size()*len(f.bands))
	ready := make(chan struct{})
	b.ready = ready
	c.blocks[key] = b
	c.front(b)
	c.bytes += b.bytes
	c.mu.Unlock()

	err := x.readFeed(ctx, f, b.window, &b.pix)
	c.mu.Lock()
	b.err, b.ready = err, nil
	if err != nil && c.blocks[key] == b {
		c.remove(b)
	}
	c.mu.Unlock()
	close(ready)
	if err != nil {
		c.put(b)
		return nil, err
	}
	return b, nil
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
		return b
	}
	return &block{}
}

// keep remembers the memory of a block for the next one.
func (c *blockCache) keep(b *block) {
	if len(c.spare) < 8 {
		c.spare = append(c.spare, b)
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
		}
	}
}

func (c *blockCache) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.init(c.limit)
	c.bytes, c.spare = 0, nil
}
