package main

import (
	"testing"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/gdalio"
)

// TestEvalCache: GDAL's cache, which would grow to a part of the machine's
// memory, is small where tiles are read and written, holds a row of tiles where
// rows are written, and is left alone where large strips are read.
func TestEvalCache(t *testing.T) {
	if !rewarp.HasGDAL() {
		t.Skip("no GDAL")
	}
	if _, set := gdalio.ConfigOption("GDAL_CACHEMAX"); set {
		t.Skip("GDAL_CACHEMAX is set")
	}
	before := gdalio.CacheMax()
	defer gdalio.SetCacheMax(before)
	const asItIs = 1 << 30
	gdalio.SetCacheMax(asItIs)
	size := geom.Size{W: 20000, H: 20000}
	const row = 20000 * 256 * 3 * 2
	for _, c := range []struct {
		name    string
		block   geom.Size
		bands   int
		output  string
		options []string
		want    int64
	}{
		{"tiles", geom.Size{W: 256, H: 256}, 3, "o.tif", nil, smallCache},
		{"tiles to tiles of another size", geom.Size{W: 512, H: 512}, 3, "o.TIFF", []string{"COMPRESS=NONE"}, smallCache},
		{"tiles to strips", geom.Size{W: 256, H: 256}, 3, "o.tif", []string{"tiled=no"}, row * 5 / 4},
		{"tiles to a PNG", geom.Size{W: 256, H: 256}, 3, "o.png", nil, row * 5 / 4},
		{"tiles to more than there was", geom.Size{W: 256, H: 256}, 300, "o.png", nil, asItIs},
		{"strips", geom.Size{W: 20000, H: 1}, 3, "o.tif", nil, asItIs},
		{"one block", geom.Size{W: 20000, H: 20000}, 3, "o.tif", nil, asItIs},
		{"blocks of many bands", geom.Size{W: 1024, H: 1024}, 13, "o.tif", nil, asItIs},
	} {
		l, err := ast.NewLoad("x.tif", "")
		if err != nil {
			t.Fatal(err)
		}
		l, err = l.WithMeta(ast.Meta{Size: size, Block: c.block, Bands: ast.NumberedBands(c.bands, raster.Uint8)})
		if err != nil {
			t.Fatal(err)
		}
		e := &evaluate{output: c.output, options: c.options}
		s, err := rewarp.Open(t.Context(), e.cacheOptions(l)...)
		if err != nil {
			t.Fatal(err)
		}
		if got := gdalio.CacheMax(); got != c.want {
			t.Errorf("%s: a cache of %d bytes, expected %d", c.name, got, c.want)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if got := gdalio.CacheMax(); got != asItIs {
			t.Errorf("%s: %d bytes are left behind", c.name, got)
		}
	}
}
