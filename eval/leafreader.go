package eval

import (
	"context"
	"errors"
	"image"
	"sync"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// LeafReader reads the samples of loads one band at a time, which is what an
// oracle asks for. It keeps each raster open until it is closed, and is safe for
// concurrent use.
type LeafReader struct {
	opener Opener
	mu     sync.Mutex
	open   map[string]Source
}

// NewLeafReader reads through an opener. The caller closes the reader.
func NewLeafReader(o Opener) *LeafReader {
	return &LeafReader{opener: o, open: map[string]Source{}}
}

// ReadWindow reads one band of a window of a stored level, in its stored type.
func (r *LeafReader) ReadWindow(ctx context.Context, l *ast.Load, level int, window image.Rectangle, band int) (*raster.Buffer, error) {
	s, err := r.source(ctx, l.URI())
	if err != nil {
		return nil, err
	}
	dst := &raster.Buffer{}
	if err := s.ReadWindow(ctx, level, window, []int{band}, dst); err != nil {
		return nil, err
	}
	return dst, nil
}

func (r *LeafReader) source(ctx context.Context, uri string) (Source, error) {
	if r.opener == nil {
		return nil, errors.New("the session has no opener")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.open[uri]; s != nil {
		return s, nil
	}
	s, err := r.opener.Open(ctx, uri)
	if err == nil {
		r.open[uri] = s
	}
	return s, err
}

// Close closes what was opened.
func (r *LeafReader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, s := range r.open {
		errs = append(errs, s.Close())
	}
	clear(r.open)
	return errors.Join(errs...)
}
