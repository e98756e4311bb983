package main

import (
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
)

// The stored overview is read below the node, and a picture written.
func TestRun(t *testing.T) {
	var w strings.Builder
	out := filepath.Join(t.TempDir(), "heat.png")
	if err := run(t.Context(), &w, "../../testdata/astro.tif", out); err != nil {
		t.Fatal(err)
	}
	if _, below, ok := strings.Cut(w.String(), "x-colormap"); !ok || !strings.Contains(below, "Overview dsize=(128,128),overview=2") {
		t.Errorf("it runs\n%s", &w)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if p, err := png.Decode(f); err != nil || p.Bounds().Dx() != 128 {
		t.Errorf("the picture is %v, %v", p, err)
	}
}

func TestTraits(t *testing.T) {
	n, err := NewColormap(asttest.Standard().Load("mixed"), 1, heat...)
	if err != nil {
		t.Fatal(err)
	}
	rewritetest.CheckCustom(t, n)
}

func TestColour(t *testing.T) {
	n, err := NewColormap(asttest.Standard().Load("mixed"), 1, heat...)
	if err != nil {
		t.Fatal(err)
	}
	for v, want := range map[float64][3]float64{-5: {0, 0, 0}, 85: {255, 0, 0}, 127.5: {255, 127.5, 0}, 300: {255, 255, 255}} {
		if r, g, b := n.colour(v); [3]float64{r, g, b} != want {
			t.Errorf("%v is %v %v %v, want %v", v, r, g, b, want)
		}
	}
	for _, wrong := range [][]Stop{nil, heat[:1], {heat[1], heat[0]}} {
		if _, err := NewColormap(asttest.Standard().Load("mixed"), 0, wrong...); err == nil {
			t.Errorf("stops %v are accepted", wrong)
		}
	}
	if _, err := NewColormap(asttest.Standard().Load("mixed"), 9, heat...); err == nil {
		t.Error("band 9 is accepted")
	}
}
