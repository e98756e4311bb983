package rewarp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/imagefile"
	"github.com/rewarp/rewarp/gdalio"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

// Open opens a session with the defaults: rasters through NewOpener, trees
// rewritten by Rewrite before they are planned. Options come after the
// defaults and replace them. The caller closes the session.
func Open(ctx context.Context, opts ...eval.Option) (*eval.Session, error) {
	all := append([]eval.Option{eval.WithOpener(NewOpener()), eval.WithOptimizer(Rewrite)}, opts...)
	return eval.Open(ctx, all...)
}

// Optimize rewrites a prepared tree to its canonical form with the built-in
// rules, at the resolution cap, and reports whether that is another tree.
// Optimizing the result, or the same tree again, costs next to nothing.
func Optimize(n ast.Node) (out ast.Node, changed bool, err error) {
	r, err := rules.Default().Optimize(n)
	return r.Node, r.Changed, err
}

// Rewrite is the built-in rules as a session's optimizer: the tree's canonical
// form under a cap on fidelity, how closely it keeps to the tree. It takes
// microseconds and does not look at the context.
func Rewrite(ctx context.Context, n ast.Node, fidelity ast.Fidelity) (ast.Node, error) {
	return builtIn()(ctx, n, fidelity)
}

// builtIn is one optimizer for the whole process, so that what nodes remember
// is shared.
var builtIn = sync.OnceValue(func() eval.Optimizer { return Optimizer(rules.Default()) })

// Optimizer is a pipeline of one's own as a session's optimizer, for
// eval.WithOptimizer: it rewrites a tree under the lower of the plan's cap on
// fidelity and the pipeline's. It is safe for concurrent use.
func Optimizer(p *rewrite.Pipeline) eval.Optimizer {
	var capped [ast.Resolution + 1]func() (*rewrite.Pipeline, error)
	for f := range capped {
		capped[f] = sync.OnceValues(func() (*rewrite.Pipeline, error) {
			if ast.Fidelity(f) >= p.MaxFidelity() {
				return p, nil
			}
			return p.With(rewrite.MaxFidelity(ast.Fidelity(f)))
		})
	}
	return func(_ context.Context, n ast.Node, f ast.Fidelity) (ast.Node, error) {
		q, err := capped[min(f, ast.Resolution)]()
		if err != nil {
			return nil, err
		}
		r, err := q.Optimize(n)
		return r.Node, err
	}
}

// HasGDAL reports whether this build reads and writes through GDAL. Without it
// there are PNG, JPEG and plain TIFF.
func HasGDAL() bool { return gdalio.Version() != "" }

// WithGDALThreads asks for a number of threads of GDAL's own while the session
// is open: gdalio.WithThreads. A build without GDAL refuses it.
func WithGDALThreads(n int) eval.Option { return gdalio.WithThreads(n) }

// WithGDALCache asks for a size of GDAL's block cache, in bytes, while the
// session is open: gdalio.WithCache. A build without GDAL refuses it.
func WithGDALCache(bytes int64) eval.Option { return gdalio.WithCache(bytes) }

// NewOpener opens rasters through GDAL, or where the build has none, through
// package imagefile.
func NewOpener() eval.Opener {
	if HasGDAL() {
		return gdalio.New()
	}
	return imagefile.New()
}

// ReadTree reads a tree file, or where the name ends in .expr the compact
// expression of ast.ParseExpr. Relative uris start at the file's folder.
// Mistakes in it are a *TreeError.
func ReadTree(path string, opts ...ast.ReadOption) (ast.Node, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	opts = append([]ast.ReadOption{ast.BaseFolder(filepath.Dir(path))}, opts...)
	return ParseTree(path, data, opts...)
}

func readFile(path string) ([]byte, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if fi.IsDir() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("is a folder, not a tree file")}
	}
	if fi.Size() > ast.MaxFileBytes {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("is larger than %d MiB, the limit of a tree file", ast.MaxFileBytes>>20)}
	}
	return os.ReadFile(path)
}

// ParseTree reads a tree that is in memory: an expression if the name ends in
// .expr, else a tree file. The name stands in errors only.
func ParseTree(name string, data []byte, opts ...ast.ReadOption) (ast.Node, error) {
	var n ast.Node
	var err error
	if strings.EqualFold(filepath.Ext(name), ".expr") {
		n, err = ast.ParseExpr(string(data), opts...)
	} else {
		n, err = ast.ParseJSON(data, opts...)
	}
	if err != nil {
		return nil, &TreeError{Name: name, Err: err}
	}
	return n, nil
}

// TreeError says which tree is wrong. Err is a *ast.FileError, which has the
// place.
type TreeError struct {
	Name string
	Err  error
}

// Error is for example `t.json:4:12: tree/input/window: found an array of 3,
// expected 4 whole numbers`.
func (e *TreeError) Error() string {
	var f *ast.FileError
	if errors.As(e.Err, &f) {
		return e.Name + ":" + e.Err.Error()
	}
	return e.Name + ": " + e.Err.Error()
}

// Unwrap is the cause.
func (e *TreeError) Unwrap() error { return e.Err }
