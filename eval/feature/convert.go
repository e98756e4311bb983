package feature

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// read takes the pixels of what NewImage was given, and what it knows about
// them.
func (m *imageMeta) read(from any) (*raster.Buffer, error) {
	switch from := from.(type) {
	case Image:
		if from.meta != nil {
			m.space, m.bands = from.Space(), from.Bands()
		}
		return from.pix, nil
	case *raster.Buffer:
		return from, nil
	case *ast.Raster:
		if from == nil {
			return nil, nil
		}
		m.bands = make([]ast.Band, from.NumBands())
		for i := range m.bands {
			m.bands[i] = from.Band(i)
		}
		return from.Buffer(), nil
	case image.Image:
		pix := fromImage(from)
		switch pix.Bands {
		case 1:
			m.space = Gray
		case 3:
			m.space = RGB
		case 4:
			m.space = RGBA
		}
		return pix, nil
	}
	return nil, fmt.Errorf("feature: an image cannot be made of %T, expected *raster.Buffer, *ast.Raster or image.Image", from)
}

// fromImage copies a picture: gray ones to one band, opaque ones by their type
// to three, others to four, colours not multiplied by alpha; 16 bits where the
// picture has them.
func fromImage(src image.Image) *raster.Buffer {
	r := src.Bounds()
	w, h := r.Dx(), r.Dy()
	switch src := src.(type) {
	case *image.Gray:
		dst := raster.New(raster.Uint8, w, h, 1)
		for y := range h {
			copy(dst.Bytes()[y*w:(y+1)*w], src.Pix[y*src.Stride:])
		}
		return dst
	case *image.Gray16:
		dst := raster.New(raster.Uint16, w, h, 1)
		for y := range h {
			row(dst, y, 1, func(x, _ int) uint16 { return src.Gray16At(r.Min.X+x, r.Min.Y+y).Y })
		}
		return dst
	}
	bands := 4
	switch src.ColorModel() {
	case color.YCbCrModel, color.CMYKModel:
		bands = 3
	}
	switch src.ColorModel() {
	case color.RGBA64Model, color.NRGBA64Model:
		dst := raster.New(raster.Uint16, w, h, bands)
		for y := range h {
			row(dst, y, bands, func(x, b int) uint16 {
				c := color.NRGBA64Model.Convert(src.At(r.Min.X+x, r.Min.Y+y)).(color.NRGBA64)
				return [4]uint16{c.R, c.G, c.B, c.A}[b]
			})
		}
		return dst
	}
	flat, ok := src.(*image.NRGBA)
	if !ok {
		flat = image.NewNRGBA(r)
		draw.Draw(flat, r, src, r.Min, draw.Src)
	}
	dst := raster.New(raster.Uint8, w, h, bands)
	for y := range h {
		from := flat.Pix[y*flat.Stride:]
		for x := range w {
			copy(dst.Bytes()[(y*w+x)*bands:][:bands], from[4*x:4*x+bands])
		}
	}
	return dst
}

func row(dst *raster.Buffer, y, bands int, at func(x, b int) uint16) {
	line := raster.Samples[uint16](dst)[y*dst.W*bands:][:dst.W*bands]
	for i := range line {
		line[i] = at(i/bands, i%bands)
	}
}

// labelsOf takes the labels of what NewMask was given. Binary says that it can
// hold nothing but yes and no.
func labelsOf(from any) (pix *raster.Buffer, binary bool, err error) {
	switch from := from.(type) {
	case Mask:
		return from.pix, from.Kind() == Binary, nil
	case *raster.Buffer:
		return from, false, nil
	case *image.Gray, *image.Gray16:
		return fromImage(from.(image.Image)), false, nil
	case *image.Paletted: // the indices are the labels
		r := from.Bounds()
		pix = raster.New(raster.Uint8, r.Dx(), r.Dy(), 1)
		for y := range pix.H {
			copy(pix.Bytes()[y*pix.W:(y+1)*pix.W], from.Pix[y*from.Stride:])
		}
		return pix, false, nil
	case [][]bool:
		pix, err = rows(raster.Uint8, from, func(v bool) float64 {
			if v {
				return 1
			}
			return 0
		})
		return pix, true, err
	case [][]uint8:
		pix, err = rows(raster.Uint8, from, func(v uint8) float64 { return float64(v) })
		return pix, false, err
	case [][]int:
		typ := raster.Uint8
		for _, line := range from {
			for _, v := range line {
				if v < -1<<31 || v > 1<<31-1 {
					return nil, false, fmt.Errorf("feature: mask label %d does not fit int32", v)
				}
				if v < 0 || v > 255 {
					typ = raster.Int32
				}
			}
		}
		pix, err = rows(typ, from, func(v int) float64 { return float64(v) })
		return pix, false, err
	}
	return nil, false, fmt.Errorf("feature: a mask cannot be made of %T, expected *raster.Buffer, *image.Gray, *image.Gray16, *image.Paletted, or rows of bool, uint8 or int", from)
}

func rows[T any](typ raster.DataType, from [][]T, value func(T) float64) (*raster.Buffer, error) {
	if len(from) == 0 {
		return nil, fmt.Errorf("feature: mask has no rows")
	}
	pix := raster.New(typ, len(from[0]), len(from), 1)
	for y, line := range from {
		if len(line) != pix.W {
			return nil, fmt.Errorf("feature: mask row %d has %d pixels, the first has %d", y, len(line), pix.W)
		}
		for x, v := range line {
			pix.Set(x, y, 0, value(v))
		}
	}
	return pix, nil
}
