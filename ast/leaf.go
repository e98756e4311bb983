package ast

import (
	"math"
	"slices"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// Load is a raster on disk. Its metadata may be unknown until Prepare.
type Load struct {
	Base
	uri      string
	channels string
	meta     *Meta
}

// NewLoad is a raster by uri with nothing known about it. Channels, a spec
// such as "r|g|b" or "B.0:13", names its bands; "" keeps the names that the
// file gives.
func NewLoad(uri, channels string) (*Load, error) {
	if uri == "" {
		return nil, fail(KindLoad, "uri", nil, "is empty")
	}
	if channels != "" {
		if _, err := ParseChannels(channels); err != nil {
			return nil, &Error{Op: "load", Arg: "channels", Err: err}
		}
	}
	l := &Load{uri: uri, channels: channels}
	l.init(KindLoad, geom.Size{}, nil, source)
	return l, nil
}

// NewLoadMeta is a raster by uri whose metadata is known.
func NewLoadMeta(uri, channels string, meta Meta) (*Load, error) {
	l, err := NewLoad(uri, channels)
	if err != nil {
		return nil, err
	}
	return l.WithMeta(meta)
}

// WithMeta returns the load with metadata.
func (l *Load) WithMeta(meta Meta) (*Load, error) {
	m := meta.clone() // the caller's slices stay as they are
	if err := checkMeta(m); err != nil {
		return nil, err
	}
	if l.channels != "" {
		names, err := ParseChannels(l.channels)
		if err != nil {
			return nil, &Error{Op: "load", Arg: "channels", Err: err}
		}
		if len(names) != len(m.Bands) {
			return nil, fail(KindLoad, "channels", short(l.channels), "names %d bands, the raster has %d", len(names), len(m.Bands))
		}
		for i := range m.Bands {
			m.Bands[i].Name = names[i]
		}
	}
	n := &Load{uri: l.uri, channels: l.channels, meta: m}
	n.init(KindLoad, m.Size, listOf(m.Bands), known|source)
	return n, nil
}

func checkMeta(m *Meta) error {
	if err := checkSize(KindLoad, m.Size); err != nil {
		return err
	}
	if err := checkBandCount(KindLoad, len(m.Bands)); err != nil {
		return err
	}
	for i := range m.Bands {
		m.Bands[i].dequantized = false
		if m.Bands[i].Type == raster.Unknown || m.Bands[i].Type > raster.Float64 {
			return fail(KindLoad, "dtype", m.Bands[i].Type, "of band %d is not a sample type", i)
		}
	}
	for i, s := range m.Overviews {
		if s.W < 1 || s.H < 1 || s.W > m.Size.W || s.H > m.Size.H {
			return fail(KindLoad, "overviews", s, "at level %d does not fit canvas %v", i+1, m.Size)
		}
	}
	return nil
}

func checkSize(k Kind, s geom.Size) error {
	switch {
	case s.W < 1 || s.H < 1:
		return fail(k, "size", s, "has no pixels")
	case s.W > MaxExtent || s.H > MaxExtent:
		return fail(k, "size", s, "exceeds %d pixels a side", MaxExtent)
	}
	return nil
}

func checkBandCount(k Kind, n int) error {
	switch {
	case n < 1:
		return fail(k, "bands", n, "must be at least 1")
	case n > MaxBands:
		return fail(k, "bands", n, "exceeds %d bands a node", MaxBands)
	}
	return nil
}

// URI names the raster.
func (l *Load) URI() string { return l.uri }

// Channels is the spec that names the bands, or "".
func (l *Load) Channels() string { return l.channels }

// Meta is a copy of the metadata; ok is false while it is unknown.
func (l *Load) Meta() (m Meta, ok bool) {
	if l.meta == nil {
		return Meta{}, false
	}
	return *l.meta.clone(), true
}

// NumOverviews is the number of overviews that the file stores.
func (l *Load) NumOverviews() int {
	if l.meta == nil {
		return 0
	}
	return len(l.meta.Overviews)
}

// LevelSize is the size of a stored level: 0 is the raster itself. ok is false
// when the file does not store the level.
func (l *Load) LevelSize(level int) (size geom.Size, ok bool) {
	switch {
	case level == 0:
		return l.Size(), l.Known()
	case level < 0 || level > l.NumOverviews():
		return geom.Size{}, false
	}
	return l.meta.Overviews[level-1], true
}

// BlockSize is the unit of storage, zero when unknown.
func (l *Load) BlockSize() geom.Size {
	if l.meta == nil {
		return geom.Size{}
	}
	return l.meta.Block
}

// HasMask reports whether the file has a mask that marks samples invalid.
func (l *Load) HasMask() bool { return l.meta != nil && l.meta.HasMask }

// NumInputs is 0.
func (l *Load) NumInputs() int { return 0 }

// Input panics: a load has no input.
func (l *Load) Input(i int) Node { panic("ast: load has no input") }

// WithInputs returns l.
func (l *Load) WithInputs(inputs []Node) (Node, error) { return l, checkInputs(KindLoad, inputs, 0) }

// Fill is a canvas of one value, or all invalid.
type Fill struct {
	Base
	value   float64
	invalid bool
}

// NewFill is a constant canvas. The value is rounded to nothing: it must be one that
// every band's type can hold.
func NewFill(size geom.Size, bands []Band, value float64) (*Fill, error) {
	if err := checkFill(size, bands); err != nil {
		return nil, err
	}
	for i, b := range bands {
		if math.IsInf(value, 0) || !(b.Type.IsFloat() || b.Type.Round(value) == value) {
			return nil, fail(KindFill, "value", value, "does not fit %v of band %d", b.Type, i)
		}
	}
	return TrustedFill(size, slices.Clone(bands), value, math.IsNaN(value)), nil
}

// NewInvalid is a canvas without a valid sample.
func NewInvalid(size geom.Size, bands []Band) (*Fill, error) {
	if err := checkFill(size, bands); err != nil {
		return nil, err
	}
	return TrustedFill(size, slices.Clone(bands), 0, true), nil
}

func checkFill(size geom.Size, bands []Band) error {
	if err := checkSize(KindFill, size); err != nil {
		return err
	}
	if err := checkBandCount(KindFill, len(bands)); err != nil {
		return err
	}
	for i, b := range bands {
		if b.Type == raster.Unknown || b.Type > raster.Float64 {
			return fail(KindFill, "dtype", b.Type, "of band %d is not a sample type", i)
		}
	}
	return nil
}

// Value is the constant; ok is false when the canvas is all invalid.
func (f *Fill) Value() (v float64, ok bool) { return f.value, !f.invalid }

// NumInputs is 0.
func (f *Fill) NumInputs() int { return 0 }

// Input panics: a fill has no input.
func (f *Fill) Input(i int) Node { panic("ast: fill has no input") }

// WithInputs returns f.
func (f *Fill) WithInputs(inputs []Node) (Node, error) { return f, checkInputs(KindFill, inputs, 0) }

// Raster is pixels already in memory.
type Raster struct {
	Base
	pix *raster.Buffer
}

// NewRaster is a leaf over pixels in memory, which must not change any more.
// Bands gives names and nodata values; nil names them by number.
func NewRaster(pix *raster.Buffer, bands []Band) (*Raster, error) {
	if pix == nil {
		return nil, fail(KindRaster, "buffer", nil, "is nil")
	}
	if err := checkSize(KindRaster, geom.Size{W: pix.W, H: pix.H}); err != nil {
		return nil, err
	}
	if err := checkBandCount(KindRaster, pix.Bands); err != nil {
		return nil, err
	}
	if bands == nil {
		bands = NumberedBands(pix.Bands, pix.Type)
	} else if len(bands) != pix.Bands {
		return nil, fail(KindRaster, "bands", len(bands), "do not match the buffer's %d", pix.Bands)
	} else {
		bands = slices.Clone(bands)
	}
	for i := range bands {
		bands[i].Type, bands[i].dequantized = pix.Type, false
	}
	r := &Raster{pix: pix}
	r.init(KindRaster, geom.Size{W: pix.W, H: pix.H}, listOf(bands), known|source)
	return r, nil
}

// Buffer is the pixels. They must not be changed.
func (r *Raster) Buffer() *raster.Buffer { return r.pix }

// NumInputs is 0.
func (r *Raster) NumInputs() int { return 0 }

// Input panics: a raster has no input.
func (r *Raster) Input(i int) Node { panic("ast: raster has no input") }

// WithInputs returns r.
func (r *Raster) WithInputs(inputs []Node) (Node, error) {
	return r, checkInputs(KindRaster, inputs, 0)
}

func checkInputs(k Kind, inputs []Node, want int) error {
	if len(inputs) != want {
		return fail(k, "inputs", len(inputs), "must be %d", want)
	}
	for i, n := range inputs {
		if n == nil {
			return fail(k, "input", i, "is nil")
		}
	}
	return nil
}
