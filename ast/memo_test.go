package ast_test

import (
	"sync"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

func TestMemoKeepsWhatSeveralEnginesFound(t *testing.T) {
	size := geom.Size{W: 4, H: 4}
	n, err := ast.NewInvalid(size, ast.NumberedBands(1, raster.Uint8))
	if err != nil {
		t.Fatal(err)
	}
	results := make([]ast.Node, 8)
	for i := range results {
		if results[i], err = ast.NewInvalid(size, ast.NumberedBands(1, raster.Uint8)); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			id := uint32(i + 1)
			n.Memo().SetForward(id, results[i])
			if got := n.Memo().Forward(id); got != nil && got != results[i] {
				t.Errorf("engine %d is sent to another engine's result", id)
			}
		})
	}
	all.Wait()
	kept := 0
	for i := range results {
		switch n.Memo().Forward(uint32(i + 1)) {
		case nil:
		case results[i]:
			kept++
		default:
			t.Errorf("engine %d is sent to another engine's result", i+1)
		}
	}
	if kept != 2 { // the first and the latest
		t.Errorf("%d results are kept, expected 2", kept)
	}
}

func TestCopiedNodeRemembersNothing(t *testing.T) {
	n := parse(t, `(pad 1 2 3 4 (load a.tif 8x8 uint8))`).(*ast.Pad)
	n.Memo().SetCanonical(7)
	n.Memo().SetForward(8, n.Input(0))
	if !n.Memo().Canonical(7) || n.Memo().Canonical(8) || n.Memo().Forward(8) != n.Input(0) {
		t.Error("the node does not remember what was recorded")
	}
	c := copyOf(n)
	if c.Memo().Canonical(7) || c.Memo().Forward(8) != nil {
		t.Error("a copy remembers what its original does")
	}
	c.Memo().SetForward(9, n)
	if c.Memo().Forward(9) != nil {
		t.Error("a copy remembers what was recorded for it")
	}
}

func TestIsCanonicalOfMostRoots(t *testing.T) {
	for text, want := range map[string]bool{
		`(warp scale=0.5 (load a.tif 8x8 uint8))`:                    true,
		`(crop [0 0 2 2] (load a.tif 8x8 uint8))`:                    true,
		`(pad 1 2 3 4 (load a.tif 8x8 uint8))`:                       false,
		`(dequantize float32 0..255 -> 0..1 (load a.tif 8x8 uint8))`: false,
	} {
		n := parse(t, text)
		if ast.IsCanonical(n, 7) {
			t.Errorf("%s is canonical before it is found to be", text)
		}
		n.Memo().SetCanonical(7)
		if got := ast.IsCanonical(n, 7); got != want || ast.IsCanonical(n, 8) {
			t.Errorf("%s: canonical %v, expected %v", text, got, want)
		}
	}
}
