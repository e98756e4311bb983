package gdalio

import (
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// The seam to the library. Everything above it is plain Go; gdal_cgo.go binds
// libgdal behind it and gdal_nocgo.go says that there is none. A binding
// provides, besides the two interfaces,
//
//	libVersion() string
//	libDrivers() []Driver
//	libOpen(path string, drivers, options []string) (dataset, error)
//	libIdentify(path string) string // the driver that would open it, or ""
//	libCheckOptions(driver string, options []string) error
//	libCreate(*creation) (canvas, error)
//	libCopy(driver, from, to string, options []string, cancel *int32) error
//	libInflate(dst, src []byte) int // bytes written, −1 where dst cannot hold it or src is broken
//	libCacheMax() int64, libSetCacheMax(int64)
//	libConfigOption(name string) (string, bool), libSetConfigOption(name string, value *string)
//
// Its errors carry the library's own text and no prefix.

// dataset is an open raster, used by one goroutine at a time.
type dataset interface {
	describe(maxBands int) (*info, error)
	files() []string
	read(*readRequest) error
	close() error
}

// canvas is a raster being written, used by one goroutine at a time.
type canvas interface {
	write(*writeRequest) error
	// close writes what is cached and reports what went wrong in doing so.
	close() error
}

// info is everything that is asked about a raster, in one call.
type info struct {
	driver string // short name
	size   geom.Size
	block  geom.Size
	levels []geom.Size
	bands  []bandInfo // empty when there are more than were asked for
	count  int        // of bands
	geo    *[6]float64
	srs    string
}

type maskKind uint8

const (
	maskNone    maskKind = iota
	maskDataset          // one mask for all bands
	maskBand             // a mask of the band's own
	maskAlpha            // the alpha band
)

type bandInfo struct {
	name       string
	typ        raster.DataType // Unknown when it cannot be held
	typeName   string          // the library's own name
	signedByte bool            // int8 that the library reads as uint8
	noData     float64
	hasNoData  bool
	color      colorRole
	mask       maskKind
}

// colorRole is the part that a band plays in a picture.
type colorRole uint8

const (
	colorOther colorRole = iota
	colorRed
	colorGreen
	colorBlue
	colorAlpha
)

// readRequest asks for w × h pixels at (x, y) of a level, pixel-interleaved.
type readRequest struct {
	level, x, y, w, h int
	bands             []int32 // from 1
	typ               raster.DataType
	data              []byte
	mask              []byte // nil, or one byte a sample
	cancel            *int32 // set to stop
}

// writeRequest gives w × h pixels at (x, y), pixel-interleaved, and, where mask
// is not nil, one mask sample of maskType a pixel.
type writeRequest struct {
	x, y, w, h, bands int
	typ               raster.DataType
	data              []byte
	maskType          raster.DataType
	mask              []byte
	cancel            *int32
}

// creation describes a raster to create.
type creation struct {
	driver, path string
	size         geom.Size
	typ          raster.DataType
	names        []string // empty: left to the driver
	noData       []float64
	hasNoData    []bool
	options      []string
	geo          *[6]float64
	srs          string
	mask         bool // with a mask band
	alpha        int  // number of the alpha band, or 0
	alphaMask    int  // number of the band that takes the mask instead, or 0
}
