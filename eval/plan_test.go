package eval_test

import (
	"context"
	"image"
	"math"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

func TestPlanDescribes(t *testing.T) {
	m := picture(400, 300, 3)
	img, _ := m.Image("picture")
	img.Meta.Geo = &ast.GeoRef{Transform: geom.Affine(10, 0, 5000, 0, -10, 9000), SRS: "LOCAL"}
	n, err := ast.NewWarp(load(t, "picture"), geom.Scale(0.5, 0.5), geom.Size{}, ast.DefaultSampling, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ast.NewCrop(n, image.Rect(20, 10, 120, 110), 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := plan(t, open(t, eval.WithOpener(m)), c)
	if p.Size() != (geom.Size{W: 100, H: 100}) || p.Type() != raster.Uint8 || p.Masked() || p.Fidelity() != ast.Resolution || !p.Tree().Known() {
		t.Errorf("size %v, type %v, masked %v, fidelity %v", p.Size(), p.Type(), p.Masked(), p.Fidelity())
	}
	if b := p.Bands(); len(b) != 2 || b[0].Name != "3" || b[1].Name != "2" {
		t.Errorf("bands %v", b)
	}
	g := p.Geo()
	if g == nil || g.SRS != "LOCAL" {
		t.Fatalf("geo %v", g)
	}
	if x, y := g.Transform.Apply(0, 0); math.Abs(x-5400) > 1e-9 || math.Abs(y-8800) > 1e-9 {
		t.Errorf("the corner lies at %v, %v", x, y)
	}
	if _, err := p.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	s := p.Stats()
	if s.Runs != 1 || s.Tiles == 0 || s.PixelsRead == 0 || len(s.Reads) != 1 {
		t.Fatalf("%+v", s)
	}
	if r := s.Reads[0]; r.URI != "picture" || r.Level != 0 || r.Window != image.Rect(39, 19, 241, 221) && r.Window != image.Rect(38, 18, 242, 222) {
		t.Errorf("planned read %+v", r)
	}
}

// TestMergedBands: bands that take the same way are computed together.
func TestMergedBands(t *testing.T) {
	m := picture(200, 200, 4)
	var parts []ast.Node
	for _, k := range []int{3, 1, 0} {
		c, err := ast.NewLoad("picture", "")
		if err != nil {
			t.Fatal(err)
		}
		known, err := ast.Prepare(context.Background(), c, m)
		if err != nil {
			t.Fatal(err)
		}
		b, err := ast.NewCrop(known, image.Rect(0, 0, 200, 200), k)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, turned(t, b, geom.Size{W: 150, H: 150}, ast.DefaultSampling))
	}
	n, err := ast.NewConcat(parts...)
	if err != nil {
		t.Fatal(err)
	}
	p := plan(t, open(t, eval.WithOpener(m)), n)
	if r := p.Stats().Reads; len(r) != 1 || len(r[0].Bands) != 3 {
		t.Errorf("reads %+v", r)
	}
}

func TestWithType(t *testing.T) {
	m := picture(64, 64, 1)
	s := open(t, eval.WithOpener(m))
	n := turned(t, load(t, "picture"), geom.Size{W: 64, H: 64}, ast.Sampling{Interp: ast.Nearest})
	u, err := plan(t, s, n).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	f, err := plan(t, s, n, eval.WithType(raster.Float32)).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if u.Mask == nil || f.Mask != nil {
		t.Fatal("a mask is where it should not be, or not where it should")
	}
	for y := range u.H {
		for x := range u.W {
			a, aok := u.At(x, y, 0)
			b, bok := f.At(x, y, 0)
			if aok != bok || aok && a != b {
				t.Fatalf("(%d, %d): %v %v, %v %v", x, y, a, aok, b, bok)
			}
		}
	}
}

// TestDegenerateComposite: two transforms that are well conditioned by
// themselves, and not together.
func TestDegenerateComposite(t *testing.T) {
	m := picture(64, 64, 1)
	n := load(t, "picture")
	for _, s := range [][2]float64{{300, 0.01}, {300, 0.01}, {300, 0.01}} {
		var err error
		if n, err = ast.Prepare(context.Background(), n, m); err != nil {
			t.Fatal(err)
		}
		w, err := ast.NewWarp(n, geom.Scale(s[0], s[1]), geom.Size{W: 64, H: 64}, ast.DefaultSampling, nil)
		if err != nil {
			t.Fatal(err)
		}
		n = w
	}
	_, err := open(t, eval.WithOpener(m)).Plan(context.Background(), n)
	if err == nil || !strings.Contains(err.Error(), "too close to singular") {
		t.Error(err)
	}
}

// TestLongChain: planning takes time linear in the nodes, and no deep stack.
func TestLongChain(t *testing.T) {
	m := picture(64, 64, 1)
	n, err := ast.Prepare(context.Background(), load(t, "picture"), m)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20000 {
		if i%2 == 0 {
			n = ast.TrustedWarp(n, geom.Translate(0.25, 0), geom.Size{W: 65, H: 64}, ast.DefaultSampling, nil)
		} else {
			n = ast.TrustedWarp(n, geom.Translate(-0.25, 0), geom.Size{W: 64, H: 64}, ast.DefaultSampling, nil)
		}
	}
	if _, err := plan(t, open(t, eval.WithOpener(m)), n).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func TestOptimizerIsUsed(t *testing.T) {
	m := picture(64, 64, 1)
	var cap ast.Fidelity
	var given context.Context
	s := open(t, eval.WithOpener(m), eval.WithMaxFidelity(ast.Geometric), eval.WithOptimizer(func(ctx context.Context, n ast.Node, f ast.Fidelity) (ast.Node, error) {
		cap, given = f, ctx
		return ast.NewCrop(n, image.Rect(0, 0, 5, 6))
	}))
	if p := plan(t, s, load(t, "picture"), eval.WithMaxFidelity(ast.Resolution)); p.Size() != (geom.Size{W: 5, H: 6}) || cap != ast.Geometric {
		t.Errorf("size %v, cap %v", p.Size(), cap)
	}
	type key struct{}
	if _, err := s.Plan(context.WithValue(t.Context(), key{}, "caller"), load(t, "picture"), eval.WithMaxFidelity(ast.Exact)); err != nil {
		t.Fatal(err)
	}
	if cap != ast.Exact || given.Value(key{}) != "caller" {
		t.Errorf("cap %v, context %v", cap, given)
	}
}

// TestNegativeOrigin: a raster in memory serves as the window of a crop of it.
func TestNegativeOrigin(t *testing.T) {
	pix := raster.New(raster.Uint8, 100, 80, 3)
	for i, s := 0, raster.Samples[uint8](pix); i < len(s); i++ {
		s[i] = uint8(i * 11)
	}
	leaf, err := ast.NewRaster(pix, nil)
	if err != nil {
		t.Fatal(err)
	}
	images := &memory{Images: asttest.NewImages(map[string]*asttest.Image{"x": {
		Meta: ast.Meta{Size: geom.Size{W: 100, H: 80}, Bands: ast.NumberedBands(3, raster.Uint8)}, Levels: []*raster.Buffer{pix},
	}})}
	s := open(t, eval.WithOpener(images))
	for _, i := range []ast.Interpolation{ast.Nearest, ast.Linear, ast.Cubic, ast.Lanczos, ast.Area, ast.Mode} {
		for _, b := range []ast.BorderMode{ast.NoDataBorder, ast.ClampBorder, ast.ReflectBorder, ast.WrapBorder, ast.ValueBorder} {
			var got [2]*raster.Buffer
			for k, n := range []ast.Node{leaf, images.Load("x")} {
				c, err := ast.NewCrop(n, image.Rect(13, 7, 90, 70))
				if err != nil {
					t.Fatal(err)
				}
				w := turned(t, c, geom.Size{W: 90, H: 70}, ast.Sampling{Interp: i, Antialias: true, Border: ast.Border{Mode: b, Value: 9}}.Normalize())
				if got[k], err = plan(t, s, w).Run(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
			equal(t, got[0], got[1])
		}
	}
}
