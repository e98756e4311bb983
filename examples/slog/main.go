// Command slog logs what rewarp does to log/slog: every firing of a rule, every
// read of a raster, and every run, without a change to rewarp.
package main

import (
	"context"
	"image"
	"log"
	"log/slog"
	"os"
	"time"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: slog IMAGE")
	}
	logger := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if err := run(context.Background(), logger, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, logger *slog.Logger, path string) error {
	optimize, err := loggedOptimizer(logger)
	if err != nil {
		return err
	}
	session, err := rewarp.Open(ctx, eval.WithOpener(&loggedOpener{rewarp.NewOpener(), logger}), eval.WithOptimizer(optimize))
	if err != nil {
		return err
	}
	defer session.Close()
	logger.Info("session", "kernels", session.Kernels().String(), "threads", session.Threads())

	tree, err := ast.FromURI(path, "").Scale(0.5).Crop(image.Rect(0, 0, 128, 128)).Node()
	if err != nil {
		return err
	}
	plan, err := session.Plan(ctx, tree)
	if err != nil {
		return err
	}
	start := time.Now()
	_, err = plan.Run(ctx)
	s := plan.Stats()
	logger.Info("run", "took", time.Since(start), "size", plan.Size().String(), "tiles", s.Tiles,
		"pixels_read", s.PixelsRead, "bytes_read", s.BytesRead, "blocks", s.Blocks, "block_hits", s.BlockHits,
		"reading", s.ReadTime, "computing", s.KernelTime, "error", err)
	return err
}

// loggedOptimizer is the built-in rules. Tracing costs: where debug records are
// not wanted, the pipeline that remembers what is done already runs instead.
func loggedOptimizer(logger *slog.Logger) (eval.Optimizer, error) {
	traced, err := rules.New(rewrite.Trace())
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, n ast.Node, fidelity ast.Fidelity) (ast.Node, error) {
		if fidelity != ast.Resolution || !logger.Enabled(ctx, slog.LevelDebug) {
			return rewarp.Rewrite(ctx, n, fidelity)
		}
		r, err := traced.Optimize(n)
		if err != nil {
			logger.ErrorContext(ctx, "rewrite", "error", err)
			return nil, err
		}
		for _, f := range r.Trace() {
			logger.DebugContext(ctx, "firing", "rule", f.Rule.Name(), "pass", f.Pass, "path", f.Path, "fidelity", f.Rule.Fidelity().String(),
				slog.Group("read", "before", f.CostBefore.Read, "after", f.CostAfter.Read),
				slog.Group("resampled", "before", f.CostBefore.Resampled, "after", f.CostAfter.Resampled))
		}
		before, after := rewrite.CostOf(n), rewrite.CostOf(r.Node)
		logger.InfoContext(ctx, "rewrite", "firings", r.Fired, "changed", r.Changed,
			slog.Group("read", "before", before.Read, "after", after.Read),
			slog.Group("resampled", "before", before.Resampled, "after", after.Resampled))
		return r.Node, nil
	}, nil
}

// loggedOpener logs what is opened and read.
type loggedOpener struct {
	eval.Opener
	log *slog.Logger
}

// Open opens a raster whose reads are logged.
func (o *loggedOpener) Open(ctx context.Context, uri string) (eval.Source, error) {
	s, err := o.Opener.Open(ctx, uri)
	if err != nil {
		o.log.ErrorContext(ctx, "open", "uri", uri, "error", err)
		return nil, err
	}
	o.log.InfoContext(ctx, "open", "uri", uri, "size", s.Meta().Size.String(), "overviews", len(s.Meta().Overviews))
	return &loggedSource{s, o.log.With("uri", uri)}, nil
}

type loggedSource struct {
	eval.Source
	log *slog.Logger
}

// ReadWindow reads, and logs how long it took.
func (s *loggedSource) ReadWindow(ctx context.Context, level int, window image.Rectangle, bands []int, dst *raster.Buffer) error {
	start := time.Now()
	err := s.Source.ReadWindow(ctx, level, window, bands, dst)
	if err != nil {
		s.log.ErrorContext(ctx, "read", "level", level, "window", window.String(), "error", err)
		return err
	}
	s.log.DebugContext(ctx, "read", "level", level, "window", window.String(), "bands", len(bands), "took", time.Since(start))
	return nil
}
