package kernel

import (
	"math"

	"github.com/rewarp/rewarp/ast"
)

// kernelRadius is the reach of the unstretched kernel, by interpolation.
var kernelRadius = [...]float64{ast.Nearest: 0, ast.Linear: 1, ast.Cubic: 2, ast.Lanczos: 3, ast.Area: 0.5, ast.Mode: 0.5}

// weigh is the weight of a tap at distance t from the position, in units of
// the stretch, for the kernels that are functions of the distance alone.
func weigh(interp ast.Interpolation, t float64) float64 {
	t = math.Abs(t)
	switch interp {
	case ast.Linear:
		return max(0, 1-t)
	case ast.Cubic:
		switch {
		case t < 1:
			return (1.5*t-2.5)*t*t + 1
		case t < 2:
			return ((-0.5*t+2.5)*t-4)*t + 2
		}
		return 0
	case ast.Lanczos:
		switch {
		case t < 1e-9:
			return 1
		case t < 3:
			p := math.Pi * t
			return 3 * math.Sin(p) * math.Sin(p/3) / (p * p)
		}
		return 0
	}
	return 0
}

// tapRange is the first and the last tap at u under a stretch f.
func tapRange(interp ast.Interpolation, u, f float64) (first, last int) {
	var lo, hi float64
	if interp == ast.Area || interp == ast.Mode {
		lo, hi = math.Floor(u-f/2), math.Ceil(u+f/2)-1
	} else {
		r := kernelRadius[interp] * f
		lo, hi = math.Ceil(u-r-0.5), math.Floor(u+r-0.5)
	}
	const far = 1 << 60
	return int(max(lo, -far)), int(min(hi, far))
}

// tapWeight is the weight of tap i at u under a stretch f.
func tapWeight(interp ast.Interpolation, i int, u, f float64) float64 {
	if interp == ast.Area || interp == ast.Mode {
		return max(0, min(float64(i+1), u+f/2)-max(float64(i), u-f/2))
	}
	return weigh(interp, (float64(i)+0.5-u)/f)
}

// axis is one axis of a source: its extent, what lies beyond, and the part of
// it that is in memory.
type axis struct {
	size   int // of the canvas
	border ast.BorderMode
	w0, w1 int // the window, canvas coordinates
}

// Indices that are no index into the window.
const (
	tapInvalid = -1 // no such sample
	tapNumber  = -2 // the number of a value border
)

// index is the window index of canvas coordinate i.
func (a *axis) index(i int) int {
	if uint(i) >= uint(a.size) {
		switch a.border {
		case ast.NoDataBorder:
			return tapInvalid
		case ast.ValueBorder:
			return tapNumber
		case ast.ClampBorder:
			i = min(max(i, 0), a.size-1)
		case ast.ReflectBorder:
			if i = modulo(i, 2*a.size); i >= a.size {
				i = 2*a.size - 1 - i
			}
		case ast.WrapBorder:
			i = modulo(i, a.size)
		}
	}
	if i < a.w0 || i >= a.w1 {
		return tapInvalid
	}
	return i - a.w0
}

// numbers reports whether all taps from first to last are the number of a value
// border, whatever is in memory.
func (a *axis) numbers(first, last int) bool {
	return a.border == ast.ValueBorder && (last < 0 || first >= a.size)
}

func modulo(i, n int) int {
	if i %= n; i < 0 {
		i += n
	}
	return i
}

// farAway bounds positions, so that they convert to integers.
const farAway = 1 << 40

// contains is the window index of the source pixel that contains u.
func (a *axis) contains(u float64) int {
	u = min(max(u, -farAway), farAway)
	return a.index(int(math.Floor(u + edgeTolerance)))
}

// axisTaps are the taps of one sample along one axis: window indices and
// their weights. all is the sum of the weights of every tap, also of those
// that do not exist and are left out here. Where beyond is set there are none: all
// lie outside of the canvas, and stand for the number of a value border.
type axisTaps struct {
	index  []int
	weight []float64
	all    float64
	beyond bool
	merged []float64
}

// set finds the taps at u.
func (t *axisTaps) set(interp ast.Interpolation, a *axis, u, f float64) {
	t.index, t.weight, t.all = t.index[:0], t.weight[:0], 0
	u, f = min(max(u, -farAway), farAway), min(f, farAway)
	first, last := tapRange(interp, u, f)
	if t.beyond = a.numbers(first, last); t.beyond {
		return
	}
	ends := a.border == ast.NoDataBorder || a.border == ast.ValueBorder
	part := f > manyTaps && (first < 0 || last >= a.size)
	switch {
	case part && ends:
		first, last = max(first, 0), min(last, a.size-1)
	case part:
		t.endless(interp, a, u, f)
		return
	case a.border != ast.NoDataBorder && last-first > a.size:
		t.merge(interp, a, u, f, first, last)
		return
	}
	if !part && first >= max(0, a.w0) && last < min(a.size, a.w1) {
		t.inner(interp, a, u, f, first, last)
		return
	}
	for i := first; i <= last; i++ {
		w := tapWeight(interp, i, u, f)
		t.all += w
		if k := a.index(i); w != 0 && (k != tapInvalid || a.border == ast.ValueBorder) {
			t.index = append(t.index, k)
			t.weight = append(t.weight, w)
		}
	}
	if part {
		if a.border == ast.ValueBorder {
			t.index = append(t.index, tapNumber)
			t.weight = append(t.weight, f*integral[interp]-t.all)
		}
		t.all = f * integral[interp]
	}
}

// inner is set for taps that are all in memory.
func (t *axisTaps) inner(interp ast.Interpolation, a *axis, u, f float64, first, last int) {
	for i := first; i <= last; i++ {
		var w float64
		if interp == ast.Linear {
			if w = 1 - math.Abs((float64(i)+0.5-u)/f); w < 0 {
				w = 0
			}
		} else {
			w = tapWeight(interp, i, u, f)
		}
		if w != 0 {
			t.all += w
			t.index = append(t.index, i-a.w0)
			t.weight = append(t.weight, w)
		}
	}
}

// merge adds up the weights of taps that fall on the same sample, so that a
// wide kernel over an endless source costs no more than the source.
func (t *axisTaps) merge(interp ast.Interpolation, a *axis, u, f float64, first, last int) {
	t.merged = append(t.merged[:0], make([]float64, a.w1-a.w0+2)...)
	missing, number := len(t.merged)-2, len(t.merged)-1
	for i := first; i <= last; i++ {
		w := tapWeight(interp, i, u, f)
		t.all += w
		switch k := a.index(i); k {
		case tapInvalid:
			t.merged[missing] += w
		case tapNumber:
			t.merged[number] += w
		default:
			t.merged[k] += w
		}
	}
	for k, w := range t.merged {
		if w != 0 {
			switch k {
			case number:
				k = tapNumber
			case missing:
				k = tapInvalid
			}
			t.index = append(t.index, k)
			t.weight = append(t.weight, w)
		}
	}
}
