package feature_test

import (
	"context"
	"fmt"
	"image"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/feature"
)

// One tree, here a crop and an upscale, goes over a picture, its labels and its
// boxes.
func Example() {
	ctx := context.Background()
	session, err := eval.Open(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()

	pipeline, err := feature.NewPipeline(session, func(x ast.Node) (ast.Node, error) {
		return ast.From(x).Crop(image.Rect(16, 0, 48, 32)).Scale(2).Node()
	}, feature.WithMinVisible(0.3))
	if err != nil {
		fmt.Println(err)
		return
	}
	canvas := geom.Size{W: 64, H: 48}
	img, err := feature.NewImage(raster.New(raster.Uint8, canvas.W, canvas.H, 3))
	if err != nil {
		fmt.Println(err)
		return
	}
	mask, err := feature.NewMask(raster.New(raster.Uint8, canvas.W, canvas.H, 1))
	if err != nil {
		fmt.Println(err)
		return
	}
	boxes, err := feature.NewBoxes([][4]float64{{20, 10, 30, 20}, {0, 0, 20, 8}, {40, 20, 56, 40}}, feature.XYXY, canvas)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, report, err := pipeline.Apply(ctx, feature.Sample{
		Image: img, Masks: []feature.Mask{mask}, Boxes: []feature.Boxes{boxes},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Image.Size(), out.Image.Space(), out.Masks[0].Size())
	fmt.Println(out.Boxes[0].Values(), feature.Select(report.Boxes[0], []string{"cat", "dog", "bird"}))
	for _, d := range report.Boxes[0].Dropped {
		fmt.Printf("box %d: %.0f %% shows\n", d.Index, 100*d.Visible)
	}
	// Output:
	// 64×64 rgb 64×64
	// [[8 20 28 40] [48 40 64 64]] [cat bird]
	// box 1: 20 % shows
}

// A model's output is wrapped with the metadata of what went in.
func ExampleBoxes_WrapLike() {
	truth, err := feature.NewBoxes([][4]float64{{16, 12, 8, 8}}, feature.CXCYWH, geom.Size{W: 64, H: 48})
	if err != nil {
		fmt.Println(err)
		return
	}
	predicted := truth.WrapLike([][4]float64{{17, 12, 8, 9}, {40, 20, 4, 4}})
	fmt.Println(predicted.Format(), predicted.Canvas(), predicted.Corners(0))
	// Output: cxcywh 64×48 [13 7.5 21 16.5]
}

// A plan answers where things go without running any pixel. An upright box
// under a turn is a polygon; Boxes puts an upright box around it.
func ExamplePlan() {
	ctx := context.Background()
	session, err := eval.Open(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer session.Close()
	pipeline, err := feature.NewPipeline(session, func(x ast.Node) (ast.Node, error) {
		m := geom.Affine(1, -1, 20, 1, 1, 0) // a turn by 45 degrees, and a scale
		return ast.From(x).WarpTo(m, geom.Size{W: 40, H: 40}).Node()
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	canvas := geom.Size{W: 20, H: 20}
	picture, err := ast.NewRaster(raster.New(raster.Uint8, canvas.W, canvas.H, 1), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := pipeline.Plan(ctx, picture)
	if err != nil {
		fmt.Println(err)
		return
	}
	boxes, err := feature.NewBoxes([][4]float64{{4, 6, 8, 8}}, feature.XYXY, canvas)
	if err != nil {
		fmt.Println(err)
		return
	}
	upright, _, err := plan.Boxes(boxes)
	if err != nil {
		fmt.Println(err)
		return
	}
	exact, _, err := plan.Polygons(boxes.Polygons())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(upright.At(0))
	fmt.Println(exact.At(0))
	// Output:
	// [16 10 22 16]
	// [[18 10] [22 14] [20 16] [16 12]]
}
