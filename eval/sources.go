package eval

import (
	"context"
	"errors"
	"sync"

	"github.com/rewarp/rewarp/ast"
)

// sourcePool keeps sources open between runs, one a uri, the longest unused
// closed first.
type sourcePool struct {
	opener Opener
	limit  int

	mu    sync.Mutex
	open  map[string]*handle
	clock int64
	room  chan struct{} // closed and replaced when a source is let go
}

// handle is an open source, or one being opened.
type handle struct {
	uri   string
	src   Source
	meta  ast.Meta
	err   error
	ready chan struct{}
	users int
	used  int64
	stale bool // forgotten: to be closed by its last user
}

func (p *sourcePool) init(o Opener, limit int) {
	p.opener, p.limit = o, limit
	p.open = map[string]*handle{}
	p.room = make(chan struct{})
}

// use opens the source of a uri, or takes it from the pool. It is given back
// with done.
func (p *sourcePool) use(ctx context.Context, uri string) (*handle, error) {
	for {
		p.mu.Lock()
		h := p.open[uri]
		if h != nil {
			h.users++
			p.mu.Unlock()
			select {
			case <-h.ready:
			default:
				select {
				case <-h.ready:
				case <-ctx.Done():
					p.done(h)
					return nil, ctx.Err()
				}
			}
			if h.err == nil {
				return h, nil
			}
			p.done(h)
			if isContext(h.err) && ctx.Err() == nil {
				continue // another run gave up, not the source
			}
			return nil, h.err
		}
		victim, room, ok := p.makeRoom()
		if !ok {
			p.mu.Unlock()
			select {
			case <-room:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			continue
		}
		h = &handle{uri: uri, ready: make(chan struct{}), users: 1}
		p.open[uri] = h
		p.mu.Unlock()
		if victim != nil {
			victim.src.Close()
		}
		if h.err = h.begin(ctx, p.opener); h.err != nil {
			p.mu.Lock()
			if p.open[uri] == h {
				delete(p.open, uri)
			}
			p.mu.Unlock()
		}
		close(h.ready)
		if h.err != nil {
			p.done(h)
			return nil, h.err
		}
		return h, nil
	}
}

// begin opens the source.
func (h *handle) begin(ctx context.Context, o Opener) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = panicked(v)
		}
	}()
	if h.src, err = o.Open(ctx, h.uri); err != nil {
		return err
	}
	if h.src == nil {
		return errors.New("the opener returned no source")
	}
	h.meta = h.src.Meta()
	return nil
}

// makeRoom takes an idle source out of a full pool. ok is false when all are
// in use; room is closed when that may have changed.
func (p *sourcePool) makeRoom() (victim *handle, room chan struct{}, ok bool) {
	if len(p.open) < p.limit {
		return nil, nil, true
	}
	for _, h := range p.open {
		if h.users == 0 && (victim == nil || h.used < victim.used) {
			victim = h
		}
	}
	if victim == nil {
		return nil, p.room, false
	}
	delete(p.open, victim.uri)
	return victim, nil, true
}

func (p *sourcePool) done(h *handle) {
	p.mu.Lock()
	h.users--
	p.clock++
	h.used = p.clock
	last := h.users == 0
	if last && len(p.open) >= p.limit {
		close(p.room)
		p.room = make(chan struct{})
	}
	closing := last && h.stale && h.src != nil
	p.mu.Unlock()
	if closing {
		h.src.Close()
	}
}

// Describe is the metadata of a raster as it is now: an open source that was
// replaced since is opened anew. What it opens stays open for the runs, so a
// tree that is prepared by its session opens each raster once.
func (s *Session) Describe(ctx context.Context, uri string) (ast.Meta, error) {
	if err := s.begin(); err != nil {
		return ast.Meta{}, err
	}
	defer s.end()
	if s.opener == nil {
		return ast.Meta{}, errors.New("eval: the session has no opener to look metadata up with")
	}
	return begun{s}.Describe(ctx, uri)
}

// begun is a session within a call that it waits for.
type begun struct{ *Session }

// Describe is Session.Describe, also where the session is being closed.
func (s begun) Describe(ctx context.Context, uri string) (ast.Meta, error) {
	m, stale, err := s.sources.describe(ctx, uri)
	if !stale {
		return m, err
	}
	s.cache.forget(uri)
	if err := s.sources.forget(uri); err != nil {
		return ast.Meta{}, err
	}
	m, _, err = s.sources.describe(ctx, uri)
	return m, err
}

// describe tells, too, whether the source is of a raster that was replaced.
func (p *sourcePool) describe(ctx context.Context, uri string) (m ast.Meta, stale bool, err error) {
	h, err := p.use(ctx, uri)
	if err != nil {
		return ast.Meta{}, false, err
	}
	defer p.done(h)
	a, ok := h.src.(Ager)
	return h.src.Meta(), ok && a.Stale(), nil
}

// forget closes the source of a uri, now or after its last use.
func (p *sourcePool) forget(uri string) error {
	p.mu.Lock()
	h := p.open[uri]
	if h == nil {
		p.mu.Unlock()
		return nil
	}
	delete(p.open, uri)
	h.stale = true
	idle := h.users == 0
	p.mu.Unlock()
	if idle && h.src != nil {
		return h.src.Close()
	}
	return nil
}

// close closes everything. Nothing is in use any more.
func (p *sourcePool) close() error {
	p.mu.Lock()
	open := p.open
	p.open = map[string]*handle{}
	p.mu.Unlock()
	var errs []error
	for _, h := range open {
		if h.src != nil {
			errs = append(errs, h.src.Close())
		}
	}
	return errors.Join(errs...)
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
