package rewritetest

import (
	"fmt"
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/eval/oracle"
)

// Difference says how far two evaluations of one canvas are apart. Values are
// in units of the range that the samples of their band can have.
type Difference struct {
	Samples int     // samples compared
	Masked  int     // samples valid in one and not in the other
	Worst   float64 // largest difference where both are valid
	Sum     float64 // of all differences where both are valid

	masked, worst place
}

// Mean is the mean difference.
func (d *Difference) Mean() float64 {
	if d.Samples == 0 {
		return 0
	}
	return d.Sum / float64(d.Samples)
}

// add counts another comparison in.
func (d *Difference) add(e *Difference) {
	d.Samples += e.Samples
	d.Masked += e.Masked
	d.Sum += e.Sum
	d.Worst = max(d.Worst, e.Worst)
}

// place is where a difference was found.
type place struct {
	x, y, band int
	was, is    float64
}

func (p place) String() string {
	return fmt.Sprintf("pixel (%d, %d) of band %d was %s and is %s", p.x, p.y, p.band, value(p.was), value(p.is))
}

func value(v float64) string {
	if v != v {
		return "invalid"
	}
	return fmt.Sprintf("%.9g", v)
}

// difference compares the values of two canvases of one shape.
func difference(size geom.Size, scales []float64, was, is []float64) *Difference {
	bands := len(scales)
	d := &Difference{Samples: len(was)}
	at := func(i int) place {
		return place{i / bands % size.W, i / bands / size.W, i % bands, was[i], is[i]}
	}
	for i, p := range was {
		q := is[i]
		if (p == p) != (q == q) {
			if d.Masked == 0 {
				d.masked = at(i)
			}
			d.Masked++
			continue
		}
		if p == q || p != p {
			continue
		}
		e := math.Abs(p-q) / scales[i%bands]
		d.Sum += e
		if e > d.Worst {
			d.Worst, d.worst = e, at(i)
		}
	}
	return d
}

// tolerance is the largest difference in value, of the range of the samples,
// that still counts as rounding.
const tolerance = 1e-5

// violation is the mask or values law, if the difference breaks it.
func (d *Difference) violation(mask, values Law, tol float64) *Violation {
	switch {
	case d.Masked > 0:
		return broken(mask, "%d of %d samples changed validity; %v", d.Masked, d.Samples, d.masked)
	case d.Worst > tol:
		return broken(values, "the largest change is %.3g of the range, %.3g is allowed; %v", d.Worst, tol, d.worst)
	}
	return nil
}

// sameBits compares two naive evaluations.
func sameBits(law Law, size geom.Size, was, is []float64) *Violation {
	bands := len(was) / (size.W * size.H)
	for i, p := range was {
		if q := is[i]; p != q && (p == p || q == q) {
			return broken(law, "evaluated step by step, %v", place{i / bands % size.W, i / bands / size.W, i % bands, p, q})
		}
	}
	return nil
}

// scales are, for each band, how large the samples that it is made of can be:
// what a difference is measured by.
func scales(images Images, n ast.Node, values ...[]float64) []float64 {
	out := make([]float64, n.NumBands())
	for band := range out {
		out[band] = scaleOf(images, n, band, nil)
		for _, v := range values {
			for i := band; i < len(v); i += len(out) {
				if v[i] == v[i] {
					out[band] = max(out[band], math.Abs(v[i]))
				}
			}
		}
		if out[band] == 0 {
			out[band] = 1
		}
	}
	return out
}

func scaleOf(images Images, n ast.Node, band int, q *ast.Quantization) float64 {
	m := 0.0
	add := func(v float64) {
		if q != nil {
			v = q.Value(v)
		}
		if v = math.Abs(v); v > m && !math.IsInf(v, 0) {
			m = v
		}
	}
	for {
		switch t := n.(type) {
		case *ast.Crop:
			band = t.Pick(band)
			n = t.Input(0)
		case *ast.Concat:
			var part int
			part, band = t.Part(band)
			n = t.Input(part)
		case *ast.Dequantize:
			k := t.Quantization()
			q = &k
			n = t.Input(0)
		case *ast.Warp:
			if b := t.Sampling().Border; b.Mode == ast.ValueBorder {
				add(b.Value)
			}
			n = t.Input(0)
		case *ast.Pad, *ast.Overview:
			n = t.Input(0)
		case *ast.Fill:
			v, _ := t.Value()
			add(v)
			return m
		case *ast.Raster:
			b, info := t.Buffer(), t.Band(band)
			for y := range b.H {
				for x := range b.W {
					if v, _ := b.At(x, y, band); !info.HasNoData || v != info.NoData {
						add(v)
					}
				}
			}
			return m
		case *ast.Load:
			lo, hi := images.Range(t.URI(), band)
			add(lo)
			add(hi)
			return m
		default: // custom: anything of its inputs may be magnified a little
			for i := range t.NumInputs() {
				for b := range t.Input(i).NumBands() {
					m = max(m, 4*scaleOf(images, t.Input(i), b, nil))
				}
			}
			return m
		}
	}
}

// Images is where the leaves of trees are read from, by the oracles. It is
// what *asttest.Images is.
type Images interface {
	oracle.Reader
	// Range is the least and the largest finite sample of a band.
	Range(uri string, band int) (lo, hi float64)
}
