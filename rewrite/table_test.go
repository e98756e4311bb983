package rewrite

import (
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

func TestTableKeepsEveryKey(t *testing.T) {
	var nodes [3 * listed]ast.Node
	for i := range nodes {
		n, err := ast.NewInvalid(geom.Size{W: 1 + i, H: 1}, ast.NumberedBands(1, raster.Uint8))
		if err != nil {
			t.Fatal(err)
		}
		nodes[i] = n
	}
	var table table
	for range 2 {
		for i, n := range nodes {
			for s := range state(1 + i%3) {
				k := key{n.Memo(), 1, s}
				if got := table.get(k); got != nil {
					t.Fatalf("node %d, state %d is there before it is put: %v", i, s, got)
				}
				table.put(k, nodes[(i+int(s))%len(nodes)])
			}
		}
		for i, n := range nodes {
			for s := range state(3) {
				var want ast.Node
				if int(s) <= i%3 {
					want = nodes[(i+int(s))%len(nodes)]
				}
				if got := table.get(key{n.Memo(), 1, s}); got != want {
					t.Errorf("node %d, state %d: %v, expected %v", i, s, got, want)
				}
			}
			if table.get(key{n.Memo(), 2, 0}) != nil {
				t.Errorf("node %d is there for another pass", i)
			}
		}
		table.clear()
	}
}
