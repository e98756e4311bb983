package raster

import (
	"fmt"
	"image"
	"math"
	"unsafe"

	"github.com/rewarp/rewarp/internal/hugepage"
)

// Sample is any type a pixel can be stored in.
type Sample interface {
	~uint8 | ~int8 | ~uint16 | ~int16 | ~uint32 | ~int32 | ~float32 | ~float64
}

// Buffer is a raster in memory, row-major h × w × bands: the bands of a pixel
// lie side by side, and a row takes exactly W·Bands samples.
//
// In a float buffer an invalid sample is NaN and Mask is nil. In an integer
// buffer Mask, when it is not nil, has one byte a sample in the same order as
// the samples: 0 is invalid, anything else valid.
type Buffer struct {
	Type  DataType
	W, H  int
	Bands int
	Mask  []byte

	data []uint64 // backing store, so that every sample type is aligned
}

// MaxSamples bounds the samples that one buffer may hold.
const MaxSamples = 1 << 33

// New returns a zeroed buffer. It panics if a dimension is negative or the
// buffer would exceed MaxSamples: callers bound what strangers ask for.
func New(t DataType, w, h, bands int) *Buffer {
	b := &Buffer{}
	b.Reset(t, w, h, bands)
	return b
}

// Reset gives the buffer another shape, reusing its store where it is large
// enough. Samples are left as they were and Mask becomes nil.
func (b *Buffer) Reset(t DataType, w, h, bands int) {
	if w < 0 || h < 0 || bands < 0 || t == Unknown {
		panic(fmt.Sprintf("raster: buffer %d×%d×%d of %v", w, h, bands, t))
	}
	n := w * h * bands
	if (w > 0 && h > 0 && bands > 0) && (n/w/h != bands || n > MaxSamples) {
		panic(fmt.Sprintf("raster: buffer %d×%d×%d exceeds %d samples", w, h, bands, MaxSamples))
	}
	words := (n*t.Size() + 7) / 8
	if cap(b.data) < words {
		b.data = hugepage.Make[uint64](words)
	}
	b.Type, b.W, b.H, b.Bands, b.Mask, b.data = t, w, h, bands, nil, b.data[:words]
}

// Len is the number of samples.
func (b *Buffer) Len() int { return b.W * b.H * b.Bands }

// Bytes is the store as bytes in native order, Len times the sample size long.
func (b *Buffer) Bytes() []byte {
	if len(b.data) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&b.data[0])), b.Len()*b.Type.Size())
}

// Samples is the store as a slice of T. It panics if T is not the buffer's
// type.
func Samples[T Sample](b *Buffer) []T {
	if TypeOf[T]() != b.Type {
		panic(fmt.Sprintf("raster: buffer of %v read as %v", b.Type, TypeOf[T]()))
	}
	if len(b.data) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b.data[0])), b.Len())
}

// TypeOf is the data type of T.
func TypeOf[T Sample]() DataType {
	var z T
	switch any(z).(type) {
	case uint8:
		return Uint8
	case int8:
		return Int8
	case uint16:
		return Uint16
	case int16:
		return Int16
	case uint32:
		return Uint32
	case int32:
		return Int32
	case float32:
		return Float32
	case float64:
		return Float64
	}
	return Unknown
}

// FromSlice is a buffer of a copy of the pixels, row-major h × w × bands. It is
// an error where they are not as many.
func FromSlice[T Sample](pix []T, w, h, bands int) (*Buffer, error) {
	if w < 1 || h < 1 || bands < 1 || len(pix) != w*h*bands {
		return nil, fmt.Errorf("raster: %d samples do not make %d×%d pixels of %d bands", len(pix), w, h, bands)
	}
	b := New(TypeOf[T](), w, h, bands)
	copy(Samples[T](b), pix)
	return b, nil
}

// At is the sample at column x, row y of a band, and whether it is valid.
func (b *Buffer) At(x, y, band int) (v float64, valid bool) {
	i := (y*b.W+x)*b.Bands + band
	v = b.at(i)
	return v, v == v && (b.Mask == nil || b.Mask[i] != 0)
}

func (b *Buffer) at(i int) float64 {
	switch b.Type {
	case Uint8:
		return float64(Samples[uint8](b)[i])
	case Int8:
		return float64(Samples[int8](b)[i])
	case Uint16:
		return float64(Samples[uint16](b)[i])
	case Int16:
		return float64(Samples[int16](b)[i])
	case Uint32:
		return float64(Samples[uint32](b)[i])
	case Int32:
		return float64(Samples[int32](b)[i])
	case Float32:
		return float64(Samples[float32](b)[i])
	case Float64:
		return Samples[float64](b)[i]
	}
	return math.NaN()
}

// Set stores v, rounded and saturated to the buffer's type, and marks the
// sample valid.
func (b *Buffer) Set(x, y, band int, v float64) {
	i := (y*b.W+x)*b.Bands + band
	b.set(i, b.Type.Round(v))
	if b.Mask != nil {
		b.Mask[i] = 255
	}
}

// SetInvalid marks the sample invalid: NaN in a float buffer, fill and a zero
// in the mask of an integer one.
func (b *Buffer) SetInvalid(x, y, band int, fill float64) {
	i := (y*b.W+x)*b.Bands + band
	if b.Type.IsFloat() {
		b.set(i, math.NaN())
		return
	}
	b.set(i, b.Type.Round(fill))
	b.EnsureMask()
	b.Mask[i] = 0
}

// EnsureMask gives an integer buffer without a mask one that is all valid.
func (b *Buffer) EnsureMask() {
	if b.Mask != nil || b.Type.IsFloat() {
		return
	}
	b.Mask = make([]byte, b.Len())
	for i := range b.Mask {
		b.Mask[i] = 255
	}
}

func (b *Buffer) set(i int, v float64) {
	switch b.Type {
	case Uint8:
		Samples[uint8](b)[i] = uint8(v)
	case Int8:
		Samples[int8](b)[i] = int8(v)
	case Uint16:
		Samples[uint16](b)[i] = uint16(v)
	case Int16:
		Samples[int16](b)[i] = int16(v)
	case Uint32:
		Samples[uint32](b)[i] = uint32(v)
	case Int32:
		Samples[int32](b)[i] = int32(v)
	case Float32:
		Samples[float32](b)[i] = float32(v)
	case Float64:
		Samples[float64](b)[i] = v
	}
}

// Bounds is the rectangle (0, 0)–(W, H).
func (b *Buffer) Bounds() image.Rectangle { return image.Rect(0, 0, b.W, b.H) }

// Clone is a deep copy.
func (b *Buffer) Clone() *Buffer {
	c := New(b.Type, b.W, b.H, b.Bands)
	copy(c.data, b.data)
	if b.Mask != nil {
		c.Mask = append([]byte(nil), b.Mask...)
	}
	return c
}
