package main

import (
	"testing"

	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestTelemetry(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	traces := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	reader := sdkmetric.NewManualReader()
	metrics := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))
	pixels, err := run(t.Context(), traces, metrics, "../../testdata/astro.tif")
	if err != nil || pixels.W != 128 {
		t.Fatal(pixels, err)
	}
	ids := map[string]string{} // of spans by name
	parents := map[string]string{}
	for _, s := range spans.GetSpans() {
		ids[s.Name], parents[s.Name] = s.SpanContext.SpanID().String(), s.Parent.SpanID().String()
		if s.Status.Code == codes.Error {
			t.Errorf("%s failed: %s", s.Name, s.Status.Description)
		}
	}
	for child, parent := range map[string]string{
		"rewarp.plan": "rewarp.render", "rewarp.open": "rewarp.plan", "rewarp.optimize": "rewarp.plan",
		"rewarp.run": "rewarp.render", "rewarp.read": "rewarp.run",
	} {
		if ids[child] == "" {
			t.Errorf("no span %s among %v", child, ids)
		} else if parents[child] != ids[parent] {
			t.Errorf("%s is not below %s", child, parent)
		}
	}
	var got metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range got.ScopeMetrics {
		for _, m := range s.Metrics {
			seen[m.Name] = true
		}
	}
	for _, name := range []string{"rewarp.rewrites", "rewarp.samples_saved", "rewarp.bytes_read", "rewarp.read", "rewarp.run"} {
		if !seen[name] {
			t.Errorf("no metric %s among %v", name, seen)
		}
	}
}

func TestFailure(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	traces := sdktrace.NewTracerProvider(sdktrace.WithSyncer(spans))
	if _, err := run(t.Context(), traces, sdkmetric.NewMeterProvider(), "none.tif"); err == nil {
		t.Fatal("a missing file is no error")
	}
	for _, s := range spans.GetSpans() {
		if s.Name == "rewarp.plan" && s.Status.Code == codes.Error {
			return
		}
	}
	t.Errorf("no span has failed: %v", spans.GetSpans())
}
