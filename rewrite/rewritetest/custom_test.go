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
		name   string
		trait  string
		change func(*ast.Traits)
		pixel  func(at func(x, y, band int) float64, x, y, band int) float64
	}{
		{"a trait: a margin where it says none", "margin 0", func(*ast.Traits) {}, func(at func(x, y, band int) float64, x, y, band int) float64 {
			if v := at(x+1, y, band); v == v && at(x, y, band) == at(x, y, band) {
				return v
			}
			return at(x, y, band)
		}},
		{"a trait: a margin that is too small", "margin 1", func(t *ast.Traits) { t.Margin, t.Validity = 1, ast.ValidOwn }, func(at func(x, y, band int) float64, x, y, band int) float64 {
			return at(x, y-2, band)
		}},
		{"a trait: another band than it says it reads", "reads", func(*ast.Traits) {}, func(at func(x, y, band int) float64, x, y, band int) float64 {
			if v := at(x, y, 1-band); v == v {
				return at(x, y, band) + v
			}
			return at(x, y, band)
		}},
		{"a trait: values that are not affine", "affine", func(t *ast.Traits) { t.Affine = true }, func(at func(x, y, band int) float64, x, y, band int) float64 {
			return math.Abs(at(x, y, band))
		}},
		{"a trait: affine of several bands", "affine", func(t *ast.Traits) { t.Affine, t.Reads, t.Validity = true, nil, ast.ValidOwn }, same},
		{"a trait: valid where any sample is", "validity", func(t *ast.Traits) { t.Validity = ast.ValidAny; t.Reads = func(int) []int { return []int{0, 1} } }, same},
		{"a trait: valid where all samples are", "validity", func(*ast.Traits) {}, func(at func(x, y, band int) float64, x, y, band int) float64 {
			if v := at(x, y, band); v > 0 {
				return v
			}
			return math.NaN()
		}},
		{"a trait: shifts that it does not commute with", "shift invariance", func(*ast.Traits) {}, func(at func(x, y, band int) float64, x, y, band int) float64 {
			return at(x, y, band) + float64(x)
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			traits := honest
			f.change(&traits)
			n := must(asttest.NewOp(asttest.Kernel{Name: "false", Traits: traits, Pixel: f.pixel}, loaded("tiny")))
			v := rewritetest.TryCustom(n, 200, 1)
			if v == nil {
				t.Fatal("not caught")
			}
			t.Log(v)
			if v.Law != rewritetest.CustomTrait || !strings.HasPrefix(v.Detail, f.trait) {
				t.Errorf("%s is named: %v", f.trait, v)
			}
		})
	}
}
