// Command otel traces and measures rewarp with OpenTelemetry. It is a module of
// its own, so that programs without OpenTelemetry do not depend on it: rewarp
// itself knows only the two interfaces that this wraps, a session's optimizer
// and its opener.
package main

import (
	"context"
	"fmt"
	"image"
	"log"
	"os"

	"go.opentelemetry.io/otel"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: otel IMAGE")
	}
	// A service would set an exporter up here; this one prints at the end.
	spans := tracetest.NewInMemoryExporter()
	traces := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	reader := sdkmetric.NewManualReader()
	metrics := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	otel.SetTracerProvider(traces)
	otel.SetMeterProvider(metrics)

	ctx := context.Background()
	if _, err := run(ctx, otel.GetTracerProvider(), otel.GetMeterProvider(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
	for _, s := range spans.GetSpans() {
		fmt.Printf("%-16s %v\n", s.Name, s.EndTime.Sub(s.StartTime))
	}
	var got metricdata.ResourceMetrics
	if err := reader.Collect(ctx, &got); err != nil {
		log.Fatal(err)
	}
	for _, scope := range got.ScopeMetrics {
		for _, m := range scope.Metrics {
			fmt.Printf("%-16s %s\n", m.Name, m.Description)
		}
	}
}

// run renders a corner of an image at half its resolution.
func run(ctx context.Context, traces tracerProvider, metrics meterProvider, path string) (*raster.Buffer, error) {
	t, err := newTelemetry(traces, metrics)
	if err != nil {
		return nil, err
	}
	session, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	tree, err := ast.FromURI(path, "").Scale(0.5).Crop(image.Rect(0, 0, 128, 128)).Node()
	if err != nil {
		return nil, err
	}
	return t.render(ctx, session, tree)
}
