package feature

import (
	"context"
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// Mask resamples a mask by nearest or mode, to the picture's canvas in the
// mask's own type. Where nothing shows the label is the background, and the
// buffer's validity mask is 0. Labels are sampled once at the composite
// position, also where the image's samplings differ on the way or a custom node
// stands on it, so the composite must be one that a tree takes.
func (p *Plan) Mask(ctx context.Context, m Mask) (Mask, error) {
	if p.err != nil {
		return Mask{}, p.err
	}
	leaf, err := nodeOr(m.Node())
	if err != nil {
		return Mask{}, err
	}
	if err := sameCanvas("masks", m.Size(), p.Source()); err != nil {
		return Mask{}, err
	}
	var tree ast.Node
	if p.geo.hidden {
		tree, err = ast.NewInvalid(p.Size(), ast.NumberedBands(m.pix.Bands, m.pix.Type))
	} else {
		tree, err = maskTree(p.geo.way, leaf, p.p.set.mask)
	}
	if err != nil {
		return Mask{}, err
	}
	plan, err := p.p.session.Plan(ctx, tree, eval.WithType(m.pix.Type), eval.WithMaxFidelity(ast.Geometric))
	if err != nil {
		return Mask{}, err
	}
	pix, err := plan.Run(ctx)
	if err != nil {
		return Mask{}, err
	}
	if m.meta.background != 0 && pix.Mask != nil {
		paint(pix, m.meta.background)
	}
	return m.WrapLike(pix)
}

// maskTree is the way that a picture goes, over a mask: the same canvases and
// transforms under another interpolation. What changes values or bands is left
// out; labels have none to change.
func maskTree(w *way, leaf ast.Node, interp ast.Interpolation) (ast.Node, error) {
	if w.below == nil {
		return leaf, nil
	}
	in, err := maskTree(w.below, leaf, interp)
	if err != nil {
		return nil, err
	}
	sampling := ast.Sampling{Interp: interp}.Normalize()
	switch n := w.node.(type) {
	case *ast.Crop:
		return ast.NewCrop(in, n.Window())
	case *ast.Pad:
		l, t, r, b := n.Margins()
		return ast.NewPad(in, l, t, r, b)
	case *ast.Overview:
		if n.Size() == in.Size() {
			return in, nil
		}
		// The level may be stored, of a size that the mask's own would not have.
		return ast.NewWarp(in, n.Transform(), n.Size(), sampling, nil)
	case *ast.Warp:
		if n.IsNoOp() {
			return in, nil
		}
		domain := n.Domain()
		switch mode := n.Sampling().Border.Mode; {
		case n.Copies(): // takes no border, which a number would
		case mode != ast.NoDataBorder && mode != ast.ValueBorder:
			// The labels are repeated as the pixels are. A number is none of them.
			sampling.Border.Mode = mode
			fallthrough
		default:
			if _, ok := n.Transform().Copy(); ok && domain == nil {
				// Not a copy there because of what is below; nor must it be one here.
				domain = geom.NewDomain(geom.Always)
			}
		}
		return ast.NewWarp(in, n.Transform(), n.Size(), sampling, domain)
	case *ast.Dequantize, *ast.Concat, ast.Custom:
		return in, nil
	}
	return nil, fmt.Errorf("feature: no way for a mask through %s", w.node.Op())
}

// paint sets the invalid samples of an integer buffer.
func paint(pix *raster.Buffer, label float64) {
	switch pix.Type {
	case raster.Uint8:
		fill(raster.Samples[uint8](pix), pix.Mask, uint8(label))
	case raster.Int8:
		fill(raster.Samples[int8](pix), pix.Mask, int8(label))
	case raster.Uint16:
		fill(raster.Samples[uint16](pix), pix.Mask, uint16(label))
	case raster.Int16:
		fill(raster.Samples[int16](pix), pix.Mask, int16(label))
	case raster.Uint32:
		fill(raster.Samples[uint32](pix), pix.Mask, uint32(label))
	case raster.Int32:
		fill(raster.Samples[int32](pix), pix.Mask, int32(label))
	}
}

func fill[T raster.Sample](pix []T, valid []byte, label T) {
	for i, v := range valid {
		if v == 0 {
			pix[i] = label
		}
	}
}
