package eval_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// kinds are images of 200×150 pixels: one of each sample type, named after it,
// and of some with nodata, NaN or a mask.
func kinds() *memory {
	images := map[string]*asttest.Image{}
	add := func(name string, t raster.DataType, change func(*raster.Buffer, *ast.Meta)) {
		const w, h, bands = 200, 150, 3
		pix := raster.New(t, w, h, bands)
		for y := range h {
			for x := range w {
				for b := range bands {
					pix.Set(x, y, b, float64((x*7+y*3+b*5)%100))
				}
			}
		}
		meta := ast.Meta{Size: geom.Size{W: w, H: h}, Block: geom.Size{W: 64, H: 64}, Bands: ast.NumberedBands(bands, t)}
		if change != nil {
			change(pix, &meta)
		}
		images[name] = &asttest.Image{Meta: meta, Levels: []*raster.Buffer{pix}}
	}
	declared := func(_ *raster.Buffer, m *ast.Meta) {
		for b := range m.Bands {
			m.Bands[b].HasNoData, m.Bands[b].NoData = true, 21
		}
	}
	for t := raster.Uint8; t <= raster.Float64; t++ {
		add(t.String(), t, nil)
	}
	add("uint8-nodata", raster.Uint8, declared)
	add("float32-nodata", raster.Float32, declared)
	add("float32-nan", raster.Float32, func(b *raster.Buffer, _ *ast.Meta) {
		for x := range b.W {
			b.Set(x, x/2, x%3, math.NaN())
		}
	})
	add("uint8-mask", raster.Uint8, func(b *raster.Buffer, m *ast.Meta) {
		b.EnsureMask()
		for x := range b.W {
			b.SetInvalid(x, x/2, x%3, 0)
		}
		m.HasMask = true
	})
	return &memory{Images: asttest.NewImages(images)}
}

// TestAllocations: a run into a buffer of the right size allocates nothing, once
// there was one like it.
func TestAllocations(t *testing.T) {
	m := kinds()
	maps := []string{
		"offset=[3 5]", "scale=[-1 1] offset=[200 0]", "matrix=[0 1 0 1 0 0]", // copies
		"scale=[1.7 1.3]", "scale=[0.3 0.4]", "scale=[0.1 0.12]", // along the axes
		"scale=[0.9 0.8] theta=0.3 offset=[20 5]", "scale=[0.3 0.4] theta=0.3 offset=[20 5]",
		"matrix=[0.9 -0.2 30 0.1 0.8 5 0.001 0.002 1]",
	}
	var exprs []string
	for _, at := range maps {
		for _, interp := range []string{"nearest", "linear", "cubic", "lanczos", "area", "mode"} {
			exprs = append(exprs, fmt.Sprintf("(warp %s size=70x20 %s (load uint8))", at, interp))
		}
		for _, border := range []string{"clamp", "reflect", "wrap", "7"} {
			exprs = append(exprs, fmt.Sprintf("(warp %s size=70x20 cubic border=%s (load uint8))", at, border))
		}
		for _, uri := range m.URIs() {
			exprs = append(exprs,
				fmt.Sprintf("(warp %s size=70x20 (load %s))", at, uri),
				fmt.Sprintf("(warp %s size=70x20 cubic (load %s))", at, uri))
			if !strings.HasPrefix(uri, "float") {
				exprs = append(exprs, fmt.Sprintf("(dequantize float32 0..100 -> -1..1 nodata=5 (warp %s size=70x20 (load %s)))", at, uri))
			}
		}
		exprs = append(exprs,
			fmt.Sprintf("(warp %s size=70x20 border=-1 (crop [100 100 101 101] (load uint8)))", at),
			fmt.Sprintf("(warp %s size=70x20 (warp scale=0.9 size=150x120 cubic (load uint8)))", at),
			fmt.Sprintf("(concat (warp %s size=70x20 (load uint8)) (crop [20 30 90 50] bands=[2 0] (load float32)))", at))
	}
	exprs = append(exprs, "(load uint8)", "(load uint8-mask)", "(crop [10 20 100 90] bands=[1] (load float32-nan))",
		"(pad 5 6 7 8 (load uint8-nodata))", "(fill 70x20 uint8 value=7)", "(overview 1 (load uint8))")
	step := 1
	if testing.Short() {
		step = 7
	}
	for _, threads := range []int{1, 2} {
		s := open(t, eval.WithOpener(m), eval.WithThreads(threads), eval.WithTileSize(64, 16))
		for i := 0; i < len(exprs); i += step {
			expr := exprs[i]
			tree, err := ast.ParseExpr(expr)
			if err != nil {
				t.Fatalf("%s: %v", expr, err)
			}
			p := plan(t, s, tree)
			var dst raster.Buffer
			run := func() {
				if err := p.RunInto(context.Background(), &dst); err != nil {
					t.Fatal(err)
				}
			}
			for range 3 * threads {
				run() // all workers have seen all tiles, as likely as not
			}
			// A worker may still meet its first tile of a kind, and what the
			// runtime does besides is counted too; a run that allocates does so
			// each time.
			n := math.Inf(1)
			for try := 0; n > 0 && try < 5; try++ {
				n = testing.AllocsPerRun(1, run)
			}
			if n > 0 {
				t.Errorf("%d threads: %v allocations a run of %s", threads, n, expr)
			}
		}
	}
}
