package vrt

import (
	"fmt"
	"math"
	"strconv"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// warpGroup is bands that one warped dataset can make together.
type warpGroup struct {
	size     geom.Size
	inv      geom.Transform // canvas to input
	sampling ast.Sampling
	input    ast.Node // whose pixels are sampled
	path     string   // of the input
	q        *ast.Quantization
	bands    []warpedBand
}

type warpedBand struct {
	band   int // of the input
	format bandFormat
}

// warpBand is a band of a group; its zero value is none.
type warpBand struct {
	group *warpGroup
	at    int
}

// warps finds the resampled planes and groups them.
func (e *exporter) warps(planes []plane) []warpBand {
	out := make([]warpBand, len(planes))
	groups := map[string]*warpGroup{}
	for i, p := range planes {
		switch t := p.node.(type) {
		case *ast.Warp:
		case *ast.Overview:
			if t.Stored() {
				continue
			}
		default:
			continue
		}
		g, band, ok := e.lower(p)
		if !ok {
			continue
		}
		f := formatOf(p.node, p.band, rounded)
		if p.q != nil {
			f = bandFormat{typ: p.q.OrigType}.in(rounded)
		}
		f.name = ""
		key := fmt.Sprintf("%p %v %v %v %v", g.input, g.size, g.inv, g.sampling, quantKey(g.q))
		if g.sampling.Interp != ast.Nearest && !e.clean(g.input) {
			// The warper knows one validity for all bands of a dataset. Only with
			// that does it leave out pixels whose own sample is invalid.
			key += fmt.Sprint(" ", band)
		}
		if groups[key] == nil {
			groups[key] = g
		}
		g = groups[key]
		at := 0
		for at < len(g.bands) && (g.bands[at].band != band || !g.bands[at].format.equal(f)) {
			at++
		}
		if at == len(g.bands) {
			g.bands = append(g.bands, warpedBand{band, f})
		}
		out[i] = warpBand{g, at}
	}
	return out
}

func (f bandFormat) equal(g bandFormat) bool {
	return f.typ == g.typ && f.has == g.has && (!f.has || same(f.nodata, g.nodata))
}

// lower follows a plane from a warp down to what it samples: a source, or what
// a barrier resamples first.
func (e *exporter) lower(p plane) (g *warpGroup, band int, ok bool) {
	g = &warpGroup{size: p.node.Size(), inv: geom.Identity, q: p.q, path: p.path}
	cur, band, op := p.node, p.band, p.node.Op()
	var planes []geom.HalfPlane
	into := func(inv geom.Transform, in ast.Node) {
		g.inv = inv.Mul(g.inv)
		for _, h := range in.Size().Edges() {
			planes = append(planes, h.Pullback(g.inv))
		}
		cur = in
		g.path = join(g.path, in.Op())
	}
	// A barrier is sampled as it shows on the canvas right below the last warp
	// that is fused, crops in between cutting hard.
	var back struct {
		warpGroup
		cur    ast.Node
		band   int
		planes int
	}
	mark := func() { back.warpGroup, back.cur, back.band, back.planes = *g, cur, band, len(planes) }
	barrier := func() { *g, cur, band, planes = back.warpGroup, back.cur, back.band, planes[:back.planes] }
	first := true
	sampled := func(s ast.Sampling) bool { // whether a warp of this sampling is fused
		fused := first || g.sampling == s && s.Border.Mode == ast.NoDataBorder
		if first {
			g.sampling, first = s, false
		}
		return fused
	}
walk:
	for first || !isSource(cur, band) {
		switch t := cur.(type) {
		case *ast.Crop:
			band = t.Pick(band)
			into(geom.Translate(float64(t.Window().Min.X), float64(t.Window().Min.Y)), t.Input(0))
		case *ast.Pad:
			left, top, _, _ := t.Margins()
			into(geom.Translate(-float64(left), -float64(top)), t.Input(0))
		case *ast.Dequantize:
			q := t.Quantization()
			g.q = &q
			into(geom.Identity, t.Input(0))
		case *ast.Concat:
			part, b := t.Part(band)
			cur, band = t.Input(part), b
			g.path = join(g.path, strconv.Itoa(part)+"/"+cur.Op())
		case *ast.Overview:
			inv := geom.Identity
			if t.Size() != t.Input(0).Size() {
				if !sampled(ast.DefaultSampling) {
					barrier()
					break walk
				}
				inv, _ = t.Transform().Inverse()
				into(inv, t.Input(0))
				mark()
				continue
			}
			into(inv, t.Input(0))
		case *ast.Warp:
			if t.IsNoOp() {
				into(geom.Identity, t.Input(0))
				continue
			}
			if exact, ok := t.IsCopy(); ok && first {
				inv, _ := exact.Inverse()
				sampled(ast.Sampling{Interp: ast.Nearest})
				into(inv, t.Input(0))
				break walk
			}
			if !sampled(t.Sampling()) {
				barrier()
				break walk
			}
			for i := range t.Domain().Len() {
				planes = append(planes, t.Domain().At(i).Pullback(g.inv))
			}
			into(t.Inverse(), t.Input(0))
			mark()
		default: // a custom node
			e.refuse(g.path, cur.Op(), "a node of an application's own has no form in a VRT")
			return nil, 0, false
		}
	}
	var implied []geom.HalfPlane
	for _, h := range cur.Size().Edges() {
		implied = append(implied, h.Pullback(g.inv))
	}
	g.input = cur
	if in := cur.Size(); in.W == 1 || in.H == 1 {
		// GDAL interpolates wrongly in a raster that is one pixel wide or high.
		// An invalid column and row more change nothing else.
		g.input, _ = ast.NewPad(cur, 0, 0, 1, 1)
		g.path = join(g.path, "pad")
	}
	return g, band, e.warpable(p.path, op, g, geom.Reduce(g.size, planes, implied))
}

// isSource reports whether a band's path below n is computed as samples.
func isSource(n ast.Node, band int) bool {
	for {
		switch t := n.(type) {
		case *ast.Load, *ast.Fill, *ast.Raster:
			return true
		case *ast.Crop:
			n, band = t.Input(0), t.Pick(band)
		case *ast.Pad, *ast.Dequantize:
			n = t.Input(0)
		case *ast.Overview:
			if !t.Stored() && t.Size() != t.Input(0).Size() {
				return false
			}
			n = t.Input(0)
		case *ast.Concat:
			part, b := t.Part(band)
			n, band = t.Input(part), b
		case *ast.Warp:
			if !t.IsNoOp() && !t.Copies() {
				return false
			}
			n = t.Input(0)
		default:
			return false
		}
	}
}

// warpable refuses what GDAL's warper computes differently.
func (e *exporter) warpable(path, op string, g *warpGroup, domain *geom.Domain) bool {
	ok := true
	refuse := func(reason string, a ...any) {
		e.refuse(path, op, reason, a...)
		ok = false
	}
	s := g.sampling
	if !g.inv.IsAffine() {
		refuse("a projective transform has no form in a VRT")
		return false
	}
	if domain != nil {
		refuse("its domain, or an inner canvas, cuts away more than the image's own edges do, and a VRT has no such cut")
	}
	if s.Border.Mode != ast.NoDataBorder {
		refuse("border %v has no form in a VRT, whose sources end at their edge", s.Border)
	}
	fx, fy := geom.Stretch(g.inv.Jacobian(0, 0))
	if wide := max(fx, fy); s.Antialias && (s.Interp == ast.Linear || s.Interp == ast.Cubic) && wide > 1+geom.SameEntry && wide <= 1/0.95 {
		refuse("the kernel is %.4g pixels wide where GDAL, which widens none by less than 1/0.95, takes 1; without antialias it can be written", wide)
	}
	switch s.Interp {
	case ast.Area:
		upright := g.inv[1] == 0 && g.inv[3] == 0
		switch {
		case !upright || math.Abs(g.inv[0]) < 1 || math.Abs(g.inv[4]) < 1:
			refuse("area differs from GDAL's average, except where both sides shrink along the axes")
		case !e.clean(g.input) || g.q != nil && g.q.HasNoData || !inside(g):
			refuse("area differs from GDAL's average over an image that can have invalid samples, and at its edge: GDAL makes a value where any sample under a pixel is valid")
		}
	case ast.Mode:
		refuse("mode differs from GDAL's where several values cover equally much: it takes the smallest, GDAL the first that it meets")
	case ast.Cubic, ast.Lanczos:
		if s.Interp == ast.Lanczos && (!e.clean(g.input) || g.q != nil && g.q.HasNoData) {
			refuse("lanczos over an image that can have invalid samples differs: GDAL leaves pixels near them invalid")
		}
		if s.Interp == ast.Lanczos && s.Antialias && max(fx, fy) > 1+geom.SameEntry {
			refuse("lanczos that shrinks differs: GDAL then puts the kernel on whole pixels")
		}
		e.note(path, op, "%v within %d×%d pixels of the image's edge and of invalid samples differs: GDAL uses another kernel there", s.Interp,
			int(math.Ceil(fx*kernelReach(s.Interp))), int(math.Ceil(fy*kernelReach(s.Interp))))
	}
	return ok
}

func kernelReach(i ast.Interpolation) float64 {
	if i == ast.Lanczos {
		return 3
	}
	return 2
}

// inside reports whether every pixel of a group's canvas has a point in its
// input.
func inside(g *warpGroup) bool {
	var edges []geom.HalfPlane
	for _, h := range g.input.Size().Edges() {
		edges = append(edges, h.Pullback(g.inv))
	}
	return geom.Reduce(g.size, edges, nil) == nil
}
