package hostile_test

import (
	"context"
	"errors"
	"image"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/oracle"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

// imagery opens generated images. A uri that none has is one of them, so that
// whatever is drawn as a name leads somewhere.
type imagery struct{ *asttest.Images }

func (m imagery) name(uri string) string {
	if _, ok := m.Image(uri); ok {
		return uri
	}
	all, sum := m.URIs(), 0
	for _, c := range []byte(uri) {
		sum = (31*sum + int(c)) & 0xffff
	}
	return all[sum%len(all)]
}

func (m imagery) Describe(ctx context.Context, uri string) (ast.Meta, error) {
	return m.Images.Describe(ctx, m.name(uri))
}

func (m imagery) Open(ctx context.Context, uri string) (eval.Source, error) {
	meta, err := m.Describe(ctx, uri)
	return &imagerySource{m, m.name(uri), meta}, err
}

type imagerySource struct {
	imagery
	uri  string
	meta ast.Meta
}

func (s *imagerySource) Meta() ast.Meta { return s.meta }
func (s *imagerySource) Close() error   { return nil }

func (s *imagerySource) ReadWindow(ctx context.Context, level int, w image.Rectangle, bands []int, dst *raster.Buffer) error {
	return s.ReadInto(ctx, s.uri, level, w, bands, dst)
}

// reading is imagery for the oracle, which reads what the tree claims.
type reading struct{ imagery }

func (r reading) ReadWindow(ctx context.Context, l *ast.Load, level int, w image.Rectangle, band int) (*raster.Buffer, error) {
	dst := &raster.Buffer{}
	return dst, r.ReadInto(ctx, r.name(l.URI()), level, w, []int{band}, dst)
}

var verified = sync.OnceValue(func() *rewrite.Pipeline {
	p, err := rules.New(rewrite.MaxFidelity(ast.Geometric), rewrite.Verify())
	if err != nil {
		panic(err)
	}
	return p
})

// FuzzEval takes whatever parses through preparing, rewriting under
// verification, planning and running, and compares small canvases with the
// reference. Errors are fine, as long as both ways have them.
func FuzzEval(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	all := imagery{asttest.Standard()}
	s, err := eval.Open(bg, eval.WithOpener(all), eval.WithMemoryLimit(64<<20), eval.WithThreads(2), eval.WithTileSize(32, 32))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		var n ast.Node
		var err error
		if strings.HasPrefix(strings.TrimSpace(text), "{") {
			n, err = ast.ParseJSON([]byte(text), ast.CustomDecoder(asttest.Decode))
		} else {
			n, err = ast.ParseExpr(text, ast.CustomDecoder(asttest.Decode))
		}
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(bg, 5*time.Second)
		defer cancel()
		if n, err = ast.Prepare(ctx, n, all); err != nil {
			return
		}
		asItStands := n
		r, err := verified().Optimize(n)
		if err != nil {
			t.Fatal(err)
		}
		again, err := verified().Optimize(r.Node)
		if err != nil || !ast.Equal(again.Node, r.Node) {
			t.Fatalf("optimized twice: %v, %v", err, again.Node)
		}
		for i, n := range []ast.Node{asItStands, r.Node} {
			compare(ctx, t, s, reading{all}, n, asItStands, i == 1)
		}
	})
}

// compare runs a few pixels of n, and holds them to the reference of the tree
// as it stands where that is little work.
func compare(ctx context.Context, t *testing.T, s *eval.Session, r oracle.Reader, n, asItStands ast.Node, rewritten bool) {
	t.Helper()
	plan, planErr := s.Plan(ctx, n, eval.WithType(raster.Float64), eval.WithMaxFidelity(ast.Geometric))
	if planErr == nil && plan.Size() != asItStands.Size() {
		t.Fatalf("the plan's canvas is %v, the tree's %v", plan.Size(), asItStands.Size())
	}
	size := asItStands.Size()
	w := image.Rect(0, 0, 16, 16).Add(image.Pt(size.W/3, size.H/3)).Intersect(size.Bounds())
	var got raster.Buffer
	runErr := planErr
	if planErr == nil {
		runErr = plan.Window(ctx, w, &got)
	}
	if runErr != nil && ctx.Err() == nil {
		if text := runErr.Error(); strings.ContainsRune(text, '\n') || strings.Contains(text, "runtime error") {
			t.Fatalf("error of several lines: %q", text)
		}
	}
	if size.W*size.H > 64*64 || asItStands.NumBands() > 8 || len(ast.All[ast.Node](asItStands)) > 12 || claims(asItStands) {
		return
	}
	want, err := oracle.Reference(ctx, asItStands, r, oracle.Options{MaxSamples: 1 << 18})
	switch {
	case ctx.Err() != nil, err == nil && runErr == nil:
	case err == nil && errors.As(runErr, new(*eval.ReadError)), err == nil && strings.Contains(runErr.Error(), "memory limit"):
		return
	case planErr == nil && runErr == nil:
		return // the oracle's own limits
	case planErr != nil && err == nil:
		t.Fatalf("plan: %v, but the reference has values (rewritten: %v)", planErr, rewritten)
	}
	if err != nil || runErr != nil || ctx.Err() != nil {
		return
	}
	compareValues(t, want, &got, w, rewritten)
}

func compareValues(t *testing.T, want *oracle.Result, got *raster.Buffer, w image.Rectangle, rewritten bool) {
	t.Helper()
	for b := range want.Bands {
		most := 1.0
		for i := b; i < len(want.Values); i += len(want.Bands) {
			if v := math.Abs(want.Values[i]); v > most {
				most = v
			}
		}
		for y := w.Min.Y; y < w.Max.Y; y++ {
			for x := w.Min.X; x < w.Max.X; x++ {
				is := want.At(x, y, b)
				v, ok := got.At(x-w.Min.X, y-w.Min.Y, b)
				if ok != (is == is) || ok && math.Abs(v-is) > 1e-3*most {
					t.Fatalf("(%d, %d) band %d: %v valid %v, want %v (rewritten: %v)", x, y, b, v, ok, is, rewritten)
				}
			}
		}
	}
}

// claims reports whether a load says something of its raster that is not so.
func claims(n ast.Node) bool {
	all := imagery{asttest.Standard()}
	return slices.ContainsFunc(ast.All[*ast.Load](n), func(l *ast.Load) bool {
		said, _ := l.Meta()
		is, err := all.Describe(bg, l.URI())
		return err != nil || l.Channels() != "" || said.Size != is.Size || said.HasMask != is.HasMask ||
			!slices.Equal(said.Overviews, is.Overviews) ||
			!slices.EqualFunc(said.Bands, is.Bands, func(a, b ast.Band) bool { return a.Type == b.Type })
	})
}

// seeds are short trees of every operation, sampling and border, over names
// that lead to some image.
var seeds = []string{
	`(load a)`,
	`(crop [1 0 3 2] (load b))`,
	`(crop [0 0 4 4] bands=[0 0] (pad 1 1 2 2 (load c)))`,
	`(warp scale=0.5 (load d))`,
	`(warp theta=0.3 scale=2 cubic (load e))`,
	`(warp matrix=[1 0.1 0 0 1 0 0.01 0 1] size=9x9 lanczos border=clamp (load f))`,
	`(warp matrix=[1 0 0 0 5 1 .09 1 1] lanczos border=clamp (load 0))`,
	`(warp scale=[0.3 1.7] area border=wrap (warp shear=0.2 area (load g)))`,
	`(warp offset=[1 -2] nearest size=7x5 (overview 1 (load h)))`,
	`(warp scale=0.4 mode border=reflect (load i))`,
	`(warp scale=1.3 border=7 (dequantize float32 0..255 -> 0..1 nodata=0 (load j)))`,
	`(dequantize float64 0..255 -> -1..1 (warp scale=0.5 border=9 (load k)))`,
	`(concat #1=(overview 2 (load l)) #1#)`,
	`(concat (fill 5x4 uint8 bands=1 value=3) (warp scale=1 size=5x4 (load m)))`,
	`(warp scale=0.7 aliased domain=[(1 0 -2) closed; (0 -1 3) open] size=6x6 (load n))`,
	`(warp scale=3 (crop [0 0 2 2] (x-box {} (load o))))`,
	`(pad 1000000 0 0 1000000 (fill 9x9 float32 bands=2 invalid))`,
	`{"version": 1, "tree": {"op": "warp", "transform": {"scale": 0.5}, "input": {"op": "load", "uri": "p"}}}`,
	`{"version": 1, "defs": {"a": {"op": "load", "uri": "q"}}, "tree": {"op": "concat", "inputs": [{"ref": "a"}, {"ref": "a"}]}}`,
}
