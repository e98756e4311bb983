package asttest

import (
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// sane reports whether every composed transform to a leaf is one that a
// builder would take, by a good margin. Past that limit rounding decides what
// a tree means.
func sane(n ast.Node) bool {
	maps, complete := ast.Leaves(n)
	for i := range maps {
		if t := maps[i].Transform; !t.IsFinite() || !(16*t.Drift(maps[i].Leaf.Size()) <= geom.MaxDrift) {
			return false
		}
	}
	for band := range n.NumBands() {
		if !(2*ast.Path(n, band).Rounding <= geom.MaxDrift) {
			return false
		}
	}
	return complete
}

// visible reports whether any leaf can show on the canvas.
func visible(n ast.Node) bool {
	maps, _ := ast.Leaves(n)
	for i := range maps {
		if maps[i].Domain.CoversCenter(n.Size().Bounds()) {
			return true
		}
	}
	return false
}

// maxTaps bounds the samples that one warp of a drawn tree may weigh, so that
// a plain evaluation of it takes milliseconds.
const maxTaps = 600_000

// cheap reports whether a warp weighs no more than maxTaps samples.
func cheap(n ast.Node) bool {
	w, ok := n.(*ast.Warp)
	if !ok {
		return true
	}
	in := w.Input(0).Size()
	endless := w.Sampling().Border.Mode != ast.NoDataBorder
	t := taps(w, w.Inverse(), in, endless)
	maps, _ := ast.Leaves(n)
	for i := range maps {
		if inv, ok := maps[i].Transform.Inverse(); ok {
			t = max(t, taps(w, inv, maps[i].Leaf.Size(), endless))
		}
	}
	return t*float64(w.NumBands()) <= maxTaps
}

// taps estimates the taps of a warp's canvas on a source, which inv leads to,
// from a grid of points.
func taps(w *ast.Warp, inv geom.Transform, source geom.Size, endless bool) float64 {
	const side = 6
	size := w.Size()
	sum := 0.0
	for j := range side + 1 {
		for i := range side + 1 {
			x, y := float64(i)/side*float64(size.W), float64(j)/side*float64(size.H)
			if !(inv.Denominator(x, y) > 0) {
				if endless { // a horizon, where footprints have no bound
					return 2 * maxTaps
				}
				continue
			}
			u, v := inv.Apply(x, y)
			if !endless && (u < -1 || v < -1 || u > float64(source.W)+1 || v > float64(source.H)+1) {
				continue
			}
			rx, ry := w.Sampling().Support(inv.Jacobian(x, y))
			tx, ty := 2*rx+1, 2*ry+1
			if !endless {
				tx, ty = min(tx, float64(source.W)), min(ty, float64(source.H))
			}
			sum += tx * ty
		}
	}
	return sum / ((side + 1) * (side + 1)) * float64(size.W) * float64(size.H)
}
