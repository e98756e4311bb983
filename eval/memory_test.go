package eval_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"sync/atomic"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// memory opens generated images, and counts what is asked of it.
type memory struct {
	*asttest.Images
	opened, closed, reads atomic.Int64
	stale                 atomic.Bool // what was opened before it was set is
	fail                  func(uri string, window image.Rectangle) error
	block                 chan struct{} // reads wait for it, if not nil
}

func (m *memory) Open(ctx context.Context, uri string) (eval.Source, error) {
	img, ok := m.Image(uri)
	if !ok {
		return nil, fmt.Errorf("no image %q", uri)
	}
	m.opened.Add(1)
	return &memorySource{m, uri, img, m.stale.Load(), atomic.Bool{}}, nil
}

type memorySource struct {
	m      *memory
	uri    string
	img    *asttest.Image
	fresh  bool // opened after the raster was replaced
	closed atomic.Bool
}

func (s *memorySource) Meta() ast.Meta {
	m := s.img.Meta
	m.Bands, m.Overviews = slices.Clone(m.Bands), slices.Clone(m.Overviews)
	return m
}

func (s *memorySource) Stale() bool { return s.m.stale.Load() && !s.fresh }

func (s *memorySource) Close() error {
	if s.closed.Swap(true) {
		return errors.New("closed twice")
	}
	s.m.closed.Add(1)
	return nil
}

func (s *memorySource) ReadWindow(ctx context.Context, level int, w image.Rectangle, bands []int, dst *raster.Buffer) error {
	if s.closed.Load() {
		return errors.New("read after close")
	}
	s.m.reads.Add(1)
	if s.m.block != nil {
		select {
		case <-s.m.block:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if s.m.fail != nil {
		if err := s.m.fail(s.uri, w); err != nil {
			return err
		}
	}
	return s.m.ReadInto(ctx, s.uri, level, w, bands, dst)
}
