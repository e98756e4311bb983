package ast_test

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

const allComponents = ast.OffsetComponent | ast.ScaleComponent | ast.ShearComponent | ast.ThetaComponent

func undo(t testing.TB, text string, o ast.UndoOptions) []ast.Undone {
	t.Helper()
	u, err := ast.UndoWarp(parse(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestUndoScale brings bands of three resolutions, aligned on one canvas, back
// to their own.
func TestUndoScale(t *testing.T) {
	const aligned = `
(crop [100 10 270 160]
  (concat
    (warp scale=6 size=600x600 (load r.tif 100x100 uint8))
    (warp scale=2 size=600x600 (load g.tif 300x300 bands=2 uint8))
    (load b.tif 600x600 uint8)
    (fill 600x600 uint8 invalid)))`
	o := ast.UndoOptions{Retain: allComponents &^ ast.ScaleComponent, SquashInvalid: true}
	parts := undo(t, aligned, o)
	want := []struct {
		first   int
		size    geom.Size
		applied geom.Transform
	}{
		{0, geom.Size{W: 29, H: 25}, geom.Scale(1./6, 1./6)},
		{1, geom.Size{W: 85, H: 75}, geom.Scale(.5, .5)},
		{3, geom.Size{W: 170, H: 150}, geom.Identity},
		{4, geom.Size{W: 1, H: 1}, geom.Scale(1./170, 1./150)},
	}
	if len(parts) != len(want) {
		t.Fatalf("%d parts, want %d", len(parts), len(want))
	}
	for i, w := range want {
		u := parts[i]
		if u.First != w.first || u.Node.Size() != w.size || !close(u.Applied, w.applied) {
			t.Errorf("part %d: bands from %d, %v, applied %v, want %+v", i, u.First, u.Node.Size(), u.Applied, w)
		}
	}
	if parts[2].Node.Kind() != ast.KindCrop {
		t.Errorf("a part at its own scale became\n%s", ast.FormatExpr(parts[2].Node))
	}
}

func close(a, b geom.Transform) bool {
	for i := range a {
		if math.Abs(a[i]-b[i]) > 1e-8 {
			return false
		}
	}
	return true
}

// TestUndoAll brings a part back to the coordinates of its leaf.
func TestUndoAll(t *testing.T) {
	u := undo(t, `(crop [5 6 40 30] (warp scale=[2 3] theta=0.3 shear=0.1 offset=[7 8] size=60x60 cubic border=clamp (load a.tif 32x32 uint8)))`, ast.UndoOptions{})
	maps, _ := ast.Leaves(u[0].Node)
	if !close(maps[0].Transform, geom.Identity) {
		t.Errorf("the leaf is mapped by %v", maps[0].Transform)
	}
	if s := u[0].Node.(*ast.Warp).Sampling(); s != (ast.Sampling{Interp: ast.Cubic, Antialias: true}) {
		t.Errorf("sampled by %v", s)
	}
}

// TestUndoRemovesWhatIsAsked draws transforms, and looks at the parts of the
// transform that is left.
func TestUndoRemovesWhatIsAsked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := geom.Parts{
			Offset: [2]float64{rapid.Float64Range(-20, 20).Draw(t, "tx"), rapid.Float64Range(-20, 20).Draw(t, "ty")},
			Scale:  [2]float64{rapid.Float64Range(0.2, 5).Draw(t, "sx"), rapid.Float64Range(0.2, 5).Draw(t, "sy")},
			Shear:  rapid.Float64Range(-1, 1).Draw(t, "shear"),
			Theta:  rapid.Float64Range(-3, 3).Draw(t, "theta"),
		}
		retain := ast.Components(rapid.IntRange(0, int(allComponents)).Draw(t, "retain"))
		load, err := ast.NewLoadMeta("a.tif", "", ast.Meta{Size: geom.Size{W: 30, H: 20}, Bands: ast.NumberedBands(1, 1)})
		if err != nil {
			t.Fatal(err)
		}
		w, err := ast.NewWarp(load, in.Transform(), geom.Size{W: 50, H: 40}, ast.DefaultSampling, nil)
		if err != nil {
			t.Fatal(err)
		}
		u, err := ast.UndoWarp(w, ast.UndoOptions{Retain: retain})
		if err != nil {
			t.Fatal(err)
		}
		maps, _ := ast.Leaves(u[0].Node)
		got, ok := maps[0].Transform.Decompose()
		if !ok {
			t.Fatalf("%v has no parts", maps[0].Transform)
		}
		want := geom.Unit
		if retain&ast.ScaleComponent != 0 {
			want.Scale = in.Scale
		}
		if retain&ast.ShearComponent != 0 {
			want.Shear = in.Shear
		}
		if retain&ast.ThetaComponent != 0 {
			want.Theta = in.Theta
		}
		if want.Offset = [2]float64{}; retain&ast.OffsetComponent != 0 {
			want.Offset = got.Offset
			if x0, y0, _, _ := w.Size().Polygon().Map(u[0].Applied).Bounds(); math.Abs(x0) > 1e-6 || math.Abs(y0) > 1e-6 {
				t.Fatalf("the canvas begins at (%v, %v)", x0, y0)
			}
		}
		if !close(want.Transform(), got.Transform()) {
			t.Fatalf("left %+v, want %+v", got, want)
		}
		if m := u[0].Applied.Mul(w.Transform()); !close(m, maps[0].Transform) {
			t.Fatalf("applied %v does not lead from %v to %v", u[0].Applied, w.Transform(), maps[0].Transform)
		}
	})
}

// TestUndoTakesConcatsApart checks bands, their order, and that the parts of
// the tree are not changed on the way.
func TestUndoTakesConcatsApart(t *testing.T) {
	const tree = `
(crop [0 0 8 8] bands=[2 0 1 1]
  (overview 1
    (pad 1 1 1 1
      (concat
        (load a.tif 14x14 bands=2 uint8 overviews=[7x7])
        (concat (warp scale=2 (load b.tif 7x7 uint8)))))))`
	parts := undo(t, tree, ast.UndoOptions{Retain: allComponents})
	whole := parse(t, tree)
	if len(parts) != 2 || parts[0].First != 0 || parts[1].First != 1 || parts[1].Node.NumBands() != 3 {
		t.Fatalf("%+v", parts)
	}
	for i, u := range parts {
		if u.Applied != geom.Identity || u.Node.Size() != whole.Size() {
			t.Errorf("part %d: %v by %v", i, u.Node.Size(), u.Applied)
		}
	}
	// An overview of what is no load is a warp; over a bare load it stays one.
	direct := undo(t, `(overview 1 (concat (load a.tif 15x15 uint8 overviews=[7x7]) (load b.tif 15x15 uint8)))`, ast.UndoOptions{Retain: allComponents})
	for _, u := range direct {
		if u.Node.Kind() != ast.KindWarp || u.Node.Size() != (geom.Size{W: 8, H: 8}) {
			t.Errorf("an overview over a concat became\n%s", ast.FormatExpr(u.Node))
		}
	}
	stored := undo(t, `(overview 1 (load a.tif 15x15 uint8 overviews=[7x7]))`, ast.UndoOptions{Retain: allComponents})
	if stored[0].Node.Kind() != ast.KindOverview {
		t.Errorf("a stored overview became\n%s", ast.FormatExpr(stored[0].Node))
	}
}

func TestUndoErrors(t *testing.T) {
	for text, want := range map[string]string{
		`(warp scale=2 (load a.tif))`:                                                                           "metadata is unknown",
		`(warp matrix=[1 0 0 0 1 0 0.001 0 1] (load a.tif 8x8 uint8))`:                                          "projective (at part 0)",
		`(concat (load b.tif 9x9 uint8) (warp matrix=[1 0 0 0 1 0 0.001 0 1] size=9x9 (load a.tif 8x8 uint8)))`: "projective (at part 1)",
	} {
		if _, err := ast.UndoWarp(parse(t, text), ast.UndoOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	if _, err := ast.UndoWarp(nil, ast.UndoOptions{}); err == nil {
		t.Error("nil gave no error")
	}
}
