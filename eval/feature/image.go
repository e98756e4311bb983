package feature

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// ColorSpace says what the bands of an image are.
type ColorSpace uint8

// The colour spaces. Multispectral is any bands that are none of the others.
const (
	Multispectral ColorSpace = iota
	Gray
	RGB
	RGBA
)

var colorSpaces = [...]struct {
	name  string
	bands int // 0 is any number
}{Multispectral: {"multispectral", 0}, Gray: {"gray", 1}, RGB: {"rgb", 3}, RGBA: {"rgba", 4}}

// String is "multispectral", "gray", "rgb" or "rgba".
func (c ColorSpace) String() string {
	if int(c) < len(colorSpaces) {
		return colorSpaces[c].name
	}
	return fmt.Sprintf("colorspace(%d)", uint8(c))
}

// Image is pixels with a colour space and named bands. The zero Image holds
// nothing.
type Image struct {
	pix  *raster.Buffer
	meta *imageMeta
}

// Features are at most four words, metadata behind one pointer, because the
// compiler keeps values of that size in registers: a wrap is then two to four
// moves, while a larger value is written to the stack and read back.

// imageMeta is shared by all images that were wrapped like one, and immutable.
type imageMeta struct {
	shape shape
	space ColorSpace
	bands []ast.Band
}

// ImageOption says what NewImage would otherwise guess.
type ImageOption func(*imageMeta)

// WithSpace sets the colour space.
func WithSpace(c ColorSpace) ImageOption { return func(m *imageMeta) { m.space = c } }

// WithBands names the bands and declares nodata values. The types of the bands
// do not count: all have that of the buffer.
func WithBands(bands ...ast.Band) ImageOption {
	return func(m *imageMeta) { m.bands = slices.Clone(bands) }
}

// WithNames names the bands.
func WithNames(names ...string) ImageOption {
	return func(m *imageMeta) {
		m.bands = make([]ast.Band, len(names))
		for i, name := range names {
			m.bands[i].Name = name
		}
	}
}

const unset ColorSpace = 255

// NewImage makes an image of a *raster.Buffer or an *ast.Raster, which are
// kept and must not change any more, of any image.Image of the standard
// library, which is copied, or of another Image. Bands that have no names are
// numbered. Where no colour space is given it is guessed from the bands: one
// is gray; three or four are rgb or rgba if they are called so or have no
// names; everything else is multispectral.
func NewImage(from any, opts ...ImageOption) (Image, error) {
	m := &imageMeta{space: unset}
	pix, err := m.read(from)
	if err != nil {
		return Image{}, err
	}
	for _, o := range opts {
		o(m)
	}
	if err := checkPixels("image", pix); err != nil {
		return Image{}, err
	}
	switch {
	case m.bands == nil:
		m.bands = ast.NumberedBands(pix.Bands, pix.Type)
	case len(m.bands) != pix.Bands:
		return Image{}, fmt.Errorf("feature: %d bands are described, the image has %d", len(m.bands), pix.Bands)
	}
	for i := range m.bands {
		m.bands[i].Type = pix.Type
	}
	if m.space == unset {
		m.space = guess(m.bands)
	}
	if err := m.space.check(pix.Bands); err != nil {
		return Image{}, err
	}
	m.shape = shapeOf(pix)
	return Image{pix, m}, nil
}

// check reports whether so many bands can be in the colour space.
func (c ColorSpace) check(bands int) error {
	if int(c) >= len(colorSpaces) {
		return fmt.Errorf("feature: unknown %v", c)
	}
	if n := colorSpaces[c].bands; n != 0 && n != bands {
		return fmt.Errorf("feature: %v takes %d bands, the image has %d", c, n, bands)
	}
	return nil
}

// checkPixels refuses buffers that no tree takes.
func checkPixels(what string, pix *raster.Buffer) error {
	switch {
	case pix == nil:
		return fmt.Errorf("feature: %s has no pixels", what)
	case pix.W < 1 || pix.H < 1 || pix.Bands < 1 || pix.Bands > ast.MaxBands:
		return fmt.Errorf("feature: %s of %d×%d pixels and %d bands, expected at least one pixel and 1 to %d bands",
			what, pix.W, pix.H, pix.Bands, ast.MaxBands)
	case pix.Mask != nil && len(pix.Mask) != pix.Len():
		return fmt.Errorf("feature: %s has %d samples and a validity mask of %d", what, pix.Len(), len(pix.Mask))
	}
	return nil
}

// guess is the colour space that the names of bands suggest.
func guess(bands []ast.Band) ColorSpace {
	switch {
	case len(bands) == 1:
		return Gray
	case called(bands, "r", "g", "b") || called(bands, "red", "green", "blue"):
		return RGB
	case called(bands, "r", "g", "b", "a") || called(bands, "red", "green", "blue", "alpha"):
		return RGBA
	case called(bands, "1", "2", "3") || called(bands, "", "", ""):
		return RGB
	case called(bands, "1", "2", "3", "4") || called(bands, "", "", "", ""):
		return RGBA
	}
	return Multispectral
}

func called(bands []ast.Band, names ...string) bool {
	return slices.EqualFunc(bands, names, func(b ast.Band, name string) bool { return strings.EqualFold(b.Name, name) })
}

// WrapLike is an image of other pixels with the metadata of i: of any size, but
// with as many bands and of the same type. Nothing is copied, and pix must not
// change any more. It is NewImage's business to make an image of another type.
func (i Image) WrapLike(pix *raster.Buffer) (Image, error) {
	if pix == nil || i.meta == nil || i.meta.shape != shapeOf(pix) {
		return Image{}, &LikeError{"image", i.pix, pix}
	}
	return Image{pix, i.meta}, nil
}

// shape is what buffers that are wrapped alike have in common.
type shape struct {
	bands int
	typ   raster.DataType
}

func shapeOf(pix *raster.Buffer) shape { return shape{pix.Bands, pix.Type} }

// LikeError says why a buffer was not wrapped like a reference.
type LikeError struct {
	what string
	like *raster.Buffer // one that the reference holds, nil if it is empty
	got  *raster.Buffer
}

// Error is for example "feature: 4 bands of uint8 are not wrapped like the
// reference image of 3 bands of uint8; make a new one".
func (e *LikeError) Error() string {
	switch {
	case e.like == nil:
		return fmt.Sprintf("feature: the reference %s is empty; make a new one", e.what)
	case e.got == nil:
		return fmt.Sprintf("feature: no pixels to wrap like the reference %s", e.what)
	}
	got, want := shapeOf(e.got), shapeOf(e.like)
	return fmt.Sprintf("feature: %d bands of %v are not wrapped like the reference %s of %d bands of %v; make a new one",
		got.bands, got.typ, e.what, want.bands, want.typ)
}

// IsZero reports whether the image holds nothing.
func (i Image) IsZero() bool { return i.pix == nil }

// Pix is the pixels, which are shared and must not be changed.
func (i Image) Pix() *raster.Buffer { return i.pix }

// Size is the canvas in pixels.
func (i Image) Size() geom.Size { return sizeOf(i.pix) }

func sizeOf(pix *raster.Buffer) geom.Size {
	if pix == nil {
		return geom.Size{}
	}
	return geom.Size{W: pix.W, H: pix.H}
}

// Space is the colour space.
func (i Image) Space() ColorSpace {
	if i.meta == nil {
		return Multispectral
	}
	return i.meta.space
}

// As is the same image in another colour space. No value changes.
func (i Image) As(c ColorSpace) (Image, error) {
	if i.meta == nil {
		return Image{}, fmt.Errorf("feature: image has no pixels")
	}
	if err := c.check(i.pix.Bands); err != nil {
		return Image{}, err
	}
	m := *i.meta
	m.space = c
	return Image{i.pix, &m}, nil
}

// Bands describes the bands: a copy.
func (i Image) Bands() []ast.Band {
	if i.meta == nil {
		return nil
	}
	return slices.Clone(i.meta.bands)
}

// Node is a leaf over the pixels.
func (i Image) Node() (*ast.Raster, error) {
	if i.pix == nil {
		return nil, fmt.Errorf("feature: image has no pixels")
	}
	return ast.NewRaster(i.pix, i.meta.bands)
}
