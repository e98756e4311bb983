package gdalio

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Error is a failure to read or write a raster. Err carries GDAL's own message
// where GDAL reported it; errors.Is finds fs.ErrNotExist, fs.ErrPermission,
// fs.ErrClosed and the errors of a context in it.
type Error struct {
	Op  string // what was tried: open, read, create, write, close
	URI string
	Err error
}

// Error reads `gdalio: open "x.tif": No such file or directory`.
func (e *Error) Error() string {
	if noGDAL(e.Err) {
		return fmt.Sprintf("gdalio: cannot %s %q: %v", e.Op, e.URI, e.Err)
	}
	return fmt.Sprintf("gdalio: %s %q: %v", e.Op, e.URI, e.Err)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

func fail(op, uri string, err error) error {
	if err == nil {
		return nil
	}
	if lib, ok := err.(libError); ok {
		err = lib.about(uri)
	}
	return &Error{op, uri, err}
}

// libError is the library's message.
type libError string

func (e libError) Error() string { return string(e) }

// about drops the uri that GDAL often begins with, since the error names it.
func (e libError) about(uri string) libError {
	for _, head := range []string{uri + ": ", "'" + uri + "' ", "`" + uri + "' "} {
		if rest, ok := strings.CutPrefix(string(e), head); ok {
			return libError(rest)
		}
	}
	return e
}

// Is recognizes the operating system's errors by the text that GDAL passes on,
// since GDAL's error numbers do not tell them apart.
func (e libError) Is(target error) bool {
	switch target {
	case fs.ErrNotExist:
		return strings.Contains(string(e), "No such file or directory") ||
			strings.Contains(string(e), "does not exist in the file system")
	case fs.ErrPermission:
		return strings.Contains(string(e), "Permission denied")
	}
	return false
}

func noGDAL(err error) bool {
	var lib libError
	return libVersion() == "" && errors.As(err, &lib)
}

// Driver is a format that GDAL knows.
type Driver struct {
	Name       string // short name, such as GTiff
	LongName   string
	Extensions []string // of file names, without the dot
	Create     bool     // can be written piece by piece
	CreateCopy bool     // can be written from a whole raster

	types []string // sample types that it creates, empty when it does not say
}

// Version is the release of the libgdal in use, such as 3.6.2, empty when this
// build has none.
func Version() string { return libVersion() }

// Drivers lists the raster formats of the libgdal in use, in the order that
// GDAL tries them.
func Drivers() []Driver { return libDrivers() }

func findDriver(name string) (Driver, bool) {
	all := libDrivers()
	i := slices.IndexFunc(all, func(d Driver) bool { return strings.EqualFold(d.Name, name) })
	if i < 0 {
		return Driver{}, false
	}
	return all[i], true
}

// CacheMax is the size of GDAL's block cache, in bytes, for the whole process;
// 0 when this build has no GDAL.
func CacheMax() int64 { return libCacheMax() }

// SetCacheMax sets the size of GDAL's block cache, in bytes, for the whole
// process.
func SetCacheMax(bytes int64) { libSetCacheMax(bytes) }

// ConfigOption is a configuration option of GDAL, such as GDAL_NUM_THREADS, and
// whether it is set, by SetConfigOption or by the environment.
func ConfigOption(name string) (value string, set bool) { return libConfigOption(name) }

// SetConfigOption sets a configuration option of GDAL for the whole process.
func SetConfigOption(name, value string) { libSetConfigOption(name, &value) }

// UnsetConfigOption forgets what SetConfigOption set. The environment's value,
// if there is one, is in force again.
func UnsetConfigOption(name string) { libSetConfigOption(name, nil) }
