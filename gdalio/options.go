package gdalio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rewarp/rewarp/ast/raster"
)

func checkOptions(driver string, options []string) error {
	for _, o := range options {
		if k, _, ok := strings.Cut(o, "="); !ok || k == "" || strings.ContainsRune(o, 0) {
			return fmt.Errorf("creation option %q is not KEY=VALUE", o)
		}
	}
	if len(options) == 0 {
		return nil
	}
	return libCheckOptions(driver, options)
}

// maxInterleaved is how many bands lie side by side in one tile. More make
// tiles that are slow to read a few bands of.
const maxInterleaved = 16

// tiffOptions adds the defaults to the creation options of a GTiff.
func (l *layout) tiffOptions(given []string, rgb, compress bool) []string {
	o := options(given)
	o.add("TILED", "YES")
	o.add("BIGTIFF", "IF_SAFER")
	if compress && o.add("COMPRESS", "DEFLATE") {
		o.add("PREDICTOR", predictor(l.typ))
	}
	if len(l.names) > maxInterleaved {
		o.add("INTERLEAVE", "BAND")
	}
	// Left alone, GDAL takes three and four uint8 bands for RGB and RGBA, and
	// the fourth then masks the others.
	if rgb {
		o.add("PHOTOMETRIC", "RGB")
	} else {
		o.add("PHOTOMETRIC", "MINISBLACK")
	}
	o.add("ALPHA", "NO")
	if l.typ == raster.Int8 && !hasInt8 {
		o.add("PIXELTYPE", "SIGNEDBYTE")
	}
	return o
}

// predictor is TIFF's: differences of integers, of the bytes of floats.
func predictor(t raster.DataType) string {
	if t.IsFloat() {
		return "3"
	}
	return "2"
}

func copyOptions(driver string, given []string) []string {
	o := options(given)
	if driver == "COG" {
		o.add("BIGTIFF", "IF_SAFER")
		if o.add("COMPRESS", "DEFLATE") {
			o.add("PREDICTOR", "YES")
		}
	}
	return o
}

type options []string

// add adds an option that is not there yet, and tells whether it did.
func (o *options) add(key, value string) bool {
	for _, s := range *o {
		if k, _, _ := strings.Cut(s, "="); strings.EqualFold(k, key) {
			return false
		}
	}
	*o = append(slices.Clip(*o), key+"="+value)
	return true
}
