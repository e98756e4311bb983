package imagefile

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"io"
	"math/bits"
	"os"
	"strconv"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/internal/tiff"
)

// pngWriter holds the image until it is finished. It does not use the standard
// library's encoder, which turns gray with alpha into four channels.
type pngWriter struct {
	file   *os.File
	c      *Creation
	pixels *raster.Buffer // with the alpha band that a mask becomes
}

func newPNGWriter(f *os.File, c *Creation, pam *pamDataset) (*pngWriter, error) {
	n := len(c.Bands)
	switch {
	case c.Type != raster.Uint8 && c.Type != raster.Uint16:
		return nil, fmt.Errorf("PNG cannot hold %v, it holds uint8 and uint16", c.Type)
	case n > 4:
		return nil, fmt.Errorf("PNG cannot hold %d bands, it holds 1 (gray), 2 (gray, alpha), 3 (rgb) or 4 (rgb, alpha)", n)
	case c.WithMask && n%2 == 0:
		return nil, fmt.Errorf("PNG cannot hold a mask beside %d bands, the last of which is its alpha band", n)
	}
	planes := n
	if c.WithMask {
		planes++
	}
	if err := checkSamples(c.Size, planes, DefaultLimit); err != nil {
		return nil, err
	}
	pam.setGeo(c.Geo, true)
	for i, b := range c.Bands {
		p := pamBand{Band: i + 1, Description: c.storedName(i)}
		if b.HasNoData && n > 1 { // a gray one has its place in the PNG
			s := strconv.FormatFloat(b.NoData, 'g', -1, 64)
			p.NoData = &s
		}
		if p.Description != "" || p.NoData != nil {
			pam.Bands = append(pam.Bands, p)
		}
	}
	return &pngWriter{f, c, raster.New(c.Type, c.Size.W, c.Size.H, planes)}, nil
}

func (w *pngWriter) write(window image.Rectangle, src *raster.Buffer) error {
	size, n := src.Type.Size(), src.Bands
	from, to := src.Bytes(), w.pixels.Bytes()
	for y := range src.H {
		for x := range src.W {
			p := ((window.Min.Y+y)*w.pixels.W + window.Min.X + x) * w.pixels.Bands * size
			copy(to[p:p+n*size], from[(y*src.W+x)*n*size:])
			if !w.c.WithMask {
				continue
			}
			v := byte(0)
			if pixelValid(src, x, y) {
				v = 255
			}
			for i := range size {
				to[p+n*size+i] = v
			}
		}
	}
	return nil
}

func (w *pngWriter) finish() error {
	out := bufio.NewWriterSize(w.file, 1<<16)
	if _, err := out.WriteString(pngMagic); err != nil {
		return err
	}
	b := w.pixels
	size := b.Type.Size()
	head := binary.BigEndian.AppendUint32(nil, uint32(b.W))
	head = binary.BigEndian.AppendUint32(head, uint32(b.H))
	colors := [...]byte{1: pngGray, 2: pngGrayAlpha, 3: pngRGB, 4: pngRGBAlpha}
	head = append(head, byte(8*size), colors[b.Bands], 0, 0, 0)
	if err := chunk(out, "IHDR", head); err != nil {
		return err
	}
	if band := w.c.Bands[0]; band.HasNoData && b.Bands == 1 {
		if err := chunk(out, "tRNS", binary.BigEndian.AppendUint16(nil, uint16(band.NoData))); err != nil {
			return err
		}
	}
	idat := bufio.NewWriterSize(idatWriter{out}, 1<<16)
	z := zlib.NewWriter(idat)
	if err := writeRows(z, b); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := idat.Flush(); err != nil {
		return err
	}
	if err := chunk(out, "IEND", nil); err != nil {
		return err
	}
	return out.Flush()
}

// writeRows filters each row by whichever of Sub and Up leaves less.
func writeRows(z io.Writer, b *raster.Buffer) error {
	size := b.Type.Size()
	stride, pixel := b.W*b.Bands*size, b.Bands*size
	row, above := make([]byte, stride), make([]byte, stride)
	sub, up := make([]byte, 1+stride), make([]byte, 1+stride)
	sub[0], up[0] = 1, 2
	for y := range b.H {
		copy(row, b.Bytes()[y*stride:(y+1)*stride])
		tiff.ToNative(row, size, binary.BigEndian) // from native, which is the same swap
		subSum, upSum := 0, 0
		for i, v := range row {
			left := byte(0)
			if i >= pixel {
				left = row[i-pixel]
			}
			sub[1+i], up[1+i] = v-left, v-above[i]
			subSum += magnitude(sub[1+i])
			upSum += magnitude(up[1+i])
		}
		best := sub
		if upSum < subSum {
			best = up
		}
		if _, err := z.Write(best); err != nil {
			return err
		}
		row, above = above, row
	}
	return nil
}

// magnitude is the number of bits of a difference, whose sum over a row goes
// with its deflated size.
func magnitude(b byte) int {
	if b >= 128 {
		b = -b
	}
	return bits.Len8(b)
}

// idatWriter makes a chunk of each write.
type idatWriter struct{ w io.Writer }

func (i idatWriter) Write(p []byte) (int, error) {
	if err := chunk(i.w, "IDAT", p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func chunk(w io.Writer, kind string, data []byte) error {
	crc := crc32.NewIEEE()
	io.WriteString(crc, kind)
	crc.Write(data)
	for _, b := range [][]byte{
		binary.BigEndian.AppendUint32(nil, uint32(len(data))), []byte(kind), data,
		binary.BigEndian.AppendUint32(nil, crc.Sum32()),
	} {
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}
