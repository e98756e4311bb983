package asttest

import (
	"fmt"

	"github.com/rewarp/rewarp/ast"
)

// Copy is an equal tree that shares no node with n. Sharing inside it stays,
// and so do the pixels of a Raster. It panics where Rebuild fails.
func Copy(n ast.Node) ast.Node {
	c, err := Rebuild(n)
	if err != nil {
		panic(fmt.Sprintf("asttest: a tree cannot be built again: %v", err))
	}
	return c
}

// Rebuild makes Copy's tree by the builders, which validate: an error says that
// n, made without validating, is not a valid tree.
func Rebuild(n ast.Node) (ast.Node, error) {
	done := map[ast.Node]ast.Node{}
	err := ast.Walk(n, func(n ast.Node) error {
		inputs := make([]ast.Node, n.NumInputs())
		for i := range inputs {
			inputs[i] = done[n.Input(i)]
		}
		r, err := rebuild(n, inputs)
		done[n] = r
		return err
	})
	if err != nil {
		return nil, err
	}
	return done[n], nil
}

// rebuild makes a new node like n over inputs.
func rebuild(n ast.Node, inputs []ast.Node) (ast.Node, error) {
	switch n := n.(type) {
	case *ast.Load:
		m, ok := n.Meta()
		if !ok {
			return ast.NewLoad(n.URI(), n.Channels())
		}
		return ast.NewLoadMeta(n.URI(), n.Channels(), m)
	case *ast.Fill:
		bands := ast.BandsOf(n)
		if v, ok := n.Value(); ok {
			return ast.NewFill(n.Size(), bands, v)
		}
		return ast.NewInvalid(n.Size(), bands)
	case *ast.Raster:
		return ast.NewRaster(n.Buffer(), ast.BandsOf(n))
	case *ast.Crop:
		return ast.NewCrop(inputs[0], n.Window(), n.Picks()...)
	case *ast.Pad:
		l, t, r, b := n.Margins()
		return ast.NewPad(inputs[0], l, t, r, b)
	case *ast.Warp:
		s := n.Size()
		if n.Fitted() {
			s.W, s.H = 0, 0
		}
		return ast.NewWarp(inputs[0], n.Transform(), s, n.Sampling(), n.Domain())
	case *ast.Overview:
		return ast.NewOverview(inputs[0], n.Level())
	case *ast.Dequantize:
		return ast.NewDequantize(inputs[0], n.Quantization())
	case *ast.Concat:
		return ast.NewConcat(inputs...)
	}
	return n.WithInputs(inputs)
}

// Count is the number of distinct nodes of a tree.
func Count(n ast.Node) int {
	count := 0
	ast.Inspect(n, func(ast.Node) bool { count++; return true })
	return count
}
