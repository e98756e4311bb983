// Command ndvi computes a vegetation index: band math as a custom node over a
// Concat of two rasters. A crop of the index reads only its own window of both,
// through the traits of the node alone.
package main

import (
	"context"
	"fmt"
	"image"
	"io"
	"log"
	"os"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
)

func main() {
	if len(os.Args) != 6 {
		log.Fatal("usage: ndvi NIR-IMAGE NIR-BAND RED-IMAGE RED-BAND OUT.tif")
	}
	nir, red := ast.FromURI(os.Args[1], os.Args[2]), ast.FromURI(os.Args[3], os.Args[4])
	if err := run(context.Background(), os.Stdout, nir, red, os.Args[5]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, nir, red ast.Builder, out string) error {
	redBand, err := red.Node()
	if err != nil {
		return err
	}
	tree, err := nir.Concat(redBand).
		Apply(func(in ast.Node) (ast.Node, error) { return NewNDVI(in) }).
		Crop(image.Rect(0, 0, 128, 128)).Node()
	if err != nil {
		return err
	}
	session, err := rewarp.Open(ctx)
	if err != nil {
		return err
	}
	defer session.Close()
	plan, err := session.Plan(ctx, tree)
	if err != nil {
		return err
	}
	fmt.Fprint(w, ast.FormatText(plan.Tree()))
	return rewarp.Save(ctx, plan, out, rewarp.SaveOptions{})
}
