// Package vrt exchanges trees with others' notations for delayed rasters:
// GDAL's VRT, command lines of gdal_translate and gdalwarp, and the JSON that
// delayed_image's nesting() gives.
//
// Reading gives a tree that means what the foreign text means; writing gives a
// text that makes the same pixels. What the other side has no words for is
// said, node by node, in an *UnsupportedError that lists all of it. What is
// carried with a difference, such as a kernel that treats an image's border in
// another way, comes back as notes.
//
// Texts may come from strangers: their size, depth and number of elements are
// bounded, entities and directives are refused, and no file is opened. The
// names of rasters go into the tree as they are, for the policy of whoever
// opens them.
//
// The package is plain Go and needs no GDAL.
package vrt

import (
	"fmt"
	"strings"
)

// Note says something about one node of a tree, or one element of a text.
type Note struct {
	Path   string // where: ops from the root such as "crop/warp", or elements such as "VRTRasterBand.1/MaskBand"
	Op     string // the op or element it is about
	Reason string
}

// String is for example "crop/warp: a projective transform has no form in a VRT".
func (n Note) String() string {
	if n.Path == "" {
		return n.Reason
	}
	return n.Path + ": " + n.Reason
}

// UnsupportedError lists everything that could not be expressed.
type UnsupportedError struct {
	Format  string // "VRT", "nesting", "gdal_translate" or "gdalwarp"
	Reading bool   // whether the format was read, not written
	Notes   []Note
}

// Error is one line that holds every reason.
func (e *UnsupportedError) Error() string {
	parts := make([]string, len(e.Notes))
	for i, n := range e.Notes {
		parts[i] = n.String()
	}
	if e.Reading {
		return fmt.Sprintf("a tree cannot express this %s: %s", e.Format, strings.Join(parts, "; "))
	}
	return fmt.Sprintf("%s cannot express this tree: %s", e.Format, strings.Join(parts, "; "))
}

// findings gathers what a conversion has to say, each once.
type findings struct {
	unsupported, notes []Note
	seen               map[Note]bool
}

func (f *findings) add(to *[]Note, n Note) {
	if f.seen == nil {
		f.seen = map[Note]bool{}
	}
	const most = 1000
	if !f.seen[n] && len(*to) < most {
		f.seen[n] = true
		*to = append(*to, n)
	}
}

// refuse records what cannot be expressed.
func (f *findings) refuse(path, op, reason string, a ...any) {
	f.add(&f.unsupported, Note{path, op, fmt.Sprintf(reason, a...)})
}

// note records what is carried with a difference.
func (f *findings) note(path, op, reason string, a ...any) {
	f.add(&f.notes, Note{path, op, fmt.Sprintf(reason, a...)})
}

// err is the error of everything refused in reading or writing a format, or nil.
func (f *findings) err(format string, reading bool) error {
	if len(f.unsupported) == 0 {
		return nil
	}
	return &UnsupportedError{format, reading, f.unsupported}
}

// join appends a step to a path.
func join(path, step string) string {
	if path == "" {
		return step
	}
	return path + "/" + step
}
