package ast

import (
	"math"

	"github.com/rewarp/rewarp/ast/geom"
)

// Warp is its input seen through a transform: point p of the canvas is point
// M⁻¹ p of the input.
type Warp struct {
	Base
	input    Node
	m        geom.Transform
	domain   *geom.Domain
	sampling packedSampling
	want     extent // the size asked for while the input is unknown
}

// packedSampling is a normalized sampling in less room.
type packedSampling struct {
	value     float64 // of the border
	border    BorderMode
	interp    Interpolation
	antialias bool
}

func packSampling(s Sampling) packedSampling {
	return packedSampling{s.Border.Value, s.Border.Mode, s.Interp, s.Antialias}
}

// NewWarp maps in by m, which is forward: in's coordinates to the canvas's. A
// zero size is the smallest canvas from the origin that holds all positive
// coordinates of the warped input. Points outside the domain, given on the
// canvas, are invalid; nil is the whole canvas.
func NewWarp(in Node, m geom.Transform, size geom.Size, s Sampling, domain *geom.Domain) (*Warp, error) {
	if in == nil {
		return nil, fail(KindWarp, "input", nil, "is nil")
	}
	if arg, value, limit := s.check(); arg != "" {
		return nil, fail(KindWarp, arg, value, "%s", limit)
	}
	if !m.IsFinite() {
		return nil, fail(KindWarp, "transform", matrixValue(m), "has an entry that is not finite")
	}
	for i := range domain.Len() {
		if h := domain.At(i); !finite(h.Row[:]) || !finite(h.Den[:]) {
			return nil, fail(KindWarp, "domain", h, "has an entry that is not finite")
		}
	}
	leftOut := size == geom.Size{}
	if !leftOut {
		if err := checkSize(KindWarp, size); err != nil {
			return nil, err
		}
	}
	canvas := in.Size()
	if in.Known() && !m.IsAffine() {
		var ok bool
		if m, ok = m.Normalize(canvas.Center()); !ok {
			return nil, fail(KindWarp, "transform", matrixValue(m), "has denominator zero at the centre of the input")
		}
	}
	w := &Warp{input: in, m: m, sampling: packSampling(s.Normalize()), domain: domain}
	if inv := new(geom.Transform); !inv.Invert(&w.m) {
		return nil, fail(KindWarp, "transform", matrixValue(m), "is singular")
	}
	if in.Known() {
		if !w.m.WellConditioned(canvas) {
			return nil, fail(KindWarp, "transform", matrixValue(m), "is too close to singular: rounding moves positions by %.2g source pixels over %v, the limit is 1e-07", m.Drift(canvas), canvas)
		}
		if leftOut {
			var ok bool
			if size, ok = w.m.FitSize(canvas); !ok {
				return nil, fail(KindWarp, "size", nil, "is left out, but the transform maps a corner of %v to infinity or beyond %d pixels", canvas, MaxExtent)
			}
		}
	}
	w.ready(size, leftOut)
	return w, nil
}

// matrixValue shows an affine matrix as six numbers, a projective one as nine.
func matrixValue(m geom.Transform) any {
	if m.IsAffine() {
		return m[:6]
	}
	return m[:]
}

func finite(v []float64) bool {
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// Transform is the map from the input's coordinates to the canvas's. Its
// denominator is positive at the input's centre.
func (w *Warp) Transform() geom.Transform { return w.m }

// Inverse is the map from the canvas's coordinates to the input's. A canvas
// point has an image only where its denominator is positive.
func (w *Warp) Inverse() (inv geom.Transform) {
	inv.Invert(&w.m)
	return inv
}

// IsAffine reports whether the transform is affine.
func (w *Warp) IsAffine() bool { return w.m.IsAffine() }

// Sampling is how the warp reads, normalized.
func (w *Warp) Sampling() Sampling {
	r := &w.sampling
	return Sampling{r.interp, r.antialias, Border{r.border, r.value}}
}

// Domain is where the canvas can be valid; nil is everywhere.
func (w *Warp) Domain() *geom.Domain { return w.domain }

// Fitted reports whether the size was left out when the warp was built.
func (w *Warp) Fitted() bool { return w.flags&fitted != 0 }

// IsNoOp reports whether the warp is the identity, keeps the size and has no
// domain, so that it is no node at all.
func (w *Warp) IsNoOp() bool { return w.flags&noOp != 0 }

// Copies reports whether the warp permutes the samples of its source: it
// stands directly on a source, has no domain, and maps pixel centres to pixel
// centres.
func (w *Warp) Copies() bool { return w.flags&copies != 0 }

// IsCopy is Copies with the transform, its entries rounded to integers.
func (w *Warp) IsCopy() (exact geom.Transform, ok bool) {
	if !w.Copies() {
		return w.m, false
	}
	return w.m.Copy()
}

// clips reports whether a point outside the input's canvas is invalid. A copy
// permutes samples whatever its border says.
func (w *Warp) clips() bool { return w.sampling.border == NoDataBorder || w.Copies() }

// Exact is the transform of a copy with its entries rounded to integers.
func (w *Warp) Exact() geom.Transform { m, _ := w.m.Copy(); return m }

// NumInputs is 1.
func (w *Warp) NumInputs() int { return 1 }

// Input is the node that is warped.
func (w *Warp) Input(int) Node { return w.input }

// WithInputs returns the warp of another node.
func (w *Warp) WithInputs(inputs []Node) (Node, error) {
	if err := checkInputs(KindWarp, inputs, 1); err != nil {
		return nil, err
	}
	if in := inputs[0]; in == w.input {
		return w, nil
	} else if SameShape(in, w.input) && in.Known() {
		return w.overSame(in), nil
	}
	size := w.Size()
	switch {
	case w.Fitted():
		size = geom.Size{}
	case !w.Known():
		size = w.want.size()
	}
	return NewWarp(inputs[0], w.m, size, w.Sampling(), w.domain)
}

// overSame is the same warp on an input of the same shape.
func (w *Warp) overSame(in Node) *Warp {
	c := &Warp{input: in, m: w.m, domain: w.domain, sampling: w.sampling}
	c.ready(w.Size(), w.Fitted())
	return c
}

// Barrier reports whether w samples the nearest warp or custom node under it as
// resampled onto a canvas of its own, rather than at a composite position: w's
// border is not nodata, or its sampling differs from that node's, below.
func (w *Warp) Barrier(below Sampling) bool {
	return w.Sampling() != below || w.sampling.border != NoDataBorder
}
