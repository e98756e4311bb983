// Package oserr shortens errors of package os.
package oserr

import (
	"errors"
	"io/fs"
	"os"
)

// Cause drops the operation and the path of an error of package os, which would
// name a temporary file, or a path a second time.
func Cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
