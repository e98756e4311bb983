//go:build cgo

package gdalio

/*
#include <gdal_version.h>
*/
import "C"

// builtFor is the release whose headers this build was made with.
const builtFor = C.GDAL_RELEASE_NAME
