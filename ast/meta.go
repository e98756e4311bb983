package ast

import (
	"context"
	"slices"
	"strconv"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// MaxBands is the largest number of bands a node may have.
const MaxBands = 65536

// MaxExtent is the largest width or height of a canvas, in pixels.
const MaxExtent = 1<<31 - 1

// Band describes one band of a node.
type Band struct {
	Name      string
	Type      raster.DataType
	NoData    float64 // the stored value that marks a sample invalid
	HasNoData bool

	dequantized bool // a dequantize stands on the path to the leaf
}

// Equal reports whether two bands are described alike. A nodata value of NaN
// equals itself.
func (b Band) Equal(c Band) bool {
	nan := b.NoData != b.NoData && c.NoData != c.NoData
	return b.Name == c.Name && b.Type == c.Type && b.HasNoData == c.HasNoData &&
		b.dequantized == c.dequantized && (nan || b.NoData == c.NoData)
}

// String is for example "r uint8" or "dem int16 nodata -9999".
func (b Band) String() string {
	s := b.Name + " " + b.Type.String()
	if b.HasNoData {
		s += " nodata " + strconv.FormatFloat(b.NoData, 'g', -1, 64)
	}
	return s
}

// Meta is what a Load knows about its raster without reading a pixel.
type Meta struct {
	Size      geom.Size
	Bands     []Band
	Block     geom.Size   // the unit of storage, zero when unknown
	Overviews []geom.Size // sizes of levels 1, 2, … that the file really has
	HasMask   bool        // the file has a mask or alpha band that marks samples invalid
	Geo       *GeoRef     // nil when the raster is not georeferenced
}

// GeoRef places a raster in the world.
type GeoRef struct {
	Transform geom.Transform // pixel coordinates to world coordinates
	SRS       string         // the reference system as WKT, empty when unknown
}

func (m *Meta) clone() *Meta {
	c := *m
	c.Bands = slices.Clone(m.Bands)
	c.Overviews = slices.Clone(m.Overviews)
	if m.Geo != nil {
		g := *m.Geo
		c.Geo = &g
	}
	return &c
}

// Describer finds the metadata of a raster by its uri.
type Describer interface {
	Describe(ctx context.Context, uri string) (Meta, error)
}
