package imagefile

import (
	"errors"
	"fmt"
	"image/color"
	"image/jpeg"
	"io"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

func newJPEG(r io.ReaderAt, size int64) (pixels, error) {
	c, err := jpeg.DecodeConfig(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, truncated(err)
	}
	if c.Width < 1 || c.Height < 1 {
		return nil, fmt.Errorf("broken JPEG: a size of %d×%d", c.Width, c.Height)
	}
	w := newWhole(geom.Size{W: c.Width, H: c.Height})
	switch c.ColorModel {
	case color.GrayModel:
		w.setBands(raster.Uint8, 1, false)
	case color.CMYKModel:
		return nil, errors.New("a CMYK JPEG needs GDAL")
	default:
		w.setBands(raster.Uint8, 3, false)
	}
	w.decode = func() (*raster.Buffer, error) {
		img, err := jpeg.Decode(io.NewSectionReader(r, 0, size))
		if err != nil {
			return nil, truncated(err)
		}
		return planes(img, w, 1)
	}
	return w, nil
}
