package rewrite_test

import (
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rewrite"
)

// The estimate counts what a plan does, and each thing once.
func TestCostCountsWhatAPlanDoes(t *testing.T) {
	for _, c := range []struct {
		what            string
		expr            string
		read, resampled float64
	}{
		{"a load", `(load a 8x8 bands=2 uint8)`, 128, 0},
		{"the window of a crop alone", `(crop [0 0 2 3] (load a 8x8 uint8))`, 6, 0},
		{"a stored level alone", `(crop [0 0 2 3] (overview 1 (load a 8x8 uint8 overviews=[4x4])))`, 6, 0},
		{"a band that is picked twice, once", `(warp scale=2 (crop [0 0 4 4] bands=[0 0] (load a 8x8 bands=2 uint8)))`, 16, 64},
		{"a band that is picked twice above the warp", `(crop [0 0 4 4] bands=[1 1] (warp scale=2 size=4x4 (load a 8x8 bands=2 uint8)))`, 128, 32},
		{"windows that overlap, once", `(concat (crop [0 0 4 4] #1=(load a 8x8 uint8)) (crop [2 2 6 6] #1#))`, 28, 0},
		{"a window in another", `(concat (pad 0 0 0 3 (crop [0 0 4 1] #1=(load a 8x8 uint8))) (crop [0 0 4 4] (load a 8x8 uint8)) (pad 3 3 0 0 (crop [7 7 8 8] #1#)))`, 17, 0},
		{"other bands of the same window", `(concat (crop [0 0 4 4] bands=[0 1] #1=(load a 8x8 bands=3 uint8)) (crop [0 0 4 4] bands=[1 2] #1#))`, 48, 0},
		{"a window beside the whole", `(concat (crop [0 0 8 8] bands=[0] #1=(load a 8x8 bands=2 uint8)) #1#)`, 128, 0},
		{"another file", `(concat (load a 8x8 uint8) (load b 8x8 uint8))`, 128, 0},
		{"a warp that two parts are, once", `(concat #1=(warp scale=2 (load a 4x4 uint8)) #1#)`, 16, 64},
		{"a warp that two nodes use, for each", `(concat (pad 1 0 0 0 #1=(warp scale=2 (load a 4x4 uint8))) (pad 0 0 1 0 #1#))`, 16, 128},
		{"bands that a concat joins, once", `(concat (crop [0 0 8 8] bands=[0] #1=(warp scale=2 (load a 4x4 bands=2 uint8))) (crop [0 0 8 8] bands=[1] #1#))`, 32, 128},
		{"bands that parts have in common, once", `(concat (warp scale=2 (crop [0 0 4 4] bands=[0 1] #1=(load a 4x4 bands=3 uint8))) (warp scale=2 (crop [0 0 4 4] bands=[1 2] #1#)))`, 48, 192},
		{"a band that a part picks of another's, once", `(concat (warp scale=2 #1=(load a 4x4 bands=3 uint8)) (warp scale=2 (crop [0 0 4 4] bands=[1] #1#)))`, 48, 192},
		{"bands of parts that differ, for each", `(concat (warp scale=2 (crop [0 0 4 4] bands=[1] #1=(load a 4x4 bands=3 uint8))) (warp scale=2 cubic (crop [0 0 4 4] bands=[1] #1#)))`, 16, 128},
		{"what a domain leaves", `(warp scale=2 domain=[(1 0 -4) closed] (load a 4x4 uint8))`, 16, 32},
		{"a fill of many bands, as one", `(warp scale=0.5 border=7 (fill 8x8 bands=4 uint8 value=3))`, 0, 16},
		{"a no-op, not at all", `(warp scale=1 size=8x8 (load a 8x8 uint8))`, 64, 0},
	} {
		n, err := ast.ParseExpr(c.expr, ast.CustomDecoder(asttest.Decode))
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		if got := rewrite.CostOf(n); got.Read != c.read || got.Resampled != c.resampled {
			t.Errorf("%s: %v, want read %v, resampled %v", c.what, got, c.read, c.resampled)
		}
	}
}

// A doubling tree is 2^40 paths, of which the estimate is made in linear time.
func TestCostOfADoublingTree(t *testing.T) {
	var n ast.Node = asttest.Standard().Load("tiny")
	for range 40 {
		e, err := asttest.NewEither(n, n)
		if err != nil {
			t.Fatal(err)
		}
		n = e
	}
	if c := rewrite.CostOf(n); c.Read != 12 {
		t.Errorf("%v", c)
	}
}
