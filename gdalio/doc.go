// Package gdalio reads and writes rasters through GDAL: anything that the
// installed libgdal opens, GeoTIFF to VRT, from files and /vsi… paths.
//
// A uri goes to GDAL as it stands, and GDAL understands more than file names:
// a VRT names further files, inline XML is a VRT, and /vsicurl/ is a download.
// A service that takes uris from strangers decides what it opens with
// eval.Restrict, which narrows the formats to those that refer to no other
// files, SelfContained, unless WithDrivers chooses them.
//
// The package needs cgo and libgdal, found through pkg-config. Built with
// CGO_ENABLED=0 it compiles, and every call that needs GDAL says that there is
// none.
//
// GDAL is left as the process has it: no handler is installed, and no option
// is changed but by SetCacheMax, SetConfigOption, and sessions that ask for it
// with WithThreads and WithCache. The samples of local GeoTIFFs that are plain
// or deflated are read past GDAL, with the same result.
package gdalio
