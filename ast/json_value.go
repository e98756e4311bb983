package ast

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Limits of tree files and expressions.
const (
	MaxFileBytes = 64 << 20  // size of a file
	MaxNodes     = 1_000_000 // distinct nodes
	MaxDepth     = 200_000   // nodes from the root to a leaf
	MaxInline    = 64 << 10  // base64 characters of an inline raster

	maxValues     = 1 << 23 // JSON values in a file
	maxTotalBands = 1 << 22 // bands of all nodes that do not share them with their input
	maxNesting    = 2*MaxDepth + 16
)

type valueKind uint8

const (
	nullValue valueKind = iota
	boolValue
	numberValue
	stringValue
	arrayValue
	objectValue
)

// value is one JSON value. Values refer to each other by index, and to the
// file by offset.
type value struct {
	off, end       int32 // the text of the value
	key, keyEnd    int32 // the text of its key, with the quotes
	parent         int32 // -1 for the top
	child, sibling int32 // 0 is none
	count          int32 // children
	kind           valueKind
}

// document is a parsed file. The first value is the top.
type document struct {
	data   []byte
	values []value
}

// failAt is an error at a byte offset inside a value; -1 is outside all.
func (d *document) failAt(off int, in int32, found, expected string) error {
	line, column := lineColumn(d.data, off)
	return &FileError{Line: line, Column: column, Path: d.path(in), Found: found, Expected: expected}
}

// path names the way from the top to a value: keys, and indices from 0.
func (d *document) path(id int32) string {
	var steps []string
	for id > 0 {
		v := &d.values[id]
		if v.key != v.keyEnd {
			steps = append(steps, d.keyName(id))
		} else {
			n := 0
			for k := d.values[v.parent].child; k != id; k = d.values[k].sibling {
				n++
			}
			steps = append(steps, strconv.Itoa(n))
		}
		id = v.parent
	}
	slices.Reverse(steps)
	return joinPath(steps)
}

func (d *document) keyName(id int32) string {
	v := &d.values[id]
	return unquote(d.data[v.key:v.keyEnd])
}

func (d *document) text(id int32) string {
	v := &d.values[id]
	return unquote(d.data[v.off:v.end])
}

// unquote decodes a string that the scanner accepted.
func unquote(raw []byte) string {
	for _, c := range raw {
		if c == '\\' {
			var s string
			json.Unmarshal(raw, &s) // the scanner let no bad escape through
			return s
		}
	}
	return string(raw[1 : len(raw)-1])
}

// describe says what a value is, for an error.
func (d *document) describe(id int32) string {
	v := &d.values[id]
	switch v.kind {
	case stringValue:
		return "string " + quoteShort(d.text(id))
	case numberValue:
		text := string(d.data[v.off:v.end])
		if len(text) > 40 {
			text = text[:40] + "…"
		}
		return "number " + text
	case arrayValue:
		return fmt.Sprintf("an array of %d", v.count)
	case objectValue:
		return "an object"
	}
	return string(d.data[v.off:v.end])
}

// child finds a field of an object; 0 is none.
func (d *document) child(id int32, name string) int32 {
	for k := d.values[id].child; k != 0; k = d.values[k].sibling {
		v := &d.values[k]
		key := d.data[v.key+1 : v.keyEnd-1]
		if string(key) == name || bytes.IndexByte(key, '\\') >= 0 && d.keyName(k) == name {
			return k
		}
	}
	return 0
}
