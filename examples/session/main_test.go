package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestSession(t *testing.T) {
	var w strings.Builder
	if err := run(t.Context(), &w, "../../testdata/astro.tif", filepath.Join(t.TempDir(), "choices.json")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"100 runs of 128×128 pixels",
		"threads: 1, of session 2; another has 2",
		"fidelity: geometric, of session 2; another has resolution",
		"planned at geometric",
		"variant", "exact", "kept: ",
	} {
		if !strings.Contains(w.String(), want) {
			t.Errorf("it does not print %q:\n%s", want, &w)
		}
	}
}
