package eval

import (
	"fmt"
	"image"
	"math"
	"slices"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// fetchCustom lets a custom node compute a window.
func (x *exec) fetchCustom(g *custom, w image.Rectangle, depth int) (*raster.Buffer, image.Point, error) {
	lv := x.level(depth)
	n := g.node.NumInputs()
	for len(lv.inputs) < n {
		lv.inputs = append(lv.inputs, store{})
		lv.tiles = append(lv.tiles, ast.Tile{})
	}
	for i, in := range g.inputs {
		r := ast.InputWindow(g.node, i, w)
		if k := slices.IndexFunc(g.inputs[:i], func(v *view) bool { return v == in }); k >= 0 && lv.tiles[k].Window == r {
			lv.tiles[i] = lv.tiles[k]
			continue
		}
		buf := lv.inputs[i].reset(raster.Float64, r.Dx(), r.Dy(), in.bands, false)
		if err := x.fill(in, r, buf, r.Min, depth+1); err != nil {
			return nil, image.Point{}, err
		}
		lv.tiles[i] = ast.Tile{Pix: buf, Window: r}
	}
	out := &lv.file
	if g.all {
		out = &lv.window
	}
	buf := out.reset(raster.Float64, w.Dx(), w.Dy(), g.node.NumBands(), false)
	fillValue(buf, math.NaN())
	start := x.clock()
	if err := evalTile(g.node, buf, w, lv.tiles[:n]); err != nil {
		return nil, image.Point{}, err
	}
	x.wrote(g, buf, start)
	picked := buf
	if !g.all {
		picked = lv.window.reset(raster.Float64, w.Dx(), w.Dy(), len(g.bands), false)
		cut(picked, buf, buf.Bounds(), g.bands)
	}
	if g.noData != nil {
		dropClass(picked, *g.noData)
	}
	return picked, w.Min, nil
}

// dropClass makes the computed samples that are of the class of v invalid.
func dropClass(buf *raster.Buffer, v float64) {
	v = raster.Class(v)
	pix := raster.Samples[float64](buf)
	for i, s := range pix {
		if raster.Class(s) == v {
			pix[i] = math.NaN()
		}
	}
}

// evalTile turns a panic of the node's code into an error.
func evalTile(n ast.Custom, dst *raster.Buffer, w image.Rectangle, tiles []ast.Tile) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &ast.Error{Op: n.Op(), Arg: "window", Value: w, Limit: fmt.Sprintf("panicked: %v", r)}
		}
	}()
	if err := n.EvalTile(dst, w, tiles); err != nil {
		return &ast.Error{Op: n.Op(), Arg: "window", Value: w, Err: err}
	}
	if dst.Type != raster.Float64 || dst.W != w.Dx() || dst.H != w.Dy() || dst.Bands != n.NumBands() {
		return &ast.Error{Op: n.Op(), Arg: "window", Value: w, Limit: "was given back in another shape"}
	}
	return nil
}

// fetchMapped dequantizes a window, rounding to the type of the values.
func (x *exec) fetchMapped(g *mapped, w image.Rectangle, depth int) (*raster.Buffer, image.Point, error) {
	lv := x.level(depth)
	v := g.view
	src := lv.file.reset(v.typ, w.Dx(), w.Dy(), v.bands, v.mask)
	if err := x.fill(v, w, src, w.Min, depth+1); err != nil {
		return nil, image.Point{}, err
	}
	start := x.clock()
	dst := lv.window.reset(g.q.OrigType, w.Dx(), w.Dy(), v.bands, true)
	for i := range src.Mask {
		if dst.Mask != nil {
			dst.Mask[i] = 255
		}
	}
	for y := range src.H {
		for i := range src.W {
			for b := range src.Bands {
				s, ok := src.At(i, y, b)
				if ok && g.q.HasNoData && s == g.q.NoData {
					ok = false
				}
				if t := g.q.OrigType.Round(g.q.Value(s)); ok && !math.IsInf(t, 0) {
					dst.Set(i, y, b, t)
				} else {
					dst.SetInvalid(i, y, b, 0)
				}
			}
		}
	}
	x.wrote(g, dst, start)
	return dst, w.Min, nil
}

// classify turns the samples of a window, which the caller owns, to classes.
func classify(p *part, buf *raster.Buffer) {
	n := buf.Bands
	set := func(band int, v float64) float64 {
		if p.noData != nil {
			for _, x := range p.noData[band] {
				if v == x {
					return math.NaN()
				}
			}
		}
		if p.mul != nil {
			v = float64(v*p.mul[band]) + p.add[band]
		}
		return raster.Class(v)
	}
	if buf.Type == raster.Float32 {
		for i, v := range raster.Samples[float32](buf) {
			raster.Samples[float32](buf)[i] = float32(set(i%n, float64(v)))
		}
		return
	}
	for i, v := range raster.Samples[float64](buf) {
		raster.Samples[float64](buf)[i] = set(i%n, v)
	}
}
