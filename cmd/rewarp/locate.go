package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
)

// locate finds the place in a tree file that an error about a node of its tree
// is about, and puts it into the error. Without a place the error comes back
// with the file's name.
func locate(name string, data []byte, err error) error {
	var e *ast.Error
	if !errors.As(err, &e) || data == nil {
		return inTree(name, err)
	}
	path := []string{"tree"}
	if e.Path != "" {
		for step := range strings.SplitSeq(e.Path, "/") {
			path = append(path, inputOf(step)...)
		}
	}
	f := finder{data: data}
	off, ok := f.find(path)
	if !ok {
		return inTree(name, err)
	}
	short := *e
	short.Path = ""
	head := string(data[:off])
	return &rewarp.TreeError{Name: name, Err: &ast.FileError{
		Line: strings.Count(head, "\n") + 1, Column: utf8.RuneCountInString(head[strings.LastIndexByte(head, '\n')+1:]) + 1,
		Path: strings.Join(f.path, "/"), Err: &short,
	}}
}

// inputOf is what a step of a path, "crop" or "concat.1", goes through in a
// tree file.
func inputOf(step string) []string {
	if _, i, ok := strings.Cut(step, "."); ok {
		return []string{"inputs", i}
	}
	return []string{"input"}
}

// finder follows a path through the text of a JSON document.
type finder struct {
	data []byte
	path []string // the way taken, through the definitions of shared subtrees
	refs int
}

// find is the offset of the value at the end of a path.
func (f *finder) find(path []string) (offset int, ok bool) {
	f.path = path
	d := json.NewDecoder(bytes.NewReader(f.data))
	for i, step := range path {
		t, err := d.Token()
		if err != nil {
			return 0, false
		}
		switch t {
		case json.Delim('['):
			n, err := strconv.Atoi(step)
			if err != nil || !skip(d, n) {
				return 0, false
			}
		case json.Delim('{'):
			key, ok := seek(d, step)
			if !ok {
				return 0, false
			}
			if key == "ref" && step != "ref" {
				return f.follow(d, path[i:])
			}
		default:
			return 0, false
		}
	}
	return f.value(d)
}

// value is the offset of the value that comes next; a reference is followed.
func (f *finder) value(d *json.Decoder) (offset int, ok bool) {
	offset = int(d.InputOffset())
	for offset < len(f.data) && strings.IndexByte(" \t\r\n:,", f.data[offset]) >= 0 {
		offset++
	}
	var ref struct{ Ref string }
	rest := json.NewDecoder(bytes.NewReader(f.data[offset:]))
	if rest.Decode(&ref) == nil && ref.Ref != "" && f.refs < ast.MaxNodes {
		f.refs++
		return f.find([]string{"defs", ref.Ref})
	}
	return offset, true
}

// follow goes on from a definition.
func (f *finder) follow(d *json.Decoder, rest []string) (offset int, ok bool) {
	var name string
	if err := d.Decode(&name); err != nil || f.refs >= ast.MaxNodes {
		return 0, false
	}
	f.refs++
	return f.find(append([]string{"defs", name}, rest...))
}

// seek stops behind the key of an object, or behind "ref".
func seek(d *json.Decoder, key string) (found string, ok bool) {
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return "", false
		}
		if t == key || t == "ref" {
			return t.(string), true
		}
		if !skip(d, 1) {
			return "", false
		}
	}
	return "", false
}

func skip(d *json.Decoder, values int) bool {
	for range values {
		var v json.RawMessage
		if !d.More() || d.Decode(&v) != nil {
			return false
		}
	}
	return true
}

// sourceText is the text of a tree file, nil for an expression or where it
// cannot be read again.
func (a *app) sourceText(name string) []byte {
	if name == "-" {
		return a.stdin
	}
	if strings.EqualFold(name[max(0, len(name)-5):], ".expr") {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return data
}
