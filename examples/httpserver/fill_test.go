package main

import (
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

func fill(t *testing.T, value float64) ast.Node {
	t.Helper()
	n, err := ast.NewFill(geom.Size{W: 4, H: 4}, ast.NumberedBands(1, raster.Uint8), value)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
