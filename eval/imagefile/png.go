package imagefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

const pngMagic = "\x89PNG\r\n\x1a\n"

// PNG colour types.
const (
	pngGray      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGrayAlpha = 4
	pngRGBAlpha  = 6
)

// pngHeader is what Go's decoder does not tell: it expands a transparent colour
// to an alpha channel, which the file does not have.
type pngHeader struct {
	w, h         int
	depth, color byte
	trans        []byte // the tRNS chunk
	hasTrans     bool
}

func newPNG(r io.ReaderAt, size int64, expand bool) (pixels, error) {
	h, err := readPNGHeader(io.NewSectionReader(r, 8, size-8))
	if err != nil {
		return nil, err
	}
	if !h.hasDepth() {
		return nil, fmt.Errorf("broken PNG: %d bits a sample in colour type %d", h.depth, h.color)
	}
	// Deflate saves no more than a factor of 1032.
	if need := float64(h.w) * float64(h.h) * float64(h.depth) / 8; need/1032 > float64(size) {
		return nil, fmt.Errorf("broken PNG: %d bytes are too few for %d×%d pixels", size, h.w, h.h)
	}
	w := newWhole(geom.Size{W: h.w, H: h.h})
	t := raster.Uint8
	if h.depth == 16 {
		t = raster.Uint16
	}
	switch h.color {
	case pngGray:
		w.setBands(t, 1, false)
		if h.hasTrans && len(h.trans) >= 2 {
			w.bands[0].NoData = float64(binary.BigEndian.Uint16(h.trans))
			w.bands[0].HasNoData = true
		}
	case pngRGB:
		w.setBands(t, 3, false)
		w.keyed = h.hasTrans
	case pngPalette:
		if expand {
			w.setBands(t, 3, h.hasTrans)
			break
		}
		w.setBands(t, 1, false)
		w.bands[0].NoData, w.bands[0].HasNoData = h.transparentIndex()
	case pngGrayAlpha:
		w.setBands(t, 1, true)
	case pngRGBAlpha:
		w.setBands(t, 3, true)
	default:
		return nil, fmt.Errorf("broken PNG: colour type %d", h.color)
	}
	w.decode = func() (*raster.Buffer, error) {
		img, err := png.Decode(io.NewSectionReader(r, 0, size))
		if err != nil {
			return nil, truncated(err)
		}
		return planes(img, w, h.grayStep())
	}
	return w, nil
}

// hasDepth reports whether a PNG of that colour type may have that depth.
func (h *pngHeader) hasDepth() bool {
	switch h.depth {
	case 1, 2, 4:
		return h.color == pngGray || h.color == pngPalette
	case 8:
		return true
	case 16:
		return h.color != pngPalette
	}
	return false
}

// maxPNGHead is how far before the pixels a colour is looked for.
const maxPNGHead = 64 << 20

func readPNGHeader(r *io.SectionReader) (*pngHeader, error) {
	h := &pngHeader{}
	for pos := int64(0); pos < maxPNGHead; {
		var head [8]byte
		if _, err := r.ReadAt(head[:], pos); err != nil {
			return nil, truncated(err)
		}
		n, kind := int64(binary.BigEndian.Uint32(head[:])), string(head[4:])
		body := io.NewSectionReader(r, pos+8, n)
		switch {
		case kind == "IHDR" && pos == 0 && n == 13:
			var b [13]byte
			if _, err := io.ReadFull(body, b[:]); err != nil {
				return nil, truncated(err)
			}
			w, ht := binary.BigEndian.Uint32(b[:]), binary.BigEndian.Uint32(b[4:])
			if w < 1 || w > ast.MaxExtent || ht < 1 || ht > ast.MaxExtent {
				return nil, fmt.Errorf("broken PNG: a size of %d×%d", w, ht)
			}
			h.w, h.h, h.depth, h.color = int(w), int(ht), b[8], b[9]
		case pos == 0:
			return nil, errors.New("broken PNG: no header")
		case kind == "tRNS" && n <= 256:
			h.hasTrans, h.trans = true, make([]byte, n)
			if _, err := io.ReadFull(body, h.trans); err != nil {
				return nil, truncated(err)
			}
		case kind == "IDAT" || kind == "IEND":
			return h, nil
		}
		pos += 12 + n
	}
	return nil, fmt.Errorf("broken PNG: no pixels in its first %d bytes", maxPNGHead)
}

func truncated(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("the file ends too early")
	}
	return err
}

// transparentIndex is the one index that stands for invalid, as GDAL has it: a
// palette with more of them has none.
func (h *pngHeader) transparentIndex() (float64, bool) {
	index, count := 0, 0
	for i, a := range h.trans {
		if a == 0 {
			index = i
			count++
		}
	}
	if count != 1 {
		return 0, false
	}
	return float64(index), true
}

// grayStep is the factor by which Go scales a gray of fewer than 8 bits.
func (h *pngHeader) grayStep() uint8 {
	if h.color == pngGray && h.depth < 8 {
		return 255 / (1<<h.depth - 1)
	}
	return 1
}

// planes puts the channels that w has into a buffer, straight, and the keyed
// mask after them.
func planes(img image.Image, w *whole, step uint8) (*raster.Buffer, error) {
	b := img.Bounds()
	if b.Dx() != w.size.W || b.Dy() != w.size.H {
		return nil, fmt.Errorf("broken image: it is %d×%d, not %v", b.Dx(), b.Dy(), w.size)
	}
	n := len(w.bands)
	if w.keyed {
		n++
	}
	dst := raster.New(w.bands[0].Type, b.Dx(), b.Dy(), n)
	pick := channels(n)
	switch m := img.(type) {
	case *image.Gray:
		copy8(dst, m.Pix, m.Stride, 1, []int{0}, step)
	case *image.Gray16:
		copy16(dst, m.Pix, m.Stride, 1, []int{0})
	case *image.NRGBA:
		copy8(dst, m.Pix, m.Stride, 4, pick, step)
	case *image.RGBA:
		copy8(dst, m.Pix, m.Stride, 4, pick, 1)
	case *image.NRGBA64:
		copy16(dst, m.Pix, m.Stride, 4, pick)
	case *image.RGBA64:
		copy16(dst, m.Pix, m.Stride, 4, pick)
	case *image.Paletted:
		if n == 1 {
			copy8(dst, m.Pix, m.Stride, 1, []int{0}, 1)
			break
		}
		return dst, expandPalette(dst, m)
	case *image.YCbCr:
		d := raster.Samples[uint8](dst)
		for y := range dst.H {
			for x := range dst.W {
				c := m.YCbCrAt(x, y)
				d[0], d[1], d[2] = color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
				d = d[3:]
			}
		}
	default:
		return nil, fmt.Errorf("an image of %T needs GDAL", img)
	}
	return dst, nil
}

// channels says which of r, g, b and a the n planes are.
func channels(n int) []int {
	switch n {
	case 1:
		return []int{0}
	case 2:
		return []int{0, 3}
	}
	return []int{0, 1, 2, 3}[:n]
}

func copy8(dst *raster.Buffer, pix []byte, stride, n int, pick []int, step uint8) {
	d := raster.Samples[uint8](dst)
	i := 0
	for y := range dst.H {
		row := pix[y*stride:]
		for x := range dst.W {
			for _, c := range pick {
				d[i] = row[x*n+c] / step
				i++
			}
		}
	}
}

func copy16(dst *raster.Buffer, pix []byte, stride, n int, pick []int) {
	d := raster.Samples[uint16](dst)
	i := 0
	for y := range dst.H {
		row := pix[y*stride:]
		for x := range dst.W {
			for _, c := range pick {
				d[i] = binary.BigEndian.Uint16(row[2*(x*n+c):])
				i++
			}
		}
	}
}

func expandPalette(dst *raster.Buffer, m *image.Paletted) error {
	d := raster.Samples[uint8](dst)
	var table [256][4]uint8
	for i, c := range m.Palette {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		table[i] = [4]uint8{n.R, n.G, n.B, n.A}
	}
	i := 0
	for y := range dst.H {
		for _, p := range m.Pix[y*m.Stride:][:dst.W] {
			if int(p) >= len(m.Palette) {
				return fmt.Errorf("broken image: index %d of a palette of %d", p, len(m.Palette))
			}
			i += copy(d[i:], table[p][:dst.Bands])
		}
	}
	return nil
}
