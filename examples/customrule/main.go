// Command customrule shows a rule author's way: a node of one's own, whose
// traits tell the built-in rules what they may do to it, and a rule of one's
// own in a pass beside theirs. The test beside it tries both with the kit.
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
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/rewrite"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: customrule IMAGE")
	}
	if err := run(context.Background(), os.Stdout, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, path string) error {
	tree, err := ast.FromURI(path, "").Scale(2).
		Apply(func(in ast.Node) (ast.Node, error) { return NewContrast(in, 2, 0) }).
		Crop(image.Rect(100, 100, 164, 132)).Node()
	if err != nil {
		return err
	}
	tree, err = ast.Prepare(ctx, tree, rewarp.NewOpener())
	if err != nil {
		return err
	}

	// What fires, and what it costs.
	p, err := pipeline(rewrite.Trace())
	if err != nil {
		return err
	}
	traced, err := p.Optimize(tree)
	if err != nil {
		return err
	}
	fmt.Fprint(w, "before:\n", ast.FormatText(tree), "\n")
	for _, f := range traced.Trace() {
		fmt.Fprintf(w, "%s: %s\n", f.Rule.Name(), f.Rule.Doc())
	}
	fmt.Fprint(w, "\nafter:\n", ast.FormatText(traced.Node))
	fmt.Fprintf(w, "\n%v\nbecame\n%v\n", rewrite.CostOf(tree), rewrite.CostOf(traced.Node))

	// A session takes the pipeline as its optimizer.
	if p, err = pipeline(); err != nil {
		return err
	}
	session, err := rewarp.Open(ctx, eval.WithOptimizer(rewarp.Optimizer(p)))
	if err != nil {
		return err
	}
	defer session.Close()
	plan, err := session.Plan(ctx, tree)
	if err != nil {
		return err
	}
	pixels, err := plan.Run(ctx)
	if err != nil {
		return err
	}
	v, _ := pixels.At(0, 0, 0)
	fmt.Fprintf(w, "\nat the top left it is %.4f\n", v)
	return nil
}
