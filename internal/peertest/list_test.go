//go:build peers

package peertest

import (
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// Why a row differs on purpose: the headings of docs/semantics.md.
const (
	footprint = "footprint of a pixel or more"
	votes     = "votes by overlap"
	masks     = "masks follow the nearest pixel"
	few       = "few valid taps"
	edges     = "edges keep their kernel"
	exactly   = "positions are exact"
	centres   = "pixels are counted from corners"
	keys      = "cubic is keys"
	lobes     = "lanczos has three lobes"
	spline    = "no prefilter"
	factors   = "the stretch follows the transform"
)

var (
	up   = geom.Size{W: 243, H: 153}
	down = geom.Size{W: 31, H: 23}
	// turned is a rotation with a reduction, from 97 × 61 onto 80 × 70.
	turned = geom.Translate(40, 35).Mul(geom.Rotate(0.3)).Mul(geom.Scale(0.8, 0.8)).Mul(geom.Translate(-48.5, -30.5))
)

func sampling(i ast.Interpolation, antialias bool, border ast.BorderMode) ast.Sampling {
	return ast.Sampling{Interp: i, Antialias: antialias, Border: ast.Border{Mode: border}}.Normalize()
}

func comparisons(from map[string]picture) []comparison {
	return append(append(translates(from), warps(from)...), append(openCV(from), sciPy(from)...)...)
}

// within is a bound on mean and maximum, in percent of the range, and on
// masks, in percent of the pixels.
func within(mean, most, masks float64) bound { return bound{mean, most, masks} }

// ways are GDAL's interpolations with ours.
var ways = []struct {
	how string
	i   ast.Interpolation
}{{"near", ast.Nearest}, {"bilinear", ast.Linear}, {"cubic", ast.Cubic}, {"lanczos", ast.Lanczos}, {"average", ast.Area}, {"mode", ast.Mode}}

// resizes are all of GDAL's interpolations of all sources, up and down.
func resizes(peer string, from map[string]picture, expect func(c *comparison)) []comparison {
	var all []comparison
	for _, source := range []string{"noise", "gaps", "labels"} {
		p := from[source]
		for _, to := range []geom.Size{up, down} {
			for _, g := range ways {
				if (g.i == ast.Mode) != p.labels && g.i != ast.Nearest {
					continue
				}
				c := comparison{peer: peer, source: source, what: "to " + to.String(), to: to, m: scaled(p.pix.W, p.pix.H, to),
					sampling: sampling(g.i, true, ast.NoDataBorder), how: g.how, inner: same, all: same}
				switch {
				case g.i == ast.Area && to == up:
					c.inner, c.all, c.why = within(9, 50, 0), within(9, 50, 1.2), footprint
				case g.i == ast.Area && p.gaps:
					c.all, c.why = within(0.001, 0.001, 4), masks
				case g.i == ast.Mode:
					c.inner, c.all, c.why = within(9, 100, 0), within(9, 100, 0), votes
				}
				expect(&c)
				all = append(all, c)
			}
		}
	}
	return all
}

func translates(from map[string]picture) []comparison {
	return resizes("gdal_translate", from, func(c *comparison) {
		if c.source != "gaps" {
			return
		}
		switch c.sampling.Interp {
		case ast.Linear:
			c.all, c.why = within(0.2, 50, 5), masks
		case ast.Cubic, ast.Lanczos:
			c.all, c.why = within(1.2, math.Inf(1), 2.5), masks+"; "+few
		}
	})
}

func warps(from map[string]picture) []comparison {
	all := resizes("gdalwarp", from, func(c *comparison) {
		switch {
		case c.sampling.Interp == ast.Cubic && c.to == up:
			c.all, c.why = within(1.2, 35, 0), edges
			if c.source == "gaps" {
				c.why += "; " + few
			}
		case c.sampling.Interp == ast.Cubic && c.source == "gaps":
			c.all, c.why = within(0.01, 4, 0), few
		case c.sampling.Interp == ast.Lanczos && c.to == down:
			c.inner, c.all, c.why = within(10, 40, 0), within(10, 40, 0), exactly
		case c.sampling.Interp == ast.Lanczos && c.source == "gaps":
			c.all, c.why = within(0.05, 80, 0.3), few
		}
	})
	for _, g := range ways[:4] {
		c := comparison{peer: "gdalwarp", source: "noise", what: "turned, × 0.8", to: geom.Size{W: 80, H: 70}, m: turned,
			sampling: sampling(g.i, true, ast.NoDataBorder), how: g.how, options: []string{"-wo", "XSCALE=0.8", "-wo", "YSCALE=0.8"}, inner: same, all: same}
		if g.i == ast.Lanczos {
			c.inner, c.all, c.why = within(20, 100, 0), within(20, 100, 0), exactly
		}
		all = append(all, c)
		c.sampling, c.options = sampling(g.i, false, ast.NoDataBorder), []string{"-wo", "XSCALE=1", "-wo", "YSCALE=1"}
		c.inner, c.all, c.why = same, same, ""
		if g.i == ast.Cubic {
			c.all, c.why = within(1.5, 35, 0), edges
		}
		all = append(all, c)
		if g.i == ast.Linear {
			c.sampling, c.options = sampling(g.i, true, ast.NoDataBorder), nil
			c.inner, c.all, c.why = within(5, 25, 0), within(5, 25, 0), factors
			all = append(all, c)
		}
	}
	return all
}

func openCV(from map[string]picture) []comparison {
	var all []comparison
	p := from["noise"]
	add := func(call, how string, i ast.Interpolation, to geom.Size, why string, b bound) {
		all = append(all, comparison{peer: "OpenCV", call: call, how: how, source: "noise", what: "to " + to.String(), to: to, m: scaled(p.pix.W, p.pix.H, to),
			sampling: sampling(i, false, ast.ClampBorder), inner: b, all: b, why: why})
	}
	const resize = "cv2.resize"
	for _, to := range []geom.Size{up, down} {
		add(resize, "nearest-exact", ast.Nearest, to, "", same)
		add(resize, "nearest", ast.Nearest, to, centres, within(40, 100, 0))
		add(resize, "linear", ast.Linear, to, "", same)
		add(resize, "cubic", ast.Cubic, to, keys, within(4, 25, 0))
		add(resize, "lanczos4", ast.Lanczos, to, lobes, within(4, 25, 0))
	}
	add(resize, "area", ast.Area, down, "", same)
	for _, b := range []ast.BorderMode{ast.ClampBorder, ast.ReflectBorder, ast.WrapBorder, ast.ValueBorder} {
		for _, w := range []struct {
			how string
			i   ast.Interpolation
			why string
			b   bound
		}{
			{"nearest", ast.Nearest, exactly, within(0.2, 100, 0)},
			{"linear", ast.Linear, exactly, within(0.5, 3, 0)},
			{"cubic", ast.Cubic, keys, within(4, 25, 0)},
		} {
			all = append(all, turn("OpenCV", "cv2.warpAffine", w.how, w.i, b, w.why, w.b))
		}
	}
	return all
}

func sciPy(from map[string]picture) []comparison {
	var all []comparison
	for _, b := range []ast.BorderMode{ast.ClampBorder, ast.ReflectBorder, ast.WrapBorder, ast.ValueBorder} {
		all = append(all,
			turn("SciPy", "affine_transform", "nearest", ast.Nearest, b, "", same),
			turn("SciPy", "affine_transform", "linear", ast.Linear, b, "", same))
	}
	all = append(all, turn("SciPy", "affine_transform", "spline", ast.Cubic, ast.ReflectBorder, spline, within(8, 50, 0)))
	p := from["photo"]
	for _, to := range []geom.Size{up, down} {
		all = append(all, comparison{peer: "SciPy", call: "affine_transform", how: "linear", source: "photo", what: "to " + to.String(), to: to,
			m: scaled(p.pix.W, p.pix.H, to), sampling: sampling(ast.Linear, false, ast.ClampBorder), inner: same, all: same})
	}
	return all
}

func turn(peer, call, how string, i ast.Interpolation, border ast.BorderMode, why string, b bound) comparison {
	s := sampling(i, false, border)
	if border == ast.ValueBorder {
		s.Border.Value = 50
	}
	return comparison{peer: peer, call: call, how: how, source: "noise", what: "turned, × 0.8", to: geom.Size{W: 80, H: 70}, m: turned,
		sampling: s, inner: b, all: b, why: why}
}
