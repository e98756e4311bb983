//go:build !cgo

package gdalio

var errNoGDAL = libError("this build has no GDAL (built with CGO_ENABLED=0)")

const hasInt8 = false

func libVersion() string { return "" }

func libDrivers() []Driver { return nil }

func libOpen(string, []string, []string) (dataset, error) { return nil, errNoGDAL }

func libIdentify(string) string { return "" }

func libCreate(*creation) (canvas, error) { return nil, errNoGDAL }

func libCheckOptions(string, []string) error { return errNoGDAL }

func libCopy(string, string, string, []string, *int32) error { return errNoGDAL }

func libInflate([]byte, []byte) int { return -1 }

func libCacheMax() int64 { return 0 }

func libSetCacheMax(int64) {}

func libConfigOption(string) (string, bool) { return "", false }

func libSetConfigOption(string, *string) {}
