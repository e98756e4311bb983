package ast

import (
	"image"
	"math"

	"github.com/rewarp/rewarp/ast/geom"
)

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

	// Rounding bounds, in the leaf's pixels, what rounding may move a position
	// by on the way.
	Rounding float64
}

// Path follows band i of a known node down to its leaf. A custom node that is
// shift invariant is followed into the first input band that it reads; any other ends the path.
func Path(n Node, band int) BandPath {
	f := follower{canvas: n.Size(), at: n.Size(), BandPath: BandPath{Inverse: geom.Identity}}
	for !f.done(n, band) {
		n, band = f.step(n, band)
	}
	f.Domain = geom.Reduce(f.canvas, f.planes, nil)
	return f.BandPath
}

// follower goes down a path.
type follower struct {
	BandPath
	canvas  geom.Size
	at      geom.Size        // the canvas reached so far
	planes  []geom.HalfPlane // on the canvas
	endless bool             // an endless border above: what lies below cuts nothing
}

// done ends the path at a leaf, or at the source above one.
func (f *follower) done(n Node, band int) bool {
	if n.base().flags&(source|partly) != 0 && pathIsSource(n, band) {
		f.source(n, band)
		return true
	}
	c, ok := n.(Custom)
	if ok && (n.NumInputs() == 0 || !c.Traits().ShiftInvariant) {
		f.Leaf, f.Band = n, band
		return true
	}
	return false
}

// clip keeps what shows of a rectangle in the coordinates reached so far.
func (f *follower) clip(r image.Rectangle) {
	if f.endless {
		return
	}
	at := geom.Translate(-float64(r.Min.X), -float64(r.Min.Y)).Mul(f.Inverse)
	for _, e := range (geom.Size{W: r.Dx(), H: r.Dy()}).Edges() {
		f.planes = append(f.planes, e.Pullback(at))
	}
	if len(f.planes) > 16 {
		f.planes = geom.Reduce(f.canvas, f.planes, nil).Planes()
	}
}

// through maps back through inv into a canvas of the given size.
func (f *follower) through(inv geom.Transform, in Node) {
	f.Inverse = inv.Mul(f.Inverse)
	if m, ok := inv.Inverse(); ok {
		stretch, added := m.Rounding(&inv, f.at, in.Size())
		f.Rounding = stretch*f.Rounding + added
	}
	f.at = in.Size()
	if _, horizon := inv.Front(); horizon && !f.endless {
		h, _ := f.Inverse.Front()
		f.planes = append(f.planes, h)
	}
	f.clip(in.Size().Bounds())
}

// step goes one node down, above the source.
func (f *follower) step(n Node, band int) (Node, int) {
	switch t := n.(type) {
	case *Crop:
		f.through(geom.Translate(float64(t.Window().Min.X), float64(t.Window().Min.Y)), t.input)
		return t.input, t.Pick(band)
	case *Pad:
		f.through(geom.Translate(-float64(t.left), -float64(t.top)), t.input)
		return t.input, band
	case *Dequantize:
		q := t.q
		f.Quantization = &q
		return t.input, band
	case *Overview:
		if t.Size() != t.input.Size() {
			inv, _ := t.Transform().Inverse()
			f.through(inv, t.input)
			f.Resampled = append(f.Resampled, DefaultSampling)
		}
		return t.input, band
	case *Warp:
		if t.IsNoOp() {
			return t.input, band
		}
		inv := t.Inverse()
		if !f.endless {
			f.planes = t.domain.AppendTo(f.planes, &f.Inverse)
		}
		if t.sampling.border != NoDataBorder && !f.endless {
			// Only the horizon of this warp still cuts.
			if h, ok := inv.Front(); ok {
				f.planes = append(f.planes, h.Pullback(f.Inverse))
			}
			f.endless = true
		}
		f.through(inv, t.input)
		f.Resampled = append(f.Resampled, t.Sampling())
		return t.input, band
	case *Concat:
		part, band := t.Part(band)
		return t.inputs[part], band
	}
	return customInput(n.(Custom), band)
}

// BandInput is the input that a band of n comes from, and its number there. ok
// is false for a leaf and for a custom node, whose bands come from where its
// traits say.
func BandInput(n Node, band int) (in Node, at int, ok bool) {
	switch t := n.(type) {
	case *Crop:
		return t.input, t.Pick(band), true
	case *Concat:
		part, at := t.Part(band)
		return t.inputs[part], at, true
	case *Pad, *Warp, *Overview, *Dequantize:
		return n.Input(0), band, true
	}
	return nil, 0, false
}

// customInput is the input, and its band, that stands for band of a shift
// invariant custom node: the first that the node says it reads.
func customInput(n Custom, band int) (in Node, at int) {
	if reads := n.Traits().Reads; reads != nil {
		if r := reads(band); len(r) > 0 {
			at = r[0]
		}
	}
	for i := range n.NumInputs() {
		if in = n.Input(i); at < in.NumBands() {
			return in, at
		}
		at -= in.NumBands()
	}
	return n.Input(0), 0
}

// source ends the path in a source. Its nodes cut whole pixels, so that what is
// left is a rectangle on the source's own canvas, with that canvas's edges.
func (f *follower) source(n Node, band int) {
	shows := n.Size().Bounds()
	at := geom.Identity // from the source's canvas to that of the node reached
	level := geom.Identity
	into := func(inv geom.Transform, in Node) {
		at = inv.Mul(at)
		s := in.Size()
		x0, y0 := unapply(at, 0, 0)
		x1, y1 := unapply(at, s.W, s.H)
		shows = shows.Intersect(image.Rect(x0, y0, x1, y1))
	}
	for {
		switch t := n.(type) {
		case *Crop:
			into(geom.Translate(float64(t.Window().Min.X), float64(t.Window().Min.Y)), t.input)
			n, band = t.input, t.Pick(band)
			continue
		case *Pad:
			into(geom.Translate(-float64(t.left), -float64(t.top)), t.input)
			n = t.input
			continue
		case *Dequantize:
			q := t.q
			f.Quantization, n = &q, t.input
			continue
		case *Overview:
			if t.Size() != t.input.Size() {
				level, _ = t.Transform().Inverse()
			}
			n = t.input
			continue
		case *Warp:
			if exact, ok := t.m.Copy(); ok && !t.IsNoOp() {
				inv, _ := exact.Inverse()
				into(inv, t.input)
			}
			n = t.input
			continue
		case *Concat:
			var part int
			part, band = t.Part(band)
			n = t.inputs[part]
			continue
		}
		break
	}
	f.clip(shows)
	f.Inverse = level.Mul(at).Mul(f.Inverse)
	f.Leaf, f.Band = n, band
}

// unapply maps whole coordinates back through a transform with integer
// entries.
func unapply(exact geom.Transform, x, y int) (int, int) {
	inv, _ := exact.Inverse()
	u, v := inv.Apply(float64(x), float64(y))
	return int(math.Round(u)), int(math.Round(v))
}
