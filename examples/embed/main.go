// Command embed shows a service's way through rewarp: build a tree, look at
// what rewriting makes of it, and run it from a session that is opened once.
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
		log.Fatal("usage: embed IMAGE OUT.tif")
	}
	if err := run(context.Background(), os.Stdout, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, path, out string) error {
	// A session is opened once: it owns workers, memory and open files.
	session, err := rewarp.Open(ctx)
	if err != nil {
		return err
	}
	defer session.Close()

	// The tree says what is wanted, step by step. Nothing is read yet.
	tree, err := thumbnail(path)
	if err != nil {
		return err
	}

	// Planning looks up metadata and rewrites. The rewritten tree shows here
	// that a stored overview is read in place of the whole image.
	plan, err := session.Plan(ctx, tree)
	if err != nil {
		return err
	}
	fmt.Fprint(w, "asked for:\n", ast.FormatText(tree), "\nruns:\n", ast.FormatText(plan.Tree()))

	// A plan runs any number of times, from many goroutines: whole, or as here
	// by windows into memory that the caller owns, or tile by tile into a file.
	pixels, err := plan.Run(ctx)
	if err != nil {
		return err
	}
	value, valid := pixels.At(pixels.W/2, pixels.H/2, 0)
	fmt.Fprintf(w, "\n%d×%d pixels, %d bands of %v; in the middle %.0f, valid %v\n", pixels.W, pixels.H, pixels.Bands, pixels.Type, value, valid)
	if err := plan.Window(ctx, image.Rect(10, 10, 20, 20), pixels); err != nil {
		return err
	}
	return rewarp.Save(ctx, plan, out, rewarp.SaveOptions{})
}

// thumbnail is a corner of the image at a quarter of its resolution.
func thumbnail(path string) (ast.Node, error) {
	return ast.FromURI(path, "").Scale(0.25).Crop(image.Rect(0, 0, 96, 64)).Node()
}
