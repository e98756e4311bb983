package rewritetest_test

import (
	"math"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
)

func loaded(uri string) ast.Node { return asttest.Standard().Load(uri) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestHonestCustomNodesPass(t *testing.T) {
	in := loaded("tiny")
	for _, n := range []ast.Custom{
		must(asttest.NewGain(in, 2, -1)),
		must(asttest.NewRatio(in, 0, 1)),
		must(asttest.NewBox(loaded("odd"))),
		must(asttest.NewColors(in, 1)),
		must(asttest.NewEither(in, in)),
	} {
		rewritetest.CheckCustom(t, n)
	}
}

func own(band int) []int { return []int{band} }

// Each trait, when it is declared and does not hold, is the one that is named.
func TestFalseTraitsAreCaught(t *testing.T) {
	honest := ast.Traits{Reads: own, Validity: ast.ValidAll, ShiftInvariant: true}
	same := func(at func(x, y, band int) float64, x, y, band int) float64 { return at(x, y, band) }
	for _, f := range []struct {
		trait  string
		change func(*ast.Traits)
		pixel  func(at func(x, y, band int) float64, x, y, band int) float64
	}{
		{"margin 0", func(*ast.Traits) {}, func(at func(x, y, band int) float64, x, y, band int) float64 {
			if v := at(x+1, y, band); v == v && at(x, y, band) == at(x, y, band) {
				return v
			}
			return at(x, y, band)
		}},
		{"margin 1", func(t *ast.Traits) { t.Margin, t.Validity = 1, ast.ValidOwn }, func(at func(x, y, band int) float64, x, y, band int) float64 {
			return at(x, y-2, band)
		}},
		{"reads", func(*ast.Traits) {}, func(at func(x, y, band int) float64, x, y, band int) float64 {
			if v := at(x, y, 1-band); v == v {
				return at(x, y, band) + v
			}
			return at(x, y, band)
		}},
		{"affine", func(t *ast.Traits) { t.Affine = true }, func(at func(x, y, band int) float64, x, y, band int) float64 {
			return math.Abs(at(x, y, band))
		}},
		{"affine", func(t *ast.Traits) { t.Affine, t.Reads, t.Validity = true, nil, ast.ValidOwn }, same},
		{"validity", func(t *ast.Traits) { t.Validity = ast.ValidAny; t.Reads = func(int) []int { return []int{0, 1} } }, same},
		{"validity", func(*ast.Traits) {}, func(at func(x, y, band int) float64, x, y, band int) float64 {
			if v := at(x, y, band); v > 0 {
				return v
			}
			return math.NaN()
		}},
		{"shift invariance", func(*ast.Traits) {}, func(at func(x, y, band int) float64, x, y, band int) float64 {
			return at(x, y, band) + float64(x)
		}},
	} {
		traits := honest
		f.change(&traits)
		n := must(asttest.NewOp(asttest.Kernel{Name: "false", Traits: traits, Pixel: f.pixel}, loaded("tiny")))
		v := rewritetest.TryCustom(n, 200, 1)
		if v == nil {
			t.Errorf("%s: not caught", f.trait)
			continue
		}
		t.Log(v)
		if v.Law != rewritetest.CustomTrait || !strings.HasPrefix(v.Detail, f.trait) {
			t.Errorf("%s is named: %v", f.trait, v)
		}
	}
}
