// Package kernel computes rectangles of output samples from a window of source
// samples, in one pass: taps in the stored type, scale and offset, output
// type. Nothing in between is wider than a few rows.
//
// A Job is one call. What it means is independent of the instruction set and
// of how a canvas is cut into rectangles: positions and weights depend on the
// absolute pixel only, and every Set gives the same bits.
package kernel

import (
	"fmt"
	"image"
	"unsafe"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// Job describes one call: read Src, fill Rect of Dst. Positions, validity and
// weights are those that the design gives for a warp over a source.
type Job struct {
	// Src is a window of the source's samples in their stored type. Its first
	// pixel is the source's pixel Origin. It must hold every tap of Rect that
	// lies in the source's Canvas; a tap in the canvas but outside the window
	// counts as invalid. Samples that are NaN or infinite, have a 0 in
	// Src.Mask, or equal a NoData value are invalid.
	Src    *raster.Buffer
	Origin image.Point
	Canvas geom.Size

	// NoData lists, per band of Src, stored values that are invalid. Samples are
	// compared in the stored type: a number that the type cannot hold matches
	// none of them, but the number of a value border it does. Nil is none.
	NoData [][]float64

	// Mul and Add give, per band of Src, value = stored·Mul + Add. Nil is 1
	// and 0. They apply to the number of a value border, too.
	Mul, Add []float64

	// Inv maps canvas to source coordinates. Where its denominator is not
	// positive, the output is invalid. If Inv.Copy holds, samples are permuted
	// whatever Sampling says, save for its border.
	Inv      geom.Transform
	Sampling ast.Sampling

	// Domain clips, in canvas coordinates; nil is no clip.
	Domain *geom.Domain

	// Dst is written in Rect only, which is given in canvas coordinates and
	// lies inside Dst; DstOrigin is the canvas position of Dst's first pixel.
	// Band i of Src goes to band DstBand+i.
	Dst       *raster.Buffer
	DstOrigin image.Point
	Rect      image.Rectangle
	DstBand   int

	// Fill is, per band of Src, what an invalid sample of an integer Dst is
	// set to; nil is 0. Dst.Mask, unless nil, gets 0 there and 255 elsewhere.
	// A float Dst gets NaN.
	Fill []float64

	// Precise computes every sample by itself in float64, positions by
	// Inv.Apply, weights from the formula, rounding by DataType.Round.
	// Otherwise a value may differ from that by 1e-5 of its range in a float
	// Dst, and by one in fewer than 0.5 % of the samples of an integer one;
	// validity and nearest picks never differ.
	Precise bool
}

// Run fills the rectangle and returns the number of invalid samples in it.
// set must be Portable or supported by this machine. Scratch may be nil; it is
// reused from call to call, never by two at once.
//
// It panics if the job contradicts itself (a rectangle outside Dst, too few
// bands): that is a fault of the caller, never of the data.
func (j *Job) Run(set Set, scratch *Scratch) (invalid int) {
	j.check()
	if j.Rect.Empty() || j.Src.Bands == 0 {
		return 0
	}
	if scratch == nil {
		scratch = new(Scratch)
	}
	scratch.set = set
	if set > Best() {
		panic(fmt.Sprintf("kernel: %v is not supported by this machine", set))
	}
	invalid = dispatch(j, scratch)
	scratch.release(j.Src.Type)
	return invalid
}

func (j *Job) check() {
	n := j.Src.Bands
	inside := j.Rect.Empty() || j.Rect.Sub(j.DstOrigin).In(j.Dst.Bounds())
	switch {
	case !inside:
		panic(fmt.Sprintf("kernel: rectangle %v exceeds the output %v at %v", j.Rect, j.Dst.Bounds(), j.DstOrigin))
	case j.DstBand < 0 || j.DstBand+n > j.Dst.Bands:
		panic(fmt.Sprintf("kernel: bands [%d, %d) of an output of %d", j.DstBand, j.DstBand+n, j.Dst.Bands))
	case j.Mul != nil && len(j.Mul) != n, j.Add != nil && len(j.Add) != n,
		j.Fill != nil && len(j.Fill) != n, j.NoData != nil && len(j.NoData) != n:
		panic(fmt.Sprintf("kernel: scale, fill or nodata not given for each of %d bands", n))
	case j.Src.Mask != nil && len(j.Src.Mask) != j.Src.Len(), j.Dst.Mask != nil && len(j.Dst.Mask) != j.Dst.Len():
		panic("kernel: mask and samples differ in length")
	}
}

// Scratch is working memory that is kept between calls, so that a call like one
// before it allocates nothing. The zero value is ready to use.
type Scratch struct {
	set     Set
	runners [raster.Float64 + 1]releaser // by the type of the source
	plans   planCache
	steps   steps
	rail    rail

	shrinkers shrinkCache

	f64, mul, add  []float64
	row, fx, fy    []float32
	wx, wy, column []float32
	nodata, tmp    []float32
	ring, ringW    []float32
	off, own       []int32
	base, index    []int32
	bad, ok        []int32
	fixed          []int32
	held, ringAt   []int
	peaks          []uint32
	last           []int
	guard, around  []byte
	packed         []uint64 // samples of any type
	planes         planeList
}

// releaser is a runner, of any type of samples.
type releaser interface{ release() }

// release lets go of the caller's samples.
func (s *Scratch) release(t raster.DataType) {
	if r := s.runners[t]; r != nil {
		r.release()
	}
}

// runnerOf is the runner that is kept for a type of samples.
func runnerOf[T raster.Sample](s *Scratch) *runner[T] {
	t := raster.TypeOf[T]()
	if r, ok := s.runners[t].(*runner[T]); ok {
		return r
	}
	r := &runner[T]{sampler: new(sampler[T]), rowWriter: new(rowWriter)}
	s.runners[t] = r
	return r
}

// scratchSamples is memory for n samples, until it is called again.
func scratchSamples[T raster.Sample](s *Scratch, n int) []T {
	var t T
	s.packed = grow(s.packed, n*int(unsafe.Sizeof(t))/8+1)
	return unsafe.Slice((*T)(unsafe.Pointer(&s.packed[0])), n)
}
