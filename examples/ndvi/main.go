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
	nir, red := source{os.Args[1], os.Args[2]}, source{os.Args[3], os.Args[4]}
	if err := run(context.Background(), os.Stdout, nir, red, os.Args[5]); err != nil {
		log.Fatal(err)
	}
}

// source is a band of an image, by its name.
type source struct{ uri, band string }

// load is the band alone. To find it by its name, the image is looked up.
func (s source) load(ctx context.Context) (ast.Node, error) {
	n, err := ast.FromURI(s.uri, "").Node()
	if err != nil {
		return nil, err
	}
	if n, err = ast.Prepare(ctx, n, rewarp.NewOpener()); err != nil {
		return nil, err
	}
	return ast.Select(n, s.band, ast.MissingIsError)
}

func run(ctx context.Context, w io.Writer, nir, red source, out string) error {
	nirBand, err := nir.load(ctx)
	if err != nil {
		return err
	}
	redBand, err := red.load(ctx)
	if err != nil {
		return err
	}
	tree, err := ast.From(nirBand).Concat(redBand).
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
