package ast

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"strings"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/internal/spelling"
)

// opFields are the fields that a node of each kind may have.
var opFields = [NumKinds][]string{
	KindLoad:       {"op", "uri", "channels", "size", "bands", "dtype", "nodata", "overviews", "block", "mask", "geo"},
	KindFill:       {"op", "size", "bands", "dtype", "nodata", "value"},
	KindRaster:     {"op", "size", "bands", "dtype", "nodata", "data", "mask"},
	KindCrop:       {"op", "window", "bands", "input"},
	KindPad:        {"op", "left", "top", "right", "bottom", "input"},
	KindWarp:       {"op", "transform", "size", "interpolation", "antialias", "border", "domain", "input"},
	KindOverview:   {"op", "level", "input"},
	KindDequantize: {"op", "orig_dtype", "orig_min", "orig_max", "quant_min", "quant_max", "nodata", "input"},
	KindConcat:     {"op", "inputs"},
}

// kindOf is the kind that an op names, KindCustom when no built-in one does.
func kindOf(op string) Kind {
	for k := KindLoad; k < NumKinds; k++ {
		if kindNames[k] == op {
			return k
		}
	}
	return KindCustom
}

func (r *reader) unknownOp(id int32, op string) {
	expected := "one of " + strings.Join(kindNames[KindLoad:], ", ")
	if strings.HasPrefix(op, "x-") {
		expected += "; custom nodes need a decoder"
	} else if near := spelling.Nearest(op, kindNames[KindLoad:]); near != "" {
		expected += fmt.Sprintf(" (did you mean %q?)", near)
	}
	r.fail(id, "op "+quoteShort(op), expected)
}

// node builds the node of a frame over its inputs.
func (r *reader) node(f *frame, inputs []Node) (Node, error) {
	id := f.value
	switch kindOf(f.op) {
	case KindLoad:
		return r.load(id)
	case KindFill:
		return r.fill(id)
	case KindRaster:
		return r.raster(id)
	case KindCrop:
		w := r.ints(r.need(id, "window", f.op), 0, MaxExtent, 4)
		var bands []int
		if v := r.child(id, "bands"); v != 0 {
			if bands = r.ints(v, 0, MaxBands-1, 0); r.err == nil && len(bands) == 0 {
				r.mismatch(v, "at least one band number")
			}
		}
		if r.err != nil {
			return nil, r.err
		}
		window := image.Rectangle{Min: image.Pt(w[0], w[1]), Max: image.Pt(w[2], w[3])}
		return nodeOr(NewCrop(inputs[0], window, bands...))
	case KindPad:
		var m [4]int
		for i, name := range [4]string{"left", "top", "right", "bottom"} {
			if v := r.child(id, name); v != 0 {
				m[i] = r.int(v, 0, MaxExtent)
			}
		}
		if r.err != nil {
			return nil, r.err
		}
		return nodeOr(NewPad(inputs[0], m[0], m[1], m[2], m[3]))
	case KindWarp:
		return r.warp(id, inputs[0])
	case KindOverview:
		level := r.int(r.need(id, "level", f.op), 0, MaxLevel)
		if r.err != nil {
			return nil, r.err
		}
		return nodeOr(NewOverview(inputs[0], level))
	case KindDequantize:
		return r.dequantize(id, inputs[0])
	case KindConcat:
		return nodeOr(NewConcat(inputs...))
	}
	n, err := r.custom(f.op, r.ownFields(id), inputs)
	if err == nil && n == nil {
		err = &Error{Op: f.op, Limit: "was decoded to nothing"}
	}
	return n, err
}

// nodeOr keeps a nil pointer from becoming a node.
func nodeOr[T Node](n T, err error) (Node, error) {
	if err != nil {
		return nil, err
	}
	return n, nil
}

// ownFields is the object without its inputs.
func (r *reader) ownFields(id int32) json.RawMessage {
	var b bytes.Buffer
	for k := r.values[id].child; k != 0; k = r.values[k].sibling {
		v := &r.values[k]
		if name := r.keyName(k); name == "input" || name == "inputs" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.Write(r.data[v.key:v.keyEnd])
		b.WriteByte(':')
		b.Write(r.data[v.off:v.end])
	}
	return json.RawMessage("{" + b.String() + "}")
}

func (r *reader) load(id int32) (Node, error) {
	uri := r.string(r.need(id, "uri", "load"))
	var channels string
	if v := r.child(id, "channels"); v != 0 {
		if channels = r.string(v); r.err == nil && channels == "" {
			r.mismatch(v, "a channel spec such as \"r|g|b\"")
		}
	}
	size := r.child(id, "size")
	if size == 0 {
		for _, name := range []string{"bands", "dtype", "nodata", "overviews", "block", "mask", "geo"} {
			if v := r.child(id, name); v != 0 {
				r.fail(id, "a load with "+quote(name)+" and no \"size\"", "both or neither")
			}
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	uri = ResolveURI(r.base, uri)
	if size == 0 {
		return nodeOr(NewLoad(uri, channels))
	}
	m := Meta{Size: r.size(size)}
	count := 1
	if channels != "" {
		names, err := ParseChannels(channels)
		if err != nil {
			return nil, &Error{Op: "load", Arg: "channels", Err: err}
		}
		count = len(names)
	}
	m.Bands = r.bandList(id, "load", count)
	if v := r.child(id, "overviews"); v != 0 {
		if r.values[v].kind != arrayValue {
			r.mismatch(v, "an array of sizes [w, h]")
			return nil, r.err
		}
		for k := r.values[v].child; k != 0 && r.err == nil; k = r.values[k].sibling {
			m.Overviews = append(m.Overviews, r.size(k))
		}
	}
	if v := r.child(id, "block"); v != 0 {
		m.Block = r.size(v)
	}
	if v := r.child(id, "mask"); v != 0 {
		m.HasMask = r.bool(v)
	}
	if v := r.child(id, "geo"); v != 0 {
		m.Geo = r.geo(v)
	}
	if r.err != nil {
		return nil, r.err
	}
	return nodeOr(NewLoadMeta(uri, channels, m))
}

func (r *reader) geo(id int32) *GeoRef {
	if !r.object(id, "an object with \"transform\" and \"srs\"") {
		return nil
	}
	r.fields(id, "geo", []string{"transform", "srs"})
	t := r.floats(r.need(id, "transform", "geo"), 6)
	g := &GeoRef{}
	if v := r.child(id, "srs"); v != 0 {
		g.SRS = r.string(v)
	}
	if r.err == nil {
		g.Transform = geom.Affine(t[0], t[1], t[2], t[3], t[4], t[5])
	}
	return g
}

func (r *reader) fill(id int32) (Node, error) {
	size := r.size(r.need(id, "size", "fill"))
	bands := r.bandList(id, "fill", 1)
	v := r.need(id, "value", "fill")
	if r.err != nil {
		return nil, r.err
	}
	if r.values[v].kind == nullValue {
		return nodeOr(NewInvalid(size, bands))
	}
	value := r.float(v, "a number, or null for invalid")
	if r.err != nil {
		return nil, r.err
	}
	return nodeOr(NewFill(size, bands, value))
}

func (r *reader) raster(id int32) (Node, error) {
	size := r.size(r.need(id, "size", "raster"))
	bands := r.bandList(id, "raster", 1)
	data := r.need(id, "data", "raster")
	if r.err != nil {
		return nil, r.err
	}
	t := bands[0].Type
	for _, b := range bands {
		if b.Type != t {
			r.fail(id, fmt.Sprintf("bands of %v and %v", t, b.Type), "one type in a raster")
			return nil, r.err
		}
	}
	samples := int64(size.W) * int64(size.H)
	if samples <= MaxInline {
		samples *= int64(len(bands))
	}
	if samples > MaxInline {
		r.fail(data, fmt.Sprintf("%v pixels of %d bands", size, len(bands)), fmt.Sprintf("an inline raster of at most %d characters of base64", MaxInline))
		return nil, r.err
	}
	bits := r.base64(data, int(samples)*t.Size())
	if r.err != nil {
		return nil, r.err
	}
	pix := raster.New(t, size.W, size.H, len(bands))
	fromLittleEndian(pix, bits)
	if v := r.child(id, "mask"); v != 0 {
		if t.IsFloat() {
			r.fail(v, "a mask in a raster of "+t.String(), "none: NaN marks invalid samples")
		} else {
			pix.Mask = r.base64(v, int(samples))
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	return nodeOr(NewRaster(pix, bands))
}

func (r *reader) base64(id int32, bytes int) []byte {
	s := r.string(id)
	if r.err != nil {
		return nil
	}
	if len(s) > MaxInline {
		r.fail(id, fmt.Sprintf("%d characters", len(s)), fmt.Sprintf("at most %d characters of base64", MaxInline))
		return nil
	}
	b, err := base64.StdEncoding.Strict().DecodeString(s)
	if err != nil || strings.ContainsAny(s, "\r\n") {
		r.mismatch(id, "base64 with padding")
	} else if len(b) != bytes {
		r.fail(id, fmt.Sprintf("base64 of %d bytes", len(b)), fmt.Sprintf("%d", bytes))
	}
	return b
}

// fromLittleEndian fills a buffer from its samples as files hold them.
func fromLittleEndian(b *raster.Buffer, data []byte) {
	dst := b.Bytes()
	size := b.Type.Size()
	for i := 0; i < len(data); i += size {
		switch size {
		case 1:
			dst[i] = data[i]
		case 2:
			binary.NativeEndian.PutUint16(dst[i:], binary.LittleEndian.Uint16(data[i:]))
		case 4:
			binary.NativeEndian.PutUint32(dst[i:], binary.LittleEndian.Uint32(data[i:]))
		case 8:
			binary.NativeEndian.PutUint64(dst[i:], binary.LittleEndian.Uint64(data[i:]))
		}
	}
}

func (r *reader) dequantize(id int32, in Node) (Node, error) {
	q := Quantization{OrigType: r.dataType(r.need(id, "orig_dtype", "dequantize"))}
	for _, f := range []struct {
		name string
		dst  *float64
	}{{"orig_min", &q.OrigMin}, {"orig_max", &q.OrigMax}, {"quant_min", &q.QuantMin}, {"quant_max", &q.QuantMax}} {
		*f.dst = r.float(r.need(id, f.name, "dequantize"), "a number")
	}
	if v := r.child(id, "nodata"); v != 0 && r.values[v].kind != nullValue {
		q.NoData, q.HasNoData = r.float(v, "a number or null"), true
	}
	if r.err != nil {
		return nil, r.err
	}
	return nodeOr(NewDequantize(in, q))
}
