package imagefile_test

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/imagefile"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "height.tif")

	w, err := imagefile.Create(ctx, path, imagefile.Creation{
		Size:  geom.Size{W: 4, H: 2},
		Bands: []ast.Band{{Name: "height", Type: raster.Int16, NoData: -9999, HasNoData: true}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer w.Abort() // does nothing once Close was called
	pix, err := raster.FromSlice([]int16{1, 2, 3, 4, 5, 6, 7, -9999}, 4, 2, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := w.WriteWindow(ctx, image.Rect(0, 0, 4, 2), pix); err != nil {
		fmt.Println(err)
		return
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}

	src, err := imagefile.New().Open(ctx, path)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	fmt.Println(src.Meta().Size, src.Meta().Bands[0].Name, src.Meta().Bands[0].NoData)
	var tile raster.Buffer
	if err := src.ReadWindow(ctx, 0, image.Rect(2, 0, 4, 2), []int{0}, &tile); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(raster.Samples[int16](&tile))
	// Output:
	// 4×2 height -9999
	// [3 4 7 -9999]
}
