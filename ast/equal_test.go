package ast_test

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// distinct are trees of which no two mean the same.
var distinct = []string{
	`(load a.tif)`,
	`(load b.tif)`,
	`(load a.tif channels=r|g|b)`,
	`(load a.tif 8x8 uint8)`,
	`(load a.tif 8x9 uint8)`,
	`(load a.tif 8x8 int8)`,
	`(load a.tif 8x8 bands=2 uint8)`,
	`(load a.tif 8x8 bands=[r] uint8)`,
	`(load a.tif 8x8 channels=r uint8)`,
	`(load a.tif 8x8 uint8 nodata=0)`,
	`(load a.tif 8x8 uint8 nodata=1)`,
	`(load a.tif 8x8 uint8 nodata=nan)`,
	`(load a.tif 8x8 uint8 overviews=[4x4])`,
	`(load a.tif 8x8 uint8 overviews=[4x4 2x2])`,
	`(load a.tif 8x8 uint8 block=4x4)`,
	`(load a.tif 8x8 uint8 mask)`,
	`(load a.tif 8x8 uint8 geo=[1 0 0 0 1 0])`,
	`(load a.tif 8x8 uint8 geo=[1 0 0 0 1 0] srs="EPSG:4326")`,
	`(fill 8x8 uint8 value=0)`,
	`(fill 8x8 uint8 value=1)`,
	`(fill 8x8 uint8 invalid)`,
	`(raster 2x1 uint8 [1 2])`,
	`(raster 1x2 uint8 [1 2])`,
	`(raster 2x1 int8 [1 2])`,
	`(raster 2x1 int16 [1 2])`,
	`(raster 2x1 uint8 [1 3])`,
	`(raster 2x1 uint8 [1 2] mask=[1 1])`,
	`(raster 2x1 uint8 [1 2] mask=[0 1])`,
	`(raster 2x1 float32 [1 2])`,
	`(raster 2x1 float64 [1 2])`,
	`(raster 2x1 float64 [1 nan])`,
	`(crop [0 0 4 4] (load a.tif))`,
	`(crop [0 0 4 5] (load a.tif))`,
	`(crop [0 0 4 4] bands=[0] (load a.tif))`,
	`(crop [0 0 4 4] bands=[0 0] (load a.tif))`,
	`(crop [0 0 4 4] (load b.tif))`,
	`(pad 0 0 0 0 (load a.tif))`,
	`(pad 1 0 0 0 (load a.tif))`,
	`(pad 0 1 0 0 (load a.tif))`,
	`(pad 0 0 1 0 (load a.tif))`,
	`(pad 0 0 0 1 (load a.tif))`,
	`(warp (load a.tif))`,
	`(warp size=8x8 (load a.tif))`,
	`(warp size=8x8 (load a.tif 8x8 uint8))`,
	`(warp (load a.tif 8x8 uint8))`,
	`(warp scale=2 (load a.tif))`,
	`(warp cubic (load a.tif))`,
	`(warp aliased (load a.tif))`,
	`(warp border=0 (load a.tif))`,
	`(warp border=1 (load a.tif))`,
	`(warp border=clamp (load a.tif))`,
	`(warp domain=[(0 0 1) closed] (load a.tif))`,
	`(warp domain=[(0 0 1) open] (load a.tif))`,
	`(warp domain=[(0 0 1 0 0 1) open] (load a.tif))`,
	`(warp domain=[(0 0 1) closed; (0 0 1) closed] (load a.tif))`,
	`(overview 1 (load a.tif))`,
	`(overview 2 (load a.tif))`,
	`(dequantize float32 0..255 -> 0..1 (load a.tif))`,
	`(dequantize float64 0..255 -> 0..1 (load a.tif))`,
	`(dequantize float32 1..255 -> 0..1 (load a.tif))`,
	`(dequantize float32 0..254 -> 0..1 (load a.tif))`,
	`(dequantize float32 0..255 -> 1..2 (load a.tif))`,
	`(dequantize float32 0..255 -> 0..2 (load a.tif))`,
	`(dequantize float32 0..255 -> 0..1 nodata=0 (load a.tif))`,
	`(concat (load a.tif))`,
	`(concat (load a.tif) (load a.tif))`,
	`(concat (load a.tif) (load b.tif))`,
	`(concat (load b.tif) (load a.tif))`,
	`(concat (load a.tif) (concat (load b.tif)))`,
}

func TestDistinctTreesDiffer(t *testing.T) {
	seen := map[ast.Fingerprint]string{}
	for i, a := range distinct {
		x := parse(t, a)
		for k, b := range distinct {
			if got := ast.Equal(x, parse(t, b)); got != (i == k) {
				t.Errorf("Equal(%s, %s) = %v", a, b, got)
			}
		}
		f := ast.FingerprintOf(x)
		if other, dup := seen[f]; dup {
			t.Errorf("%s has the fingerprint of %s", a, other)
		}
		seen[f] = a
		if g := ast.FingerprintOf(parse(t, a)); g != f {
			t.Errorf("%s has two fingerprints", a)
		}
	}
	if !ast.Equal(nil, nil) || ast.Equal(nil, parse(t, distinct[0])) || ast.Equal(parse(t, distinct[0]), nil) {
		t.Error("nil is equal to nil only")
	}
}

// TestSameTrees pairs trees that are written differently but are the same.
func TestSameTrees(t *testing.T) {
	for _, c := range [][2]string{
		{`(warp offset=[0 0] scale=2 (load a.tif))`, `(warp offset=[-0 -0] scale=2 (load a.tif))`},
		{`(warp border=0 (load a.tif))`, `(warp border=-0 (load a.tif))`},
		{`(warp nearest antialias (load a.tif))`, `(warp nearest aliased (load a.tif))`},
		{`(fill 8x8 float32 value=0)`, `(fill 8x8 float32 value=-0)`},
		{`(load a.tif 8x8 float32 nodata=0)`, `(load a.tif 8x8 float32 nodata=-0)`},
		{`(raster 2x1 float32 [0 nan])`, `(raster 2x1 float32 [-0 nan])`},
		{`(crop [0 0 8 8] bands=[0 1] (load a.tif 8x8 bands=2 uint8))`, `(crop [0 0 8 8] (load a.tif 8x8 bands=2 uint8))`},
		{`(concat (load a.tif) (load a.tif))`, `(concat #1=(load a.tif) #1#)`},
		{`(dequantize float32 0..255 -> -0..1 (load a.tif))`, `(dequantize float32 0..255 -> 0..1 (load a.tif))`},
	} {
		a, b := parse(t, c[0]), parse(t, c[1])
		if !ast.Equal(a, b) || !ast.Equal(b, a) {
			t.Errorf("%s and %s differ", c[0], c[1])
		}
		if ast.FingerprintOf(a) != ast.FingerprintOf(b) {
			t.Errorf("%s and %s have different fingerprints", c[0], c[1])
		}
		if !ast.Equal(a, b) {
			t.Errorf("%s and %s differ once their fingerprints are known", c[0], c[1])
		}
	}
}

// TestFingerprintIsStable holds the bytes that outlive a process. Where it
// breaks on purpose, fingerprintVersion goes up.
func TestFingerprintIsStable(t *testing.T) {
	n := parse(t, `
		(warp scale=0.5 cubic border=7 domain=[(1 0 -0.5) closed]
		  (concat
		    (crop [0 0 8 8] bands=[1] #1=(load a.tif 16x16 bands=2 uint8 nodata=[0 null] overviews=[8x8]))
		    (dequantize float32 0..255 -> 0..1 (overview 1 #1#))
		    (pad 0 1 2 3 (raster 6x4 float32 [1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 nan]))
		    (fill 8x8 int16 value=-3)))`)
	if got, want := ast.FingerprintOf(n).String(), "b29a8f753d40f868593fa21d249584ab"; got != want {
		t.Errorf("fingerprint %s, want %s", got, want)
	}
}

func TestFingerprintOfACopy(t *testing.T) {
	a := parse(t, `(pad 1 2 3 4 (load a.tif 8x8 uint8))`).(*ast.Pad)
	b := parse(t, `(pad 1 2 3 4 (load a.tif 8x8 uint8))`)
	ast.FingerprintOf(a)
	c := copyOf(a)
	if ast.FingerprintOf(c) != ast.FingerprintOf(b) || !ast.Equal(c, b) {
		t.Error("a node copied by value has another fingerprint")
	}
}

// copyOf copies a node by value, caches and all, which nobody should.
func copyOf(p *ast.Pad) *ast.Pad {
	c := reflect.New(reflect.TypeFor[ast.Pad]())
	c.Elem().Set(reflect.ValueOf(p).Elem())
	return c.Interface().(*ast.Pad)
}

func TestEqualAgreesWithFingerprint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := asttest.Tree(asttest.Options{}).Draw(t, "a")
		b := asttest.Tree(asttest.Options{MaxDepth: 2}).Draw(t, "b")
		c := asttest.Copy(a)
		if !ast.Equal(a, c) || !ast.Equal(c, a) || ast.FingerprintOf(a) != ast.FingerprintOf(c) {
			t.Fatalf("a copy differs:\n%s", ast.FormatExpr(a))
		}
		if ast.Equal(a, b) != (ast.FingerprintOf(a) == ast.FingerprintOf(b)) {
			t.Fatalf("Equal and fingerprint disagree:\n%s\n%s", ast.FormatExpr(a), ast.FormatExpr(b))
		}
	})
}

// TestEqualGraphsThatShareDifferently compares each level shared with each
// level spelled out twice, over one more doubling: pairs of nodes are many,
// joins are few.
func TestEqualGraphsThatShareDifferently(t *testing.T) {
	leaf := func() ast.Node { return parse(t, "(load a.tif)") }
	a, b1, b2 := leaf(), leaf(), leaf()
	for range 40 {
		var err error
		if a, err = ast.NewConcat(a, a); err != nil {
			t.Fatal(err)
		}
		n1, err1 := ast.NewConcat(b1, b2)
		n2, err2 := ast.NewConcat(b2, b1)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		b1, b2 = n1, n2
	}
	if !ast.Equal(a, b1) || !ast.Equal(b1, b2) || ast.FingerprintOf(a) != ast.FingerprintOf(b1) {
		t.Error("equal graphs differ")
	}
}

func TestRasterFingerprintIsItsContent(t *testing.T) {
	pix := raster.New(raster.Float32, 3, 2, 1)
	pix.Set(1, 1, 0, math.Copysign(0, -1))
	a, err := ast.NewRaster(pix, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ast.NewRaster(raster.New(raster.Float32, 3, 2, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !ast.Equal(a, b) || ast.FingerprintOf(a) != ast.FingerprintOf(b) {
		t.Error("−0 is not 0")
	}
}

func TestProjectiveTransformsCompareNormalized(t *testing.T) {
	in := parse(t, "(load a.tif 8x8 uint8)")
	m := geom.Transform{1, 0, 0, 0, 1, 0, 0.001, 0, 1}
	var neg geom.Transform
	for i := range m {
		neg[i] = -m[i]
	}
	a, err := ast.NewWarp(in, m, geom.Size{}, ast.DefaultSampling, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, err := ast.NewWarp(in, neg, geom.Size{}, ast.DefaultSampling, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !ast.Equal(a, b) || ast.FingerprintOf(a) != ast.FingerprintOf(b) {
		t.Error("a matrix and its negative differ")
	}
}
