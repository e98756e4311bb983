package oracle_test

import (
	"errors"
	"image"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/oracle"
)

// spread gives each pixel the sum of itself and its neighbour to the right, in
// band 1 the difference, and counts its evaluations.
type spread struct {
	ast.Base
	input ast.Node
	runs  *int
}

func newSpread(in ast.Node, runs *int) ast.Node {
	s := &spread{input: in, runs: runs}
	b := in.Band(0)
	return must(s, ast.Define(s, in.Size(), []ast.Band{b, b}))
}

func (s *spread) Op() string         { return "x-spread" }
func (s *spread) NumInputs() int     { return 1 }
func (s *spread) Input(int) ast.Node { return s.input }
func (s *spread) Traits() ast.Traits { return ast.Traits{Margin: 1} }
func (s *spread) WithInputs(in []ast.Node) (ast.Node, error) {
	return newSpread(in[0], s.runs), nil
}

func (s *spread) EvalTile(dst *raster.Buffer, window image.Rectangle, tiles []ast.Tile) error {
	*s.runs++
	if tiles[0].Window.Dx() < 2 {
		return errors.New("a single column has no neighbours")
	}
	for y := range dst.H {
		for x := range dst.W {
			p := window.Min.Add(image.Pt(x, y))
			a, b := tiles[0].At(p.X, p.Y, 0), tiles[0].At(p.X+1, p.Y, 0)
			dst.Set(x, y, 0, a+b)
			dst.Set(x, y, 1, b-a)
		}
	}
	return nil
}

func TestCustom(t *testing.T) {
	runs := 0
	n := newSpread(ramp(), &runs)
	means(t, n, 10, 10, 30, 10, 50, 10, nan, nan)
	if runs != 1 {
		t.Errorf("%d evaluations for two bands, want 1", runs)
	}
	same(t, values(t, oracle.Naive, n), 10, 10, 30, 10, 50, 10, nan, nan)

	one := must(ast.NewCrop(n, image.Rect(0, 0, 4, 1), 0)) // 10 30 50 nan
	both(t, slide(one, 0.25, 4, by(ast.Linear)), 15, 35, 50, nan)
	// Its input is a warp on its own canvas, unrounded.
	warped := slide(pixels[uint8](4, 0, 1, 2, 3), 0.25, 4, by(ast.Linear))
	sum := must(ast.NewCrop(newSpread(warped, &runs), image.Rect(0, 0, 4, 1), 0))
	means(t, sum, 1.5, 3.5, 5.25, nan)
	same(t, values(t, oracle.Naive, sum), 1, 3, 5, nan)
	// The warps on both sides do not fuse, and a crop of it is a cut, as it
	// would be below the node.
	means(t, slide(sum, 0.25, 4, by(ast.Linear)), 2, 3.9375, 5.25, nan)
	means(t, slide(crop(sum, 0, 2), 0.25, 3, by(ast.Linear)), 2, 3.5, nan)
	means(t, crop(sum, 1, 3), 3.5, 5.25)
}

func TestDequantizeStopsAtCustom(t *testing.T) {
	runs := 0
	n := newSpread(pixels[uint8](4, 0, 10, 20, 79), &runs) // 10 30 99 nan
	n = must(ast.NewCrop(n, image.Rect(0, 0, 4, 1), 0))
	n = must(ast.NewDequantize(n, quantization(-1, 1, 0, 20)))
	both(t, n, 0, 2, nan, nan)
	means(t, slide(n, 0.25, 2, by(ast.Linear)), 0.5, 2)
}

func TestCustomError(t *testing.T) {
	runs := 0
	n := newSpread(pixels(1, 1.0), &runs)
	for _, f := range []evaluator{oracle.Reference, oracle.Naive} {
		_, err := f(bg, n, nil, oracle.Options{})
		var e *ast.Error
		if !errors.As(err, &e) || e.Op != "x-spread" {
			t.Errorf("got %v, want an error of x-spread", err)
		}
	}
}
