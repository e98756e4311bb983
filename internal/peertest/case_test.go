//go:build peers

package peertest

import (
	"math"
	"testing"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// comparison is a peer's call beside the warp that should mean the same.
type comparison struct {
	peer, call string // the call as it reads in the table
	source     string
	what       string // of the transform
	sampling   ast.Sampling
	to         geom.Size
	m          geom.Transform // source to canvas
	how        string         // the peer's name of the interpolation
	options    []string       // of gdalwarp

	inner, all bound
	why        string // where they differ on purpose: the section of docs/semantics.md
}

// bound is how far values may differ, in percent of the range of values, and
// how many masks, in percent of the pixels.
type bound struct{ mean, max, masks float64 }

// same is what rounding to float32 leaves.
var same = bound{1e-4, 1e-3, 0}

// scaled stretches a source of w × h pixels to a canvas.
func scaled(w, h int, to geom.Size) geom.Transform {
	return geom.Scale(float64(to.W)/float64(w), float64(to.H)/float64(h))
}

// difference is what was measured: of valid pixels in percent of the range,
// and of masks and pixels in percent of the pixels.
type difference struct{ pixels, mean, max, share, masks float64 }

// ours computes the warp.
func (c comparison) ours(t testing.TB, p picture) *raster.Buffer {
	t.Helper()
	w, err := ast.NewWarp(p.node(t), c.m, c.to, c.sampling, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := rewarp.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	plan, err := s.Plan(t.Context(), w, eval.WithType(raster.Float64))
	if err != nil {
		t.Fatal(err)
	}
	b, err := plan.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// compare measures over all pixels, and over those whose kernel meets neither
// the edge nor an invalid sample.
func (c comparison) compare(p picture, ours, theirs *raster.Buffer) (inner, all difference) {
	lo, hi := math.Inf(1), math.Inf(-1)
	for y := range p.pix.H {
		for x := range p.pix.W {
			if v, _ := p.pix.At(x, y, 0); v != noData {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	inv, _ := c.m.Inverse()
	rx, ry := c.sampling.Support(inv.Jacobian(0, 0))
	if c.how == "cubicspline" || c.how == "spline" || c.how == "lanczos4" {
		rx, ry = rx+12, ry+12 // theirs reaches further
	}
	for y := range ours.H {
		for x := range ours.W {
			u, v := inv.Apply(float64(x)+0.5, float64(y)+0.5)
			a, aok := ours.At(x, y, 0)
			b, bok := theirs.At(x, y, 0)
			bok = bok && b != noData
			for _, d := range []*difference{&inner, &all} {
				if d == &inner && !p.valid(int(math.Floor(u-rx-0.5)), int(math.Floor(v-ry-0.5)), int(math.Ceil(u+rx+0.5)), int(math.Ceil(v+ry+0.5))) {
					continue
				}
				d.pixels++
				if aok != bok {
					d.masks++
				}
				if aok && bok {
					diff := math.Abs(a-b) / (hi - lo) * 100
					d.mean += diff
					d.max = max(d.max, diff)
					if diff > 0.01 {
						d.share++
					}
				}
			}
		}
	}
	inner.finish()
	all.finish()
	return inner, all
}

func (d *difference) finish() {
	if n := d.pixels; n > 0 {
		d.mean /= n
		d.share *= 100 / n
		d.masks *= 100 / n
	}
}

func (d difference) within(b bound) bool {
	return d.mean <= b.mean && d.max <= b.max && d.masks <= b.masks
}
