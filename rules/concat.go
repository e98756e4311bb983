package rules

import (
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rewrite"
)

// Concat goes to the top, flat, over parts that are each a path of their own:
//
//	Concat(x)                → x                          drop-concat
//	Concat(Concat(x, y), z)  → Concat(x, y, z)            flatten-concat
//	Crop(Concat(x, …))       → Concat(Crop(x), …)         crop-below-concat
//	Pad(Concat(x, …))        → Concat(Pad(x), …)          pad-below-concat
//	Dequantize(Concat(x, …)) → Concat(Dequantize(x), …)   dequantize-below-concat
//	Warp(Concat(x, …))       → Concat(Warp(x), …)         warp-below-concat
//	Overview(Concat(x, …))   → Concat(Warp(x), …)         overview-below-concat
//
// An overview over a concat is a warp by its scale, also where the parts are
// loads that store the level: their stored canvas may be another one.
// These rules come first, in a pass of their own: whether a warp copies the
// samples of its source is a question for each path, and only here are several
// paths below one node.
var concatRules = []rewrite.Rule{
	rewrite.On("drop-concat", ast.Exact, dropConcat).
		WithDoc("Concat(x) → x"),
	rewrite.On("flatten-concat", ast.Exact, flattenConcat).
		WithDoc("Concat(Concat(x, y), z) → Concat(x, y, z)"),
	rewrite.OnShape("crop-below-concat", ast.Exact, cropBelowConcat).
		WithDoc("Crop(Concat(x, y, …)) → Concat(Crop(x), …): bands are resolved a part, dead parts vanish"),
	rewrite.OnShape("pad-below-concat", ast.Exact, padBelowConcat).
		WithDoc("Pad(Concat(x, y, …)) → Concat(Pad(x), …)"),
	rewrite.OnShape("dequantize-below-concat", ast.Exact, dequantizeBelowConcat).
		WithDoc("Dequantize(Concat(x, y, …)) → Concat(Dequantize(x), …)"),
	rewrite.OnShape("warp-below-concat", ast.Exact, warpBelowConcat).
		WithDoc("Warp(Concat(x, y, …)) → Concat(Warp(x), …): each part is sampled as its own path says"),
	rewrite.OnShape("overview-below-concat", ast.Exact, overviewBelowConcat).
		WithDoc("Overview(Concat(x, y, …)) → Concat(Warp(x), …) by the overview's scale"),
}

func dropConcat(c *rewrite.Context, n *ast.Concat) (ast.Node, error) {
	if n.NumInputs() != 1 {
		return c.No(n, "it has several parts")
	}
	return n.Input(0), nil
}

func flattenConcat(c *rewrite.Context, n *ast.Concat) (ast.Node, error) {
	total, nested := 0, false
	for i := range n.NumInputs() {
		if in, ok := n.Input(i).(*ast.Concat); ok {
			total, nested = total+in.NumInputs(), true
		} else {
			total++
		}
	}
	if !nested {
		return c.No(n, "no part is a concat")
	}
	parts := make([]ast.Node, 0, total)
	for i := range n.NumInputs() {
		if in, ok := n.Input(i).(*ast.Concat); ok {
			for k := range in.NumInputs() {
				parts = append(parts, in.Input(k))
			}
		} else {
			parts = append(parts, n.Input(i))
		}
	}
	return c.Concat(parts), nil
}

func cropBelowConcat(c *rewrite.Context, n *ast.Crop, in *ast.Concat) (ast.Node, error) {
	w := n.Window()
	if n.AllBands() {
		return mapParts(c, in, func(x ast.Node) ast.Node { return c.Crop(x, w, nil) }), nil
	}
	var parts []ast.Node
	made := map[ast.Node]map[string]ast.Node{}
	for i := 0; i < n.NumBands(); {
		x, band := part(in, n.Pick(i))
		picks := []int{band}
		for i++; i < n.NumBands(); i++ {
			next, band := part(in, n.Pick(i))
			if next != x {
				break
			}
			picks = append(picks, band)
		}
		k := picksKey(picks)
		p := made[x][k]
		if p == nil {
			p = c.Crop(x, w, picks)
			if made[x] == nil {
				made[x] = map[string]ast.Node{}
			}
			made[x][k] = p
		}
		parts = append(parts, p)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return c.Concat(parts), nil
}

// part is the part of a concat that a band is in, and the band's number there.
func part(n *ast.Concat, band int) (ast.Node, int) {
	i, k := n.Part(band)
	return whole(n.Input(i)), k
}

// whole is what n crops, where it crops nothing, and else n.
func whole(n ast.Node) ast.Node {
	for {
		crop, ok := n.(*ast.Crop)
		if !ok || !crop.AllBands() || crop.Size() != crop.Input(0).Size() {
			return n
		}
		n = crop.Input(0)
	}
}

func picksKey(picks []int) string {
	b := make([]byte, 0, 3*len(picks))
	for _, p := range picks {
		b = append(b, byte(p), byte(p>>8), byte(p>>16))
	}
	return string(b)
}

func padBelowConcat(c *rewrite.Context, n *ast.Pad, in *ast.Concat) (ast.Node, error) {
	l, t, r, b := n.Margins()
	return mapParts(c, in, func(x ast.Node) ast.Node { return c.Pad(x, l, t, r, b) }), nil
}

func dequantizeBelowConcat(c *rewrite.Context, n *ast.Dequantize, in *ast.Concat) (ast.Node, error) {
	return mapParts(c, in, func(x ast.Node) ast.Node { return c.Dequantize(x, n.Quantization()) }), nil
}

func warpBelowConcat(c *rewrite.Context, n *ast.Warp, in *ast.Concat) (ast.Node, error) {
	return mapParts(c, in, func(x ast.Node) ast.Node {
		return ast.TrustedWarp(x, n.Transform(), n.Size(), n.Sampling(), n.Domain())
	}), nil
}

func overviewBelowConcat(c *rewrite.Context, n *ast.Overview, in *ast.Concat) (ast.Node, error) {
	if n.Size() == in.Size() {
		return in, nil // a canvas of one pixel, or level 0: no node
	}
	return mapParts(c, in, func(x ast.Node) ast.Node {
		return c.Warp(x, n.Transform(), n.Size(), ast.DefaultSampling, nil)
	}), nil
}

// mapParts is the concat of f of each part; a part that stands twice is
// mapped once.
func mapParts(c *rewrite.Context, n *ast.Concat, f func(ast.Node) ast.Node) ast.Node {
	parts := make([]ast.Node, n.NumInputs())
	const few = 16 // beyond this many parts, looking back would be quadratic
	var made map[ast.Node]ast.Node
	if len(parts) > few {
		made = make(map[ast.Node]ast.Node, len(parts))
	}
	for i := range parts {
		x := whole(n.Input(i))
		if made == nil {
			for k := range i {
				if whole(n.Input(k)) == x {
					parts[i] = parts[k]
					break
				}
			}
		} else {
			parts[i] = made[x]
		}
		if parts[i] == nil {
			parts[i] = f(x)
			if made != nil {
				made[x] = parts[i]
			}
		}
	}
	return c.Concat(parts)
}
