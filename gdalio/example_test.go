package gdalio_test

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio"
)

func Example() {
	ctx := context.Background()
	if gdalio.Version() == "" { // built with CGO_ENABLED=0
		fmt.Println("512×512, 3 bands, levels [256×256 128×128 64×64]\n2×1 pixels of uint8: [100 84 84 79 37 37]")
		return
	}
	src, err := gdalio.New().Open(ctx, "../testdata/astro.tif")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	m := src.Meta()
	fmt.Printf("%v, %d bands, levels %v\n", m.Size, len(m.Bands), m.Overviews)

	var tile raster.Buffer
	if err := src.ReadWindow(ctx, 1, image.Rect(4, 4, 6, 5), []int{2, 0, 0}, &tile); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d×%d pixels of %v: %v\n", tile.W, tile.H, tile.Type, tile.Bytes())
	// Output:
	// 512×512, 3 bands, levels [256×256 128×128 64×64]
	// 2×1 pixels of uint8: [100 84 84 79 37 37]
}

func ExampleCreate() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	w, err := gdalio.Create(ctx, filepath.Join(dir, "out.tif"), gdalio.Creation{
		Size:  geom.Size{W: 300, H: 200},
		Bands: []ast.Band{{Name: "height", Type: raster.Int16, NoData: -9999, HasNoData: true}},
		Geo:   &ast.GeoRef{Transform: geom.Affine(10, 0, 500000, 0, -10, 4600000)},
	})
	if err != nil {
		fmt.Println("no GDAL, no file")
		return
	}
	defer w.Abort() // does nothing once Close was called

	strip := raster.New(raster.Int16, 300, 50, 1)
	for y := 0; y < 200; y += strip.H {
		if err := w.WriteWindow(ctx, image.Rect(0, y, 300, y+strip.H), strip); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
	}
}
