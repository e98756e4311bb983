package rewarp

import (
	"context"
	"errors"
	"fmt"

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
	r := eval.NewLeafReader(s.Opener())
	meaning := func(ctx context.Context, n ast.Node) (*raster.Buffer, error) {
		return unrounded(oracle.Reference(ctx, n, r, oracle.Options{}))
	}
	steps := func(ctx context.Context, n ast.Node) (*raster.Buffer, error) {
		return unrounded(oracle.Naive(ctx, n, r, oracle.Options{}))
	}
	t, err := tune.Run(ctx, s, tree, append([]tune.Option{tune.WithReference(meaning, steps)}, opts...)...)
	return t, errors.Join(err, r.Close())
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

// unrounded is an oracle's result as pixels.
func unrounded(res *oracle.Result, err error) (*raster.Buffer, error) {
	if err != nil {
		return nil, err
	}
	return raster.FromSlice(res.Values, res.Size.W, res.Size.H, len(res.Bands))
}
