package eval

import (
	"context"
	"runtime"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/internal/kernel"
)

// Optimizer rewrites a tree within a fidelity, as rewrite pipelines do. The
// context is that of the call to Plan, so that a span or a log record of the
// rewriting finds what it belongs to.
type Optimizer func(context.Context, ast.Node, ast.Fidelity) (ast.Node, error)

// Kernels is an instruction set that pixel kernels are written for.
type Kernels = kernel.Set

// The instruction sets, each containing the ones before it.
const (
	Portable = kernel.Portable
	AVX2     = kernel.AVX2
	AVX512   = kernel.AVX512
)

// BestKernels is the largest instruction set that this machine supports.
func BestKernels() Kernels { return kernel.Best() }

// Option sets up a session.
type Option interface{ session(*settings) }

// PlanOption sets up a plan.
type PlanOption interface{ plan(*planSettings) }

// RunOption changes one run.
type RunOption func(*run)

type settings struct {
	opener    Opener
	optimizer Optimizer
	fidelity  ast.Fidelity
	kernels   Kernels
	threads   int
	memory    int64
	tile      geom.Size
	tiled     bool // tile was set
	open      int
	cache     int64 // of decoded blocks, bytes; negative: by the memory limit
	strict    bool
	asked     Kernels // before what the machine lacks was taken out
	claims    []claim
	conflicts []Note // of the sessions that were joined
}

// DefaultMemoryLimit is the memory limit of a session that sets none.
const DefaultMemoryLimit = 4 << 30

func defaults() settings {
	return settings{
		fidelity: ast.Resolution,
		kernels:  kernel.Best(),
		threads:  runtime.GOMAXPROCS(0),
		memory:   DefaultMemoryLimit,
		open:     128,
		cache:    -1,
	}
}

type sessionOption func(*settings)

func (f sessionOption) session(s *settings) { f(s) }

// WithOpener says how the rasters of Load nodes are found and opened. Without
// it a session runs only trees over rasters in memory.
func WithOpener(o Opener) Option { return sessionOption(func(s *settings) { s.opener = o }) }

// WithOptimizer rewrites every tree before it is planned. Without it trees run
// as they stand.
func WithOptimizer(f Optimizer) Option { return sessionOption(func(s *settings) { s.optimizer = f }) }

// WithKernels allows instruction sets up to k. What the machine lacks is never
// used: Session.Kernels tells what is, and Session.Notes what is missing. The
// default is the best there is.
func WithKernels(k Kernels) Option { return sessionOption(func(s *settings) { s.kernels = k }) }

// WithThreads bounds how many tiles the session computes at a time, over all
// its runs, from 1 to 4096. The default is GOMAXPROCS.
func WithThreads(n int) Option { return sessionOption(func(s *settings) { s.threads = n }) }

// WithMemoryLimit bounds, in bytes, what the session holds: the block cache
// and working memory together stay below half of it, and an output larger than
// it is refused by Run, RunInto and Window. The default is DefaultMemoryLimit.
func WithMemoryLimit(bytes int64) Option {
	return sessionOption(func(s *settings) { s.memory = bytes })
}

// WithTileSize sets the tiles, in pixels, that outputs are computed and
// streamed in. By default streams have tiles of 256×256, and other runs choose
// by the window and the threads.
func WithTileSize(w, h int) Option {
	return sessionOption(func(s *settings) { s.tile = geom.Size{W: w, H: h}; s.tiled = true })
}

// WithMaxOpen bounds how many sources are kept open. The default is 128.
func WithMaxOpen(n int) Option { return sessionOption(func(s *settings) { s.open = n }) }

// WithBlockCache bounds, in bytes, the decoded blocks that the session keeps
// between reads; 0 keeps none that is not in use. The default is a quarter of
// the memory limit, at most 128 MiB, and more than that quarter is never kept.
func WithBlockCache(bytes int64) Option {
	return sessionOption(func(s *settings) { s.cache = max(0, bytes) })
}

// WithStrict makes Open fail where it would note something: kernels that the
// machine lacks, more threads than processors, a process-wide setting that
// another session keeps stricter. A strict session joins only sessions that
// agree in everything.
func WithStrict() Option { return sessionOption(func(s *settings) { s.strict = true }) }

// WithSetting asks for a value of a process-wide setting while the session is
// open. In force is the strictest value of the open sessions; what it was
// before them is back after the last Close.
func WithSetting(setting Setting, value int64) Option {
	return sessionOption(func(s *settings) {
		for i, c := range s.claims {
			if c.setting.Name() == setting.Name() {
				s.claims[i] = claim{setting, value}
				return
			}
		}
		s.claims = append(s.claims, claim{setting, value})
	})
}

// Cap is the option that WithMaxFidelity returns: for a session, or for one
// plan.
type Cap ast.Fidelity

func (c Cap) session(s *settings)  { s.fidelity = ast.Fidelity(c) }
func (c Cap) plan(p *planSettings) { p.fidelity = min(p.fidelity, ast.Fidelity(c)) }

// WithMaxFidelity caps what a plan may do. At ast.Exact every node is computed
// in turn, rounded to its type, and the result equals naive evaluation to the
// bit. At ast.Geometric and ast.Resolution, the default, the result is the
// tree's meaning; the two differ in what the optimizer may do. A plan's cap
// can only lower its session's.
func WithMaxFidelity(f ast.Fidelity) Cap { return Cap(f) }

type planSettings struct {
	fidelity ast.Fidelity
	typ      raster.DataType
}

type planOption func(*planSettings)

func (f planOption) plan(p *planSettings) { f(p) }

// WithType sets the sample type of the output, one for all bands. The default
// is the smallest type that holds every band's. A float output is not rounded.
func WithType(t raster.DataType) PlanOption {
	return planOption(func(p *planSettings) { p.typ = t })
}

// WithProgress calls f after every tile with the number of output pixels done
// and to do. Calls come from one goroutine at a time, done only grows.
func WithProgress(f func(done, total int64)) RunOption {
	return func(r *run) { r.progress = f }
}
