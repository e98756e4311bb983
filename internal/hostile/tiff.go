package hostile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
)

// The tags of a TIFF that the files use.
const (
	width        = 256
	height       = 257
	bits         = 258
	compression  = 259
	photometric  = 262
	stripOffsets = 273
	samples      = 277
	rowsPerStrip = 278
	stripBytes   = 279
	tileWidth    = 322
	tileHeight   = 323
	tileOffsets  = 324
	tileBytes    = 325
	gdalMetadata = 42112
	gdalNoData   = 42113
)

// tag is a field of a directory.
type tag struct {
	kind   uint16 // 2 text, 3 uint16, 4 uint32
	count  uint32
	value  uint32
	behind []byte // what the value points at, if not empty
}

func short(v uint32) tag { return tag{3, 1, v, nil} }
func long(v uint32) tag  { return tag{4, 1, v, nil} }
func text(s string) tag  { return tag{2, uint32(len(s) + 1), 0, append([]byte(s), 0)} }

// page is a directory with the bytes of its only strip or tile.
type page struct {
	tags map[uint16]tag
	data []byte
	next int64 // where the next directory is claimed to be, 0 for none
}

const firstPage = 8

// side is the width and height of files that are not of absurd size.
const side = 40

// strip is a page of one band of uint8, in one strip.
func strip(data []byte, change map[uint16]tag) page {
	t := map[uint16]tag{
		width: long(side), height: long(side), bits: short(8), compression: short(1), photometric: short(1),
		samples: short(1), rowsPerStrip: long(side), stripOffsets: long(0), stripBytes: long(uint32(len(data))),
	}
	maps.Copy(t, change)
	return page{tags: t, data: data}
}

// encode lays a page out behind the header of a little-endian TIFF. An offset
// of 0 becomes that of the data.
func (p page) encode() []byte {
	le := binary.LittleEndian
	out := le.AppendUint32([]byte("II*\x00"), firstPage)
	out = le.AppendUint16(out, uint16(len(p.tags)))
	end := uint32(firstPage + 2 + 12*len(p.tags) + 4)
	var behind []byte
	for _, t := range p.tags {
		end += uint32(len(t.behind))
	}
	at := uint32(firstPage + 2 + 12*len(p.tags) + 4)
	for _, k := range slices.Sorted(maps.Keys(p.tags)) {
		t := p.tags[k]
		switch {
		case len(t.behind) > 0:
			t.value = at + uint32(len(behind))
			behind = append(behind, t.behind...)
		case (k == stripOffsets || k == tileOffsets) && t.value == 0:
			t.value = end
		}
		out = le.AppendUint16(out, k)
		out = le.AppendUint16(out, t.kind)
		out = le.AppendUint32(out, t.count)
		out = le.AppendUint32(out, t.value)
	}
	out = le.AppendUint32(out, uint32(p.next))
	return append(append(out, behind...), p.data...)
}

func deflated(data []byte) []byte {
	var b bytes.Buffer
	w, _ := zlib.NewWriterLevel(&b, zlib.BestCompression) // the level is valid
	w.Write(data)
	w.Close()
	return b.Bytes()
}

func tiffs() []File {
	gray := bytes.Repeat([]byte{7, 8, 9, 10, 200}, side*side/5)
	packed := deflated(gray)
	corrupt := slices.Clone(packed)
	for i := 4; i < len(corrupt); i++ {
		corrupt[i] ^= 0x5a
	}
	tile := func(w, h uint32, change map[uint16]tag) page {
		p := strip(packed, map[uint16]tag{compression: short(8), tileWidth: long(w), tileHeight: long(h),
			tileOffsets: long(0), tileBytes: long(uint32(len(packed)))})
		for _, k := range []uint16{stripOffsets, stripBytes, rowsPerStrip} {
			delete(p.tags, k)
		}
		maps.Copy(p.tags, change)
		return p
	}
	loop := strip(gray, nil)
	loop.next = firstPage
	with := func(k uint16, t tag) []byte { return strip(gray, map[uint16]tag{k: t}).encode() }
	laughs := `<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c "&b;&b;&b;&b;">]><GDALMetadata><Item name="x" sample="0" role="description">&c;</Item></GDALMetadata>`
	// A BigTIFF whose only entry claims 2⁶⁰ values.
	big := append([]byte("II+\x00\x08\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00\x11\x01\x04\x00"),
		0, 0, 0, 0, 0, 0, 0, 0x10, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	sidesOf := func(n uint32) map[uint16]tag {
		return map[uint16]tag{width: long(n), height: long(n), rowsPerStrip: long(n)}
	}
	return []File{
		{"tiff-bigtiff-count.tif", big, NoOpen, NoOpen},
		{"tiff-bits.tif", with(bits, short(77)), NoOpen, NoOpen},
		{"tiff-bomb.tif", strip(deflated(make([]byte, 16<<20)), map[uint16]tag{compression: short(8)}).encode(), Reads, Reads},
		{"tiff-count.tif", with(stripOffsets, tag{4, 1<<32 - 1, 8, nil}), NoRead, NoOpen},
		{"tiff-deflate.tif", strip(corrupt, map[uint16]tag{compression: short(8)}).encode(), NoRead, NoRead},
		{"tiff-empty.tif", nil, NoOpen, NoOpen},
		{"tiff-huge.tif", strip(gray, sidesOf(1<<31-1)).encode(), NoRead, NoOpen},
		{"tiff-huge-tile.tif", tile(1<<30, 1<<30, nil).encode(), NoRead, NoOpen},
		{"tiff-loop.tif", loop.encode(), Reads, NoOpen},
		{"tiff-lzw.tif", strip(bytes.Repeat([]byte{0xff, 0x13}, 200), map[uint16]tag{compression: short(5)}).encode(), NoRead, NoRead},
		{"tiff-magic.tif", []byte("II*\x00"), NoOpen, NoOpen},
		{"tiff-metadata.tif", with(gdalMetadata, text(laughs)), Reads, Reads},
		{"tiff-nodata.tif", with(gdalNoData, text(strings.Repeat("9", 4000))), Reads, Reads},
		{"tiff-offset.tif", with(stripOffsets, long(1<<31)), NoRead, NoRead},
		{"tiff-packbits.tif", strip(bytes.Repeat([]byte{0x81, 1}, 3), map[uint16]tag{compression: short(32773)}).encode(), NoRead, NoRead},
		{"tiff-rows.tif", with(rowsPerStrip, long(0)), NoOpen, NoOpen},
		{"tiff-samples.tif", with(samples, short(65535)), NoRead, NoRead},
		{"tiff-truncated.tif", strip(gray, nil).encode()[:700], NoRead, NoRead},
		{"tiff-truncated-directory.tif", strip(gray, nil).encode()[:40], NoOpen, NoOpen},
		{"tiff-zero.tif", with(width, long(0)), NoOpen, NoOpen},
		{"tiff-zero-tile.tif", tile(0, 0, nil).encode(), NoOpen, NoOpen},
	}
}
