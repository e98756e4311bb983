package oracle_test

import (
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/oracle"
)

// A canvas whose samples do not fit an int64 is over the limit like any other.
func TestHugeCanvas(t *testing.T) {
	n, err := ast.NewInvalid(geom.Size{W: 2e9, H: 2e9}, ast.NumberedBands(3, raster.Uint8))
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]evaluator{"reference": oracle.Reference, "naive": oracle.Naive} {
		if _, err := f(bg, n, nil, oracle.Options{}); err == nil || !strings.Contains(err.Error(), "limit") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
