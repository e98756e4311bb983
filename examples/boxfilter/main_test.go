package main

import (
	"image"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
)

// The crop goes below the node with three pixels around it.
func TestRun(t *testing.T) {
	var w strings.Builder
	if err := run(t.Context(), &w, "../../testdata/astro.tif", filepath.Join(t.TempDir(), "box.tif")); err != nil {
		t.Fatal(err)
	}
	if _, below, ok := strings.Cut(w.String(), "x-box"); !ok || !strings.Contains(below, "Crop dsize=(106,86),space_slice=(97:183,97:203)") {
		t.Errorf("it runs\n%s", &w)
	}
}

func TestTraits(t *testing.T) {
	for _, radius := range []int{1, 4} {
		n, err := NewBox(asttest.Standard().Load("mixed"), radius)
		if err != nil {
			t.Fatal(err)
		}
		rewritetest.CheckCustom(t, n)
	}
}

// narrow is a box that forgets one pixel of its margin.
type narrow struct{ *Box }

func (n narrow) Traits() ast.Traits {
	t := n.Box.Traits()
	t.Margin--
	return t
}

func (n narrow) WithInputs(in []ast.Node) (ast.Node, error) {
	b, err := NewBox(in[0], n.radius)
	return narrow{b}, err
}

var number = regexp.MustCompile(`[\d.]+`)

// The kit finds a margin that is too small, as docs/writing-a-rule.md shows.
func TestFalseMarginIsFound(t *testing.T) {
	n, err := NewBox(asttest.Standard().Load("mixed"), 2)
	if err != nil {
		t.Fatal(err)
	}
	if v := rewritetest.TryCustom(narrow{n}, 200, 1); v == nil || v.Law != rewritetest.CustomTrait {
		t.Errorf("the kit says %v", v)
	} else if page, err := os.ReadFile("../../docs/writing-a-rule.md"); err != nil ||
		!strings.Contains(number.ReplaceAllString(string(page), "0"), number.ReplaceAllString(v.Error(), "0")) {
		t.Errorf("the page does not show (%v)\n%v", err, v)
	}
}

// Results do not depend on tiles, whose edges the filter crosses.
func TestTiles(t *testing.T) {
	tree, err := ast.FromURI("../../testdata/astro.tif", "").
		Apply(func(in ast.Node) (ast.Node, error) { return NewBox(in, 2) }).Crop(image.Rect(10, 10, 90, 70)).Node()
	if err != nil {
		t.Fatal(err)
	}
	var first *raster.Buffer
	for _, side := range []int{256, 7} {
		s, err := rewarp.Open(t.Context(), eval.WithTileSize(side, side))
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		p, err := s.Plan(t.Context(), tree)
		if err != nil {
			t.Fatal(err)
		}
		b, err := p.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b
		} else if string(first.Bytes()) != string(b.Bytes()) {
			t.Errorf("tiles of %d give other pixels", side)
		}
	}
}
