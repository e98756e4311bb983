package imagefile

import (
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/internal/tiff"
)

// escape is what GDAL does to the text of its metadata before it writes the XML,
// which escapes it again.
var escape = strings.NewReplacer("<", "&lt;", ">", "&gt;", `"`, "&quot;", "&", "&amp;")

// gdalItems are the entries of GDAL's metadata for each band from 0 that play
// a role: its description and its colour.
func gdalItems(text string) (names, colors map[int]string) {
	names, colors = map[int]string{}, map[int]string{}
	items, err := tiff.GDALItems(text)
	if err != nil {
		return names, colors
	}
	for _, i := range items {
		switch {
		case i.Sample == nil:
		case i.Role == tiff.RoleDescription:
			names[*i.Sample] = i.Value
		case i.Role == tiff.RoleColor:
			colors[*i.Sample] = strings.ToLower(i.Value)
		}
	}
	return names, colors
}

// geoTransform is the map to the world in the fields of a GeoTIFF.
func geoTransform(t *tiff.Reader, d tiff.Fields) *ast.GeoRef {
	var m geom.Transform
	scale, tie, full := t.Floats(d, tiff.TagPixelScale), t.Floats(d, tiff.TagTiepoint), t.Floats(d, tiff.TagTransform)
	switch {
	case len(full) == 16:
		m = geom.Affine(full[0], full[1], full[3], full[4], full[5], full[7])
	case len(scale) >= 2 && len(tie) == 6:
		m = geom.Affine(scale[0], 0, tie[3]-tie[0]*scale[0], 0, -scale[1], tie[4]+tie[1]*scale[1])
	default:
		return nil
	}
	// In a raster of points a position is a pixel's centre.
	if keys, err := t.Uints(d, tiff.TagGeoKeys); err == nil {
		for i := 4; i+3 < len(keys); i += 4 {
			if keys[i] == 1025 && keys[i+1] == 0 && keys[i+3] == 2 {
				m = m.Mul(geom.Translate(-0.5, -0.5))
			}
		}
	}
	if !m.IsFinite() {
		return nil
	}
	return &ast.GeoRef{Transform: m}
}
