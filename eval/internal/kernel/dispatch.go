package kernel

import (
	"math"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// dispatch picks the path for the job.
func dispatch(j *Job, s *Scratch) (invalid int) {
	switch j.Src.Type {
	case raster.Uint8:
		return runNarrow[uint8](j, s)
	case raster.Int8:
		return runNarrow[int8](j, s)
	case raster.Uint16:
		return runNarrow[uint16](j, s)
	case raster.Int16:
		return runNarrow[int16](j, s)
	case raster.Float32:
		return runNarrow[float32](j, s)
	case raster.Uint32:
		return runWide[uint32](j, s)
	case raster.Int32:
		return runWide[int32](j, s)
	default:
		return runWide[float64](j, s)
	}
}

// runNarrow runs a job whose samples float32 holds.
func runNarrow[T narrow](j *Job, s *Scratch) (invalid int) {
	if j.fits() && (j.Dst.Type.IsFloat() || j.Dst.Type.Size() < 4) {
		ok := false
		_, copies := j.Inv.Copy()
		interp := j.Sampling.Interp
		switch {
		case copies || interp == ast.Nearest && j.Inv.IsAffine():
			invalid, ok = runPick[T](j, s)
		case interp == ast.Mode:
		case !j.Inv.IsAffine():
			invalid, ok = runProjective[T](j, s)
		case j.Inv[1] == 0 && j.Inv[3] == 0:
			invalid, ok = runSeparable[T](j, s)
		default:
			invalid, ok = runAffine[T](j, s)
		}
		if ok {
			return invalid
		}
	}
	return runPrecise[T](j, s)
}

// runWide runs a job whose samples need more than float32.
func runWide[T uint32 | int32 | float64](j *Job, s *Scratch) (invalid int) {
	_, copies := j.Inv.Copy()
	if j.fits() && (copies || j.Inv.IsAffine()) {
		run := runWideLinear[T]
		if copies || j.Sampling.Interp == ast.Nearest {
			run = runPick[T]
		}
		if invalid, ok := run(j, s); ok {
			return invalid
		}
	}
	return runPrecise[T](j, s)
}

// fits reports whether the job may leave the precise path: 32-bit offsets
// reach all of its window.
func (j *Job) fits() bool {
	return !j.Precise && j.Src.W > 0 && j.Src.H > 0 && j.Src.Len()*j.Src.Type.Size() < math.MaxInt32
}
