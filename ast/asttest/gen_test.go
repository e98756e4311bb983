package asttest

import (
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"pgregory.net/rapid"
)

func TestTreeOfASeedIsTheSame(t *testing.T) {
	for i := range 300 {
		seed := TreeSeed(7, i)
		a, b := NewGen(Options{}).Tree(seed), NewGen(Options{}).Tree(seed)
		if !ast.Equal(a, b) || ast.FingerprintOf(a) != ast.FingerprintOf(b) {
			t.Fatalf("seed %d drew two trees", seed)
		}
	}
}

// Every feature that a campaign is meant to reach must come up in a few
// thousand trees.
func TestTreesCoverTheLanguage(t *testing.T) {
	seen := map[string]int{}
	g := NewGen(Options{})
	for i := range 4000 {
		n := g.Tree(TreeSeed(1, i))
		parents := map[ast.Node]int{}
		ast.Inspect(n, func(n ast.Node) bool {
			seen[n.Op()]++
			for i := range n.NumInputs() {
				parents[n.Input(i)]++
			}
			if s := n.Size(); s.W > g.o.MaxSide || s.H > g.o.MaxSide {
				t.Errorf("tree %d has a canvas of %v", i, s)
			}
			if s := n.Size(); s.W == 1 || s.H == 1 {
				seen["one pixel wide"]++
			}
			features(n, seen)
			return true
		})
		for _, k := range parents {
			if k > 1 {
				seen["shared"]++
			}
		}
		if !visible(n) {
			seen["invisible"]++
		}
	}
	for _, f := range []string{
		"load", "fill", "raster", "crop", "pad", "warp", "overview", "dequantize", "concat",
		"x-gain", "x-ratio", "x-box", "x-colors", "x-either",
		"nearest", "linear", "cubic", "lanczos", "area", "mode",
		"border nodata", "border value", "border clamp", "border reflect", "border wrap",
		"projective", "copy", "no-op", "domain", "fitted", "empty domain", "identity with another size",
		"stored overview", "overview over an overview", "overview over a warp", "level 0",
		"same sampling", "other sampling", "tiny", "huge", "nearly singular", "pair",
		"band choice", "whole crop", "shared", "invisible", "one pixel wide",
	} {
		if seen[f] < 10 {
			t.Errorf("%s came up %d times", f, seen[f])
		}
	}
}

func features(n ast.Node, seen map[string]int) {
	switch n := n.(type) {
	case *ast.Crop:
		if !n.AllBands() {
			seen["band choice"]++
		}
		if n.Size() == n.Input(0).Size() {
			seen["whole crop"]++
		}
	case *ast.Overview:
		switch {
		case n.Level() == 0:
			seen["level 0"]++
		case n.Stored():
			seen["stored overview"]++
		case n.Input(0).Kind() == ast.KindOverview:
			seen["overview over an overview"]++
		case n.Input(0).Kind() == ast.KindWarp:
			seen["overview over a warp"]++
		}
	case *ast.Warp:
		warpFeatures(n, seen)
	}
}

func warpFeatures(w *ast.Warp, seen map[string]int) {
	m := w.Transform()
	count := func(ok bool, feature string) {
		if ok {
			seen[feature]++
		}
	}
	seen[w.Sampling().Interp.String()]++
	count(true, "border "+[...]string{"nodata", "value", "clamp", "reflect", "wrap"}[w.Sampling().Border.Mode])
	_, copies := m.Copy()
	count(copies && w.Domain() == nil && ast.IsSource(w.Input(0)), "copy")
	count(w.IsNoOp(), "no-op")
	count(!m.IsAffine(), "projective")
	count(w.Fitted(), "fitted")
	count(w.Domain() != nil, "domain")
	count(w.Domain() != nil && !w.Domain().CoversCenter(w.Size().Bounds()), "empty domain")
	count(m.IsIdentity() && w.Size() != w.Input(0).Size(), "identity with another size")
	j := m.Jacobian(w.Input(0).Size().Center())
	fx, fy := geom.Stretch(j)
	count(max(fx, fy) > 5, "huge")
	count(j[0] > 0 && j[0] < 0.15 && j[4-1] > 0 && j[3] < 0.15, "tiny")
	count(m.Cond(w.Input(0).Size().Center()) > 1000, "nearly singular")
	if below, ok := w.Input(0).(*ast.Warp); ok {
		count(below.Sampling() == w.Sampling(), "same sampling")
		count(below.Sampling() != w.Sampling(), "other sampling")
		count(m.Mul(below.Transform()).IsIdentity() && !m.IsIdentity(), "pair")
	}
}

func TestOptionsAreKept(t *testing.T) {
	g := NewGen(Options{
		Kinds:   []ast.Kind{ast.KindWarp, ast.KindCrop},
		Interps: []ast.Interpolation{ast.Cubic},
		Borders: []ast.BorderMode{ast.NoDataBorder},
		Leaves:  []ast.Kind{ast.KindLoad}, URIs: []string{"odd"},
		MaxDepth: 3, MaxSide: 30, NoProject: true, NoDomain: true, NoShare: true,
	})
	for i := range 500 {
		ast.Inspect(g.Tree(uint64(i)), func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Load:
				if n.URI() != "odd" {
					t.Errorf("tree %d loads %s", i, n.URI())
				}
			case *ast.Warp:
				if s := n.Sampling(); s.Interp != ast.Cubic || s.Border.Mode != ast.NoDataBorder || !n.IsAffine() || n.Domain() != nil {
					t.Errorf("tree %d has warp %v %v %v", i, s, n.Transform(), n.Domain())
				}
			case *ast.Crop:
			default:
				t.Errorf("tree %d has a %s", i, n.Op())
			}
			if s := n.Size(); s.W > 30 || s.H > 30 {
				t.Errorf("tree %d has a canvas of %v", i, s)
			}
			return true
		})
	}
}

func TestTreeDrawsForRapid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := Tree(Options{MaxDepth: 4}).Draw(t, "tree")
		c := Copy(n)
		if !ast.Equal(n, c) || Count(n) != Count(c) {
			t.Fatalf("a copy of %d nodes has %d", Count(n), Count(c))
		}
	})
}
