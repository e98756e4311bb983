package feature

import (
	"fmt"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// MaskKind says what the samples of a mask are.
type MaskKind uint8

// The kinds of mask.
const (
	Labels MaskKind = iota // a class or an instance a pixel
	Binary                 // the background or one other value
)

// String is "labels" or "binary".
func (k MaskKind) String() string {
	switch k {
	case Labels:
		return "labels"
	case Binary:
		return "binary"
	}
	return fmt.Sprintf("maskkind(%d)", uint8(k))
}

// Mask is an integer label a pixel; several bands are several masks on one
// canvas. Labels are never interpolated. The zero Mask holds nothing.
type Mask struct {
	pix  *raster.Buffer
	meta *maskMeta
}

// maskMeta is shared by all masks that were wrapped like one, and immutable.
type maskMeta struct {
	shape      shape
	background float64
	kind       MaskKind
}

// MaskOption says what NewMask would otherwise guess.
type MaskOption func(*maskOptions)

type maskOptions struct {
	kind       MaskKind
	given      bool
	background float64
}

// WithKind sets the kind.
func WithKind(k MaskKind) MaskOption {
	return func(o *maskOptions) { o.kind, o.given = k, true }
}

// WithBackground sets the label of pixels that show nothing. The default is 0.
func WithBackground(label float64) MaskOption {
	return func(o *maskOptions) { o.background = label }
}

// NewMask makes a mask of a *raster.Buffer of integers, which is kept and must
// not change any more, of an *image.Gray, *image.Gray16 or *image.Paletted
// (whose indices are the labels), of rows of bool, uint8 or int, or of another
// Mask. Rows of bool are binary, everything else is labels unless told
// otherwise; a binary mask holds at most one value besides the background.
func NewMask(from any, opts ...MaskOption) (Mask, error) {
	var o maskOptions
	pix, binary, err := labelsOf(from)
	if err != nil {
		return Mask{}, err
	}
	if binary {
		o.kind = Binary
	}
	if m, ok := from.(Mask); ok {
		o.background = m.Background()
	}
	for _, f := range opts {
		f(&o)
	}
	if err := checkPixels("mask", pix); err != nil {
		return Mask{}, err
	}
	if pix.Type.IsFloat() {
		return Mask{}, fmt.Errorf("feature: mask of %v, expected an integer type", pix.Type)
	}
	if pix.Type.Round(o.background) != o.background {
		return Mask{}, fmt.Errorf("feature: mask background %v does not fit %v", o.background, pix.Type)
	}
	m := Mask{pix, &maskMeta{shapeOf(pix), o.background, o.kind}}
	switch o.kind {
	case Labels:
	case Binary:
		if err := m.checkBinary(); err != nil {
			return Mask{}, err
		}
	default:
		return Mask{}, fmt.Errorf("feature: unknown %v", o.kind)
	}
	return m, nil
}

func (m Mask) checkBinary() error {
	var other float64
	found := false
	for y := range m.pix.H {
		for x := range m.pix.W {
			for b := range m.pix.Bands {
				v, valid := m.pix.At(x, y, b)
				if !valid || v == m.meta.background || found && v == other {
					continue
				}
				if found {
					return fmt.Errorf("feature: binary mask has label %v at (%d, %d), besides %v and the background %v", v, x, y, other, m.meta.background)
				}
				other, found = v, true
			}
		}
	}
	return nil
}

// WrapLike is a mask of other labels with the metadata of m: of any size, but
// with as many bands and of the same type. Nothing is copied or read, and pix
// must not change any more.
func (m Mask) WrapLike(pix *raster.Buffer) (Mask, error) {
	if pix == nil || m.meta == nil || m.meta.shape != shapeOf(pix) {
		return Mask{}, &LikeError{"mask", m.pix, pix}
	}
	return Mask{pix, m.meta}, nil
}

// IsZero reports whether the mask holds nothing.
func (m Mask) IsZero() bool { return m.pix == nil }

// Pix is the labels, which are shared and must not be changed.
func (m Mask) Pix() *raster.Buffer { return m.pix }

// Size is the canvas in pixels.
func (m Mask) Size() geom.Size { return sizeOf(m.pix) }

// Kind is what the samples are.
func (m Mask) Kind() MaskKind {
	if m.meta == nil {
		return Labels
	}
	return m.meta.kind
}

// Background is the label of pixels that show nothing.
func (m Mask) Background() float64 {
	if m.meta == nil {
		return 0
	}
	return m.meta.background
}

// Node is a leaf over the labels.
func (m Mask) Node() (*ast.Raster, error) {
	if m.pix == nil {
		return nil, fmt.Errorf("feature: mask has no pixels")
	}
	return ast.NewRaster(m.pix, nil)
}
