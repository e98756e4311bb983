package rewarp

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/oracle"
	"github.com/rewarp/rewarp/eval/tune"
)

// Tune measures variants of a session over a tree, and compares their pixels
// with those of the reference evaluator, and of the naive one for variants at
// ast.Exact, which read through the session's opener. Options come after these
// and replace them.
func Tune(ctx context.Context, s *eval.Session, tree ast.Node, opts ...tune.Option) (*tune.Table, error) {
	r := &reader{opener: s.Opener(), open: map[string]eval.Source{}}
	meaning := func(ctx context.Context, n ast.Node) (*raster.Buffer, error) {
		return r.pixels(oracle.Reference(ctx, n, r, oracle.Options{}))
	}
	steps := func(ctx context.Context, n ast.Node) (*raster.Buffer, error) {
		return r.pixels(oracle.Naive(ctx, n, r, oracle.Options{}))
	}
	t, err := tune.Run(ctx, s, tree, append([]tune.Option{tune.WithReference(meaning, steps)}, opts...)...)
	return t, errors.Join(err, r.close())
}

// GDALVariants are further variants for Tune, of settings that GDAL reads
// with: its own threads, as many as the session has, and a block cache of
// 1 MiB, since a session has one of its own. They show only in runs that read
// anew, as under tune.WithCold. Without GDAL there are none.
func GDALVariants(s *eval.Session) []tune.Variant {
	if !HasGDAL() {
		return nil
	}
	v := []tune.Variant{{Name: "gdal-cache-1MiB", Extra: []eval.Option{WithGDALCache(1 << 20)}}}
	if n := s.Threads(); n > 1 {
		v = append(v, tune.Variant{Name: fmt.Sprintf("gdal-threads-%d", n), Extra: []eval.Option{WithGDALThreads(n)}})
	}
	return v
}

// reader reads the samples of loads for an oracle, and keeps what it opened.
type reader struct {
	opener eval.Opener
	mu     sync.Mutex
	open   map[string]eval.Source
}

func (r *reader) pixels(res *oracle.Result, err error) (*raster.Buffer, error) {
	if err != nil {
		return nil, err
	}
	return raster.FromSlice(res.Values, res.Size.W, res.Size.H, len(res.Bands))
}

// ReadWindow reads one band of a window of a stored level.
func (r *reader) ReadWindow(ctx context.Context, l *ast.Load, level int, window image.Rectangle, band int) (*raster.Buffer, error) {
	s, err := r.source(ctx, l.URI())
	if err != nil {
		return nil, err
	}
	dst := &raster.Buffer{}
	return dst, s.ReadWindow(ctx, level, window, []int{band}, dst)
}

func (r *reader) source(ctx context.Context, uri string) (eval.Source, error) {
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

func (r *reader) close() error {
	var errs []error
	for _, s := range r.open {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}
