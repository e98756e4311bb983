package rules_test

import (
	"image"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

// Among many parts the equal ones are found, too, also where a sketch does not
// tell parts apart.
func TestShareManyParts(t *testing.T) {
	load := described(t, "a.tif")
	var parts []ast.Node
	for i := range 60 {
		// By threes: other windows, and windows of another size.
		parts = append(parts, must(ast.NewPad(must(ast.NewCrop(load, image.Rect(1, 1, 20+i%3, 30))), i%3, 0, 2-i%3+2-i%3, i%2)))
	}
	for i := range parts {
		parts[i] = must(ast.NewCrop(parts[i], image.Rect(0, 0, 20, 20), i%2, 1+i%2))
	}
	p := mustPipeline(rewrite.Verify(), rewrite.Only("share-parts"))
	r, err := p.Optimize(must(ast.NewConcat(parts...)))
	if err != nil {
		t.Fatal(err)
	}
	first := map[ast.Fingerprint]ast.Node{}
	for i := range r.Node.NumInputs() {
		in := r.Node.Input(i)
		f := ast.FingerprintOf(in)
		if n := first[f]; n != nil && n != in {
			t.Errorf("part %d is equal to another and stands alone", i)
		}
		first[f] = in
	}
	if len(first) != 6 {
		t.Errorf("%d distinct parts, want 6", len(first))
	}
}
