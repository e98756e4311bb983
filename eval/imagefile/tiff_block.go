package imagefile

import (
	"bufio"
	"compress/zlib"
	"context"
	"fmt"
	"image"
	"io"
	"sync"

	"golang.org/x/image/tiff/lzw"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/internal/tiff"
)

// maxRatio is more than any of the compressions can save. It keeps a small file
// from making a reader allocate much.
const maxRatio = 4096

// blockBands is how many bands lie side by side in a block.
func (l *level) blockBands() int {
	if l.Planar {
		return 1
	}
	return l.Bands
}

// readBands copies a window of a level into dst, block by block.
func (t *tiffImage) readBands(ctx context.Context, l *level, window image.Rectangle, bands []int, dst *raster.Buffer) error {
	planes := []int{0}
	if l.Planar {
		planes = bands
	}
	for by := window.Min.Y / l.Block.H; by <= (window.Max.Y-1)/l.Block.H; by++ {
		for bx := window.Min.X / l.Block.W; bx <= (window.Max.X-1)/l.Block.W; bx++ {
			for k, plane := range planes {
				if err := ctx.Err(); err != nil {
					return err
				}
				if !l.Planar {
					plane = 0
				}
				b, err := t.block(l, plane, bx, by)
				if err != nil {
					return fmt.Errorf("block (%d, %d): %w", bx, by, err)
				}
				if l.Planar {
					l.scatter(b, bx, by, window, []int{0}, k, dst)
				} else {
					l.scatter(b, bx, by, window, bands, 0, dst)
				}
			}
		}
	}
	return nil
}

// scatter copies the part of a block that lies in the window: its samples of
// the given numbers to the bands of dst from first.
func (l *level) scatter(block []byte, bx, by int, window image.Rectangle, samples []int, first int, dst *raster.Buffer) {
	size, n := l.Type.Size(), l.blockBands()
	area := image.Rect(bx*l.Block.W, by*l.Block.H, (bx+1)*l.Block.W, (by+1)*l.Block.H).Intersect(window)
	whole := len(samples) == n && dst.Bands == n
	for i, s := range samples {
		whole = whole && s == i
	}
	to := dst.Bytes()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		from := block[((y-by*l.Block.H)*l.Block.W+area.Min.X-bx*l.Block.W)*n*size:]
		row := to[((y-window.Min.Y)*dst.W+area.Min.X-window.Min.X)*dst.Bands*size:]
		if whole {
			copy(row[:area.Dx()*n*size], from)
			continue
		}
		for x := range area.Dx() {
			for i, s := range samples {
				o := (x*dst.Bands + first + i) * size
				copy(row[o:o+size], from[(x*n+s)*size:])
			}
		}
	}
}

// block is a decoded block: rows of pixels of samples in native order.
func (t *tiffImage) block(l *level, plane, bx, by int) ([]byte, error) {
	key := blockKey{l, (plane*l.Down+by)*l.Across + bx}
	if b := t.cache.get(key); b != nil {
		return b, nil
	}
	b, err := t.decodeBlock(l, key.index, by)
	if err != nil {
		return nil, err
	}
	t.cache.put(key, b)
	return b, nil
}

func (t *tiffImage) decodeBlock(l *level, index, by int) ([]byte, error) {
	rows := l.Block.H
	if !l.Tiled {
		rows = min(rows, l.Size.H-by*l.Block.H)
	}
	perRow := l.Block.W * l.blockBands()
	off, n := l.Offsets[index], l.Counts[index]
	if off == 0 || n == 0 {
		return t.emptyBlock(l, rows*perRow), nil
	}
	if off > uint64(t.Size) || n > uint64(t.Size)-off {
		return nil, fmt.Errorf("%d bytes at %d are beyond the file's end at %d", n, off, t.Size)
	}
	need := rows * ((perRow*l.Bits + 7) / 8)
	if l.Compression == tiff.CompNone && n < uint64(need) || n < uint64(need)/maxRatio {
		return nil, fmt.Errorf("%d bytes are too few for %d×%d samples", n, perRow, rows)
	}
	raw := make([]byte, need)
	if err := decompress(raw, io.NewSectionReader(t.R, int64(off), int64(n)), l.Compression); err != nil {
		return nil, truncated(err)
	}
	switch {
	case l.Bits < 8:
		return unpack(raw, rows, perRow, l.Bits), nil
	case l.Predictor == 3:
		tiff.UnpredictFloats(raw, rows, l.Block.W, l.blockBands(), l.Type.Size())
		return raw, nil
	}
	size := l.Type.Size()
	tiff.ToNative(raw, size, t.Order)
	if l.Predictor == 2 {
		tiff.Unpredict(raw, rows, l.Block.W, l.blockBands(), size)
	}
	return raw, nil
}

// emptyBlock is a block that the file leaves out: nodata, or 0.
func (t *tiffImage) emptyBlock(l *level, samples int) []byte {
	b := raster.New(l.Type, samples, 1, 1)
	if t.fill != 0 && l.Photometric != tiff.PhotometricMask {
		for i := range samples {
			b.Set(i, 0, 0, t.fill)
		}
	}
	return b.Bytes()
}

// decompress fills dst exactly, however much more there is.
func decompress(dst []byte, r io.Reader, compression int) error {
	switch compression {
	case tiff.CompLZW:
		z := lzw.NewReader(bufio.NewReader(r), lzw.MSB, 8)
		defer z.Close()
		r = z
	case tiff.CompDeflate, tiff.CompDeflateOld:
		z, err := zlib.NewReader(bufio.NewReader(r))
		if err != nil {
			return err
		}
		defer z.Close()
		r = z
	case tiff.CompPackBits:
		return unpackBits(dst, bufio.NewReader(r))
	}
	_, err := io.ReadFull(r, dst)
	return err
}

// unpackBits undoes the run lengths of TIFF 6.0, section 9.
func unpackBits(dst []byte, r io.ByteReader) error {
	for len(dst) > 0 {
		c, err := r.ReadByte()
		if err != nil {
			return err
		}
		n, repeat := 0, false
		switch code := int(int8(c)); {
		case code >= 0:
			n = code + 1
		case code > -128:
			n, repeat = 1-code, true
		}
		var v byte
		for i := range min(n, len(dst)) {
			if i == 0 || !repeat {
				if v, err = r.ReadByte(); err != nil {
					return err
				}
			}
			dst[i] = v
		}
		dst = dst[min(n, len(dst)):]
	}
	return nil
}

// unpack widens samples of 1, 2 or 4 bits, each row of which begins on a byte.
func unpack(raw []byte, rows, perRow, bits int) []byte {
	out := make([]byte, rows*perRow)
	stride := (perRow*bits + 7) / 8
	for y := range rows {
		for x := range perRow {
			at := x * bits
			out[y*perRow+x] = raw[y*stride+at/8] >> (8 - bits - at%8) & (1<<bits - 1)
		}
	}
	return out
}

type blockKey struct {
	level *level
	index int
}

// cacheBytes bounds the decoded blocks that an open file holds, so that
// neighbouring windows do not decode the block that they share twice.
const cacheBytes = 16 << 20

// blockCache forgets the oldest block first.
type blockCache struct {
	mu     sync.Mutex
	blocks map[blockKey][]byte
	order  []blockKey
	bytes  int
}

func (c *blockCache) get(k blockKey) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.blocks[k]
}

func (c *blockCache) put(k blockKey, b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(b) > cacheBytes || c.blocks[k] != nil {
		return
	}
	if c.blocks == nil {
		c.blocks = map[blockKey][]byte{}
	}
	for c.bytes+len(b) > cacheBytes {
		c.bytes -= len(c.blocks[c.order[0]])
		delete(c.blocks, c.order[0])
		c.order = c.order[1:]
	}
	c.blocks[k] = b
	c.order = append(c.order, k)
	c.bytes += len(b)
}
