package script_test

import (
	"context"
	"fmt"
	"os"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rules"
	"github.com/rewarp/rewarp/script"
)

func ExampleEvalExpr() {
	n, err := script.EvalExpr(context.Background(),
		`load("a.tif", channels="r|g|b", size=(512, 512), dtype="uint8").scale(0.5)[0:128, -128:].dequantize(quant_max=255)`,
		script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(ast.FormatText(n))
	// Output:
	// ╙── Dequantize dsize=(128,128),quantization={orig_dtype=float32,orig_min=0,orig_max=1,quant_min=0,quant_max=255}
	//     ╽
	//     Crop dsize=(128,128),space_slice=(0:128,128:256)
	//     ╽
	//     Warp dsize=(256,256),transform={scale=0.5}
	//     ╽
	//     Load channels=r|g|b,dsize=(512,512),num_overviews=0,fname=a.tif
}

func ExampleReadTree() {
	src := `
a = load("a.tif", size = (100, 80), dtype = "uint8")
print("the canvas is", a.dsize)
a[0:200, 90:120].crop(window = [0, 0, 11, 1])
`
	_, err := script.ReadTree(context.Background(), "trees/a.star", []byte(src), script.Options{Folder: "trees", Print: os.Stdout})
	fmt.Println(err)
	// Output:
	// the canvas is (100, 80)
	// trees/a.star:4:22: crop window [0 0 11 1] exceeds canvas 10×80 of its input (crop)
}

func ExampleCompile() {
	src := `
def swap(n):
    q = n.input
    return q.input.crop(window = n.window, bands = n.bands).dequantize(q.quantization)

rule("crop-first", "exact", ["crop", "dequantize"], swap, doc = "Crop(Dequantize(x)) → Dequantize(Crop(x))")
`
	ctx := context.Background()
	loaded, err := script.LoadRules(ctx, "rules.star", []byte(src), script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	pipeline, err := script.Compile(loaded, rules.Passes())
	if err != nil {
		fmt.Println(err)
		return
	}
	n, err := script.EvalExpr(ctx, `load("a.tif", size=(64, 64), dtype="uint8").dequantize(quant_max=255)[0:9, 0:9]`, script.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := pipeline.Optimize(n)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ast.FormatExpr(r.Node))
	// Output:
	// (dequantize float32 0..255 -> 0..1
	//   (crop [0 0 9 9]
	//     (load a.tif 64x64 uint8)))
}
