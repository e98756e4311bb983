package ast

import (
	"math"
	"strconv"

	"github.com/rewarp/rewarp/ast/geom"
)

// LeafMap is how one leaf shows on a node's canvas.
type LeafMap struct {
	Leaf Node // a Load, Fill, Raster or custom node

	// Transform maps the leaf's coordinates, of its full resolution, to the
	// canvas's.
	Transform geom.Transform

	// Domain is what the canvases and domains on the way leave of the canvas,
	// without redundant half-planes.
	Domain *geom.Domain

	// Sampling is how the lowest warp that is not a copy reads; meaningful only
	// if Warped.
	Sampling Sampling
	Warped   bool
}

// MaxLeaves bounds the set that Leaves returns.
const MaxLeaves = 65536

// Leaves is the set of leaf maps of a node, without repeats, in the order of
// its inputs. It is computed once a node, in time linear in the distinct nodes
// below, and must not be changed. The node is Known. Where a set would exceed
// MaxLeaves it is cut short, and complete is false.
func Leaves(n Node) (maps []LeafMap, complete bool) {
	maps = leaves(n)
	return maps, len(maps) < MaxLeaves
}

// GeoOf places a known tree's canvas in the world: the georeference of the first
// leaf that has one, seen through the transform from the leaf to the canvas. It
// is nil where no leaf has one.
func GeoOf(n Node) *GeoRef {
	for _, m := range leaves(n) {
		l, ok := m.Leaf.(*Load)
		if !ok || l.meta == nil || l.meta.Geo == nil {
			continue
		}
		if inv, ok := m.Transform.Inverse(); ok {
			return &GeoRef{Transform: l.meta.Geo.Transform.Mul(inv), SRS: l.meta.Geo.SRS}
		}
	}
	return nil
}

func leaves(n Node) []LeafMap {
	c := n.base().cache()
	if p := c.leaves.Load(); p != nil {
		return *p
	}
	var out []LeafMap
	switch n := n.(type) {
	case *Crop:
		o := n.Window().Min
		out = mapLeaves(n, n.input, geom.Translate(-float64(o.X), -float64(o.Y)), true, nil)
	case *Pad:
		out = mapLeaves(n, n.input, geom.Translate(float64(n.left), float64(n.top)), true, nil)
	case *Dequantize:
		out = leaves(n.input)
	case *Overview:
		if n.Size() == n.input.Size() {
			out = leaves(n.input)
			break
		}
		out = mapLeaves(n, n.input, n.Transform(), true, nil)
		if !n.Stored() {
			sampled(out, DefaultSampling)
		}
	case *Warp:
		if n.IsNoOp() {
			out = leaves(n.input)
			break
		}
		out = mapLeaves(n, n.input, n.m, n.clips(), n.domain)
		if !n.Copies() {
			sampled(out, n.Sampling())
		}
	case *Concat:
		seen := map[leafKey]bool{}
		for _, in := range n.inputs {
			for _, m := range leaves(in) {
				k := m.key()
				if !seen[k] && len(out) < MaxLeaves {
					seen[k] = true
					out = append(out, m)
				}
			}
		}
	default:
		out = []LeafMap{{Leaf: n, Transform: geom.Identity}}
	}
	c.leaves.Store(&out)
	return out
}

// sampled records the sampling on maps that no warp below has set.
func sampled(maps []LeafMap, s Sampling) {
	for i := range maps {
		if !maps[i].Warped {
			maps[i].Sampling, maps[i].Warped = s, true
		}
	}
}

// mapLeaves carries the leaf maps of in through m onto n's canvas. Clip says
// that points outside in's canvas are invalid; otherwise in's domain is
// forgotten too, since an endless source has no edge.
func mapLeaves(n, in Node, m geom.Transform, clip bool, own *geom.Domain) []LeafMap {
	below := leaves(in)
	inv, _ := m.Inverse()
	edges := own.Planes()
	if h, ok := inv.Front(); ok {
		edges = append(edges, h)
	}
	if clip {
		edges = in.Size().AppendEdges(edges, n.Size(), &inv)
	}
	out := make([]LeafMap, len(below))
	for i, l := range below {
		planes := edges[:len(edges):len(edges)]
		if clip {
			planes = l.Domain.AppendTo(planes, &inv)
		}
		l.Domain = geom.Reduce(n.Size(), planes, nil)
		l.Transform = m.Mul(l.Transform)
		out[i] = l
	}
	return out
}

type leafKey struct {
	leaf     Node
	m        geom.Transform
	sampling Sampling
	domain   string
}

func (l *LeafMap) key() leafKey {
	k := leafKey{leaf: l.Leaf, m: l.Transform, sampling: l.Sampling}
	if l.Domain != nil {
		var b []byte
		for _, h := range l.Domain.Planes() {
			for _, v := range h.Row {
				b = strconv.AppendUint(append(b, ' '), math.Float64bits(v), 36)
			}
			for _, v := range h.Den {
				b = strconv.AppendUint(append(b, ' '), math.Float64bits(v), 36)
			}
			b = strconv.AppendBool(b, h.Closed)
		}
		k.domain = string(b)
	}
	return k
}

var nan = math.NaN()

func itoa(i int) string { return strconv.Itoa(i) }

func quote(s string) string { return strconv.Quote(s) }
