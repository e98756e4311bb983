package gdalio

import (
	"slices"
	"strings"

	"github.com/rewarp/rewarp/eval"
)

// selfContained are the formats, by GDAL's short names, whose files hold their
// samples themselves and name no other file; sidecars have the name of the
// raster. The VRT, which does name files, is read by eval.Restrict before it is
// opened.
//
// Left out are, among others, formats whose header names the file of the
// samples (ISIS3, PDS, MAP, ERS), that may store samples outside (HDF5, netCDF,
// HFA, PCIDSK, Zarr), that lead to services (WMS, WMTS, STACTA, HTTP), and
// containers with a language of their own (GPKG, MBTiles, PDF, FITS).
var selfContained = []string{
	"VRT", "GTiff", "COG", "HTTP", // what has an address at all is for the policy to allow
	"PNG", "JPEG", "GIF", "BIGGIF", "BMP", "PNM", "WEBP", "HEIF", "AVIF", "JPEGXL", "EXR",
	"JP2OpenJPEG", "JP2KAK", "JPEG2000", "JPEGLS",
	"AAIGrid", "GSAG", "GSBG", "GS7BG", "XYZ", "SRTMHGT", "USGSDEM", "DTED", "GRIB", "ENVI", "EHdr",
}

// SelfContained lists the formats of the libgdal in use that refer to no other
// files, and the VRT. They are what an Opener without WithDrivers opens where
// eval.Restrict confines it.
func SelfContained() []string {
	names := []string{}
	for _, d := range libDrivers() {
		if slices.Contains(selfContained, d.Name) {
			names = append(names, d.Name)
		}
	}
	return names
}

// Confined is an Opener like o that opens the formats of WithDrivers, by default
// those of SelfContained, and tells of others which they are.
func (o *Opener) Confined() eval.Opener {
	c := *o
	c.confined = true
	if c.drivers == nil && Version() != "" {
		c.drivers = SelfContained()
	}
	return &c
}

// otherFormat is an error where a raster is of a format that a confined Opener
// does not open.
func (o *Opener) otherFormat(uri string) error {
	if !o.confined {
		return nil
	}
	name := libIdentify(uri)
	if name == "" || slices.ContainsFunc(o.drivers, func(d string) bool { return strings.EqualFold(d, name) }) {
		return nil
	}
	return &eval.FormatError{Format: name}
}

var _ eval.Confiner = (*Opener)(nil)
