// Command boxfilter smooths a part of an image: a custom node that reads
// neighbours. Its margin, one trait, is all that the rules need to know in
// order to read no more than the part and what lies around it.
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
	if len(os.Args) != 3 {
		log.Fatal("usage: boxfilter IMAGE OUT.tif")
	}
	if err := run(context.Background(), os.Stdout, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, path, out string) error {
	tree, err := ast.FromURI(path, "").
		Apply(func(in ast.Node) (ast.Node, error) { return NewBox(in, 3) }).
		Crop(image.Rect(100, 100, 200, 180)).Node()
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
