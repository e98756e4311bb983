package ast

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/internal/spelling"
)

// FileVersion is the version of tree files.
const FileVersion = 1

// ReadOption changes how tree files are read.
type ReadOption func(*reader)

// BaseFolder is the folder, or the address, that relative uris start from. By
// default they stay as they are.
func BaseFolder(folder string) ReadOption { return func(r *reader) { r.base = folder } }

// CustomDecoder reads custom nodes: op is the "x-…" name, raw the node's JSON
// object without its inputs.
func CustomDecoder(decode func(op string, raw json.RawMessage, inputs []Node) (Node, error)) ReadOption {
	return func(r *reader) { r.custom = decode }
}

// ReadJSON reads a tree file of at most MaxFileBytes.
func ReadJSON(r io.Reader, opts ...ReadOption) (Node, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxFileBytes+1))
	if err != nil {
		return nil, err
	}
	return ParseJSON(data, opts...)
}

// ParseJSON reads a tree file in memory. A subtree that is referred to twice is
// one node. Errors in the file are *FileError.
func ParseJSON(data []byte, opts ...ReadOption) (Node, error) {
	doc, err := parseDocument(data)
	if err != nil {
		return nil, err
	}
	r := &reader{document: *doc}
	for _, o := range opts {
		o(r)
	}
	n := r.file()
	if r.err != nil {
		return nil, r.err
	}
	return n, nil
}

// reader makes nodes of values. The first error stays.
type reader struct {
	document
	base   string
	custom func(op string, raw json.RawMessage, inputs []Node) (Node, error)
	err    error

	defs  map[string]*def
	stack []frame
	nodes int
	bands int
}

// def is a shared subtree.
type def struct {
	value int32
	state defState
	done  built
}

type defState uint8

const (
	unread defState = iota
	reading
	read
)

// built is a node with its distance from the lowest leaf.
type built struct {
	node  Node
	depth int
}

// frame is a node that waits for its inputs, or a ref that waits for its def.
type frame struct {
	value  int32
	op     string
	def    *def
	inputs []int32
	done   []built
}

func (r *reader) fail(id int32, found, expected string) {
	if r.err == nil {
		r.err = r.failAt(int(r.values[id].off), id, found, expected)
	}
}

func (r *reader) mismatch(id int32, expected string) { r.fail(id, r.describe(id), expected) }

func (r *reader) file() Node {
	if r.values[0].kind != objectValue {
		r.mismatch(0, "an object with \"version\" and \"tree\"")
		return nil
	}
	r.fields(0, "a tree file", []string{"version", "tree", "defs", "$schema"})
	if v := r.need(0, "version", "a tree file"); r.err == nil {
		expected := fmt.Sprintf("%d, the only version that this release reads", FileVersion)
		if n := r.float(v, expected); n != FileVersion {
			r.mismatch(v, expected)
		}
	}
	if v := r.child(0, "$schema"); v != 0 {
		r.string(v)
	}
	r.readDefs()
	tree := r.need(0, "tree", "a tree file")
	if r.err != nil {
		return nil
	}
	b := r.tree(tree)
	// Defs that the tree does not use are held to the same rules.
	for k := r.defsValue(); k != 0 && r.err == nil; k = r.values[k].sibling {
		if d := r.defs[r.keyName(k)]; d.state == unread {
			d.state, d.done = read, r.tree(k)
		}
	}
	return b.node
}

// defsValue is the first def.
func (r *reader) defsValue() int32 {
	if v := r.child(0, "defs"); v != 0 {
		return r.values[v].child
	}
	return 0
}

func (r *reader) readDefs() {
	v := r.child(0, "defs")
	if v == 0 || r.err != nil {
		return
	}
	if r.values[v].kind != objectValue {
		r.mismatch(v, "an object that names shared subtrees")
		return
	}
	r.defs = make(map[string]*def, r.values[v].count)
	for k := r.values[v].child; k != 0; k = r.values[k].sibling {
		r.defs[r.keyName(k)] = &def{value: k}
	}
}

// tree builds the node of a value, inputs first, without recursion.
func (r *reader) tree(id int32) (result built) {
	r.stack = r.stack[:0]
	r.enter(id)
	for r.err == nil && len(r.stack) > 0 {
		f := &r.stack[len(r.stack)-1]
		if f.def != nil && f.def.state == read && len(f.done) == 0 {
			f.done = append(f.done, f.def.done)
		} else if len(f.done) < len(f.inputs) {
			r.enter(f.inputs[len(f.done)])
			continue
		}
		b := r.leave(f)
		if r.err != nil {
			break
		}
		r.stack = r.stack[:len(r.stack)-1]
		if len(r.stack) == 0 {
			return b
		}
		parent := &r.stack[len(r.stack)-1]
		parent.done = append(parent.done, b)
	}
	return built{}
}

// enter pushes the frame of a node or ref.
func (r *reader) enter(id int32) {
	f := frame{value: id}
	if r.values[id].kind != objectValue {
		r.mismatch(id, "a node, an object with \"op\" or \"ref\"")
		return
	}
	if ref := r.child(id, "ref"); ref != 0 {
		r.ref(&f, ref)
		r.stack = append(r.stack, f)
		return
	}
	if r.nodes++; r.nodes > MaxNodes {
		r.fail(id, fmt.Sprintf("more than %d nodes", MaxNodes), "a smaller tree")
		return
	}
	op := r.need(id, "op", "a node")
	if r.err != nil {
		return
	}
	f.op = r.string(op)
	kind := kindOf(f.op)
	if r.err == nil && kind == KindCustom && (!strings.HasPrefix(f.op, "x-") || r.custom == nil) {
		r.unknownOp(op, f.op)
		return
	}
	if kind != KindCustom {
		r.fields(id, f.op, opFields[kind])
	}
	switch kind {
	case KindLoad, KindFill, KindRaster:
	case KindConcat:
		f.inputs = r.inputs(r.need(id, "inputs", f.op))
	case KindCustom:
		one, many := r.child(id, "input"), r.child(id, "inputs")
		switch {
		case one != 0 && many != 0:
			r.fail(many, "\"inputs\" beside \"input\"", "one of them")
		case one != 0:
			f.inputs = []int32{one}
		case many != 0:
			f.inputs = r.inputs(many)
		}
	default:
		f.inputs = []int32{r.need(id, "input", f.op)}
	}
	if r.err == nil {
		f.done = make([]built, 0, len(f.inputs))
		r.stack = append(r.stack, f)
	}
}

func (r *reader) inputs(id int32) []int32 {
	if r.err != nil {
		return nil
	}
	if r.values[id].kind != arrayValue {
		r.mismatch(id, "an array of nodes")
		return nil
	}
	out := make([]int32, 0, r.values[id].count)
	for k := r.values[id].child; k != 0; k = r.values[k].sibling {
		out = append(out, k)
	}
	return out
}

func (r *reader) ref(f *frame, ref int32) {
	r.fields(f.value, "a reference", []string{"ref"})
	name := r.string(ref)
	if r.err != nil {
		return
	}
	d := r.defs[name]
	if d == nil {
		expected := "a name in \"defs\""
		if len(r.defs) == 0 {
			expected += ", which has none"
		} else if near := spelling.Nearest(name, r.defNames()); near != "" {
			expected += fmt.Sprintf(" (did you mean %q?)", near)
		}
		r.mismatch(ref, expected)
		return
	}
	f.def = d
	switch d.state {
	case reading:
		r.fail(ref, "the cycle "+r.cycle(d, name), "a tree that does not contain itself")
	case unread:
		d.state = reading
		f.inputs = []int32{d.value}
	}
}

// cycle names the defs from d to a reference back to it.
func (r *reader) cycle(d *def, name string) string {
	var names []string
	found := false
	for i := range r.stack {
		if e := r.stack[i].def; e != nil {
			if found = found || e == d; found {
				names = append(names, r.keyName(e.value))
			}
		}
	}
	names = append(names, name)
	if len(names) > 12 {
		names = append(append(names[:6:6], "…"), names[len(names)-5:]...)
	}
	return strings.Join(names, " → ")
}

func (r *reader) defNames() []string {
	names := make([]string, 0, min(len(r.defs), 1000))
	for k := r.defsValue(); k != 0 && len(names) < 1000; k = r.values[k].sibling {
		names = append(names, r.keyName(k))
	}
	return names
}

// leave makes the node of a frame whose inputs are done.
func (r *reader) leave(f *frame) built {
	if f.def != nil {
		f.def.state, f.def.done = read, f.done[0]
		return f.done[0]
	}
	b := built{depth: 1}
	inputs := make([]Node, len(f.done))
	for i, in := range f.done {
		inputs[i], b.depth = in.node, max(b.depth, in.depth+1)
	}
	if b.depth > MaxDepth {
		r.fail(f.value, fmt.Sprintf("more than %d nodes from here to a leaf", MaxDepth), "a flatter tree")
		return b
	}
	n, err := r.node(f, inputs)
	switch {
	case r.err != nil:
	case err != nil:
		v := &r.values[f.value]
		line, column := lineColumn(r.data, int(v.off))
		r.err = &FileError{Line: line, Column: column, Path: r.path(f.value), Err: under(err, r.steps())}
	default:
		b.node = n
		r.countBands(f, n)
	}
	return b
}

// countBands bounds the memory that bands take: a few bytes of a file can ask
// for tens of thousands.
func (r *reader) countBands(f *frame, n Node) {
	own := n.base().bands()
	for _, in := range f.done {
		if b := in.node.base().bands(); len(own) > 0 && len(b) > 0 && &b[0] == &own[0] {
			return
		}
	}
	if r.bands += len(own); r.bands > maxTotalBands {
		r.fail(f.value, fmt.Sprintf("more than %d bands over all nodes", maxTotalBands), "a smaller tree")
	}
}

// steps are the ops from the root to the parent of the top frame.
func (r *reader) steps() []string {
	var steps []string
	for i := range r.stack[:len(r.stack)-1] {
		f := &r.stack[i]
		switch {
		case f.def != nil:
		case len(f.inputs) > 1 || f.op == "concat":
			steps = append(steps, f.op+"."+strconv.Itoa(len(f.done)))
		default:
			steps = append(steps, f.op)
		}
	}
	return steps
}

// ResolveURI is the uri as seen from a folder or an address. Absolute paths,
// and uris with a scheme or a driver's prefix, stay as they are.
func ResolveURI(base, uri string) string {
	if base == "" || !relativeURI(uri) {
		return uri
	}
	if scheme, rest, ok := strings.Cut(base, "://"); ok {
		return scheme + "://" + path.Join(rest, uri)
	}
	if strings.HasPrefix(base, "/vsi") {
		return path.Join(base, uri)
	}
	return filepath.Join(base, uri)
}

func relativeURI(uri string) bool {
	if strings.HasPrefix(uri, "/") || strings.HasPrefix(uri, "<") || filepath.IsAbs(uri) {
		return false
	}
	colon := strings.IndexByte(uri, ':')
	slash := strings.IndexByte(uri, '/')
	return colon < 0 || slash >= 0 && slash < colon
}
