package rewarp

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/imagefile"
	"github.com/rewarp/rewarp/gdalio"
)

// Pixels is a raster that comes tile by tile. A *eval.Plan is one.
type Pixels interface {
	// Size is the canvas in pixels.
	Size() geom.Size
	// Bands gives each band's name and nodata value.
	Bands() []ast.Band
	// Type is the sample type of all bands.
	Type() raster.DataType
	// Geo is the place in the world, nil where there is none.
	Geo() *ast.GeoRef
	// Stream computes the raster and hands out its tiles, one at a time; emit
	// does not keep them. It may be called again.
	Stream(ctx context.Context, emit func(window image.Rectangle, tile *raster.Buffer) error, opts ...eval.RunOption) error
}

// SaveOptions say how Save writes. The zero options are the defaults.
type SaveOptions struct {
	Driver  string   // GDAL's short name of the format; empty: from the file name's extension
	Options []string // creation options of the format, each KEY=VALUE
	Run     []eval.RunOption
}

// Save computes a raster and writes it to a file, with its place in the world,
// band names and nodata value, in bounded memory. Until it returns without an
// error the file is what it was before, there or not.
//
// In float samples, invalid is NaN. Integers are invalid where they have their
// nodata value. Bands without one, or with several that one file cannot hold,
// get a mask instead where any pixel is invalid; a PNG gets an alpha band.
func Save(ctx context.Context, p Pixels, path string, o SaveOptions) error {
	c := gdalio.Creation{
		Size: p.Size(), Bands: slices.Clone(p.Bands()), Type: p.Type(), Geo: p.Geo(), Driver: o.Driver, Options: o.Options,
	}
	masks := markInvalid(&c, isPNG(path, o.Driver))
	err := save(ctx, p, path, c, masks, o.Run)
	if errors.Is(err, errInvalid) {
		c.WithMask = true
		err = save(ctx, p, path, c, false, o.Run)
	}
	return err
}

// errInvalid ends the writing of a raster without a mask at the first invalid
// pixel. Whether a mask is needed is known only then.
var errInvalid = errors.New("rewarp: invalid pixel")

func save(ctx context.Context, p Pixels, path string, c gdalio.Creation, masks bool, run []eval.RunOption) error {
	w, err := create(ctx, path, c)
	if err != nil {
		return err
	}
	err = p.Stream(ctx, func(window image.Rectangle, tile *raster.Buffer) error {
		if masks && tile.Mask != nil && slices.Contains(tile.Mask, 0) {
			return errInvalid
		}
		return w.WriteWindow(ctx, window, tile)
	}, run...)
	if err != nil {
		return errors.Join(err, w.Abort())
	}
	return w.Close()
}

// writer is what both of the packages that write have.
type writer interface {
	WriteWindow(ctx context.Context, window image.Rectangle, src *raster.Buffer) error
	Close() error
	Abort() error
}

// create begins a file through GDAL, or where the build has none, through
// package imagefile.
func create(ctx context.Context, path string, c gdalio.Creation) (writer, error) {
	if HasGDAL() {
		return gdalio.Create(ctx, path, c)
	}
	var native string
	switch strings.ToLower(filepath.Ext(path)) {
	case ".tif", ".tiff":
		native = "GTiff"
	case ".png":
		native = "PNG"
	}
	if c.Driver != "" && !strings.EqualFold(c.Driver, native) {
		return nil, fmt.Errorf("rewarp: cannot write %q as %s: this build has no GDAL and writes .tif and .png only", path, c.Driver)
	}
	if len(c.Options) > 0 {
		return nil, fmt.Errorf("rewarp: cannot write %q with option %s: this build has no GDAL, whose creation options these are", path, c.Options[0])
	}
	return imagefile.Create(ctx, path, imagefile.Creation{Size: c.Size, Bands: c.Bands, Type: c.Type, Geo: c.Geo, WithMask: c.WithMask})
}

func isPNG(path, driver string) bool {
	return strings.EqualFold(driver, "PNG") || driver == "" && strings.EqualFold(filepath.Ext(path), ".png")
}

// markInvalid chooses how the file says which samples are invalid: by NaN, by
// one nodata value, or, if it returns true, by a mask.
func markInvalid(c *gdalio.Creation, png bool) (masks bool) {
	if c.Type.IsFloat() {
		for i := range c.Bands {
			c.Bands[i].NoData, c.Bands[i].HasNoData = math.NaN(), true
		}
		return false
	}
	first := c.Bands[0]
	one := first.HasNoData && c.Type.Round(first.NoData) == first.NoData && !png
	for _, b := range c.Bands {
		one = one && b.HasNoData && b.NoData == first.NoData
	}
	if one {
		return false
	}
	for i := range c.Bands {
		c.Bands[i].NoData, c.Bands[i].HasNoData = 0, false
	}
	alpha := c.Bands[len(c.Bands)-1].Name == "alpha"
	return !alpha && !(png && len(c.Bands)%2 == 0)
}
