package vrt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// maxNesting is how deep nodes may stand in the JSON of nesting().
const maxNesting = 1000

// given is a node of the JSON of nesting().
type given struct {
	Type     string                     `json:"type"`
	Meta     map[string]json.RawMessage `json:"meta"`
	Children []*given                   `json:"children"`
}

// ReadNesting reads the JSON of delayed_image's nesting() as a tree. Python
// has to turn slices and paths into something that JSON has: a slice may be
// [start, stop, step], {"start": …}, or its text "slice(0, 128, None)". NaN is
// read where Python writes it.
//
// The loads have no metadata yet: nesting() tells neither types nor nodata
// values. So ast.Prepare finds what does not fit the files.
func ReadNesting(r io.Reader) (ast.Node, []Note, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, nil, err
	}
	if len(data) > MaxBytes {
		return nil, nil, fmt.Errorf("nesting: the text exceeds %d MiB", MaxBytes>>20)
	}
	var root *given
	d := json.NewDecoder(bytes.NewReader(quoteNaN(data)))
	if err := d.Decode(&root); err != nil {
		if t, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, nil, fmt.Errorf("nesting: byte %[2]d begins a JSON %[1]s, expected a node: an object of type, meta and children", t.Value, t.Offset)
		}
		return nil, nil, fmt.Errorf("nesting: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, nil, errors.New("nesting: text follows the end of the tree")
	}
	in := &denester{left: maxElements}
	p, err := in.node(root, "", 0)
	if err != nil {
		return nil, nil, fmt.Errorf("nesting: %w", err)
	}
	if err := in.err("nesting", true); err != nil {
		return nil, nil, err
	}
	return p.node, in.notes, nil
}

// quoteNaN puts quotes around NaN and Infinity outside of strings.
func quoteNaN(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	var out []byte
	inString := false
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case inString && c == '\\' && i+1 < len(data):
			out = append(out, c)
			i++
			c = data[i]
		case c == '"':
			inString = !inString
		case !inString && bytes.HasPrefix(data[i:], []byte("NaN")):
			out = append(out, `"NaN"`...)
			i += 2
			continue
		case !inString && bytes.HasPrefix(data[i:], []byte("Infinity")):
			// The sign, if any, stays outside of the quotes: no number.
			out = append(out, `"Infinity"`...)
			i += 7
			continue
		}
		out = append(out, c)
	}
	return out
}

type denester struct {
	findings
	left      int
	quantized int // dequantizes above
}

// part is a node with the size that the JSON says, zero where it does not.
type part struct {
	node ast.Node
	size geom.Size
}

// meta reads a value of a node; absent and null leave v as it is.
func (g *given) meta(key string, v any) error {
	raw, ok := g.Meta[key]
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, v); err != nil {
		return fmt.Errorf("%s cannot be %s", key, short(raw))
	}
	return nil
}

func (g *given) has(key string) bool {
	raw, ok := g.Meta[key]
	return ok && string(raw) != "null"
}

// node reads a node and what is below; a zero part where it has no form.
func (in *denester) node(g *given, path string, depth int) (part, error) {
	switch in.left--; {
	case g == nil:
		return part{}, fmt.Errorf("%s: a node is null", orRoot(path))
	case in.left < 0:
		return part{}, fmt.Errorf("more than %d nodes", maxElements)
	case depth > maxNesting:
		return part{}, fmt.Errorf("nodes stand more than %d deep", maxNesting)
	}
	path = join(path, g.Type)
	if g.Type == "DelayedDequantize" && g.has("quantization") {
		in.quantized++
		defer func() { in.quantized-- }()
	}
	var parts []part
	ok := true
	for i, c := range g.Children {
		at := path
		if len(g.Children) > 1 {
			at = join(path, fmt.Sprint(i))
		}
		p, err := in.node(c, at, depth+1)
		if err != nil {
			return part{}, err
		}
		ok = ok && p.node != nil
		parts = append(parts, p)
	}
	f := readers[g.Type]
	if f == nil {
		in.refuse(path, g.Type, "has no form in a tree")
		return part{}, nil
	}
	leaf := g.Type == "DelayedLoad" || g.Type == "DelayedNans" || g.Type == "DelayedNodata" || g.Type == "DelayedIdentity"
	if leaf != (len(parts) == 0) || len(parts) > 1 && g.Type != "DelayedChannelConcat" {
		return part{}, fmt.Errorf("%s has %d children", path, len(parts))
	}
	if !ok {
		return part{}, nil
	}
	p, err := f(in, g, parts, path)
	if err != nil {
		return part{}, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// short is JSON as it stands, cut where it is too long to read.
func short(raw json.RawMessage) string {
	const most = 60
	if len(raw) > most {
		return strings.ToValidUTF8(string(raw[:most]), "") + "…"
	}
	return string(raw)
}

func orRoot(path string) string {
	if path == "" {
		return "the root"
	}
	return path
}

var readers map[string]func(*denester, *given, []part, string) (part, error)

func init() {
	readers = map[string]func(*denester, *given, []part, string) (part, error){
		"DelayedLoad":          (*denester).load,
		"DelayedNans":          (*denester).nans,
		"DelayedNodata":        (*denester).nans,
		"DelayedIdentity":      (*denester).identity,
		"DelayedCrop":          (*denester).crop,
		"DelayedWarp":          (*denester).warp,
		"DelayedOverview":      (*denester).overview,
		"DelayedDequantize":    (*denester).dequantize,
		"DelayedChannelConcat": (*denester).concat,
		"DelayedAsXarray":      (*denester).xarray,
	}
}

// dsize reads the size of a node, zero where it is null.
func (g *given) dsize() (geom.Size, error) {
	var s []*int
	if err := g.meta("dsize", &s); err != nil {
		return geom.Size{}, err
	}
	if len(s) == 0 || len(s) == 2 && (s[0] == nil || s[1] == nil) {
		return geom.Size{}, nil
	}
	if len(s) != 2 || *s[0] < 1 || *s[1] < 1 || *s[0] > ast.MaxExtent || *s[1] > ast.MaxExtent {
		return geom.Size{}, fmt.Errorf("dsize %s is not a width and a height", short(g.Meta["dsize"]))
	}
	return geom.Size{W: *s[0], H: *s[1]}, nil
}

func (in *denester) channels(g *given, path string) (string, error) {
	var spec string
	raw := g.Meta["channels"]
	if len(raw) > 0 && raw[0] == '"' {
		if err := g.meta("channels", &spec); err != nil {
			return "", err
		}
	}
	if spec != "" {
		if _, err := ast.ParseChannels(spec); err != nil {
			in.note(path, g.Type, "the names of its channels are left out: %v", err)
			return "", nil
		}
	}
	return spec, nil
}

func (in *denester) load(g *given, _ []part, path string) (part, error) {
	var uri string
	if err := g.meta("fpath", &uri); err != nil {
		return part{}, err
	}
	size, err := g.dsize()
	if err != nil {
		return part{}, err
	}
	spec, err := in.channels(g, path)
	if err != nil {
		return part{}, err
	}
	l, err := ast.NewLoad(uri, spec)
	if err != nil {
		return part{}, err
	}
	return part{l, size}, nil
}

func (in *denester) nans(g *given, _ []part, path string) (part, error) {
	size, err := g.dsize()
	if err != nil {
		return part{}, err
	}
	if size == (geom.Size{}) {
		in.refuse(path, g.Type, "has no dsize")
		return part{}, nil
	}
	spec, err := in.channels(g, path)
	if err != nil {
		return part{}, err
	}
	count := 1
	if err := g.meta("num_channels", &count); err != nil {
		return part{}, err
	}
	if count < 1 || count > ast.MaxBands {
		return part{}, fmt.Errorf("num_channels %d is not between 1 and %d", count, ast.MaxBands)
	}
	typ := raster.Float64
	if in.quantized > 0 {
		typ = raster.Uint8 // what is dequantized is integers
	}
	bands := ast.NumberedBands(count, typ)
	if spec != "" {
		names, _ := ast.ParseChannels(spec)
		bands = ast.NumberedBands(len(names), typ)
		for i := range names {
			bands[i].Name = names[i]
		}
	}
	f, err := ast.NewInvalid(size, bands)
	if err != nil {
		return part{}, err
	}
	return part{f, size}, nil
}

func (in *denester) identity(g *given, _ []part, path string) (part, error) {
	in.refuse(path, g.Type, "its pixels are in memory, and nesting() leaves them out")
	return part{}, nil
}

func (in *denester) xarray(g *given, parts []part, path string) (part, error) {
	in.note(path, g.Type, "is left out")
	return parts[0], nil
}

func (in *denester) concat(g *given, parts []part, path string) (part, error) {
	nodes := make([]ast.Node, len(parts))
	size := parts[0].size
	for i, p := range parts {
		nodes[i] = p.node
		if p.size != size && p.size != (geom.Size{}) && size != (geom.Size{}) {
			in.refuse(path, g.Type, "child %d has %v and the first %v; a tree joins only equal canvases", i, p.size, size)
			return part{}, nil
		}
	}
	c, err := ast.NewConcat(nodes...)
	if err != nil {
		return part{}, err
	}
	return part{c, size}, nil
}

func (in *denester) crop(g *given, parts []part, path string) (part, error) {
	rows, cols, err := g.slices()
	if err != nil {
		return part{}, err
	}
	size := parts[0].size
	w, err := window(rows, cols, size)
	if err != nil {
		in.refuse(path, g.Type, "%v", err)
		return part{}, nil
	}
	var picks []int
	if err := g.meta("chan_idxs", &picks); err != nil {
		return part{}, err
	}
	if g.has("chan_idxs") && len(picks) == 0 {
		return part{}, errors.New("chan_idxs is empty")
	}
	c, err := ast.NewCrop(parts[0].node, w, picks...)
	if err != nil {
		return part{}, err
	}
	return part{c, geom.Size{W: w.Dx(), H: w.Dy()}}, nil
}

// window is what two slices cut from a canvas, which may be unknown.
func window(rows, cols pySlice, size geom.Size) (image.Rectangle, error) {
	x0, x1, err := cols.bounds(size.W)
	if err != nil {
		return image.Rectangle{}, err
	}
	y0, y1, err := rows.bounds(size.H)
	if err != nil {
		return image.Rectangle{}, err
	}
	return image.Rect(x0, y0, x1, y1), nil
}
