package rules_test

import (
	"math"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

// canonical is the form of a path from its root, a letter a node: warps that
// are barriers to each other, and below them one source.
var canonical = regexp.MustCompile(`^W*[PK]?D?C?O?L$`)

// form writes the path of a band.
func form(n ast.Node, band int) string {
	s := ""
	for {
		switch t := n.(type) {
		case *ast.Crop:
			s, band = s+"C", t.Pick(band)
		case *ast.Pad:
			s += "P"
		case *ast.Warp:
			if t.Copies() {
				s += "K"
			} else {
				s += "W"
			}
		case *ast.Overview:
			s += "O"
		case *ast.Dequantize:
			s += "D"
		case *ast.Concat:
			if s != "" {
				s += "+" // below something else
			}
			var part int
			part, band = t.Part(band)
			n = t.Input(part)
			continue
		default:
			return s + "L"
		}
		n = n.Input(0)
	}
}

func TestLawCanonicalForm(t *testing.T) {
	p := mustPipeline(rewrite.Verify())
	property(t, func(l law) {
		n := l.tree(asttest.Options{
			Kinds:   []ast.Kind{ast.KindCrop, ast.KindPad, ast.KindWarp, ast.KindOverview, ast.KindDequantize, ast.KindConcat},
			Borders: []ast.BorderMode{ast.NoDataBorder},
		})
		r, err := p.Optimize(n)
		if err != nil {
			l.Fatal(err)
		}
		for band := range r.Node.NumBands() {
			if f := form(r.Node, band); !canonical.MatchString(f) {
				l.Fatalf("band %d has the form %s:\n%s\nof\n%s", band, f, ast.FormatExpr(r.Node), ast.FormatExpr(n))
			}
		}
	})
}

func TestLawOptimizingAgainIsFree(t *testing.T) {
	property(t, func(l law) {
		n := l.tree(asttest.Options{})
		r, err := rules.Default().Optimize(n)
		if err != nil {
			l.Fatal(err)
		}
		for _, root := range []ast.Node{n, r.Node} {
			again, err := rules.Default().Optimize(root)
			if err != nil || again.Node != r.Node || again.Fired != 0 {
				l.Fatalf("%d firings, %v", again.Fired, err)
			}
			if allocs := testing.AllocsPerRun(5, func() { _, _ = rules.Default().Optimize(root) }); allocs > 0 {
				l.Fatalf("%v allocations", allocs)
			}
		}
	})
}

// flat is a canvas of one value in which some samples are nodata.
func (l law) flat(value, nodata float64) ast.Node {
	w, h := rapid.IntRange(1, 12).Draw(l.T, "w"), rapid.IntRange(1, 12).Draw(l.T, "h")
	b := raster.New(raster.Float32, w, h, 1)
	pix := raster.Samples[float32](b)
	for i := range pix {
		pix[i] = float32(value)
		if rapid.IntRange(0, 2).Draw(l.T, "hole") == 0 {
			pix[i] = float32(nodata)
		}
	}
	return l.ok(ast.NewRaster(b, []ast.Band{{Type: raster.Float32, NoData: nodata, HasNoData: true}}))
}

func TestLawNodataNeverBleeds(t *testing.T) {
	property(t, func(l law) {
		n := l.flat(100, -30000)
		for range rapid.IntRange(1, 3).Draw(l.T, "warps") {
			s := l.kernel()
			s.Border.Mode = rapid.SampledFrom([]ast.BorderMode{ast.NoDataBorder, ast.ClampBorder, ast.ReflectBorder, ast.WrapBorder}).Draw(l.T, "border")
			n = l.ok(ast.NewWarp(n, l.affine(), geom.Size{W: 16, H: 16}, s, nil))
			n = l.ok(ast.NewPad(n, 1, 0, 0, 2))
		}
		for i, v := range l.values(l.optimize(n)) {
			if v == v && math.Abs(v-100) > 1e-4 {
				l.Fatalf("sample %d is %v:\n%s", i, v, ast.FormatExpr(n))
			}
		}
	})
}

// levels are the stored levels that the paths of a tree read.
func levels(n ast.Node) map[int]bool {
	read := map[int]bool{}
	for _, o := range ast.All[*ast.Overview](n) {
		if o.Stored() {
			read[o.Level()] = true
		}
	}
	return read
}

func TestLawLabelsStayOnTheirLevel(t *testing.T) {
	property(t, func(l law) {
		n := l.tree(asttest.Options{
			Interps: []ast.Interpolation{ast.Nearest, ast.Mode}, URIs: []string{"classes", "classes8"},
			Kinds: []ast.Kind{ast.KindCrop, ast.KindPad, ast.KindWarp, ast.KindDequantize, ast.KindConcat},
		})
		r, err := rules.Default().Optimize(n)
		if err != nil {
			l.Fatal(err)
		}
		if read := levels(r.Node); len(read) > 0 {
			l.Fatalf("levels %v are read:\n%s", read, ast.FormatExpr(r.Node))
		}
	})
}

func TestLawDownscaleReadsTheSmallestLevelThatIsFineEnough(t *testing.T) {
	property(t, func(l law) {
		x := images.Load(rapid.SampledFrom([]string{"rgb", "elevation", "spectrum", "counts", "classes"}).Draw(l.T, "image"))
		f := float64(rapid.IntRange(100, 900).Draw(l.T, "percent")) / 100
		n := l.ok(ast.NewWarp(x, geom.Scale(1/f, 1/f), geom.Size{}, ast.DefaultSampling, nil))
		r, err := rules.Default().Optimize(n)
		if err != nil {
			l.Fatal(err)
		}
		want := map[int]bool{}
		for k := x.NumOverviews(); k > 0 && len(want) == 0; k-- {
			s, _ := x.LevelSize(k)
			if fine := f * (1 + 1e-9); float64(x.Size().W)/float64(s.W) <= fine && float64(x.Size().H)/float64(s.H) <= fine {
				want[k] = true
			}
		}
		if read := levels(r.Node); len(read) != len(want) || len(want) > 0 && !want[maxKey(read)] {
			l.Fatalf("reduced %v times, levels %v are read, want %v:\n%s", f, read, want, ast.FormatExpr(r.Node))
		}
	})
}

func maxKey(m map[int]bool) int {
	k := 0
	for i := range m {
		k = max(k, i)
	}
	return k
}
