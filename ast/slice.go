package ast

import (
	"image"
	"strconv"
)

// Slice is a run of rows, columns or bands, as Python slices are: a negative
// bound counts from the end, a bound outside is clipped, and one that is left
// out is the start or the end. The zero Slice is everything.
type Slice struct {
	start, stop       int
	hasStart, hasStop bool
}

// SliceOf is start:stop.
func SliceOf(start, stop int) Slice { return Slice{start, stop, true, true} }

// SliceFrom is start:.
func SliceFrom(start int) Slice { return Slice{start: start, hasStart: true} }

// SliceTo is :stop.
func SliceTo(stop int) Slice { return Slice{stop: stop, hasStop: true} }

// String is for example "10:-5".
func (s Slice) String() string {
	var text string
	if s.hasStart {
		text = strconv.Itoa(s.start)
	}
	text += ":"
	if s.hasStop {
		text += strconv.Itoa(s.stop)
	}
	return text
}

// Bounds is the run [start, stop) of n items; it is empty if stop ≤ start.
func (s Slice) Bounds(n int) (start, stop int) {
	wrap := func(i int) int {
		if i < 0 {
			i += n
		}
		return min(max(i, 0), n)
	}
	stop = n
	if s.hasStart {
		start = wrap(s.start)
	}
	if s.hasStop {
		stop = wrap(s.stop)
	}
	return start, stop
}

// CropSlice crops by slices of rows, then columns, then bands; those left out
// are everything. It is in itself when nothing is cut. The canvas of in is
// known. A result without pixels or bands is an error.
func CropSlice(in Node, slices ...Slice) (Node, error) {
	if in == nil {
		return nil, fail(KindCrop, "input", nil, "is nil")
	}
	if !in.Known() {
		return nil, fail(KindCrop, "slice", nil, "needs a known canvas")
	}
	if len(slices) > 3 {
		return nil, fail(KindCrop, "slices", len(slices), "exceed rows, columns and bands")
	}
	var run [3][2]int
	total := [3]int{in.Size().H, in.Size().W, in.NumBands()}
	whole := true
	for i := range run {
		var s Slice
		if i < len(slices) {
			s = slices[i]
		}
		run[i][0], run[i][1] = s.Bounds(total[i])
		if run[i][1] <= run[i][0] {
			what := [3]string{"rows", "columns", "bands"}[i]
			return nil, fail(KindCrop, what, s.String(), "are none of %d", total[i])
		}
		whole = whole && run[i] == [2]int{0, total[i]}
	}
	if whole {
		return in, nil
	}
	var bands []int
	if run[2] != [2]int{0, total[2]} {
		for i := run[2][0]; i < run[2][1]; i++ {
			bands = append(bands, i)
		}
	}
	return nodeOr(NewCrop(in, image.Rect(run[1][0], run[0][0], run[1][1], run[0][1]), bands...))
}
