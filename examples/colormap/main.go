// Command colormap paints one band of an image in colours: a custom node with
// arguments, whose traits have the rules read just that band.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: colormap IMAGE OUT.png")
	}
	if err := run(context.Background(), os.Stdout, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// heat goes from black over red and yellow to white.
var heat = []Stop{{0, 0, 0, 0}, {85, 255, 0, 0}, {170, 255, 255, 0}, {255, 255, 255, 255}}

func run(ctx context.Context, w io.Writer, path, out string) error {
	tree, err := ast.FromURI(path, "").Scale(0.25).
		Apply(func(in ast.Node) (ast.Node, error) { return NewColormap(in, 0, heat...) }).Node()
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
