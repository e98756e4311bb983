package tune_test

import (
	"context"
	"fmt"
	"log"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/tune"
)

// The fastest way to run a tree that keeps to the reference, as a plan.
func Example() {
	ctx := context.Background()
	s, err := eval.Open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	n, err := ast.NewFill(geom.Size{W: 64, H: 64}, ast.NumberedBands(1, raster.Uint8), 7)
	if err != nil {
		log.Fatal(err)
	}
	sevens := func(_ context.Context, n ast.Node) (*raster.Buffer, error) {
		b := raster.New(raster.Float64, n.Size().W, n.Size().H, 1)
		for i, v := 0, raster.Samples[float64](b); i < len(v); i++ {
			v[i] = 7
		}
		return b, nil
	}
	table, err := tune.Run(ctx, s, n, tune.WithReference(sevens, sevens), tune.WithRounds(3, 0))
	if err != nil {
		log.Fatal(err)
	}
	best, err := table.Best(tune.WithMaxError(0.01), tune.WithThreads(1))
	if err != nil {
		log.Fatal(err)
	}
	plan, err := table.Plan(ctx, best.Name)
	if err != nil {
		log.Fatal(err)
	}
	defer plan.Session().Close()
	pix, err := plan.Run(ctx)
	if err != nil {
		log.Fatal(err)
	}
	v, valid := pix.At(1, 1, 0)
	fmt.Println(best.Status, best.MaxError, v, valid)
	// Output: ok 0 7 true
}
