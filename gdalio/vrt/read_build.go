package vrt

import (
	"fmt"
	"math"
	"slices"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// build is the tree of bands of equal recipes on a canvas, nil where there is
// none.
func (in *importer) build(rs []*recipe, size geom.Size, path string, c *canvas) (ast.Node, error) {
	r := rs[0]
	bands := make([]ast.Band, len(rs))
	picks := make([]int, len(rs))
	for i, b := range rs {
		f := b.format
		bands[i] = ast.Band{Name: f.name, Type: f.typ, NoData: f.nodata, HasNoData: f.has && !math.IsNaN(f.nodata)}
		picks[i] = b.band
	}
	if r.from == nil || r.constant {
		return in.fill(r, bands, size, path, c)
	}
	n := r.from.node
	var err error
	if r.copies() {
		n, err = crop(n, r.from, r, picks)
	} else {
		n, err = in.scaled(n, r, picks, path, c)
	}
	if err == nil && r.q != nil {
		n, err = in.dequantize(n, *r.q)
	}
	if err != nil {
		in.refuse(path, "VRTRasterBand", "%v", err)
		return nil, nil
	}
	return in.place(n, r, size, path, c)
}

// fill is a band that no source shows in, or one that is a constant.
func (in *importer) fill(r *recipe, bands []ast.Band, size geom.Size, path string, c *canvas) (ast.Node, error) {
	f := r.format
	at := size
	value, valid := r.value, r.constant
	if !r.constant && !f.has {
		value, valid = 0, true
	}
	if r.constant {
		at = geom.Size{W: r.dst.Dx(), H: r.dst.Dy()}
		value = f.typ.Round(value)
		if r.from.partial || r.from.file {
			in.refuse(path, "ComplexSource", "makes a constant of what is valid in a source, which has no form in a tree")
			return nil, nil
		}
	}
	if valid && f.has && value == f.nodata {
		valid = false
	}
	var n ast.Node
	var err error
	if valid {
		n, err = ast.NewFill(at, bands, value)
	} else {
		n, err = ast.NewInvalid(at, bands)
	}
	if err != nil {
		return nil, err
	}
	if !r.constant {
		return n, nil
	}
	return in.place(n, r, size, path, c)
}

// crop is the window that a recipe copies, and its bands.
func crop(n ast.Node, from *canvas, r *recipe, picks []int) (ast.Node, error) {
	w := r.window()
	if !from.known {
		return ast.NewCrop(n, w, picks...)
	}
	all := len(picks) == n.NumBands()
	for i, p := range picks {
		all = all && i == p
	}
	if all && w == n.Size().Bounds() {
		return n, nil
	}
	if all {
		picks = nil
	}
	return ast.NewCrop(n, w, picks...)
}

// scaled is a source seen through a scale, onto the canvas of its DstRect.
func (in *importer) scaled(n ast.Node, r *recipe, picks []int, path string, c *canvas) (ast.Node, error) {
	size := geom.Size{W: r.dst.Dx(), H: r.dst.Dy()}
	sx, sy := float64(size.W)/r.src[2], float64(size.H)/r.src[3]
	m := geom.Scale(sx, sy).Mul(geom.Translate(-r.src[0], -r.src[1]))
	in.kernelNotes(r.interp, r.from, path, "resampling")
	if l, ok := n.(*ast.Load); ok && (sx < 1 || sy < 1) && (!l.Known() || l.NumOverviews() > 0) {
		in.note(path, "resampling", "GDAL shrinks from an overview where the file stores one that is fine enough; the tree means full resolution")
	}
	c.sampled = true
	sampling := in.apart(samplingOf(r.interp), geom.Scale(1/sx, 1/sy), n, path, "resampling")
	w, err := ast.NewWarp(n, m, size, sampling, nil)
	if err != nil {
		return nil, err
	}
	return pick(w, size, picks)
}

func pick(n ast.Node, size geom.Size, picks []int) (ast.Node, error) {
	if n.Known() && len(picks) == n.NumBands() && slices.IsSorted(picks) && picks[0] == 0 && picks[len(picks)-1] == len(picks)-1 {
		return n, nil
	}
	return ast.NewCrop(n, size.Bounds(), picks...)
}

// kernelNotes tells where GDAL's resampling is known to differ.
func (in *importer) kernelNotes(i ast.Interpolation, from *canvas, path, op string) {
	switch i {
	case ast.Cubic, ast.Lanczos:
		in.note(path, op, "%v differs from GDAL's near the image's edge and invalid samples, and where lanczos shrinks", i)
	case ast.Area, ast.Mode:
		in.note(path, op, "%v differs from GDAL's at the image's edge, where a pixel does not cover whole pixels, and where classes tie", i)
	}
	if i != ast.Nearest && slices.ContainsFunc(from.bands, func(f bandFormat) bool { return f.typ.IsFloat() && !f.has }) {
		in.note(path, op, "GDAL spreads NaN over all that a kernel covers; a tree leaves it out")
	}
	if i != ast.Nearest && from.sampled && slices.ContainsFunc(from.bands, func(f bandFormat) bool { return !f.typ.IsFloat() }) {
		in.note(path, op, "resamples what a dataset inside the VRT has resampled and rounded; a tree rounds once, at the end")
	}
}

// apart is a sampling that makes a warp over n resample what n shows, as a VRT
// does: warps of equal samplings are one sampling of the source in a tree.
// Where the kernel is not widened antialias changes nothing else.
func (in *importer) apart(s ast.Sampling, inv geom.Transform, n ast.Node, path, op string) ast.Sampling {
	below, ok := sampledBy(n)
	if !ok || s.Normalize() != below {
		return s
	}
	fx, fy := geom.Stretch(inv.Jacobian(0, 0))
	if s.Interp == ast.Nearest || s.Normalize().Antialias != s.Antialias || max(fx, fy) > 1+geom.SameEntry {
		in.note(path, op, "resamples what is resampled already; a tree samples once, at the composite position")
		return s
	}
	s.Antialias = !s.Antialias
	return s
}

// sampledBy is the sampling of the nearest warp below that is not a copy.
func sampledBy(n ast.Node) (ast.Sampling, bool) {
	for {
		switch t := n.(type) {
		case *ast.Warp:
			if !t.IsNoOp() && !t.Copies() {
				return t.Sampling(), true
			}
		case *ast.Overview:
			if !t.Stored() && t.Known() {
				return ast.DefaultSampling, true
			}
		case *ast.Concat:
			for i := range t.NumInputs() {
				if s, ok := sampledBy(t.Input(i)); ok {
					return s, true
				}
			}
			return ast.Sampling{}, false
		}
		if n.NumInputs() == 0 {
			return ast.Sampling{}, false
		}
		n = n.Input(0)
	}
}

// place puts the canvas of a DstRect onto the dataset's.
func (in *importer) place(n ast.Node, r *recipe, size geom.Size, path string, c *canvas) (ast.Node, error) {
	whole := size.Bounds()
	show := r.dst.Intersect(whole)
	var err error
	if show != r.dst {
		if n, err = nodeOr(ast.NewCrop(n, show.Sub(r.dst.Min))); err != nil {
			return nil, err
		}
	}
	if show == whole {
		return n, nil
	}
	c.partial = true
	if !r.format.has && !r.format.typ.IsFloat() {
		in.note(path, "VRTRasterBand", "where no source shows, samples are 0 for GDAL and invalid in the tree")
	}
	return nodeOr(ast.NewPad(n, show.Min.X, show.Min.Y, whole.Max.X-show.Max.X, whole.Max.Y-show.Max.Y))
}

// nodeOr keeps a nil pointer from becoming a node.
func nodeOr[N ast.Node](n N, err error) (ast.Node, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}

// dequantize puts q over n, or into the dequantize below.
func (in *importer) dequantize(n ast.Node, q ast.Quantization) (ast.Node, error) {
	if !n.Known() {
		return nodeOr(ast.NewDequantize(n, q))
	}
	d, err := ast.NewDequantize(n, q)
	if err == nil {
		return d, nil
	}
	if floats(n) {
		return nil, errFloat
	}
	return nil, fmt.Errorf("scales or marks samples twice; a tree does so once")
}

func floats(n ast.Node) bool {
	for i := range n.NumBands() {
		if n.Band(i).Type.IsFloat() {
			return true
		}
	}
	return false
}
