package raster

import (
	"fmt"
	"math"
)

// DataType is the type of a stored sample.
type DataType uint8

// The sample types.
const (
	Unknown DataType = iota
	Uint8
	Int8
	Uint16
	Int16
	Uint32
	Int32
	Float32
	Float64
)

type typeInfo struct {
	name     string
	size     int
	min, max float64
}

var types = [...]typeInfo{
	Unknown: {"unknown", 0, 0, 0},
	Uint8:   {"uint8", 1, 0, math.MaxUint8},
	Int8:    {"int8", 1, math.MinInt8, math.MaxInt8},
	Uint16:  {"uint16", 2, 0, math.MaxUint16},
	Int16:   {"int16", 2, math.MinInt16, math.MaxInt16},
	Uint32:  {"uint32", 4, 0, math.MaxUint32},
	Int32:   {"int32", 4, math.MinInt32, math.MaxInt32},
	Float32: {"float32", 4, -math.MaxFloat32, math.MaxFloat32},
	Float64: {"float64", 8, -math.MaxFloat64, math.MaxFloat64},
}

// ParseDataType reads the name that String writes.
func ParseDataType(name string) (DataType, error) {
	for t := Uint8; t <= Float64; t++ {
		if types[t].name == name {
			return t, nil
		}
	}
	return Unknown, fmt.Errorf("unknown data type %q, expected uint8, int8, uint16, int16, uint32, int32, float32 or float64", name)
}

// String is the name of the type, such as "uint8", and "type(77)" for what is
// none.
func (t DataType) String() string {
	if int(t) < len(types) {
		return types[t].name
	}
	return fmt.Sprintf("type(%d)", uint8(t))
}

// Size is the number of bytes a sample takes.
func (t DataType) Size() int { return types[t].size }

// IsFloat reports whether the type is float32 or float64.
func (t DataType) IsFloat() bool { return t == Float32 || t == Float64 }

// Range is the least and the largest finite value of the type.
func (t DataType) Range() (lo, hi float64) { return types[t].min, types[t].max }

// halfTolerance is how close to a half a value must be to be rounded as one.
const halfTolerance = 1e-6

// Round converts v to a value that the type can hold. Integers round half
// away from zero, a value within 1e-6 of a half counting as the half, and
// saturate; float32 rounds to nearest even; NaN becomes 0 in an integer type.
func (t DataType) Round(v float64) float64 {
	switch t {
	case Float64:
		return v
	case Float32:
		return float64(float32(v))
	}
	if v != v {
		return 0
	}
	r := math.Floor(math.Abs(v) + 0.5 + halfTolerance)
	r = math.Copysign(r, v) + 0 // +0 so that −0 does not survive
	return min(max(r, types[t].min), types[t].max)
}

// Class is the class that a computed value stands for when the most frequent
// value is asked for: v rounded to 2⁻²⁴ and to float32, so that values that
// differ by the rounding of a resampling are one class.
func Class(v float64) float64 {
	const steps = 1 << 24
	return float64(float32(math.RoundToEven(v*steps) / steps))
}

// Common is the smallest type that holds every value of both: the sink's
// choice when bands differ.
func Common(a, b DataType) DataType {
	if a == b || b == Unknown {
		return a
	}
	if a == Unknown {
		return b
	}
	for t := Uint8; t <= Float64; t++ {
		if t.holds(a) && t.holds(b) {
			return t
		}
	}
	return Float64
}

// holds reports whether every value of u is a value of t.
func (t DataType) holds(u DataType) bool {
	switch {
	case t == u || t == Float64:
		return true
	case t == Float32:
		return u.Size() <= 2 && u != Unknown
	case u.IsFloat():
		return false
	}
	return types[t].min <= types[u].min && types[t].max >= types[u].max
}
