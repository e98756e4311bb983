package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"testing"
)

func TestRun(t *testing.T) {
	var b bytes.Buffer
	if err := run(t.Context(), slog.New(slog.NewJSONHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})), "../../testdata/astro.tif"); err != nil {
		t.Fatal(err)
	}
	seen := map[string]map[string]any{}
	for d := json.NewDecoder(&b); ; {
		var record map[string]any
		if err := d.Decode(&record); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		msg, _ := record["msg"].(string)
		seen[msg] = record
	}
	for _, msg := range []string{"session", "firing", "rewrite", "open", "read", "run"} {
		if seen[msg] == nil {
			t.Errorf("no %q among %v", msg, seen)
		}
	}
	if n, _ := seen["rewrite"]["firings"].(float64); n == 0 || seen["run"]["error"] != nil {
		t.Errorf("it logs %v, %v", seen["rewrite"], seen["run"])
	}
}

// Without debug records nothing is traced.
func TestQuiet(t *testing.T) {
	var b bytes.Buffer
	if err := run(t.Context(), slog.New(slog.NewTextHandler(&b, nil)), "../../testdata/astro.tif"); err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b.Bytes(), []byte("msg=firing")) || bytes.Contains(b.Bytes(), []byte("msg=read")) {
		t.Errorf("it logs\n%s", &b)
	}
	if err := run(t.Context(), slog.New(slog.DiscardHandler), "none.tif"); err == nil {
		t.Error("a missing file is no error")
	}
}
