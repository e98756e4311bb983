package eval_test

import (
	"context"
	"image"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// TestFound runs the smallest trees that random ones which came out wrong were
// shrunk to: they are what the oracles say, and the same bits in any tile.
func TestFound(t *testing.T) {
	images := &memory{Images: asttest.Standard()}
	sessions := []*eval.Session{
		open(t, eval.WithOpener(images)),
		open(t, eval.WithOpener(images), eval.WithTileSize(13, 9), eval.WithThreads(3), eval.WithMemoryLimit(16<<20)),
	}
	for _, expr := range []string{
		// A number that is the nodata value of a dequantize above, and no uint8.
		"(dequantize float32 0..1 -> 0..1 nodata=-1 (warp scale=[1 0.5] size=1x1 nearest border=-1 (load pixel)))",
		// A map whose terms all but cancel.
		"(dequantize float32 0..255 -> -6.12..7.8 (load pixel))",
		// Tiles of nothing but border.
		"(warp offset=[2.3e-08 0] size=1x10 lanczos aliased border=49 (load small))",
		"(warp scale=[1 2] size=14x5 lanczos aliased border=22 (load pixel))",
		"(warp scale=0.2 size=14x1 border=5 (load empty))",
		"(warp scale=3 size=27x9 aliased border=113 (load pixel))",
		"(warp offset=[1.99999999959 3.99999987] size=14x3 aliased border=107 (warp scale=[0.5 1] size=2x1 nearest (fill 2x1 uint8 value=1)))",
		// Columns that come back, with a pad between that no kernel plan covers.
		"(warp scale=1.3 size=64x20 cubic border=wrap (pad 0 0 9 4 (load small)))",
		"(warp scale=1.3 offset=[20 0] size=64x20 border=reflect (pad 5 2 0 0 (load small)))",
		// A kernel that is stretched past any cap, next to a horizon.
		"(warp matrix=[1 0 0 0 5 1 .09 1 1] lanczos border=clamp (load classes8))",
		"(warp matrix=[1 0 0 0 5 1 .09 1 1] cubic border=reflect (load classes8))",
		// A number that is the value of a stored one, and has one class with it.
		`(warp scale=[0.25 1] offset=[0.25 0] size=1x1 mode border=1.9973493975903613
			(dequantize float32 6..255 -> 0..5.526 (raster 3x1 uint8 [96 97 97])))`,
		// Computed samples that are the nodata value of a dequantize but for rounding.
		`(dequantize float32 0..1 -> 0..1 nodata=255 (x-colors {"params":[0]} (warp offset=[3.385 -2.202] size=17x15 aliased
			(warp offset=[-3.385 2.202] size=14x17 aliased (warp offset=[-2.5 -1] size=17x15 aliased (load rgb))))))`,
		// A pixel that reads more than an even share of the memory, many levels up.
		`(x-either {} #1=(warp matrix=[1 1 0 0 1 0] size=1x1 nearest (overview 2 (warp scale=0.1 size=3x2 lanczos
			(x-ratio {"params":[9,0]} (concat #2=(load rgb) (concat #2# (pad 19 33 15 7 (warp size=27x7 nearest
			(load pixel))) (warp size=61x47 nearest (warp scale=[1 0.2] size=1x1 aliased
			(raster 1x3 bands=[a b c] float32 [123 49 114.42572 102 101 111.10223 109 129 120.863976]))))))))) #1#)`,
	} {
		tree, err := ast.ParseExpr(expr, ast.CustomDecoder(asttest.Decode))
		if err == nil {
			tree, err = ast.Prepare(context.Background(), tree, images)
		}
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		if err := checkTree(sessions, images, tree); err != nil {
			t.Errorf("%s: %v", expr, err)
		}
		sameInTiles(t, sessions[0], tree)
	}
}

// sameInTiles runs a tree in tiles of a few sizes, for the bits of the whole.
func sameInTiles(t *testing.T, s *eval.Session, tree ast.Node) {
	t.Helper()
	ctx := context.Background()
	p := plan(t, s, tree, eval.WithType(raster.Float64))
	whole, err := p.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, side := range []int{1, 3, 9} {
		for y := 0; y < whole.H; y += side {
			for x := 0; x < whole.W; x += side {
				w := image.Rect(x, y, x+side, y+side).Intersect(whole.Bounds())
				var tile raster.Buffer
				if err := p.Window(ctx, w, &tile); err != nil {
					t.Fatal(err)
				}
				for i := range tile.Len() {
					n := tile.Bands
					px, py, b := i/n%tile.W, i/n/tile.W, i%n
					got, _ := tile.At(px, py, b)
					want, _ := whole.At(x+px, y+py, b)
					if got != want && (got == got || want == want) {
						t.Errorf("%s: pixel (%d, %d) is %v in tiles of %d, %v in the whole", ast.FormatExpr(tree), x+px, y+py, got, side, want)
						return
					}
				}
			}
		}
	}
}
