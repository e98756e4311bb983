package hostile

import (
	"bytes"
	"encoding/binary"
	"image"
	stdjpeg "image/jpeg"
)

func jpegs() []File {
	img := image.NewGray(image.Rect(0, 0, side, side))
	for i := range img.Pix {
		img.Pix[i] = byte(i * 7)
	}
	var b bytes.Buffer
	stdjpeg.Encode(&b, img, nil) // a bytes.Buffer takes everything
	good := b.Bytes()
	sized := func(w, h int) []byte {
		data := append([]byte(nil), good...)
		i := bytes.Index(data, []byte{0xff, 0xc0}) // SOF0: length, precision, height, width
		binary.BigEndian.PutUint16(data[i+5:], uint16(h))
		binary.BigEndian.PutUint16(data[i+7:], uint16(w))
		return data
	}
	tables := append([]byte(nil), good...)
	i := bytes.Index(tables, []byte{0xff, 0xc4}) // the first Huffman table
	for k := range 16 {
		tables[i+5+k] = 255
	}
	return []File{
		{"jpeg-huge.jpg", sized(65500, 65500), NoRead, NoOpen},
		{"jpeg-magic.jpg", good[:3], NoOpen, NoOpen},
		{"jpeg-tables.jpg", tables, NoOpen, NoRead},
		{"jpeg-truncated.jpg", good[:len(good)/2], NoRead, NoRead},
		{"jpeg-truncated-header.jpg", good[:60], NoOpen, NoOpen},
		{"jpeg-wide.jpg", sized(3000, 3000), NoRead, NoRead},
		{"jpeg-zero.jpg", sized(0, 10), NoOpen, NoOpen},
	}
}
