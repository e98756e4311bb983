package ast_test

import (
	"fmt"
	"image"
	"os"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// A tree is built step by step. With the metadata of its leaves it knows its
// canvas; nothing has been read.
func ExampleFrom() {
	load, err := ast.NewLoadMeta("astro.tif", "r|g|b", ast.Meta{
		Size:      geom.Size{W: 512, H: 512},
		Bands:     ast.NumberedBands(3, raster.Uint8),
		Overviews: []geom.Size{{W: 256, H: 256}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	tree, err := ast.From(load).Scale(0.5).Crop(image.Rect(0, 0, 128, 128)).Select("r|b").Node()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(ast.FormatText(tree))
	// Output:
	// ╙── Crop dsize=(128,128),space_slice=(0:128,0:128),bands=[0,2]
	//     ╽
	//     Crop dsize=(128,128),space_slice=(0:128,0:128)
	//     ╽
	//     Warp dsize=(256,256),transform={scale=0.5}
	//     ╽
	//     Load channels=r|g|b,dsize=(512,512),num_overviews=1,fname=astro.tif
}

// Errors in a tree file say where, what was found and what was expected.
func ExampleParseJSON() {
	_, err := ast.ParseJSON([]byte(`{"version": 1, "tree":
  {"op": "crop", "window": [0, 0, 128], "input":
  {"op": "load", "uri": "astro.tif"}}}`))
	fmt.Println(err)
	// Output: 2:28: tree/window: found an array of 3, expected an array of 4 whole numbers
}

// A subtree that stands twice is written once.
func ExampleWriteJSON() {
	load, err := ast.NewLoad("astro.tif", "r|g|b")
	if err != nil {
		fmt.Println(err)
		return
	}
	tree, err := ast.From(load).Scale(0.5).Concat(load).Node()
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := ast.WriteJSON(os.Stdout, tree); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"version": 1, "tree":
	//   {"op": "concat", "inputs": [
	//     {"op": "warp", "transform": {"scale": 0.5}, "input":
	//     {"ref": "n1"}},
	//     {"ref": "n1"}]},
	//  "defs": {
	//   "n1":
	//     {"op": "load", "uri": "astro.tif", "channels": "r|g|b"}}}
}

// Tests of rules write trees as expressions.
func ExampleParseExpr() {
	tree, err := ast.ParseExpr(`(crop [0 0 8 8] bands=[1] (pad 0 0 4 4 (load a.tif 6x6 bands=2 uint8)))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tree.Size(), tree.NumBands())
	fmt.Println(ast.FormatExpr(tree))
	// Output:
	// 8×8 1
	// (crop [0 0 8 8] bands=[1]
	//   (pad 0 0 4 4
	//     (load a.tif 6x6 bands=2 uint8)))
}

// Nodes print as their line of the text form. Diagrams of several trees go into
// one graph.
func ExampleFormatMermaidClusters() {
	tree, err := ast.ParseExpr(`(crop [0 0 8 8] (warp scale=2 (load a.tif 16x16 uint8)))`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tree)
	fmt.Print(ast.FormatMermaidClusters(ast.Cluster{Title: "whole", Root: tree}, ast.Cluster{Title: "leaf", Root: tree.Input(0).Input(0)}))
	// Output:
	// Crop dsize=(8,8),space_slice=(0:8,0:8)
	// flowchart TD
	//   subgraph cluster0["whole"]
	//     n0["Crop<br/>dsize=(8,8)<br/>space_slice=(0:8,0:8)"]
	//     n1["Warp<br/>dsize=(32,32)<br/>transform={scale=2}"]
	//     n2["Load<br/>bands=1<br/>dsize=(16,16)<br/>num_overviews=0<br/>fname=a.tif"]
	//     n0 --> n1
	//     n1 --> n2
	//   end
	//   subgraph cluster1["leaf"]
	//     n3["Load<br/>bands=1<br/>dsize=(16,16)<br/>num_overviews=0<br/>fname=a.tif"]
	//   end
}
