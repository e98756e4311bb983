package main

import (
	"context"
	"errors"
	"image"
	"sync"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/oracle"
)

// judged is what an oracle computed, as pixels to be written.
type judged struct {
	*oracle.Result
	typ raster.DataType
	geo *ast.GeoRef
}

func (j *judged) Size() geom.Size       { return j.Result.Size }
func (j *judged) Bands() []ast.Band     { return j.Result.Bands }
func (j *judged) Type() raster.DataType { return j.typ }
func (j *judged) Geo() *ast.GeoRef      { return j.geo }

// Stream gives everything as one tile.
func (j *judged) Stream(_ context.Context, emit emitter, _ ...eval.RunOption) error {
	b := j.Buffer(j.typ)
	return emit(b.Bounds(), b)
}

// geoOf places a prepared tree in the world as plans do: by the first leaf that
// has a place.
func geoOf(n ast.Node) *ast.GeoRef {
	maps, _ := ast.Leaves(n)
	for _, m := range maps {
		l, ok := m.Leaf.(*ast.Load)
		if !ok {
			continue
		}
		meta, ok := l.Meta()
		if !ok || meta.Geo == nil {
			continue
		}
		if inv, ok := m.Transform.Inverse(); ok {
			return &ast.GeoRef{Transform: meta.Geo.Transform.Mul(inv), SRS: meta.Geo.SRS}
		}
	}
	return nil
}

// reader reads the samples of loads for an oracle. It keeps what it opened.
type reader struct {
	opener eval.Opener
	mu     sync.Mutex
	open   map[string]eval.Source
}

func newReader(o eval.Opener) *reader { return &reader{opener: o, open: map[string]eval.Source{}} }

// ReadWindow reads one band of a window of a stored level.
func (r *reader) ReadWindow(ctx context.Context, l *ast.Load, level int, window image.Rectangle, band int) (*raster.Buffer, error) {
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

func (r *reader) source(ctx context.Context, uri string) (eval.Source, error) {
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

func (r *reader) close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var errs []error
	for _, s := range r.open {
		errs = append(errs, s.Close())
	}
	clear(r.open)
	return errors.Join(errs...)
}
