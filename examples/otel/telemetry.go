package main

import (
	"context"
	"image"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/rewrite"
)

type (
	tracerProvider = trace.TracerProvider
	meterProvider  = metric.MeterProvider
)

const scope = "github.com/rewarp/rewarp/examples/otel"

// telemetry has the instruments of a process.
type telemetry struct {
	tracer    trace.Tracer
	rewrites  metric.Int64Counter
	saved     metric.Float64Counter
	bytes     metric.Int64Counter
	readTime  metric.Float64Histogram
	runTime   metric.Float64Histogram
	openFails metric.Int64Counter
}

func newTelemetry(traces tracerProvider, metrics meterProvider) (*telemetry, error) {
	t := &telemetry{tracer: traces.Tracer(scope)}
	m := metrics.Meter(scope)
	var errs [6]error
	t.rewrites, errs[0] = m.Int64Counter("rewarp.rewrites", metric.WithDescription("trees rewritten"))
	t.saved, errs[1] = m.Float64Counter("rewarp.samples_saved", metric.WithDescription("estimated samples that rewriting saved reading"))
	t.bytes, errs[2] = m.Int64Counter("rewarp.bytes_read", metric.WithUnit("By"), metric.WithDescription("bytes read of rasters"))
	t.readTime, errs[3] = m.Float64Histogram("rewarp.read", metric.WithUnit("s"), metric.WithDescription("time of one read"))
	t.runTime, errs[4] = m.Float64Histogram("rewarp.run", metric.WithUnit("s"), metric.WithDescription("time of one run"))
	t.openFails, errs[5] = m.Int64Counter("rewarp.open_failures", metric.WithDescription("rasters that did not open"))
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return t, nil
}

// open opens a session that is measured. More options may replace nothing of
// what is set here.
func (t *telemetry) open(ctx context.Context, opts ...eval.Option) (*eval.Session, error) {
	opts = append(opts, eval.WithOpener(&opener{rewarp.NewOpener(), t}), eval.WithOptimizer(t.optimize))
	return rewarp.Open(ctx, opts...)
}

// optimize rewrites in a span below that of the plan, and counts.
func (t *telemetry) optimize(ctx context.Context, n ast.Node, fidelity ast.Fidelity) (out ast.Node, err error) {
	ctx, span := t.tracer.Start(ctx, "rewarp.optimize", trace.WithAttributes(attribute.String("max_fidelity", fidelity.String())))
	defer func() { end(span, err) }()
	if out, err = rewarp.Rewrite(ctx, n, fidelity); err != nil {
		return nil, err
	}
	before, after := rewrite.CostOf(n), rewrite.CostOf(out)
	span.SetAttributes(attribute.Bool("changed", out != n), attribute.Float64("samples_before", before.Read), attribute.Float64("samples_after", after.Read))
	t.rewrites.Add(ctx, 1, metric.WithAttributes(attribute.Bool("changed", out != n)))
	if saved := before.Read - after.Read; saved > 0 {
		t.saved.Add(ctx, saved)
	}
	return out, nil
}

// render plans and runs a tree, a span each.
func (t *telemetry) render(ctx context.Context, s *eval.Session, tree ast.Node) (pixels *raster.Buffer, err error) {
	ctx, span := t.tracer.Start(ctx, "rewarp.render")
	defer func() { end(span, err) }()

	plan, err := t.plan(ctx, s, tree)
	if err != nil {
		return nil, err
	}
	ctx, running := t.tracer.Start(ctx, "rewarp.run", trace.WithAttributes(
		attribute.Int("width", plan.Size().W), attribute.Int("height", plan.Size().H)))
	defer func() { end(running, err) }()
	start := time.Now()
	pixels, err = plan.Run(ctx)
	t.runTime.Record(ctx, time.Since(start).Seconds())
	m := plan.Stats()
	running.SetAttributes(attribute.Int64("blocks", m.Blocks), attribute.Int64("block_hits", m.BlockHits), attribute.Int64("bytes_read", m.BytesRead))
	return pixels, err
}

func (t *telemetry) plan(ctx context.Context, s *eval.Session, tree ast.Node) (p *eval.Plan, err error) {
	ctx, span := t.tracer.Start(ctx, "rewarp.plan", trace.WithAttributes(attribute.String("fingerprint", ast.FingerprintOf(tree).String())))
	defer func() { end(span, err) }()
	return s.Plan(ctx, tree)
}

func end(span trace.Span, err error) {
	if err != nil {
		span.RecordError(err)
		span.SetStatus(codes.Error, err.Error())
	}
	span.End()
}

// opener gives every open and every read a span. A raster is opened in the span
// of the plan that looks up its metadata, or where the tree has them, in that of
// the first run.
type opener struct {
	eval.Opener
	t *telemetry
}

// Open opens a raster that is measured.
func (o *opener) Open(ctx context.Context, uri string) (s eval.Source, err error) {
	ctx, span := o.t.tracer.Start(ctx, "rewarp.open", trace.WithAttributes(attribute.String("uri", uri)))
	defer func() { end(span, err) }()
	if s, err = o.Opener.Open(ctx, uri); err != nil {
		o.t.openFails.Add(ctx, 1)
		return nil, err
	}
	return &source{s, o.t, uri}, nil
}

type source struct {
	eval.Source
	t   *telemetry
	uri string
}

// ReadWindow reads, in a span.
func (s *source) ReadWindow(ctx context.Context, level int, window image.Rectangle, bands []int, dst *raster.Buffer) (err error) {
	ctx, span := s.t.tracer.Start(ctx, "rewarp.read", trace.WithAttributes(
		attribute.String("uri", s.uri), attribute.Int("level", level), attribute.String("window", window.String())))
	defer func() { end(span, err) }()
	start := time.Now()
	if err = s.Source.ReadWindow(ctx, level, window, bands, dst); err != nil {
		return err
	}
	s.t.readTime.Record(ctx, time.Since(start).Seconds())
	s.t.bytes.Add(ctx, int64(len(dst.Bytes())))
	return nil
}
