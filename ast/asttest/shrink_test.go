package asttest

import (
	"context"
	"image"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// A failure that needs two particular nodes shrinks to those and a leaf, from
// whatever tree they stood in.
func TestShrinkFindsTheCore(t *testing.T) {
	cropOverLanczos := func(n ast.Node) bool {
		found := false
		ast.Inspect(n, func(n ast.Node) bool {
			if c, w, ok := ast.Match[*ast.Crop, *ast.Warp](n); ok {
				found = found || c.Size() != w.Size() && w.Sampling().Interp == ast.Lanczos
			}
			return true
		})
		return found
	}
	g := NewGen(Options{})
	shrunk := 0
	for i := 0; shrunk < 20; i++ {
		n := g.Tree(TreeSeed(3, i))
		if !cropOverLanczos(n) {
			continue
		}
		shrunk++
		s := Shrink(n, cropOverLanczos)
		if !cropOverLanczos(s) {
			t.Fatalf("tree %d: what came out does not fail", i)
		}
		if Count(s) != 3 {
			t.Errorf("tree %d: %d nodes are left of %d", i, Count(s), Count(n))
		}
		w := ast.All[*ast.Warp](s)[0]
		if !w.Transform().IsIdentity() || w.Sampling() != (ast.Sampling{Interp: ast.Lanczos}) || s.Size() != (geom.Size{W: 1, H: 1}) {
			t.Errorf("tree %d: what is left is a %v of a warp by %v, %v", i, s.Size(), w.Transform(), w.Sampling())
		}
		if again := Shrink(n, cropOverLanczos); !ast.Equal(s, again) {
			t.Errorf("tree %d shrinks to two trees", i)
		}
	}
}

func TestShrinkIsBounded(t *testing.T) {
	tries := 0
	n := NewGen(Options{}).Tree(TreeSeed(3, 5))
	ShrinkOver(Standard(), 50, n, func(ast.Node) bool { tries++; return true })
	if tries > 51 {
		t.Errorf("asked %d times, the bound was 50", tries)
	}
	if s := Shrink(n, func(ast.Node) bool { return false }); s != n {
		t.Error("a tree that does not fail was changed")
	}
}

func TestShrinkUnshares(t *testing.T) {
	leaf := Standard().Load("rgb")
	concat := func(a, b ast.Node) ast.Node {
		c, err := ast.NewConcat(a, b)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	n := concat(leaf, leaf)
	twoParts := func(n ast.Node) bool { return n.NumInputs() == 2 }
	if s := Shrink(n, twoParts); s.Input(0) == s.Input(1) {
		t.Error("sharing that has no part in the failure stays")
	}
	shared := func(n ast.Node) bool { return n.NumInputs() == 2 && n.Input(0) == n.Input(1) }
	if s := Shrink(n, shared); !shared(s) {
		t.Error("sharing that the failure needs is gone")
	}
}

// A custom node computes a window from just the part of its input that it
// asks for.
func TestOpsComputeWindows(t *testing.T) {
	load := Standard().Load("spectrum")
	img, _ := Standard().Image("spectrum")
	whole := ast.Tile{Pix: img.Levels[0], Window: img.Levels[0].Bounds()}
	ops := []ast.Node{
		valid(NewGain(load, 2, 1)), valid(NewRatio(load, 0, 3)), valid(NewBox(load)),
		valid(NewColors(load, 1)), valid(NewEither(load, load)),
	}
	for _, n := range ops {
		c := n.(ast.Custom)
		tiles := func(w image.Rectangle) []ast.Tile {
			out := make([]ast.Tile, c.NumInputs())
			for i := range out {
				need := ast.InputWindow(c, i, w)
				part := raster.New(raster.Float64, need.Dx(), need.Dy(), load.NumBands())
				for y := range part.H {
					for x := range part.W {
						for b := range part.Bands {
							part.Set(x, y, b, whole.At(need.Min.X+x, need.Min.Y+y, b))
						}
					}
				}
				out[i] = ast.Tile{Pix: part, Window: need}
			}
			return out
		}
		eval := func(w image.Rectangle) *raster.Buffer {
			dst := raster.New(raster.Float64, w.Dx(), w.Dy(), c.NumBands())
			if err := c.EvalTile(dst, w, tiles(w)); err != nil {
				t.Fatal(err)
			}
			return dst
		}
		full := eval(c.Size().Bounds())
		w := image.Rect(5, 3, 12, 9)
		part := eval(w)
		for y := range part.H {
			for x := range part.W {
				for b := range part.Bands {
					p, _ := part.At(x, y, b)
					q, _ := full.At(w.Min.X+x, w.Min.Y+y, b)
					if p != q {
						t.Fatalf("%s at %d,%d band %d: %v in a window, %v on the whole", c.Op(), x, y, b, p, q)
					}
				}
			}
		}
	}
}

func TestOpsSurviveATreeFile(t *testing.T) {
	load := Standard().Load("spectrum")
	for _, n := range []ast.Node{
		valid(NewGain(load, 2, 1)), valid(NewRatio(load, 0, 3)), valid(NewBox(load)),
		valid(NewColors(load, 1)), valid(NewEither(load, load)),
	} {
		data, err := ast.MarshalTree(n)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ast.ParseJSON(data, ast.CustomDecoder(Decode))
		if err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		if !ast.Equal(n, back) {
			t.Errorf("%s came back as another tree", n.Op())
		}
		if _, err := ast.Prepare(context.Background(), back, Standard()); err != nil {
			t.Error(err)
		}
	}
}
