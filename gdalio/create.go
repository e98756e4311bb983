package gdalio

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/internal/oserr"
)

// Creation describes a raster to write.
type Creation struct {
	Size geom.Size

	// Bands gives each band's name and nodata value. A band named alpha is
	// written as one. Names that a reader would give the band anyway (r, g, b,
	// its number) are not stored.
	Bands []ast.Band

	// Type is the one type of all bands. Unknown is the common type of Bands.
	Type raster.DataType

	// Driver is the short name of the format. Empty, it follows from the file
	// name's extension: GTiff for .tif and .tiff, PNG for .png, else the first
	// of GDAL's writable formats that claims it. COG has to be named.
	Driver string

	// Options are creation options, each KEY=VALUE, that go before the defaults:
	// GTiff is tiled, deflated and turns into a BigTIFF where it might not fit.
	Options []string

	Geo *ast.GeoRef // nil: not georeferenced

	// WithMask stores which pixels are valid: as a mask inside the file for
	// GTiff and COG, as an alpha band for a PNG of one or three bands. It is
	// for integers without a nodata value. A mask is for the pixel, so a pixel
	// counts as valid where any of its bands is. What is never written is
	// invalid.
	WithMask bool
}

// layout is a Creation made definite.
type layout struct {
	creation
	staged   bool     // written to a GeoTIFF first, and copied to the format at the end
	driver   string   // of the result
	copyWith []string // creation options of the copy
}

func (c Creation) layout(path string) (*layout, error) {
	if err := c.checkShape(); err != nil {
		return nil, err
	}
	d, err := c.findDriver(path)
	if err != nil {
		return nil, err
	}
	l := &layout{driver: d.Name, staged: !d.Create}
	l.size, l.typ = c.Size, c.commonType()
	if err := checkFormat(d, l.typ, len(c.Bands), c.WithMask); err != nil {
		return nil, err
	}
	if err := l.setBands(c.Bands); err != nil {
		return nil, err
	}
	if err := l.setGeo(c.Geo); err != nil {
		return nil, err
	}
	switch {
	case c.WithMask && d.Name == "PNG":
		l.names = append(l.names, "")
		l.noData, l.hasNoData = append(l.noData, 0), append(l.hasNoData, false)
		l.alpha, l.alphaMask = len(l.names), len(l.names)
	case c.WithMask:
		l.mask = true
	}
	l.creation.driver = d.Name
	switch {
	case l.staged:
		l.creation.driver = gtiff
		l.options = l.tiffOptions(nil, isRGB(c.Bands), false)
		l.copyWith = copyOptions(d.Name, c.Options)
	case d.Name == gtiff:
		l.options = l.tiffOptions(c.Options, isRGB(c.Bands), true)
	default:
		l.options = c.Options
	}
	if err := checkOptions(d.Name, c.Options); err != nil {
		return nil, err
	}
	return l, nil
}

const gtiff = "GTiff"

func (c Creation) checkShape() error {
	switch {
	case c.Size.W < 1 || c.Size.H < 1 || c.Size.W > ast.MaxExtent || c.Size.H > ast.MaxExtent:
		return fmt.Errorf("a size of %v pixels is not one of 1×1 to %d×%d", c.Size, ast.MaxExtent, ast.MaxExtent)
	case len(c.Bands) == 0 || len(c.Bands) > ast.MaxBands:
		return fmt.Errorf("%d bands, expected 1 to %d", len(c.Bands), ast.MaxBands)
	case c.commonType() == raster.Unknown:
		return errors.New("neither the raster nor its bands have a type")
	}
	return nil
}

func (c Creation) commonType() raster.DataType {
	t := c.Type
	for i := 0; c.Type == raster.Unknown && i < len(c.Bands); i++ {
		t = raster.Common(t, c.Bands[i].Type)
	}
	return t
}

func (c Creation) findDriver(path string) (Driver, error) {
	name, ext := c.Driver, strings.ToLower(strings.TrimPrefix(filepath.Ext(path), "."))
	if name == "" {
		switch ext {
		case "tif", "tiff":
			name = gtiff
		case "png":
			name = "PNG"
		}
	}
	if name != "" {
		d, ok := findDriver(name)
		switch {
		case !ok:
			return d, fmt.Errorf("GDAL %s has no raster driver %q", Version(), name)
		case !d.Create && !d.CreateCopy:
			return d, fmt.Errorf("driver %s only reads", d.Name)
		}
		return d, nil
	}
	for _, d := range libDrivers() {
		if (d.Create || d.CreateCopy) && slices.Contains(d.Extensions, ext) {
			return d, nil
		}
	}
	return Driver{}, fmt.Errorf("extension %q belongs to no format that can be written, name a driver", ext)
}

// checkFormat refuses before any work what the format would refuse at the end.
func checkFormat(d Driver, t raster.DataType, bands int, mask bool) error {
	if t == raster.Int8 && !hasInt8 && d.Name != gtiff {
		return fmt.Errorf("GDAL %s writes int8 as GTiff only, not as %s", Version(), d.Name)
	}
	if name := typeName(t); len(d.types) > 0 && !slices.Contains(d.types, name) {
		return fmt.Errorf("%s cannot hold %v, it holds %s", d.Name, t, strings.ToLower(strings.Join(d.types, ", ")))
	}
	if d.Name != "PNG" {
		return nil
	}
	switch {
	case bands > 4:
		return fmt.Errorf("PNG cannot hold %d bands, it holds 1 (gray), 2 (gray, alpha), 3 (rgb) or 4 (rgb, alpha)", bands)
	case mask && bands%2 == 0:
		return fmt.Errorf("PNG cannot hold a mask beside %d bands, the last of which is its alpha band", bands)
	}
	return nil
}

// typeName is GDAL's name of a type.
func typeName(t raster.DataType) string {
	switch t {
	case raster.Uint8:
		return "Byte"
	case raster.Int8:
		if hasInt8 {
			return "Int8"
		}
		return "Byte"
	}
	s := t.String()
	if rest, ok := strings.CutPrefix(s, "uint"); ok {
		return "UInt" + rest
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func (l *layout) setBands(bands []ast.Band) error {
	rgb := isRGB(bands)
	for i, b := range bands {
		name := b.Name
		switch {
		case name == alphaName:
			l.alpha, name = i+1, ""
		case rgb && i < 3, name == strconv.Itoa(i+1):
			name = ""
		case strings.ContainsRune(name, 0):
			return fmt.Errorf("band name %q holds a zero byte", name)
		}
		v, ok := storedNoData(l.typ, b.NoData, b.HasNoData)
		switch {
		case l.typ.IsFloat() && b.HasNoData && !ok && b.NoData != b.NoData:
			v = b.NoData
		case b.HasNoData && !ok:
			return fmt.Errorf("nodata value %v of band %d (%s) is not a value of %v", b.NoData, i+1, b.Name, l.typ)
		}
		l.names = append(l.names, name)
		l.noData = append(l.noData, v)
		l.hasNoData = append(l.hasNoData, b.HasNoData)
	}
	// TIFF has one nodata tag for the file, and the last value set would win.
	for i, b := range bands {
		first := bands[0]
		same := b.HasNoData == first.HasNoData && (!b.HasNoData || b.NoData == first.NoData || b.NoData != b.NoData && first.NoData != first.NoData)
		if (l.driver == gtiff || l.staged) && !same {
			return fmt.Errorf("%s stores one nodata value for all bands, band 1 has %s and band %d has %s; leave it out and write a mask",
				l.driver, noDataText(first), i+1, noDataText(b))
		}
	}
	return nil
}

func noDataText(b ast.Band) string {
	if !b.HasNoData {
		return "none"
	}
	return strconv.FormatFloat(b.NoData, 'g', -1, 64)
}

func (l *layout) setGeo(g *ast.GeoRef) error {
	if g == nil {
		return nil
	}
	t := g.Transform
	if !t.IsAffine() || !t.IsFinite() {
		return fmt.Errorf("the transform to world coordinates %v is not affine and finite", t)
	}
	if strings.ContainsRune(g.SRS, 0) {
		return errors.New("the reference system holds a zero byte")
	}
	l.geo = &[6]float64{t[2], t[0], t[1], t[5], t[3], t[4]}
	l.srs = g.SRS
	return nil
}

func isRGB(bands []ast.Band) bool {
	return len(bands) >= 3 && bands[0].Name == rgbNames[0] && bands[1].Name == rgbNames[1] && bands[2].Name == rgbNames[2]
}

// Create begins to write a raster to a local file. What ctx cuts short is
// removed, in Close too.
//
// Everything is written in a new folder beside the file and moved in place by
// Close, so until then, and after a failure, the file is what it was before.
func Create(ctx context.Context, path string, c Creation) (*Writer, error) {
	w, err := create(ctx, path, c)
	if err != nil {
		return nil, fail("create", path, err)
	}
	return w, nil
}

func create(ctx context.Context, path string, c Creation) (*Writer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if libVersion() == "" {
		_, err := libCreate(nil)
		return nil, err
	}
	l, err := c.layout(path)
	if err != nil {
		return nil, err
	}
	final, err := target(path)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(filepath.Dir(final), "."+filepath.Base(final)+".*")
	if err != nil {
		return nil, oserr.Cause(err)
	}
	w := &Writer{ctx: ctx, path: path, final: final, dir: dir, layout: l}
	if err := os.Mkdir(filepath.Dir(w.result()), 0o777); err != nil {
		os.RemoveAll(dir)
		return nil, oserr.Cause(err)
	}
	l.path = w.result()
	if l.staged {
		l.path = filepath.Join(dir, stageName)
	}
	w.canvas, err = libCreate(&l.creation)
	if err != nil {
		os.RemoveAll(dir)
		return nil, w.hide(err)
	}
	return w, nil
}

// target is the regular file, there or not, that path leads to.
func target(path string) (string, error) {
	if path == "" || strings.ContainsRune(path, 0) || strings.HasPrefix(path, "/vsi") {
		return "", errors.New("not a local file")
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	fi, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, nil
	case err != nil:
		return "", oserr.Cause(err)
	case !fi.Mode().IsRegular():
		return "", fmt.Errorf("it is there and not a regular file (%v)", fi.Mode())
	}
	return path, nil
}
