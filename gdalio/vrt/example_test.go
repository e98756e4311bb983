package vrt_test

import (
	"context"
	"fmt"
	"image"
	"os"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio/vrt"
)

// oneFile describes every uri as the same raster.
type oneFile struct{}

func (oneFile) Describe(context.Context, string) (ast.Meta, error) {
	return ast.Meta{
		Size:  geom.Size{W: 512, H: 512},
		Bands: []ast.Band{{Name: "r", Type: raster.Uint8}, {Name: "g", Type: raster.Uint8}, {Name: "b", Type: raster.Uint8}},
		Geo:   &ast.GeoRef{Transform: geom.Affine(10, 0, 300000, 0, -10, 5000000)},
	}, nil
}

func ExampleWrite() {
	n, err := ast.FromURI("astro.tif", "").
		Apply(func(n ast.Node) (ast.Node, error) { return ast.Prepare(context.Background(), n, oneFile{}) }).
		Crop(image.Rect(100, 50, 228, 178), 2).
		Node()
	if err != nil {
		panic(err)
	}
	if _, err := vrt.Write(os.Stdout, n, vrt.WriteOptions{}); err != nil {
		panic(err)
	}
	// Output:
	// <VRTDataset rasterXSize="128" rasterYSize="128">
	//   <GeoTransform>301000, 10, 0, 4999500, 0, -10</GeoTransform>
	//   <VRTRasterBand dataType="Byte" band="1">
	//     <Description>b</Description>
	//     <SimpleSource>
	//       <SourceFilename relativeToVRT="0">astro.tif</SourceFilename>
	//       <SourceBand>3</SourceBand>
	//       <SrcRect xOff="100" yOff="50" xSize="128" ySize="128" />
	//       <DstRect xOff="0" yOff="0" xSize="128" ySize="128" />
	//     </SimpleSource>
	//   </VRTRasterBand>
	// </VRTDataset>
}

func ExampleRead() {
	text := `<VRTDataset rasterXSize="100" rasterYSize="80">
  <VRTRasterBand dataType="Float32" band="1">
    <NoDataValue>nan</NoDataValue>
    <ComplexSource>
      <SourceFilename relativeToVRT="1">astro.tif</SourceFilename>
      <SourceBand>2</SourceBand>
      <SrcRect xOff="10" yOff="10" xSize="90" ySize="80" />
      <DstRect xOff="0" yOff="0" xSize="90" ySize="80" />
      <ScaleOffset>-1</ScaleOffset>
      <ScaleRatio>0.5</ScaleRatio>
      <NODATA>0</NODATA>
    </ComplexSource>
  </VRTRasterBand>
</VRTDataset>`
	n, _, err := vrt.Read(context.Background(), strings.NewReader(text), vrt.ReadOptions{Dir: "scenes", Describer: oneFile{}})
	if err != nil {
		panic(err)
	}
	fmt.Print(ast.FormatText(n))
	// Output:
	// ╙── Pad dsize=(100,80),left=0,top=0,right=10,bottom=0
	//     ╽
	//     Dequantize dsize=(90,80),quantization={orig_dtype=float32,orig_min=-1,orig_max=126.5,quant_min=0,quant_max=255,nodata=0}
	//     ╽
	//     Crop dsize=(90,80),space_slice=(10:90,10:100),bands=[1]
	//     ╽
	//     Load bands=3,dsize=(512,512),num_overviews=0,fname=astro.tif
}

func ExampleReadNesting() {
	text := `{"type": "DelayedWarp", "meta": {"dsize": [256, 256], "transform": {"scale": 0.5, "type": "affine"}},
	 "children": [{"type": "DelayedLoad", "meta": {"fpath": "astro.tif", "channels": "r|g|b"}}]}`
	n, _, err := vrt.ReadNesting(strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	fmt.Println(ast.FormatExpr(n))
	// Output:
	// (warp scale=0.5 size=256x256
	//   (load astro.tif channels=r|g|b))
}

func ExampleParseCommand() {
	args := strings.Fields("gdal_translate -srcwin 10 20 100 50 -b 1 in.tif out.tif")
	n, _, err := vrt.ParseCommand(context.Background(), args, oneFile{})
	if err != nil {
		panic(err)
	}
	fmt.Print(ast.FormatText(n))
	// Output:
	// ╙── Crop dsize=(100,50),space_slice=(20:70,10:110),bands=[0]
	//     ╽
	//     Load bands=3,dsize=(512,512),num_overviews=0,fname=in.tif
}

func ExampleFormatCommand() {
	n, err := ast.FromURI("astro.tif", "").
		Apply(func(n ast.Node) (ast.Node, error) { return ast.Prepare(context.Background(), n, oneFile{}) }).
		Crop(image.Rect(10, 20, 110, 70), 0).
		Node()
	if err != nil {
		panic(err)
	}
	c, err := vrt.FormatCommand(n, vrt.CommandOptions{Output: "out.tif"})
	if err != nil {
		panic(err)
	}
	fmt.Println(c)
	// Output:
	// gdal_translate -srcwin 10 20 100 50 -b 1 astro.tif out.tif
}
