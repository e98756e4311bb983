package hostile

import (
	"encoding/binary"
	"hash/crc32"
)

// chunk is a part of a PNG.
type chunk struct {
	kind string
	data []byte
}

func png(chunks ...chunk) []byte {
	out := []byte("\x89PNG\r\n\x1a\n")
	for _, c := range chunks {
		out = binary.BigEndian.AppendUint32(out, uint32(len(c.data)))
		start := len(out)
		out = append(append(out, c.kind...), c.data...)
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[start:]))
	}
	return out
}

// header is the first chunk; color is 0 gray, 2 RGB, 3 palette.
func header(w, h uint32, depth, color byte) chunk {
	data := binary.BigEndian.AppendUint32(nil, w)
	data = binary.BigEndian.AppendUint32(data, h)
	return chunk{"IHDR", append(data, depth, color, 0, 0, 0)}
}

func pngs() []File {
	rows := make([]byte, side*(side+1))
	for i := range rows {
		if i%(side+1) > 0 {
			rows[i] = byte(i)
		}
	}
	body, end := chunk{"IDAT", deflated(rows)}, chunk{"IEND", nil}
	good := png(header(side, side, 8, 0), body, end)
	badSum := append([]byte(nil), good...)
	badSum[45] ^= 1
	long := png(header(side, side, 8, 0))
	long = append(long, "\xff\xff\xff\xffIDAT"...)
	// A palette of one colour, and indices up to 255.
	palette := png(header(side, side, 8, 3), chunk{"PLTE", []byte{1, 2, 3}}, body, end)
	badFilter := append([]byte(nil), rows...)
	badFilter[0] = 9
	return []File{
		{"png-bomb.png", png(header(side, side, 8, 0), chunk{"IDAT", deflated(make([]byte, 8<<20))}, end), Reads, NoRead},
		{"png-checksum.png", badSum, NoRead, NoRead},
		{"png-chunk.png", long, NoOpen, NoRead},
		{"png-depth.png", png(header(side, side, 3, 0), body, end), NoOpen, NoOpen},
		{"png-filter.png", png(header(side, side, 8, 0), chunk{"IDAT", deflated(badFilter)}, end), NoRead, NoRead},
		{"png-huge.png", png(header(1<<31-1, 1<<31-1, 16, 2), body, end), NoOpen, NoOpen},
		{"png-large.png", png(header(1<<16, 1<<16, 8, 0), body, end), NoRead, NoOpen},
		{"png-no-data.png", png(header(side, side, 8, 0), end), NoOpen, NoRead},
		{"png-palette.png", palette, Reads, Reads},
		{"png-short.png", png(header(side, side, 8, 0), chunk{"IDAT", deflated(rows[:900])}, end), NoRead, NoRead},
		{"png-truncated.png", good[:len(good)-30], NoRead, NoRead},
		{"png-zero.png", png(header(0, side, 8, 0), body, end), NoOpen, NoOpen},
	}
}
