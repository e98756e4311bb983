package eval

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval/internal/kernel"
)

// ErrClosed is what a session's plans return after it was closed.
var ErrClosed = errors.New("eval: session is closed")

// Session is where plans are compiled and run. It is safe for concurrent use.
type Session struct {
	settings
	budget  int64 // working memory of one worker, bytes
	tokens  chan struct{}
	work    chan worker
	workers sync.WaitGroup
	sources sourcePool
	cache   blockCache

	mu       sync.Mutex
	closed   bool
	inflight int
	idle     sync.Cond
	execs    []*exec
	runs     []*run
}

// worker is work that pool goroutines help with.
type worker interface {
	// joining tells that a goroutine is about to help.
	joining()
	// help works until nothing is left. It owns a token and releases it.
	help()
}

// Open sets a session up. The context is for the setting up only.
func Open(ctx context.Context, opts ...Option) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	set := defaults()
	for _, o := range opts {
		o.session(&set)
	}
	switch {
	case set.threads < 1:
		return nil, fmt.Errorf("eval: %d threads, at least 1 is needed", set.threads)
	case set.memory < minMemory:
		return nil, fmt.Errorf("eval: memory limit of %d bytes, at least %d are needed", set.memory, int64(minMemory))
	case set.tiled && (set.tile.W < 1 || set.tile.H < 1) || set.tile.W > maxTile || set.tile.H > maxTile:
		return nil, fmt.Errorf("eval: tile size %v is not between 1×1 and %d×%[2]d", set.tile, maxTile)
	case set.fidelity > ast.Resolution:
		return nil, fmt.Errorf("eval: unknown %v", set.fidelity)
	}
	set.kernels = min(set.kernels, kernel.Best())
	s := &Session{
		settings: set,
		budget:   set.memory / 4 / int64(set.threads),
		tokens:   make(chan struct{}, set.threads),
		work:     make(chan worker),
	}
	s.idle.L = &s.mu
	s.sources.init(set.opener, max(set.open, set.threads))
	s.cache.init(min(set.memory/4, maxCache))
	for range set.threads {
		s.tokens <- struct{}{}
		s.workers.Go(func() {
			for w := range s.work {
				w.help()
			}
		})
	}
	return s, nil
}

const (
	minMemory = 1 << 20
	maxTile   = 1 << 15
	// maxCache is enough for the blocks that a row of tiles shares with the
	// next one, and small enough not to matter.
	maxCache = 128 << 20
)

// Kernels is the instruction set in use: the best of those that the machine
// supports and WithKernels allows.
func (s *Session) Kernels() Kernels { return s.kernels }

// Threads is how many tiles the session computes at a time.
func (s *Session) Threads() int { return s.threads }

// Close waits for the runs in flight, stops the session's goroutines and
// closes its sources. Runs that begin after it return ErrClosed. Closing again
// does nothing.
func (s *Session) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	for s.inflight > 0 {
		s.idle.Wait()
	}
	s.execs, s.runs = nil, nil
	s.mu.Unlock()
	if !first {
		s.workers.Wait()
		return nil
	}
	close(s.work)
	s.workers.Wait()
	s.cache.drop()
	return s.sources.close()
}

// Forget closes the source of a uri, if it is open, and drops what is cached of
// it, so that a file that was replaced is read anew. Plans keep the metadata
// that they were compiled with.
func (s *Session) Forget(uri string) error {
	if err := s.begin(); err != nil {
		return err
	}
	defer s.end()
	s.cache.forget(uri)
	return s.sources.forget(uri)
}

func (s *Session) begin() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.inflight++
	return nil
}

func (s *Session) end() {
	s.mu.Lock()
	if s.inflight--; s.inflight == 0 {
		s.idle.Broadcast()
	}
	s.mu.Unlock()
}

// acquire waits for the right to compute.
func (s *Session) acquire(ctx context.Context) error {
	select {
	case <-s.tokens:
		return nil
	default:
	}
	select {
	case <-s.tokens:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Session) release() { s.tokens <- struct{}{} }

// recruit hands w to at most n idle workers, without waiting for busy ones.
func (s *Session) recruit(n int, w worker) {
	for range n {
		select {
		case <-s.tokens:
			w.joining()
			s.work <- w
		default:
			return
		}
	}
}

// exec takes working memory from the free list. There is at most one a token.
func (s *Session) exec() *exec {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.execs); n > 0 {
		x := s.execs[n-1]
		s.execs = s.execs[:n-1]
		return x
	}
	return &exec{s: s}
}

func (s *Session) putExec(x *exec) {
	x.ctx = nil
	x.trim()
	s.mu.Lock()
	s.execs = append(s.execs, x)
	s.mu.Unlock()
}
