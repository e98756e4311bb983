package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
)

const astro = "../../testdata/astro.tif"

// The crop goes below the node and the Concat, to both files.
func TestRun(t *testing.T) {
	var w strings.Builder
	out := filepath.Join(t.TempDir(), "ndvi.tif")
	if err := run(t.Context(), &w, source{astro, "1"}, source{astro, "2"}, out); err != nil {
		t.Fatal(err)
	}
	top, below, ok := strings.Cut(w.String(), "x-ndvi")
	if !ok || strings.Contains(top, "Crop") || strings.Count(below, "Crop dsize=(128,128)") != 2 {
		t.Errorf("it runs\n%s", &w)
	}
	if fi, err := os.Stat(out); err != nil || fi.Size() == 0 {
		t.Error("no output", err)
	}
}

func TestValues(t *testing.T) {
	images := asttest.Standard()
	in, err := ast.From(images.Load("mixed")).Bands(2, 0).Node()
	if err != nil {
		t.Fatal(err)
	}
	n, err := NewNDVI(in)
	if err != nil {
		t.Fatal(err)
	}
	rewritetest.CheckCustom(t, n)

	session, err := rewarp.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	prepared, err := source{astro, "1|2"}.load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	index, err := NewNDVI(prepared)
	if err != nil {
		t.Fatal(err)
	}
	bands, err := session.Plan(t.Context(), prepared)
	if err != nil {
		t.Fatal(err)
	}
	was, err := bands.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	plan, err := session.Plan(t.Context(), index)
	if err != nil {
		t.Fatal(err)
	}
	is, err := plan.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	nir, _ := was.At(200, 100, 0)
	red, _ := was.At(200, 100, 1)
	if got, _ := is.At(200, 100, 0); math.Abs(got-(nir-red)/(nir+red)) > 1e-6 {
		t.Errorf("of %v and %v it makes %v", nir, red, got)
	}
}

func TestWrongInput(t *testing.T) {
	if _, err := NewNDVI(asttest.Standard().Load("mixed")); err == nil || !strings.Contains(err.Error(), "must be 2") {
		t.Errorf("three bands give %v", err)
	}
}
