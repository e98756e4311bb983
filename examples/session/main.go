// Command session shows what a session is for: it is set up once, outside the
// loop; sessions nest and join; and a tuner finds the session that runs a tree
// best.
package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"log"
	"os"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/tune"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: session IMAGE CHOICES.json")
	}
	if err := run(context.Background(), os.Stdout, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, path, choices string) error {
	turn := geom.Parts{Scale: [2]float64{1, 1}, Theta: 0.2, Offset: [2]float64{80, 0}}.Transform()
	tree, err := ast.FromURI(path, "").Warp(turn).Crop(image.Rect(100, 150, 228, 278)).Node()
	if err != nil {
		return err
	}
	session, err := rewarp.Open(ctx, eval.WithThreads(2))
	if err != nil {
		return err
	}
	defer session.Close()
	if err := loop(ctx, w, session, tree); err != nil {
		return err
	}
	if err := together(ctx, w, session, tree); err != nil {
		return err
	}
	return tuned(ctx, w, session, tree, choices)
}

// loop plans once and runs many times, into one buffer.
func loop(ctx context.Context, w io.Writer, session *eval.Session, tree ast.Node) error {
	plan, err := session.Plan(ctx, tree)
	if err != nil {
		return err
	}
	var dst raster.Buffer
	for range 100 {
		if err := plan.RunInto(ctx, &dst); err != nil {
			return err
		}
	}
	fmt.Fprintf(w, "%d runs of %v pixels\n", plan.Stats().Runs, plan.Size())
	return nil
}

// together joins the session with a stricter one. The notes tell who won.
func together(ctx context.Context, w io.Writer, session *eval.Session, tree ast.Node) (err error) {
	careful, err := rewarp.Open(ctx, eval.WithThreads(1), eval.WithMaxFidelity(ast.Geometric))
	if err != nil {
		return err
	}
	defer careful.Close()
	joined, err := eval.Join(session, careful)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, joined.Close()) }()
	for _, n := range joined.Notes() {
		fmt.Fprintln(w, n)
	}
	plan, err := session.Plan(ctx, tree)
	if err != nil {
		return err
	}
	// The same plan under the stricter session.
	if plan, err = plan.Under(ctx, joined); err != nil {
		return err
	}
	fmt.Fprintln(w, "planned at", plan.Fidelity())
	_, err = plan.Run(ctx)
	return err
}

// tuned measures variants, keeps the best that is within one percent of the
// reference, and runs the tree as it was kept.
func tuned(ctx context.Context, w io.Writer, session *eval.Session, tree ast.Node, path string) error {
	table, err := rewarp.Tune(ctx, session, tree, tune.WithRounds(5, 0))
	if err != nil {
		return err
	}
	fmt.Fprint(w, table)
	best, err := table.Best(tune.WithMaxError(0.01))
	if err != nil {
		return err
	}
	choice, err := table.Choice(best.Name)
	if err != nil {
		return err
	}
	if err := tune.Save(path, choice); err != nil {
		return err
	}

	// Another day: the choice is found by the tree's shape and the processor.
	tree, err = ast.Prepare(ctx, tree, session.Opener())
	if err != nil {
		return err
	}
	if choice, err = tune.Load(path, tree); err != nil {
		return err
	}
	plan, err := choice.Plan(ctx, session, tree, nil)
	if err != nil {
		return err
	}
	defer plan.Session().Close()
	fmt.Fprintf(w, "kept: %s\n", choice.Variant.Name)
	_, err = plan.Run(ctx)
	return err
}
