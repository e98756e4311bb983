package rewrite

import (
	"image"
	"math/rand/v2"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// Blocks that several windows touch count once, however the windows lie.
func TestBlocksOf(t *testing.T) {
	load := func(block geom.Size) *ast.Load {
		l, err := ast.NewLoadMeta("a", "", ast.Meta{Size: geom.Size{W: 70, H: 50}, Block: block, Bands: ast.NumberedBands(2, raster.Uint8)})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		block := geom.Size{W: 1 + r.IntN(20), H: 1 + r.IntN(20)}
		var windows []image.Rectangle
		touched := map[image.Point]bool{}
		for range r.IntN(6) {
			x, y := r.IntN(70), r.IntN(50)
			w := image.Rect(x, y, x+r.IntN(71-x), y+r.IntN(51-y))
			windows = append(windows, w)
			for y := w.Min.Y; y < w.Max.Y; y++ {
				for x := w.Min.X; x < w.Max.X; x++ {
					touched[image.Pt(x/block.W, y/block.H)] = true
				}
			}
		}
		if got := blocksOf(load(block), windows); got != float64(len(touched)) {
			t.Fatalf("%v in blocks of %v touch %v, want %d", windows, block, got, len(touched))
		}
	}
	if got := blocksOf(load(geom.Size{}), []image.Rectangle{image.Rect(0, 0, 9, 9)}); got != 0 {
		t.Errorf("without a block size they are %v", got)
	}
}
