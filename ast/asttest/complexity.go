package asttest

import (
	"math"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
)

// complexity orders trees by how hard they are to look at: first the number of
// nodes, then what stands in them. Shrink only ever goes down.
func complexity(n ast.Node) float64 {
	sum := 0.0
	ast.Inspect(n, func(n ast.Node) bool {
		s := n.Size()
		sum += 5000 + float64(s.W+s.H) + 4*float64(n.NumBands()) + arguments(n)
		return true
	})
	return sum
}

func arguments(n ast.Node) float64 {
	switch n := n.(type) {
	case *ast.Load:
		c := 10 + 8*float64(n.NumOverviews())
		if n.HasMask() {
			c += 8
		}
		return c + bandComplexity(n)
	case *ast.Raster:
		return 40 + bandComplexity(n)
	case *ast.Fill:
		v, _ := n.Value()
		return bandComplexity(n) + number(v)
	case *ast.Crop:
		w := n.Window()
		c := float64(w.Min.X+w.Min.Y) / 4
		for _, k := range n.Picks() {
			c += 4 + float64(k)
		}
		return c
	case *ast.Pad:
		l, t, r, b := n.Margins()
		return float64(l + t + r + b)
	case *ast.Warp:
		c := transformComplexity(n.Transform()) + 40*float64(n.Domain().Len()) + samplingComplexity(n.Sampling())
		for i := range n.Domain().Len() {
			h := n.Domain().At(i)
			for k := range h.Row {
				c += number(h.Row[k]) + number(h.Den[k])
			}
		}
		return c
	case *ast.Overview:
		return float64(n.Level())
	case *ast.Dequantize:
		q := n.Quantization()
		c := number(q.OrigMin) + number(q.OrigMax) + number(q.QuantMin) + number(q.QuantMax) + number(q.NoData)
		if q.HasNoData {
			c += 5
		}
		return c + float64(q.OrigType.Size())
	}
	return 20
}

func bandComplexity(n ast.Node) float64 {
	c := 0.0
	for i := range n.NumBands() {
		b := n.Band(i)
		c += float64(b.Type.Size())
		if b.HasNoData {
			c += 2
		}
	}
	return c
}

// number is how many digits it takes to write v.
func number(v float64) float64 {
	switch {
	case v == 0:
		return 0
	case v != v || math.IsInf(v, 0):
		return 9
	}
	s := strconv.FormatFloat(math.Abs(v), 'g', -1, 64)
	c := float64(len(strings.ReplaceAll(s, ".", ""))) + math.Abs(math.Log10(math.Abs(v)))/8
	if v < 0 {
		c++
	}
	if math.Trunc(v) != v {
		c += 2
	}
	return c
}

func transformComplexity(t geom.Transform) float64 {
	c := 0.0
	for i, v := range t {
		if v != geom.Identity[i] {
			c += 2 + number(v)
		}
	}
	if !t.IsAffine() {
		c += 60
	}
	return c
}

func samplingComplexity(s ast.Sampling) float64 {
	c := [...]float64{ast.Nearest: 0, ast.Linear: 10, ast.Area: 20, ast.Cubic: 30, ast.Lanczos: 40, ast.Mode: 50}[s.Interp]
	if s.Antialias {
		c += 5
	}
	if s.Border.Mode != ast.NoDataBorder {
		c += 20 + number(s.Border.Value)
		if s.Border.Mode != ast.ClampBorder {
			c += 5
		}
	}
	return c
}
