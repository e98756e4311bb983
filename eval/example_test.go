package eval_test

import (
	"context"
	"fmt"
	"image"
	"log"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// A plan is compiled once and run as often as it takes.
func Example() {
	ctx := context.Background()
	pix, err := raster.FromSlice([]uint8{
		10, 20, 30,
		40, 50, 60,
	}, 3, 2, 1)
	if err != nil {
		log.Fatal(err)
	}
	leaf, err := ast.NewRaster(pix, nil)
	if err != nil {
		log.Fatal(err)
	}
	half, err := ast.NewWarp(leaf, geom.Translate(0.5, 0), geom.Size{W: 3, H: 2}, ast.DefaultSampling, nil)
	if err != nil {
		log.Fatal(err)
	}

	session, err := eval.Open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	plan, err := session.Plan(ctx, half, eval.WithType(raster.Float32))
	if err != nil {
		log.Fatal(err)
	}
	var dst raster.Buffer
	if err := plan.RunInto(ctx, &dst); err != nil {
		log.Fatal(err)
	}
	fmt.Println(raster.Samples[float32](&dst)[:3])
	// Output: [10 15 25]
}

// A canvas that does not fit memory comes as a stream of tiles.
func ExamplePlan_Stream() {
	ctx := context.Background()
	session, err := eval.Open(ctx, eval.WithTileSize(1024, 512))
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	n, err := ast.NewFill(geom.Size{W: 2000, H: 600}, ast.NumberedBands(1, raster.Uint8), 7)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := session.Plan(ctx, n)
	if err != nil {
		log.Fatal(err)
	}
	err = plan.Stream(ctx, func(window image.Rectangle, tile *raster.Buffer) error {
		fmt.Println(window, tile.W, tile.H)
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// (0,0)-(1024,512) 1024 512
	// (1024,0)-(2000,512) 976 512
	// (0,512)-(1024,600) 1024 88
	// (1024,512)-(2000,600) 976 88
}

// A profile says what each step of a plan has done, and which nodes of the tree
// it did it for.
func ExampleProfile() {
	ctx := context.Background()
	images := asttest.Standard()
	session, err := eval.Open(ctx, eval.WithOpener(&memory{Images: images}))
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	tree, err := ast.From(images.Load("rgb")).Crop(image.Rect(0, 0, 30, 20)).Scale(2).Node()
	if err != nil {
		log.Fatal(err)
	}
	plan, err := session.Plan(ctx, tree)
	if err != nil {
		log.Fatal(err)
	}
	var profile eval.Profile
	if _, err := plan.Run(ctx, eval.WithProfile(&profile)); err != nil {
		log.Fatal(err)
	}
	for _, s := range profile.Steps(plan) {
		fmt.Println(s.Kind, s.Node.Op(), len(s.Fused), s.Planned.Samples, s.Time > 0)
	}
	// Output:
	// sample warp 0 7200 true
	// read load 1 1800 true
}
