package imagefile

import (
	"encoding/binary"
	"math"
)

// tiffLayout encodes the structure of a TIFF, the directories of which begin
// at a place known beforehand.
type tiffLayout struct {
	order interface {
		binary.ByteOrder
		binary.AppendByteOrder
	}
	big bool
	at  int64 // of the first directory
}

// header leads to the first directory. The samples follow at byte 16.
func (l *tiffLayout) header() []byte {
	b := []byte("II")
	if l.order.Uint16([]byte{1, 0}) != 1 {
		b = []byte("MM")
	}
	if !l.big {
		b = l.order.AppendUint16(b, 42)
		return l.order.AppendUint32(b, uint32(l.at))
	}
	b = l.order.AppendUint16(b, 43)
	b = l.order.AppendUint16(b, 8)
	b = l.order.AppendUint16(b, 0)
	return l.order.AppendUint64(b, uint64(l.at))
}

// offset appends a number as wide as the file's offsets.
func (l *tiffLayout) offset(b []byte, v uint64) []byte {
	if l.big {
		return l.order.AppendUint64(b, v)
	}
	return l.order.AppendUint32(b, uint32(v))
}

// directory encodes a directory and, where there is one, the next.
func (l *tiffLayout) directory(fields, next []fieldValue) []byte {
	width, count, entry := 4, 2, 12
	if l.big {
		width, count, entry = 8, 8, 20
	}
	size := count + len(fields)*entry + width
	var values []byte // what does not fit into an entry
	b := make([]byte, 0, size)
	if l.big {
		b = l.order.AppendUint64(b, uint64(len(fields)))
	} else {
		b = l.order.AppendUint16(b, uint16(len(fields)))
	}
	for _, f := range fields {
		kind, n, data := l.encode(f.value)
		b = l.order.AppendUint16(b, f.tag)
		b = l.order.AppendUint16(b, kind)
		b = l.offset(b, uint64(n))
		if len(data) <= width {
			b = append(b, data...)
			b = append(b, make([]byte, width-len(data))...)
			continue
		}
		b = l.offset(b, uint64(l.at)+uint64(size+len(values)))
		values = pad8(append(values, data...), size)
	}
	link := uint64(0)
	if next != nil {
		link = uint64(l.at) + uint64(size+len(values))
	}
	b = append(l.offset(b, link), values...)
	if next != nil {
		rest := *l
		rest.at = int64(link)
		b = append(b, rest.directory(next, nil)...)
	}
	return b
}

// pad8 keeps what follows on an even byte, as TIFF asks for.
func pad8(b []byte, before int) []byte {
	for (before+len(b))%8 != 0 {
		b = append(b, 0)
	}
	return b
}

func (l *tiffLayout) encode(value any) (kind uint16, n int, b []byte) {
	switch v := value.(type) {
	case []uint16:
		for _, u := range v {
			b = l.order.AppendUint16(b, u)
		}
		return 3, len(v), b
	case []uint64:
		for _, u := range v {
			b = l.offset(b, u)
		}
		if l.big {
			return 16, len(v), b
		}
		return 4, len(v), b
	case []float64:
		for _, f := range v {
			b = l.order.AppendUint64(b, math.Float64bits(f))
		}
		return 12, len(v), b
	case string:
		return 2, len(v) + 1, append([]byte(v), 0)
	}
	return 0, 0, nil
}
