//go:build peers

package peertest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio"
)

// noData marks invalid samples of the sources that have it.
const noData = -9999

// picture is a source: one band of float32.
type picture struct {
	name   string
	pix    *raster.Buffer
	gaps   bool // has samples of noData
	labels bool // its values are classes
}

func pictures(t testing.TB) map[string]picture {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	all := map[string]picture{}
	add := func(name string, w, h int, gaps, labels bool, at func(x, y int) float64) {
		b := raster.New(raster.Float32, w, h, 1)
		for y := range h {
			for x := range w {
				b.Set(x, y, 0, at(x, y))
			}
		}
		all[name] = picture{name, b, gaps, labels}
	}
	noise := func(int, int) float64 { return float64(r.IntN(256)) }
	add("noise", 97, 61, false, false, noise)
	// A disc and a few single pixels are missing.
	add("gaps", 97, 61, true, false, func(x, y int) float64 {
		if math.Hypot(float64(x)-30, float64(y)-25) < 12 || (x*7+y*13)%97 == 0 {
			return noData
		}
		return noise(x, y)
	})
	add("labels", 97, 61, false, true, func(x, y int) float64 { return float64((x/5*3+y/4*5)%7 + 1) })
	s, err := gdalio.New().Open(t.Context(), "../../testdata/astro.tif")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	astro := &raster.Buffer{}
	if err := s.ReadWindow(t.Context(), 0, s.Meta().Size.Bounds(), []int{0}, astro); err != nil {
		t.Fatal(err)
	}
	add("photo", 160, 120, false, false, func(x, y int) float64 { v, _ := astro.At(x+150, y+60, 0); return v })
	return all
}

// node is the picture as a leaf.
func (p picture) node(t testing.TB) ast.Node {
	t.Helper()
	n, err := ast.NewRaster(p.pix, []ast.Band{{Name: "1", Type: raster.Float32, NoData: noData, HasNoData: p.gaps}})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// valid reports whether all samples of [x0, x1) × [y0, y1) exist and are valid.
func (p picture) valid(x0, y0, x1, y1 int) bool {
	if x0 < 0 || y0 < 0 || x1 > p.pix.W || y1 > p.pix.H {
		return false
	}
	for y := y0; p.gaps && y < y1; y++ {
		for x := x0; x < x1; x++ {
			if v, _ := p.pix.At(x, y, 0); v == noData {
				return false
			}
		}
	}
	return true
}
