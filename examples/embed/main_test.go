package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestEmbed(t *testing.T) {
	var w strings.Builder
	out := filepath.Join(t.TempDir(), "out.tif")
	if err := run(t.Context(), &w, "../../testdata/astro.tif", out); err != nil {
		t.Fatal(err)
	}
	asked, runs, ok := strings.Cut(w.String(), "runs:")
	if !ok || !strings.Contains(asked, "Warp") || !strings.Contains(runs, "Overview dsize=(128,128),overview=2") || strings.Contains(runs, "Warp") {
		t.Errorf("it prints\n%s", &w)
	}
	if !strings.Contains(runs, "96×64 pixels, 3 bands of uint8") {
		t.Errorf("it runs to\n%s", runs)
	}
	if fi, err := os.Stat(out); err != nil || fi.Size() == 0 {
		t.Error("no output", err)
	}
}
