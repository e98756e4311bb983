package rewritetest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/rewrite"
)

// Executor runs trees in some other way than the oracles do.
type Executor struct {
	Name string // such as "tiles of 13×9, 3 threads"
	// Fidelity is what the result is held to: ast.Exact to naive evaluation,
	// ast.Geometric to the reference.
	Fidelity ast.Fidelity
	// Run evaluates a tree, optimized or as it stands, into any sample type.
	// It is called from many goroutines.
	Run func(ctx context.Context, n ast.Node) (*raster.Buffer, error)
}

// Config says what a campaign does.
type Config struct {
	Pipeline *rewrite.Pipeline // what is tried
	Trees    int               // 2000 if zero
	Seed     uint64
	Draw     asttest.Options

	// MaxFidelity caps what is tried: every cap up to it is.
	MaxFidelity ast.Fidelity
	// Rule, if not empty, is the only rule that is enabled.
	Rule string

	// Executors run every tree. Those of one fidelity have to agree to the bit.
	Executors []Executor

	Workers  int                   // goroutines; GOMAXPROCS if zero
	Failures int                   // how many are shrunk and kept; 10 if zero
	Progress func(done, total int) // called now and then, from one goroutine at a time
}

// Campaign draws random trees, rewrites them, and holds what comes out to every
// law. A broken law is no error but part of the report; errors are a
// configuration that makes no sense and a cancelled context.
func Campaign(ctx context.Context, c Config) (*Report, error) {
	if c.Trees == 0 {
		c.Trees = 2000
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Failures == 0 {
		c.Failures = 10
	}
	gen := asttest.NewGen(c.Draw)
	tests, err := newBattery(c, gen)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	report := newReport(&c)
	var next, done atomic.Int64
	var mu sync.Mutex
	var workers sync.WaitGroup
	for range min(c.Workers, c.Trees) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= c.Trees {
					return
				}
				seed := asttest.TreeSeed(c.Seed, i)
				o := tests.try(ctx, gen.Tree(seed), "")
				mu.Lock()
				if ctx.Err() == nil {
					report.add(seed, i, o)
				}
				if d := int(done.Add(1)); c.Progress != nil && (d%64 == 0 || d == c.Trees) {
					c.Progress(d, c.Trees)
				}
				mu.Unlock()
			}
		})
	}
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	report.finish(func(f *Failure) { tests.shrink(ctx, gen, f) })
	report.Elapsed = time.Since(start)
	return report, nil
}

// battery is every test of a campaign, ready to be put to a tree.
type battery struct {
	judge     judge
	images    *asttest.Images
	gen       *asttest.Gen
	caps      []capped
	executors []Executor
	parallel  atomic.Int64 // trees tried, for tests that not every tree gets
}

// capped is the pipeline at one fidelity cap.
type capped struct {
	fidelity ast.Fidelity
	pipeline *rewrite.Pipeline
	verify   *rewrite.Pipeline // the same, checking every firing, to find the rule at fault
	patient  *rewrite.Pipeline // the same, with a large budget
}

func newBattery(c Config, gen *asttest.Gen) (*battery, error) {
	images := gen.Images()
	if c.Pipeline == nil {
		return nil, errors.New("rewritetest: a campaign needs a pipeline")
	}
	if c.MaxFidelity > ast.Resolution {
		return nil, fmt.Errorf("rewritetest: unknown %v", c.MaxFidelity)
	}
	b := &battery{judge: judge{images}, images: images, gen: gen, executors: c.Executors}
	base := c.Pipeline
	if c.Rule != "" {
		var err error
		if base, err = base.With(rewrite.Only(c.Rule)); err != nil {
			return nil, err
		}
	}
	for f := ast.Exact; f <= c.MaxFidelity; f++ {
		k := capped{fidelity: f}
		var err error
		if k.pipeline, err = base.With(rewrite.MaxFidelity(f)); err == nil {
			k.verify, err = k.pipeline.With(rewrite.Verify(Verifier(images)))
		}
		if err == nil {
			k.patient, err = k.pipeline.With(rewrite.Budget(1 << 15))
		}
		if err != nil {
			return nil, err
		}
		b.caps = append(b.caps, k)
	}
	return b, nil
}

// shrink finds the smallest tree that breaks the failure's law, and the rule
// that breaks it there.
func (b *battery) shrink(ctx context.Context, gen *asttest.Gen, f *Failure) {
	f.Drawn = gen.Tree(f.Seed)
	broke := func(n ast.Node) *Violation {
		for _, v := range b.try(ctx, asttest.Copy(n), f.Law).violations {
			if v.Law == f.Law {
				return v
			}
		}
		return nil
	}
	f.Tree = asttest.ShrinkOver(b.images, asttest.MaxTries, f.Drawn, func(n ast.Node) bool { return broke(n) != nil })
	if v := broke(f.Tree); v != nil {
		f.Violation = *v
	}
	for _, k := range b.caps {
		n := asttest.Copy(f.Tree)
		if r, err := optimize(k.pipeline, n); err == nil {
			f.Result = r.Node
		}
		if f.Rule != "" {
			continue
		}
		if f.Law == ConcatOrder {
			n = turnedAround(f.Tree)
		}
		if _, err := optimize(k.verify, asttest.Copy(n)); err != nil {
			f.Rule = lawOf(err).Rule
		}
	}
}
