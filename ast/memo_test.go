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
	if !ast.IsCanonical(n, 7) || ast.IsCanonical(n, 8) || n.Memo().Forward(8) != n.Input(0) {
		t.Error("the node does not remember what was recorded")
	}
	c := copyOf(n)
	if ast.IsCanonical(c, 7) || c.Memo().Forward(8) != nil {
		t.Error("a copy remembers what its original does")
	}
	c.Memo().SetForward(9, n)
	if c.Memo().Forward(9) != nil {
		t.Error("a copy remembers what was recorded for it")
	}
}
