// Package imagefile reads and writes rasters without C: PNG and JPEG through
// the standard library, and TIFF.
//
// It agrees with package gdalio on bands, names, types, nodata, masks and
// levels, so a tree means the same in a build without GDAL; where it cannot, it
// refuses. Alpha is straight, never premultiplied; an alpha band is named alpha,
// stays one of the bands, and is the mask of the others. The band of a palette
// is its index, which is what the file stores, unless WithPaletteExpanded is
// given.
//
// TIFF and BigTIFF are read block by block, in strips or tiles, pixel- or
// band-interleaved, uncompressed or LZW, deflate or PackBits, with or without
// predictor, of every sample type, with the overviews and the mask that are in
// the file. Nodata, band names and the place in the world are read as GDAL writes
// them, except for the reference system inside a GeoTIFF, which takes GDAL to
// spell out. Overviews in an .ovr file are not seen; a .msk file is refused,
// since without it invalid samples would seem valid.
//
// PNG and JPEG are decoded whole, at the first read, and held until Close.
package imagefile
