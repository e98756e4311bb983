package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/gdalio"
)

const (
	// smallCache is GDAL's block cache, in bytes, where the session's own serves
	// as well: enough for the tiles that are being read and written.
	smallCache = 32 << 20
	// blockCache is the session's, in bytes.
	blockCache = 96 << 20
	// streamRows is the height of the tiles that a file is written in.
	streamRows = 256
)

// cacheOptions bound the block cache of the session, and keep GDAL's block cache, by default a part of the machine's
// memory, at what a run can use. They leave it as it is where the user has set
// it, and where a raster is in strips or in blocks so large that GDAL decodes
// them for many reads.
func (e *evaluate) cacheOptions(tree ast.Node) []eval.Option {
	opts := []eval.Option{eval.WithBlockCache(blockCache)}
	if !rewarp.HasGDAL() {
		return opts
	}
	if _, set := gdalio.ConfigOption("GDAL_CACHEMAX"); set {
		return opts
	}
	for _, l := range ast.All[*ast.Load](tree) {
		if m, ok := l.Meta(); !ok || !smallBlocks(m) {
			return opts
		}
	}
	size := int64(smallCache)
	if !e.writesTiles() {
		// What writes rows takes them out of a row of tiles.
		row := int64(tree.Size().W) * streamRows * int64(tree.NumBands()) * int64(e.sampleBytes(tree)+1)
		size = max(size, row+row/4)
	}
	if size < gdalio.CacheMax() {
		opts = append(opts, rewarp.WithGDALCache(size))
	}
	return opts
}

// smallBlocks reports whether a window of a raster takes a few blocks that
// leave room for others in a small cache.
func smallBlocks(m ast.Meta) bool {
	pixel := 0
	for _, b := range m.Bands {
		pixel += b.Type.Size()
	}
	bytes := func(w, h int) int64 { return int64(w) * int64(h) * int64(pixel) }
	return bytes(m.Size.W, m.Size.H) <= smallCache/2 || m.Block.W < m.Size.W && bytes(m.Block.W, m.Block.H) <= smallCache/4
}

// writesTiles reports whether the file is written as the tiles come, without
// being copied to another format at the end.
func (e *evaluate) writesTiles() bool {
	ext := strings.ToLower(filepath.Ext(e.output))
	tiff := strings.EqualFold(e.driver, "GTiff") || e.driver == "" && (ext == ".tif" || ext == ".tiff")
	return tiff && !slices.ContainsFunc(e.options, func(o string) bool {
		k, _, _ := strings.Cut(o, "=")
		return strings.EqualFold(k, "TILED")
	})
}

func (e *evaluate) sampleBytes(tree ast.Node) int {
	t := e.dtype.get()
	for i := 0; e.dtype.value == "" && i < tree.NumBands(); i++ {
		t = raster.Common(t, tree.Band(i).Type)
	}
	return t.Size()
}
