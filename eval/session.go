package eval

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/rewarp/rewarp/ast"
)

// ErrClosed is what a session's plans return after it was closed.
var ErrClosed = errors.New("eval: session is closed")

// Session is where plans are compiled and run. It is safe for concurrent use.
type Session struct {
	settings
	notes   []Note
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

// Open sets a session up: it checks what the machine and the opener have, and
// puts process-wide settings in force. The context is for the setting up only.
// Where it fails, nothing is left changed.
func Open(ctx context.Context, opts ...Option) (*Session, error) {
	return open(ctx, defaults(), opts)
}

// With opens a session like s with further options, which replace those of s.
// It is a session of its own, with its own Close.
func (s *Session) With(ctx context.Context, opts ...Option) (*Session, error) {
	if err := s.begin(); err != nil {
		return nil, err
	}
	defer s.end()
	set := s.settings
	set.kernels = set.asked
	set.claims = slices.Clone(set.claims)
	set.conflicts = nil
	return open(ctx, set, opts)
}

func open(ctx context.Context, set settings, opts []Option) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, o := range opts {
		o.session(&set)
	}
	if err := set.valid(); err != nil {
		return nil, err
	}
	notes, err := set.examine(ctx)
	if err != nil {
		return nil, err
	}
	notes = append(notes, set.conflicts...)
	s := &Session{
		settings: set,
		notes:    notes,
		budget:   set.memory / 4 / int64(set.threads),
		tokens:   make(chan struct{}, set.threads),
		work:     make(chan worker),
	}
	s.idle.L = &s.mu
	s.sources.init(set.opener, max(set.open, set.threads))
	s.cache.init(set.cacheBytes())
	if err := process.enter(s); err != nil {
		return nil, err
	}
	if notes := s.Notes(); set.strict && len(notes) > 0 {
		return nil, errors.Join(&StrictError{notes}, process.leave(s))
	}
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

func (set *settings) valid() error {
	switch {
	case set.threads < 1 || set.threads > maxThreads:
		return fmt.Errorf("eval: %d threads, expected 1 to %d", set.threads, maxThreads)
	case set.memory < minMemory:
		return fmt.Errorf("eval: memory limit of %d bytes, at least %d are needed", set.memory, int64(minMemory))
	case set.tiled && (set.tile.W < 1 || set.tile.H < 1) || set.tile.W > maxTile || set.tile.H > maxTile:
		return fmt.Errorf("eval: tile size %v is not between 1×1 and %d×%[2]d", set.tile, maxTile)
	case set.fidelity > ast.Resolution:
		return fmt.Errorf("eval: unknown %v", set.fidelity)
	}
	return nil
}

func (set *settings) cacheBytes() int64 {
	if set.cache < 0 {
		return min(set.memory/4, maxCache)
	}
	return min(set.memory/4, set.cache)
}

const (
	minMemory = 1 << 20
	maxTile   = 1 << 15
	// maxThreads is more than machines have, and few enough to be started.
	maxThreads = 1 << 12
	// maxCache is enough for the blocks that a row of tiles shares with the
	// next one, and small enough not to matter.
	maxCache = 128 << 20
)

// Kernels is the instruction set in use: the best of those that the machine
// supports and WithKernels allows.
func (s *Session) Kernels() Kernels { return s.kernels }

// Threads is how many tiles the session computes at a time.
func (s *Session) Threads() int { return s.threads }

// Opener is what the session opens rasters with, nil where it has none.
func (s *Session) Opener() Opener { return s.opener }

// MaxFidelity is the cap that plans of the session are compiled under.
func (s *Session) MaxFidelity() ast.Fidelity { return s.fidelity }

// Held is the memory, in bytes, that the session keeps between runs: cached
// blocks and working memory.
func (s *Session) Held() int64 {
	s.cache.mu.Lock()
	held := s.cache.bytes + s.cache.spared
	s.cache.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.execs {
		held += x.held()
	}
	return held
}

// Close waits for the runs in flight, stops the session's goroutines, closes
// its sources and gives up its process-wide settings. Runs that begin after it return ErrClosed. Closing again
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
	return errors.Join(s.sources.close(), process.leave(s))
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
