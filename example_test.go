package rewarp_test

import (
	"context"
	"fmt"
	"image"
	"log"
	"os"
	"path/filepath"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
)

// A tree is built, rewritten, run, and written.
func Example() {
	ctx := context.Background()
	session, err := rewarp.Open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()

	tree, err := ast.FromURI("testdata/astro.tif", "r|g|b").Scale(0.5).Crop(image.Rect(0, 0, 128, 128)).Node()
	if err != nil {
		log.Fatal(err)
	}
	plan, err := session.Plan(ctx, tree)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(ast.FormatText(plan.Tree()))

	dir, err := os.MkdirTemp("", "rewarp")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := rewarp.Save(ctx, plan, filepath.Join(dir, "out.tif"), rewarp.SaveOptions{}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// ╙── Crop dsize=(128,128),space_slice=(0:128,0:128)
	//     ╽
	//     Overview dsize=(256,256),overview=1
	//     ╽
	//     Load channels=r|g|b,dsize=(512,512),num_overviews=3,fname=astro.tif
}

// Rewriting twice changes nothing, and says so.
func ExampleOptimize() {
	tree, err := rewarp.ReadTree("testdata/trees/tree2.json")
	if err != nil {
		log.Fatal(err)
	}
	if tree, err = ast.Prepare(context.Background(), tree, rewarp.NewOpener()); err != nil {
		log.Fatal(err)
	}
	for range 2 {
		var changed bool
		if tree, changed, err = rewarp.Optimize(tree); err != nil {
			log.Fatal(err)
		}
		fmt.Println(ast.Label(tree), changed)
	}
	// Output:
	// Warp dsize=(128,128),transform={scale=6} true
	// Warp dsize=(128,128),transform={scale=6} false
}

func ExampleReadTree() {
	_, err := rewarp.ParseTree("t.json", []byte(`{"version": 1, "tree": {"op": "cropp"}}`))
	fmt.Println(err)
	// Output:
	// t.json:1:31: tree/op: found op "cropp", expected one of load, fill, raster, crop, pad, warp, overview, dequantize, concat (did you mean "crop"?)
}
