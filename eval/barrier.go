package eval

import (
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// permute is a copy at the exact cap: a step of its own, since a dequantize
// below it is one.
func (b *builder) permute(r route, w *ast.Warp, exact geom.Transform) error {
	r.warped, r.canvas = true, w.Size()
	r.fwd = exact
	r.inv, _ = exact.Inverse()
	r.sampling = ast.Sampling{Interp: ast.Nearest}
	r.node = w.Input(0)
	return b.barrier(r)
}

// barrier ends a route at a node that is sampled as resampled onto its own
// canvas.
func (b *builder) barrier(r route) error {
	n := r.node
	if b.exact && ast.IsSource(n) && !b.quantized[n] {
		return b.source(r)
	}
	return b.split(r, func(k int) any {
		band := r.bands[k]
		return [4]any{
			b.sampleType(n, band, &r), b.precise || b.graded(n, band, &r),
			math.Float64bits(b.number(n, band, r)), b.class(n, band).kind == isSource,
		}
	}, func(r route) error {
		if r.sampling.Border.Mode == ast.ValueBorder {
			if v := b.number(n, r.bands[0], r); v == v {
				r.sampling.Border.Value = v
			} else {
				r.sampling.Border = ast.Border{}
			}
		}
		return b.add(&target{route: r, kind: toView, typ: b.sampleType(n, r.bands[0], &r), size: n.Size(), precise: b.precise || b.graded(n, r.bands[0], &r)})
	})
}

// sampleType is the type that a band of a barrier is materialized in: at the
// exact cap its own, else a float that holds its leaves.
func (b *builder) sampleType(n ast.Node, band int, r *route) raster.DataType {
	t := n.Band(band).Type
	if b.exact {
		return t
	}
	if b.precise || b.graded(n, band, r) {
		return raster.Float64
	}
	if leaf, k, _ := b.leaf(n, band); leaf != nil {
		t = raster.Common(t, leaf.Band(k).Type)
	}
	return raster.Common(t, raster.Float32)
}

// graded reports whether a route's sampling compares computed values with one
// another: mode, over anything but stored labels.
func (c *compiler) graded(n ast.Node, band int, r *route) bool {
	if r.sampling.Interp != ast.Mode {
		return false
	}
	if r.quant != nil {
		return true
	}
	for {
		switch t := n.(type) {
		case *ast.Overview:
			if ast.IsSource(t) {
				return false
			}
			if t.Size() != t.Input(0).Size() {
				return true
			}
		case *ast.Warp:
			if i := t.Sampling().Interp; i != ast.Nearest && i != ast.Mode && !t.IsNoOp() && !ast.IsSource(t) {
				return true
			}
		case *ast.Dequantize:
			return true
		}
		in, at, ok := ast.BandInput(n, band)
		if !ok {
			return n.Kind() == ast.KindCustom
		}
		n, band = in, at
	}
}

// number is what a number border means in the samples of a band of n: it
// stands for a stored sample there.
func (b *builder) number(n ast.Node, band int, r route) float64 {
	if r.sampling.Border.Mode != ast.ValueBorder {
		return 0
	}
	v := r.sampling.Border.Value
	leaf, k, q := b.leaf(n, band)
	if leaf == nil {
		return v
	}
	if q != nil {
		return asComputed(*q, v)
	}
	if isNoData(leaf.Band(k), v) {
		return math.NaN()
	}
	if q := r.quant; q != nil {
		if q.HasNoData && v == q.NoData {
			return math.NaN()
		}
		v = q.Value(v)
	}
	return v
}

// isNoData reports whether a stored number is the nodata value of a band.
func isNoData(b ast.Band, v float64) bool {
	return b.HasNoData && (v == b.NoData || b.Type == raster.Float32 && v == float64(float32(b.NoData)))
}

// asComputed is the number v in the values that kernels compute for dequantized
// samples, as stored·mul + add. That can differ from Quantization.Value by
// rounding; a v that is the value of a stored number has to stay equal to it.
func asComputed(q ast.Quantization, v float64) float64 {
	stored := math.Round((v-q.OrigMin)*(q.QuantMax-q.QuantMin)/(q.OrigMax-q.OrigMin) + q.QuantMin)
	if q.Value(stored) != v {
		return v
	}
	mul, add := q.Affine()
	return float64(stored*mul) + add
}

// leaf is the leaf of a band and its number there, and the dequantize between,
// if any.
func (c *compiler) leaf(n ast.Node, band int) (leaf ast.Node, k int, q *ast.Quantization) {
	for {
		in, at, ok := ast.BandInput(n, band)
		if !ok {
			return n, band, q
		}
		if d, ok := n.(*ast.Dequantize); ok {
			between := d.Quantization()
			q = &between
		}
		n, band = in, at
	}
}
