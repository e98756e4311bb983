package vrt

import (
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

var gdalTypes = []struct {
	typ  raster.DataType
	name string
}{
	{raster.Uint8, "Byte"},
	{raster.Int8, "Int8"},
	{raster.Uint16, "UInt16"},
	{raster.Int16, "Int16"},
	{raster.Uint32, "UInt32"},
	{raster.Int32, "Int32"},
	{raster.Float32, "Float32"},
	{raster.Float64, "Float64"},
}

func gdalType(t raster.DataType) string {
	for _, g := range gdalTypes {
		if g.typ == t {
			return g.name
		}
	}
	return t.String()
}

func parseGDALType(name string) (raster.DataType, bool) {
	for _, g := range gdalTypes {
		if strings.EqualFold(g.name, strings.TrimSpace(name)) {
			return g.typ, true
		}
	}
	return raster.Unknown, false
}

// kernels are the resampling methods in a VRT's sources and on command lines,
// and in warp options.
var kernels = []struct {
	interp       ast.Interpolation
	option, warp string
}{
	{ast.Nearest, "nearest", "NearestNeighbour"},
	{ast.Linear, "bilinear", "Bilinear"},
	{ast.Cubic, "cubic", "Cubic"},
	{ast.Lanczos, "lanczos", "Lanczos"},
	{ast.Area, "average", "Average"},
	{ast.Mode, "mode", "Mode"},
}

func kernelNames(i ast.Interpolation) (option, warp string) {
	for _, k := range kernels {
		if k.interp == i {
			return k.option, k.warp
		}
	}
	return "", ""
}

// parseKernel reads any of GDAL's spellings: "near", "NEAREST",
// "NearestNeighbour" and so on.
func parseKernel(name string) (ast.Interpolation, bool) {
	name = strings.TrimSpace(name)
	if strings.EqualFold(name, "near") {
		return ast.Nearest, true
	}
	for _, k := range kernels {
		if strings.EqualFold(name, k.option) || strings.EqualFold(name, k.warp) {
			return k.interp, true
		}
	}
	return 0, false
}

// samplingOf is how GDAL reads with a kernel: always widened over what a pixel
// covers, except for nearest.
func samplingOf(i ast.Interpolation) ast.Sampling {
	return ast.Sampling{Interp: i, Antialias: true}.Normalize()
}
