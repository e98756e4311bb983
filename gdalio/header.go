package gdalio

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/internal/tiff"
)

// header opens a local GeoTIFF without GDAL, and describes it as GDAL does. It
// returns nil where the header may not be all that GDAL would look at, or is not
// all known here: where a file lies beside the raster that may be about it, or
// levels are stored in a form that GDAL has to read, or with a mask, or a place
// on the earth.
func (o *Opener) header(uri string) (*direct, *info, stamp) {
	if len(o.options) > 0 || !o.opens(gtiff) || strings.ContainsAny(uri, ":<") || strings.HasPrefix(uri, "/vsi") || configured() {
		return nil, nil, stamp{}
	}
	fi, err := os.Stat(uri)
	if err != nil || !fi.Mode().IsRegular() || accompanied(uri) {
		return nil, nil, stamp{}
	}
	f, err := os.Open(uri)
	if err != nil {
		return nil, nil, stamp{}
	}
	if fi, err = f.Stat(); err == nil {
		d := &direct{file: f, size: fi.Size()}
		if in := d.describe(); in != nil {
			return d, in, stampFrom(fi)
		}
	}
	f.Close()
	return nil, nil, stamp{}
}

// opens reports whether the options allow a driver, and GDAL has it.
func (o *Opener) opens(driver string) bool {
	named := func(name string) bool { return strings.EqualFold(name, driver) }
	return (o.drivers == nil || slices.ContainsFunc(o.drivers, named)) && hasGTiff()
}

// hasGTiff reports whether GDAL opens GeoTIFFs at all.
var hasGTiff = sync.OnceValue(func() bool {
	_, ok := findDriver(gtiff)
	return ok
})

// configured reports whether GDAL was told to look elsewhere for what belongs
// to a raster.
func configured() bool {
	for _, name := range []string{"GDAL_GEOREF_SOURCES", "GDAL_PAM_PROXY_DIR"} {
		if _, set := libConfigOption(name); set {
			return true
		}
	}
	return false
}

// maxSiblings is how many files of a folder are looked through.
const maxSiblings = 1000

// accompanied reports whether files beside a raster may be about it: those with
// its name and another ending, in any case of letters, such as world files and
// masks. GDAL looks through the folder as well.
func accompanied(uri string) bool {
	dir, name := filepath.Split(uri)
	if dir == "" {
		dir = "."
	}
	f, err := os.Open(dir)
	if err != nil {
		return true
	}
	defer f.Close()
	names, err := f.Readdirnames(maxSiblings)
	if err != nil || len(names) == maxSiblings {
		return true
	}
	stem := strings.TrimSuffix(name, filepath.Ext(name)) + "."
	return slices.ContainsFunc(names, func(n string) bool {
		return n != name && len(n) >= len(stem) && strings.EqualFold(n[:len(stem)], stem)
	})
}

// fieldCounts are the fields that a described directory may have, with the number
// of their values: 0 is any, −1 one for each band.
var fieldCounts = map[uint16]int{
	tiff.TagSubfile: 1, tiff.TagWidth: 1, tiff.TagHeight: 1, tiff.TagBits: -1, tiff.TagCompression: 1,
	tiff.TagPhotometric: 1, tiff.TagFillOrder: 1, tiff.TagStripOffsets: 0, tiff.TagSamples: 1, tiff.TagRowsPerStrip: 1,
	tiff.TagStripCounts: 0, tiff.TagPlanar: 1, tiff.TagPredictor: 1, tiff.TagTileWidth: 1, tiff.TagTileHeight: 1,
	tiff.TagTileOffsets: 0, tiff.TagTileCounts: 0, tiff.TagExtra: 0, tiff.TagSampleFormat: -1,
}

// firstFields are those that the first directory may have besides.
var firstFields = map[uint16]int{tiff.TagTransform: 16, tiff.TagGDALMetadata: 0, tiff.TagGDALNoData: 0}

// known reports whether all fields of a directory of n bands are.
func known(d tiff.Fields, n int, first bool) bool {
	for tag, e := range d {
		count, ok := fieldCounts[tag]
		if !ok && first {
			count, ok = firstFields[tag]
		}
		if count < 0 {
			count = n
		}
		if !ok || count > 0 && e.Count() != uint64(count) {
			return false
		}
	}
	return true
}

// maxLevels is how many reductions GDAL takes for levels.
const maxLevels = 30

// describe fills in the levels, and describes them. It returns nil where there
// is more to them than is known here.
func (d *direct) describe() *info {
	r := tiff.Reader{R: d.file, Size: d.size}
	dirs, err := r.Directories()
	if err != nil || !tiff.Native(r.Order) || len(dirs) > 1+maxLevels {
		return nil
	}
	in := &info{driver: gtiff}
	for i, dir := range dirs {
		m, err := r.Image(dir)
		if err != nil || !known(dir, m.Bands, i == 0) || slices.ContainsFunc(m.Extra, func(kind uint64) bool { return kind != 0 }) {
			return nil
		}
		const reduced = 1
		if i == 0 {
			in.size, in.block, in.count = m.Size, m.Block, m.Bands
			if m.Kind != 0 || cut(m) || !in.setBands(&r, dir, m) || !in.setPlace(&r, dir) {
				return nil
			}
		} else {
			if main := d.levels[0]; m.Kind != reduced || m.Size.W > main.Size.W || m.Size.H > main.Size.H {
				return nil
			}
			in.levels = append(in.levels, m.Size)
		}
		if !holds(m, in, m.Size) {
			return nil
		}
		d.levels = append(d.levels, m)
	}
	if in.check() != nil {
		return nil
	}
	return in
}

// cut reports whether GDAL takes the one strip of an image for several: libtiff
// cuts plain ones of more than 8 KiB, and GDAL those of more than 2000 rows.
func cut(m *tiff.Image) bool {
	size := m.Block.H * m.Block.W * m.Bands * m.Type.Size()
	return !m.Tiled && m.Down == 1 && (m.Block.H > 2000 || m.Compression == tiff.CompNone && m.Block.H > 1 && size > 8<<10)
}

// setBands describes the bands. ok is false where GDAL may see them differently.
func (in *info) setBands(r *tiff.Reader, dir tiff.Fields, m *tiff.Image) (ok bool) {
	name, ok := typeNames[m.Type]
	if !ok {
		return false
	}
	in.bands = make([]bandInfo, m.Bands)
	for i := range in.bands {
		in.bands[i] = bandInfo{typ: m.Type, typeName: name}
	}
	if m.Photometric == tiff.PhotometricRGB {
		if m.Bands < 3 {
			return false
		}
		for i, c := range []colorRole{colorRed, colorGreen, colorBlue} {
			in.bands[i].color = c
		}
	}
	if _, has := dir[tiff.TagGDALNoData]; has {
		text := strings.Trim(r.Text(dir, tiff.TagGDALNoData), " \t\n\v\f\r")
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || strings.ContainsAny(text, "xX_") {
			return false
		}
		if m.Type == raster.Float32 {
			v = float64(float32(v))
		}
		for i := range in.bands {
			in.bands[i].noData, in.bands[i].hasNoData = v, true
		}
	}
	_, has := dir[tiff.TagGDALMetadata]
	return !has || in.setItems(r.Text(dir, tiff.TagGDALMetadata))
}

// typeNames are GDAL's names of the types. Before GDAL 3.7 there was no int8,
// and what it made of one is left to it.
var typeNames = map[raster.DataType]string{
	raster.Uint8: "Byte", raster.Uint16: "UInt16", raster.Int16: "Int16", raster.Uint32: "UInt32", raster.Int32: "Int32",
	raster.Float32: "Float32", raster.Float64: "Float64",
}

// written is metadata in the form that GDAL gives items about bands. Where it has
// another, what GDAL makes of it is left to it.
var written = regexp.MustCompile(`^\s*<GDALMetadata>` +
	`(?:\s*<Item name="[A-Z]+" sample="[0-9]+" role="[a-z]+">(?:[^<&\r]|&amp;(?:amp|lt|gt|quot|apos);)*</Item>)*` +
	`\s*</GDALMetadata>\s*$`)

// setItems takes over what GDAL noted of bands. ok is false where it noted
// something else.
func (in *info) setItems(text string) (ok bool) {
	if !written.MatchString(text) {
		return false
	}
	items, err := tiff.GDALItems(text)
	if err != nil {
		return false
	}
	for _, i := range items {
		if i.Domain != "" || i.Sample == nil || *i.Sample < 0 || *i.Sample >= len(in.bands) {
			return false
		}
		b := &in.bands[*i.Sample]
		switch {
		case i.Role == tiff.RoleDescription && i.Name == "DESCRIPTION":
			b.name = i.Value
		case i.Role == tiff.RoleColor && i.Name == "COLORINTERP":
			if b.color, ok = colorNames[i.Value]; !ok {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// colorNames are GDAL's names of the parts that bands play, but for alpha bands,
// which are masks.
var colorNames = map[string]colorRole{
	"Undefined": colorOther, "Gray": colorOther, "Red": colorRed, "Green": colorGreen, "Blue": colorBlue,
}

// setPlace takes over a map to the world that is a whole matrix.
func (in *info) setPlace(r *tiff.Reader, dir tiff.Fields) (ok bool) {
	if _, has := dir[tiff.TagTransform]; !has {
		return true
	}
	m := r.Floats(dir, tiff.TagTransform)
	if len(m) != 16 {
		return false
	}
	in.geo = &[6]float64{m[3], m[0], m[1], m[7], m[4], m[5]}
	return true
}
