package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
)

// check is rewarp check.
type check struct {
	app      *app
	config   rewritetest.Config
	fidelity fidelityFlag
	scripts  scriptFlags
	rule     string
	asJSON   bool
}

func (a *app) checkCommand() *cobra.Command {
	c := &check{app: a}
	cmd := &cobra.Command{
		Use: "check", Short: "Rewrite and run random trees, and compare with the reference", Args: nArgs(0, ""),
		Long: `check draws random trees over generated images, with every operation, interpolation, border and kind of transform,
rewrites and runs them, and holds what comes out to the laws: canvas, bands, types, transforms, domains, masks and
values stay as the reference and the naive evaluator have them; rewriting twice changes nothing; the result does not
depend on tiles, threads or the order of parts. It prints how often each law was checked, the worst difference, and
the smallest tree that breaks a law.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if c.config.Trees < 1 || c.config.Workers < 1 {
				return usagef(cmd, "--trees and --workers need at least 1")
			}
			return c.run(cmd)
		},
	}
	f := cmd.Flags()
	f.IntVar(&c.config.Trees, "trees", 2000, "how many trees to draw")
	f.Uint64Var(&c.config.Seed, "seed", 1, "which trees to draw")
	c.fidelity.add(cmd, "the loosest cap to try; every stricter one is tried as well")
	f.StringVar(&c.rule, "rule", "", "enable the rule `NAME` alone")
	c.scripts.add(cmd)
	complete(cmd, "rule", allRules)
	f.IntVar(&c.config.Workers, "workers", runtime.GOMAXPROCS(0), "how many trees to try at a time")
	f.IntVar(&c.config.Failures, "failures", 10, "how many failures to shrink and show")
	f.BoolVar(&c.asJSON, "json", false, "write JSON")
	return cmd
}

func (c *check) run(cmd *cobra.Command) error {
	ctx := cmd.Context()
	all, err := c.scripts.unverified(ctx)
	if err != nil {
		return err
	}
	p := all
	if c.rule != "" {
		if err := knownRule(all, c.rule); err != nil {
			return usagef(cmd, "--rule %q: %v", c.rule, err)
		}
		if p, err = p.With(rewrite.Only(c.rule)); err != nil {
			return err
		}
	}
	executors, done, err := executors(ctx, p)
	if err != nil {
		return err
	}
	defer done()
	bar := c.app.progress("trees", "trees")
	c.config.Pipeline, c.config.Rule, c.config.MaxFidelity = all, c.rule, c.fidelity.get()
	c.config.Executors = executors
	c.config.Progress = func(done, total int) { bar.update(int64(done), int64(total)) }
	report, err := rewritetest.Campaign(ctx, c.config)
	bar.finish()
	if err != nil {
		return err
	}
	if c.asJSON {
		err = c.app.writeJSON(report)
	} else {
		err = c.app.print(bytes.NewBufferString(report.String()))
	}
	if n := report.Broken(); err == nil && n > 0 {
		return fmt.Errorf("%d checks found a law broken; see the smallest trees above", n)
	}
	return err
}

// executors run trees through sessions that differ in everything that results
// must not depend on.
func executors(ctx context.Context, p *rewrite.Pipeline) (all []rewritetest.Executor, done func(), err error) {
	var sessions []*eval.Session
	done = func() {
		for _, s := range sessions {
			s.Close()
		}
	}
	optimize := rewarp.Optimizer(p)
	images := generated{asttest.Standard()}
	for _, how := range []struct {
		name string
		opts []eval.Option
	}{
		{"whole tiles, one thread", []eval.Option{eval.WithThreads(1)}},
		{"tiles of 13×9, three threads", []eval.Option{eval.WithTileSize(13, 9), eval.WithThreads(3), eval.WithMemoryLimit(16 << 20)}},
	} {
		s, err := eval.Open(ctx, append(how.opts, eval.WithOpener(images), eval.WithOptimizer(optimize))...)
		if err != nil {
			done()
			return nil, nil, err
		}
		sessions = append(sessions, s)
		all = append(all,
			rewritetest.Executor{Name: how.name, Fidelity: ast.Geometric, Run: runner(s, eval.WithMaxFidelity(ast.Geometric), eval.WithType(raster.Float64))},
			rewritetest.Executor{Name: how.name + ", exact", Fidelity: ast.Exact, Run: runner(s, eval.WithMaxFidelity(ast.Exact))},
		)
	}
	return all, done, nil
}

func runner(s *eval.Session, opts ...eval.PlanOption) func(context.Context, ast.Node) (*raster.Buffer, error) {
	return func(ctx context.Context, n ast.Node) (*raster.Buffer, error) {
		p, err := s.Plan(ctx, n, opts...)
		if err != nil {
			return nil, err
		}
		return p.Run(ctx)
	}
}

// generated opens generated images.
type generated struct{ *asttest.Images }

// Open opens an image by its uri.
func (g generated) Open(ctx context.Context, uri string) (eval.Source, error) {
	m, err := g.Describe(ctx, uri)
	if err != nil {
		return nil, err
	}
	return &generatedSource{g.Images, uri, m}, nil
}

type generatedSource struct {
	images *asttest.Images
	uri    string
	meta   ast.Meta
}

func (s *generatedSource) Meta() ast.Meta { return s.meta }
func (s *generatedSource) Close() error   { return nil }

func (s *generatedSource) ReadWindow(ctx context.Context, level int, window image.Rectangle, bands []int, dst *raster.Buffer) error {
	return s.images.ReadInto(ctx, s.uri, level, window, bands, dst)
}
