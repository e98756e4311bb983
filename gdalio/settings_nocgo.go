//go:build !cgo

package gdalio

const builtFor = ""
