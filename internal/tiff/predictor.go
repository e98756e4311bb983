package tiff

import "encoding/binary"

// ToNative swaps the bytes of samples, of size bytes each, that are not in this
// machine's order.
func ToNative(b []byte, size int, order binary.ByteOrder) {
	if size == 1 || Native(order) {
		return
	}
	for ; len(b) >= size; b = b[size:] {
		for i := range size / 2 {
			b[i], b[size-1-i] = b[size-1-i], b[i]
		}
	}
}

// Native reports whether an order is this machine's.
func Native(order binary.ByteOrder) bool {
	return order.Uint16([]byte{1, 2}) == binary.NativeEndian.Uint16([]byte{1, 2})
}

// Unpredict undoes predictor 2: it adds up the differences along each row of w
// pixels of n samples, of size bytes each in this machine's order.
func Unpredict(b []byte, rows, w, n, size int) {
	stride := w * n * size
	for y := range rows {
		row := b[y*stride : (y+1)*stride]
		switch {
		case size == 1 && n == 1:
			sum := byte(0)
			for i := range row {
				sum += row[i]
				row[i] = sum
			}
		case size == 1 && n == 3:
			var r, g, b byte
			for ; len(row) >= 3; row = row[3:] {
				r, g, b = r+row[0], g+row[1], b+row[2]
				row[0], row[1], row[2] = r, g, b
			}
		default:
			unpredict(row, n, size)
		}
	}
}

func unpredict(row []byte, n, size int) {
	e := binary.NativeEndian
	switch size {
	case 1:
		for i := n; i < len(row); i++ {
			row[i] += row[i-n]
		}
	case 2:
		for i := 2 * n; i+2 <= len(row); i += 2 {
			e.PutUint16(row[i:], e.Uint16(row[i:])+e.Uint16(row[i-2*n:]))
		}
	case 4:
		for i := 4 * n; i+4 <= len(row); i += 4 {
			e.PutUint32(row[i:], e.Uint32(row[i:])+e.Uint32(row[i-4*n:]))
		}
	case 8:
		for i := 8 * n; i+8 <= len(row); i += 8 {
			e.PutUint64(row[i:], e.Uint64(row[i:])+e.Uint64(row[i-8*n:]))
		}
	}
}

// UnpredictFloats undoes predictor 3, the floating-point one (Adobe Photoshop TIFF
// Technical Note 3): byte differences along a row whose bytes are sorted by
// significance, the highest first.
func UnpredictFloats(b []byte, rows, w, n, size int) {
	per := w * n
	row := make([]byte, per*size)
	for y := range rows {
		line := b[y*per*size : (y+1)*per*size]
		for i := n; i < len(line); i++ {
			line[i] += line[i-n]
		}
		for i := range per {
			for k := range size {
				row[i*size+k] = line[k*per+i]
			}
		}
		ToNative(row, size, binary.BigEndian)
		copy(line, row)
	}
}
