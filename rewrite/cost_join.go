package rewrite

import (
	"fmt"
	"strings"

	"github.com/rewarp/rewarp/ast"
)

// share is what part of a concat's input is not computed for a part before it:
// parts that differ only in the bands that they pick are computed together.
func (c *costing) share(part ast.Node, joined map[string]map[int]bool) float64 {
	key, bands := c.stem(part)
	before := joined[key]
	if before == nil {
		before = map[int]bool{}
		joined[key] = before
	}
	own := map[int]bool{}
	fresh := 0
	for _, k := range bands {
		if !own[k] && !before[k] {
			fresh++
		}
		own[k] = true
	}
	for k := range own {
		before[k] = true
	}
	return float64(fresh) / float64(len(own))
}

// stem spells out the way down from n to where it ends or branches, without the
// bands that are picked on it, and gives the bands there that those of n are.
func (c *costing) stem(n ast.Node) (key string, bands []int) {
	bands = make([]int, n.NumBands())
	for i := range bands {
		bands[i] = i
	}
	var b strings.Builder
	for {
		switch t := n.(type) {
		case *ast.Crop:
			for i, k := range bands {
				bands[i] = t.Pick(k)
			}
			if t.Size() != t.Input(0).Size() {
				fmt.Fprint(&b, "crop ", t.Window())
			}
		case *ast.Pad:
			left, top, right, bottom := t.Margins()
			fmt.Fprint(&b, "pad ", left, top, right, bottom)
		case *ast.Warp:
			fmt.Fprint(&b, "warp ", t.Transform(), t.Size(), t.Sampling(), t.Domain().Planes())
		case *ast.Overview:
			fmt.Fprint(&b, "overview ", t.Level())
		case *ast.Dequantize:
			fmt.Fprint(&b, "dequantize ", t.Quantization())
		case *ast.Fill:
			v, constant := t.Value()
			fmt.Fprint(&b, "fill ", t.Size(), v, constant)
			for i, k := range bands {
				content := contentOf(t, k)
				if _, ok := c.fills[content]; !ok {
					c.fills[content] = len(c.fills)
				}
				bands[i] = c.fills[content]
			}
			return b.String(), bands
		default:
			f := ast.FingerprintOf(n)
			b.Write(f[:])
			if same := c.bands[n]; same != nil {
				for i, k := range bands {
					bands[i] = same[k]
				}
			}
			return b.String(), bands
		}
		n = n.Input(0)
	}
}
