package main

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/rewarp/rewarp/eval/imagefile"
	"github.com/rewarp/rewarp/gdalio"
)

// prefixes are how packages begin their errors, which says nothing to a user.
var prefixes = strings.NewReplacer(
	"gdalio: ", "", "imagefile: ", "", "eval: ", "", "rewrite: ", "", "oracle: ", "", "ast: ", "", "rewarp: ", "",
)

// message is what the user reads about an error.
func message(err error) string {
	text := prefixes.Replace(err.Error())
	var path *fs.PathError
	if errors.As(err, &path) && text == path.Error() {
		text = path.Path + ": " + path.Err.Error()
	}
	text = strings.TrimSuffix(text, ".")
	if hint := hintFor(err); hint != "" {
		text += "; " + hint
	}
	return text
}

// hintFor says what to do about errors of the system that do not say it.
func hintFor(err error) string {
	var hint *hinted
	if errors.As(err, &hint) {
		return ""
	}
	op := ""
	var g *gdalio.Error
	var i *imagefile.Error
	switch {
	case errors.As(err, &g):
		op = g.Op
	case errors.As(err, &i):
		op = i.Op
	}
	creating := op == "create" || op == "write" || op == "close"
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return "make room on the disk, or write elsewhere"
	case creating && errors.Is(err, fs.ErrNotExist):
		return "create the folder first"
	case errors.Is(err, fs.ErrNotExist):
		return "check the name"
	case errors.Is(err, fs.ErrPermission):
		return "check its permissions"
	case op == "create" && strings.Contains(strings.ToLower(err.Error()), "too large"):
		return "crop the tree or scale it down"
	case op == "read":
		return "check that the file is complete"
	case op == "open" && strings.Contains(err.Error(), "not "):
		return "name a raster"
	}
	return ""
}
