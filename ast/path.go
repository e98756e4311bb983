package ast

import "github.com/rewarp/rewarp/ast/geom"

// BandPath is the way of one band of a node down to its leaf.
type BandPath struct {
	Leaf Node // a Load, Fill, Raster, or a custom node that the path ends in
	Band int  // the leaf's band

	// Inverse maps canvas coordinates to the leaf's, of its full resolution.
	Inverse geom.Transform

	// Domain is what the canvases and domains on the way leave of the canvas.
	Domain *geom.Domain

	// Resampled are the samplings of the warps on the way that are not copies,
	// from the top.
	Resampled []Sampling

	// Quantization is that of the dequantize on the way, or nil.
	Quantization *Quantization
}

// Path follows band i of a known node down to its leaf. A custom node that is
// shift invariant is followed into its first input; any other ends the path.
func Path(n Node, band int) BandPath {
	p := BandPath{Inverse: geom.Identity}
	canvas := n.Size()
	var planes []geom.HalfPlane
	step := func(m, inv geom.Transform, in Node, clip bool, own *geom.Domain) {
		for _, h := range own.Planes() {
			planes = append(planes, h.Pullback(p.Inverse))
		}
		p.Inverse = inv.Mul(p.Inverse)
		if !m.IsAffine() {
			w := [3]float64{p.Inverse[6], p.Inverse[7], p.Inverse[8]}
			planes = append(planes, geom.HalfPlane{Row: w, Den: w, Closed: true})
		}
		if clip {
			for _, e := range in.Size().Edges() {
				planes = append(planes, e.Pullback(p.Inverse))
			}
		}
		if len(planes) > 16 {
			planes = geom.Reduce(canvas, planes, nil).Planes()
		}
	}
	endless := false
	for {
		clip := !endless
		switch t := n.(type) {
		case *Crop:
			band = t.Pick(band)
			o := t.window.Min
			x, y := float64(o.X), float64(o.Y)
			step(geom.Translate(-x, -y), geom.Translate(x, y), t.input, clip, nil)
			n = t.input
		case *Pad:
			x, y := float64(t.left), float64(t.top)
			step(geom.Translate(x, y), geom.Translate(-x, -y), t.input, clip, nil)
			n = t.input
		case *Dequantize:
			q := t.q
			p.Quantization = &q
			n = t.input
		case *Overview:
			if t.size != t.input.Size() {
				m := t.Transform()
				inv, _ := m.Inverse()
				step(m, inv, t.input, clip, nil)
				if !t.Stored() {
					p.Resampled = append(p.Resampled, DefaultSampling)
				}
			}
			n = t.input
		case *Warp:
			if !t.IsNoOp() {
				endless = endless || t.sampling.Border.Mode != NoDataBorder
				own := t.domain
				if !clip {
					own = nil
				}
				step(t.m, t.inv, t.input, !endless, own)
				if !t.Copies() {
					p.Resampled = append(p.Resampled, t.sampling)
				}
			}
			n = t.input
		case *Concat:
			var part int
			part, band = t.Part(band)
			n = t.inputs[part]
		default:
			c, ok := n.(Custom)
			if ok && n.NumInputs() > 0 && c.Traits().ShiftInvariant {
				n, band = n.Input(0), 0
				continue
			}
			p.Leaf, p.Band = n, band
			p.Domain = geom.Reduce(canvas, planes, nil)
			return p
		}
	}
}
