package ast

import (
	"fmt"
	"math"
	"strconv"

	"github.com/rewarp/rewarp/ast/geom"
)

// Interpolation is how a value between samples is made from them.
type Interpolation uint8

// The interpolations.
const (
	Nearest Interpolation = iota
	Linear
	Cubic   // Keys, "Cubic Convolution Interpolation" (1981), a = −0.5
	Lanczos // windowed sinc, a = 3
	Area    // mean over the footprint
	Mode    // the value that covers most of the footprint
)

var interpolations = [...]struct {
	name   string
	radius float64 // reach of the unstretched kernel, source pixels
}{
	Nearest: {"nearest", 0.5},
	Linear:  {"linear", 1},
	Cubic:   {"cubic", 2},
	Lanczos: {"lanczos", 3},
	Area:    {"area", 0.5},
	Mode:    {"mode", 0.5},
}

// String is the name of the interpolation in tree files.
func (i Interpolation) String() string {
	if int(i) < len(interpolations) {
		return interpolations[i].name
	}
	return "interpolation(" + strconv.Itoa(int(i)) + ")"
}

// ParseInterpolation reads the name that String writes.
func ParseInterpolation(name string) (Interpolation, error) {
	for i := range interpolations {
		if interpolations[i].name == name {
			return Interpolation(i), nil
		}
	}
	return 0, fmt.Errorf("unknown interpolation %q, expected nearest, linear, cubic, lanczos, area or mode", name)
}

// BorderMode is what lies beyond the edge of the source.
type BorderMode uint8

// The border modes. All but NoDataBorder make the source endless.
const (
	NoDataBorder  BorderMode = iota // nothing: points outside are invalid
	ValueBorder                     // a number, in stored units
	ClampBorder                     // the nearest edge pixel
	ReflectBorder                   // the mirror image; the edge pixel repeats
	WrapBorder                      // the other side
)

var borderNames = [...]string{"nodata", "value", "clamp", "reflect", "wrap"}

// Border is a border mode with the number of a ValueBorder.
type Border struct {
	Mode  BorderMode
	Value float64
}

// String is "nodata", "clamp", "reflect", "wrap" or the number.
func (b Border) String() string {
	if b.Mode == ValueBorder {
		return strconv.FormatFloat(b.Value, 'g', -1, 64)
	}
	if int(b.Mode) < len(borderNames) {
		return borderNames[b.Mode]
	}
	return "border(" + strconv.Itoa(int(b.Mode)) + ")"
}

// Sampling says how a warp reads its source. Samplings are compared after
// normalizing: nearest has no antialias, area and mode always have it.
type Sampling struct {
	Interp    Interpolation
	Antialias bool
	Border    Border
}

// DefaultSampling is linear with antialias and a nodata border.
var DefaultSampling = Sampling{Interp: Linear, Antialias: true}

// Normalize returns the sampling in the form that is compared.
func (s Sampling) Normalize() Sampling {
	switch s.Interp {
	case Nearest:
		s.Antialias = false
	case Area, Mode:
		s.Antialias = true
	}
	if s.Border.Mode != ValueBorder {
		s.Border.Value = 0
	}
	s.Border.Value += 0 // −0 as 0
	return s
}

func (s Sampling) check() (arg string, value any, limit string) {
	switch {
	case int(s.Interp) >= len(interpolations):
		return "interpolation", int(s.Interp), "unknown"
	case int(s.Border.Mode) >= len(borderNames):
		return "border", int(s.Border.Mode), "unknown"
	case s.Border.Mode == ValueBorder && (math.IsNaN(s.Border.Value) || math.IsInf(s.Border.Value, 0)):
		return "border", s.Border.Value, "must be finite"
	}
	return "", nil, ""
}

// Stretch is the factor (fx, fy) by which the kernel is stretched along the
// source's x and y when j is the linear part, row-major 2×2, of the map from
// the canvas to the source: max(1, |row of j|) under antialias, else 1.
func (s Sampling) Stretch(j [4]float64) (fx, fy float64) {
	if s.Normalize().Antialias {
		return geom.Stretch(j)
	}
	return 1, 1
}

// Support is the kernel's reach along the source's x and y, in source pixels,
// when j is the linear part of the map from the canvas to the source: sample i
// can weigh in a value at u only if |i + ½ − u| < reach.
// For nearest it is the distance from u to the centre of the pixel that
// contains it.
func (s Sampling) Support(j [4]float64) (rx, ry float64) {
	fx, fy := s.Stretch(j)
	r := interpolations[s.Interp].radius
	if s.Interp == Area || s.Interp == Mode {
		// A footprint f wide overlaps pixels whose centres are f/2 + ½ away.
		return r*fx + 0.5, r*fy + 0.5
	}
	return r * fx, r * fy
}

// String is for example "linear/antialias/clamp".
func (s Sampling) String() string {
	t := s.Interp.String()
	if s.Antialias {
		t += "/antialias"
	}
	if s.Border.Mode != NoDataBorder {
		t += "/" + s.Border.String()
	}
	return t
}
