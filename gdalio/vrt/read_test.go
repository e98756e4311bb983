package vrt_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/eval/oracle"
	"github.com/rewarp/rewarp/gdalio/vrt"
)

// sameMeaning holds two meanings against each other, in values and validity.
func sameMeaning(t testing.TB, got, want *oracle.Result, tolerance float64) bool {
	t.Helper()
	if got.Size != want.Size || len(got.Bands) != len(want.Bands) {
		t.Errorf("%v of %d bands, want %v of %d", got.Size, len(got.Bands), want.Size, len(want.Bands))
		return false
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, v := range want.Values {
		if v == v {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	span := max(hi-lo, math.Abs(lo), math.Abs(hi))
	bad, masks := 0, 0
	for i, w := range want.Values {
		g := got.Values[i]
		switch {
		case (g == g) != (w == w):
			masks++
		case g == g && math.Abs(g-w) > tolerance*span:
			// A constant of an integer type is rounded when it is made.
			if typ := want.Bands[i%len(want.Bands)].Type; typ.IsFloat() || typ.Round(g) != typ.Round(w) {
				bad++
			}
		}
	}
	for i := range want.Bands {
		if got.Bands[i].Type != want.Bands[i].Type {
			t.Errorf("band %d is %v, want %v", i, got.Bands[i].Type, want.Bands[i].Type)
			return false
		}
	}
	if bad+masks > 0 {
		t.Errorf("%d values and %d masks of %d differ", bad, masks, len(want.Values))
	}
	return bad+masks == 0
}

// What is written reads back as a tree of the same meaning.
func TestRoundTrip(t *testing.T) {
	images := files(t)
	gen := asttest.NewGen(asttest.Options{
		Images: images, MaxDepth: 5, NoProject: true, NoDomain: true, Borders: []ast.BorderMode{ast.NoDataBorder},
		Leaves: []ast.Kind{ast.KindLoad, ast.KindFill},
		Kinds:  []ast.Kind{ast.KindCrop, ast.KindPad, ast.KindWarp, ast.KindOverview, ast.KindDequantize, ast.KindConcat},
	})
	const trees = 1000
	written := 0
	for i := range trees {
		n := gen.Tree(asttest.TreeSeed(11, i))
		var b strings.Builder
		notes, err := vrt.Write(&b, n, vrt.WriteOptions{Dir: folder})
		var u *vrt.UnsupportedError
		if errors.As(err, &u) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(fmt.Sprint(notes), "not marked") {
			continue // the VRT tells less than the tree
		}
		back, notes, err := vrt.Read(bg, strings.NewReader(b.String()), vrt.ReadOptions{Dir: folder, Describer: images})
		if err != nil {
			t.Errorf("tree %d: %v\n%s\n%s", i, err, ast.FormatText(n), b.String())
			continue
		}
		if strings.Contains(fmt.Sprint(notes), "a tree samples once") {
			continue // a barrier whose transform came to nothing
		}
		written++
		if !sameMeaning(t, reference(t, back), reference(t, n), 1e-6) {
			t.Errorf("tree %d: %v\n%s\n%s\n%s", i, notes, ast.FormatText(n), ast.FormatText(back), b.String())
		}
	}
	t.Logf("%d of %d trees written and read back", written, trees)
}
