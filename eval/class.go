package eval

import (
	"github.com/rewarp/rewarp/ast"
)

// class says what the samples of a band come from, seen from a warp above.
type class struct {
	kind     classKind
	sampling ast.Sampling // of the nearest warp, if isWarp
}

type classKind uint8

const (
	isSource classKind = iota // samples as they are stored
	isWarp
	isCustom
)

type classKey struct {
	node ast.Node
	band int
}

// class follows a band down to its source, or to the nearest warp or custom
// node above it. A copy over a source belongs to the source: what counts is
// the band's own path, not what a concat puts beside it.
func (c *compiler) class(n ast.Node, band int) class {
	for {
		if ast.IsSource(n) {
			return class{kind: isSource}
		}
		switch t := n.(type) {
		case *ast.Crop:
			n, band = t.Input(0), t.Pick(band)
		case *ast.Pad, *ast.Dequantize:
			n = n.Input(0)
		case *ast.Concat:
			var part int
			part, band = t.Part(band)
			n = t.Input(part)
		case *ast.Overview:
			if n.Size() != t.Input(0).Size() {
				return class{isWarp, ast.DefaultSampling}
			}
			n = t.Input(0)
		case *ast.Warp:
			if t.IsNoOp() {
				n = t.Input(0)
				continue
			}
			if _, ok := t.Transform().Copy(); ok && t.Domain() == nil && c.mixed[n] {
				key := classKey{n, band}
				k, found := c.classes[key]
				if !found {
					if k = c.class(t.Input(0), band); k.kind != isSource {
						k = class{isWarp, t.Sampling()}
					}
					c.classes[key] = k
				}
				return k
			}
			return class{isWarp, t.Sampling()}
		default:
			return class{kind: isCustom}
		}
	}
}

// how a warp goes on to its input.
type how uint8

const (
	fromSource  how = iota // it samples the source
	inChain                // it is one sampling with the warp below
	fromBarrier            // it samples its input, materialized
)

// below says how a warp of the given sampling goes on to a band of its input.
func (c *compiler) below(in ast.Node, band int, s ast.Sampling) how {
	k := c.class(in, band)
	border := s.Border.Mode
	switch {
	case k.kind == isSource:
		// A number border above a dequantize is a value, below it a stored
		// sample; only the latter is mapped with the samples.
		if border == ast.ValueBorder {
			if _, _, q := c.leaf(in, band); q != nil {
				return fromBarrier
			}
		}
		return fromSource
	case border != ast.NoDataBorder || k.kind == isWarp && k.sampling != s:
		return fromBarrier
	case k.kind == isCustom && in.Kind() != ast.KindCustom:
		return fromBarrier // a crop between them is a hard cut
	}
	return inChain
}

// sources parts the bands of a route that are sources from those that are not.
func (b *builder) sources(r route) (src, rest route) {
	var in, out []int
	for k, band := range r.bands {
		if b.class(r.node, band).kind == isSource {
			in = append(in, k)
		} else {
			out = append(out, k)
		}
	}
	if len(in) == 0 || len(out) == 0 {
		src, rest = r, r
		if len(in) == 0 {
			src.bands = nil
		} else {
			rest.bands = nil
		}
		return src, rest
	}
	src, rest = r, r
	src.bands, src.out = pick(r.bands, in), pick(r.out, in)
	rest.bands, rest.out = pick(r.bands, out), pick(r.out, out)
	src.planes = r.planes[:len(r.planes):len(r.planes)]
	rest.planes = src.planes
	return src, rest
}
