package ast

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

func (w *writer) load(l *Load) {
	w.raw(`, "uri": `)
	w.text(w.uri(l.uri))
	if l.channels != "" {
		w.raw(`, "channels": `)
		w.text(l.channels)
	}
	m := l.meta
	if m == nil || w.bare {
		return
	}
	w.field("size", sizeText(m.Size.W, m.Size.H))
	w.bands(m.Bands, l.channels != "")
	if len(m.Overviews) > 0 {
		sizes := make([]string, len(m.Overviews))
		for i, s := range m.Overviews {
			sizes[i] = sizeText(s.W, s.H)
		}
		w.field("overviews", "["+strings.Join(sizes, ", ")+"]")
	}
	if m.Block != (geom.Size{}) {
		w.field("block", sizeText(m.Block.W, m.Block.H))
	}
	if m.HasMask {
		w.field("mask", "true")
	}
	if g := m.Geo; g != nil {
		if !g.Transform.IsAffine() || !g.Transform.IsFinite() {
			w.fail(&Error{Op: "load", Arg: "geo", Value: g.Transform, Limit: "cannot be written: it is not affine"})
		}
		w.raw(`, "geo": {"transform": ` + numbersText(g.Transform[:6]...))
		if g.SRS != "" {
			w.raw(`, "srs": `)
			w.text(g.SRS)
		}
		w.raw("}")
	}
}

// bands writes the bands of a leaf as a number, as names, or, where their
// types differ, one by one. Named says that the names stand elsewhere.
func (w *writer) bands(bands []Band, named bool) {
	sameType, sameNoData, numbered := true, true, true
	for i, b := range bands {
		sameType = sameType && b.Type == bands[0].Type
		sameNoData = sameNoData && equalNoData(b, bands[0])
		numbered = numbered && b.Name == strconv.Itoa(i+1)
	}
	named = named || numbered
	if !sameType {
		w.eachBand(bands, named)
		return
	}
	if named {
		w.field("bands", strconv.Itoa(len(bands)))
	} else {
		w.raw(`, "bands": [`)
		for i, b := range bands {
			if i > 0 {
				w.raw(", ")
			}
			w.text(b.Name)
		}
		w.raw("]")
	}
	w.field("dtype", quote(bands[0].Type.String()))
	switch {
	case sameNoData && !bands[0].HasNoData:
	case sameNoData:
		w.field("nodata", noDataText(bands[0]))
	default:
		values := make([]string, len(bands))
		for i, b := range bands {
			values[i] = noDataText(b)
		}
		w.field("nodata", "["+strings.Join(values, ", ")+"]")
	}
}

func (w *writer) eachBand(bands []Band, named bool) {
	w.raw(`, "bands": [`)
	for i, b := range bands {
		if i > 0 {
			w.raw(", ")
		}
		w.raw("{")
		if !named {
			w.raw(`"name": `)
			w.text(b.Name)
			w.raw(", ")
		}
		w.raw(`"dtype": "` + b.Type.String() + `"`)
		if b.HasNoData {
			w.raw(`, "nodata": ` + noDataText(b))
		}
		w.raw("}")
	}
	w.raw("]")
}

func equalNoData(a, b Band) bool {
	return a.HasNoData == b.HasNoData && (!a.HasNoData || sameNumber(a.NoData, b.NoData))
}

func noDataText(b Band) string {
	switch {
	case !b.HasNoData:
		return "null"
	case math.IsNaN(b.NoData):
		return `"nan"`
	case math.IsInf(b.NoData, 1):
		return `"inf"`
	case math.IsInf(b.NoData, -1):
		return `"-inf"`
	}
	return numberText(b.NoData)
}

func (w *writer) raster(r *Raster) {
	w.field("size", sizeText(r.Size().W, r.Size().H))
	w.bands(r.Base.bands(), false)
	data := base64Text(littleEndian(r.pix))
	mask := base64Text(r.pix.Mask)
	if len(data) > MaxInline || len(mask) > MaxInline {
		w.fail(&Error{Op: "raster", Arg: "data", Value: fmt.Sprintf("of %v pixels", r.Size()), Limit: fmt.Sprintf("cannot be written: an inline raster has at most %d characters of base64", MaxInline)})
		return
	}
	w.field("data", `"`+data+`"`)
	if r.pix.Mask != nil {
		w.field("mask", `"`+mask+`"`)
	}
}

// base64Text is nothing but too long where the data is.
func base64Text(data []byte) string {
	if len(data) > MaxInline {
		data = data[:MaxInline]
	}
	return base64.StdEncoding.EncodeToString(data)
}

// littleEndian is the samples of a buffer as files hold them.
func littleEndian(b *raster.Buffer) []byte {
	data := slices.Clone(b.Bytes())
	for i, size := 0, b.Type.Size(); i < len(data); i += size {
		switch size {
		case 2:
			binary.LittleEndian.PutUint16(data[i:], binary.NativeEndian.Uint16(data[i:]))
		case 4:
			binary.LittleEndian.PutUint32(data[i:], binary.NativeEndian.Uint32(data[i:]))
		case 8:
			binary.LittleEndian.PutUint64(data[i:], binary.NativeEndian.Uint64(data[i:]))
		}
	}
	return data
}

func (w *writer) warp(n *Warp) {
	w.raw(`, "transform": ` + transformText(n.m))
	if s := n.asked(); s != (geom.Size{}) {
		w.field("size", sizeText(s.W, s.H))
	}
	s := n.Sampling()
	if s != DefaultSampling {
		w.field("interpolation", quote(s.Interp.String()))
		w.field("antialias", strconv.FormatBool(s.Antialias))
	}
	switch s.Border.Mode {
	case NoDataBorder:
	case ValueBorder:
		w.field("border", numberText(s.Border.Value))
	default:
		w.field("border", quote(s.Border.String()))
	}
	if n.domain == nil {
		return
	}
	w.raw(`, "domain": [`)
	for i := range n.domain.Len() {
		if i > 0 {
			w.raw(", ")
		}
		h := n.domain.At(i)
		row := h.Row[:]
		if h.Den != ([3]float64{}) {
			row = append(h.Row[:], h.Den[:]...)
		}
		w.raw(`{"row": ` + numbersText(row...) + `, "closed": ` + strconv.FormatBool(h.Closed) + "}")
	}
	w.raw("]")
}

// transformText writes a scale with an offset as such, and the matrix of
// anything else. The entries read back bit for bit.
func transformText(m geom.Transform) string {
	switch {
	case !m.IsAffine():
		return `{"matrix": ` + numbersText(m[:]...) + "}"
	case m[1] != 0 || m[3] != 0 || m == geom.Identity:
		return `{"matrix": ` + numbersText(m[:6]...) + "}"
	}
	var parts []string
	switch {
	case m[0] == m[4] && m[0] != 1:
		parts = append(parts, `"scale": `+numberText(m[0]))
	case m[0] != m[4]:
		parts = append(parts, `"scale": `+numbersText(m[0], m[4]))
	}
	if m[2] != 0 || m[5] != 0 {
		parts = append(parts, `"offset": `+numbersText(m[2], m[5]))
	}
	return "{" + strings.Join(parts, ", ") + "}"
}
