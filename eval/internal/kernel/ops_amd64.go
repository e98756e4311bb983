package kernel

import (
	"unsafe"

	"github.com/rewarp/rewarp/ast"
)

// The functions here run the assembly of a set on what it handles and the
// twin in ops.go on the rest. They have the same results for every set.

//go:generate go run -C gen . -out ../asm_amd64.s -stubs ../asm_amd64.go -pkg kernel

type (
	lerpFunc    func(dst *float32, pix *byte, stride int, off *int32, fx, fy *float32, n int)
	oneFunc     func(dst *float32, pix *byte, stride int, off *int32, wx, wy *float32, n int)
	lerpsFunc   func(dst *float32, pix *byte, stride, bands int, off *int32, fx, fy *float32, n int)
	validFunc   func(dst *float32, pix *byte, stride, bands int, off, own *int32, fx, fy, nodata *float32, n int)
	blockFunc   func(dst *float32, pix *byte, stride, bands int, off *int32, wx, wy *float32, n int)
	fewFunc     func(dst *float32, pix *byte, stride, bands int, off *int32, wx, wy, tmp *float32, nx, ny, n int)
	tapsFunc    func(dst *float32, pix *byte, stride, bands int, off *int32, wx, wy *float32, nx, ny, n int)
	columnsFunc func(dst *float32, pix *byte, stride int, w *float32, rows, n int)
)

// assembly holds the kernels of one stored type, by set less one.
type assembly struct {
	lerpOne   [2]lerpFunc
	lerpFew   lerpsFunc
	lerpMany  [2]lerpsFunc
	lerpValid [2]validFunc
	tapsOne   [2]tapsFunc
	oneBlock  oneFunc // nil if there is none
	tapsFew   [2]fewFunc
	fewBlock  blockFunc
	tapsMany  [2]tapsFunc
	columns   [2]columnsFunc
}

var (
	assemblyUint8 = assembly{
		[2]lerpFunc{lerpOneUint8AVX2, lerpOneUint8AVX512}, lerpFewUint8AVX2, [2]lerpsFunc{lerpManyUint8AVX2, lerpManyUint8AVX512},
		[2]validFunc{lerpValidUint8AVX2, lerpValidUint8AVX512},
		[2]tapsFunc{tapsOneUint8AVX2, tapsOneUint8AVX512}, tapsOneBlockUint8AVX512, [2]fewFunc{tapsFewUint8AVX2, tapsFewUint8AVX512}, tapsFewBlockUint8AVX512, [2]tapsFunc{tapsManyUint8AVX2, tapsManyUint8AVX512},
		[2]columnsFunc{columnsUint8AVX2, columnsUint8AVX512},
	}
	assemblyUint16 = assembly{
		[2]lerpFunc{lerpOneUint16AVX2, lerpOneUint16AVX512}, lerpFewUint16AVX2, [2]lerpsFunc{lerpManyUint16AVX2, lerpManyUint16AVX512},
		[2]validFunc{lerpValidUint16AVX2, lerpValidUint16AVX512},
		[2]tapsFunc{tapsOneUint16AVX2, tapsOneUint16AVX512}, nil, [2]fewFunc{tapsFewUint16AVX2, tapsFewUint16AVX512}, tapsFewBlockUint16AVX512, [2]tapsFunc{tapsManyUint16AVX2, tapsManyUint16AVX512},
		[2]columnsFunc{columnsUint16AVX2, columnsUint16AVX512},
	}
	assemblyInt16 = assembly{
		[2]lerpFunc{lerpOneInt16AVX2, lerpOneInt16AVX512}, lerpFewInt16AVX2, [2]lerpsFunc{lerpManyInt16AVX2, lerpManyInt16AVX512},
		[2]validFunc{lerpValidInt16AVX2, lerpValidInt16AVX512},
		[2]tapsFunc{tapsOneInt16AVX2, tapsOneInt16AVX512}, nil, [2]fewFunc{tapsFewInt16AVX2, tapsFewInt16AVX512}, tapsFewBlockInt16AVX512, [2]tapsFunc{tapsManyInt16AVX2, tapsManyInt16AVX512},
		[2]columnsFunc{columnsInt16AVX2, columnsInt16AVX512},
	}
	assemblyFloat32 = assembly{
		[2]lerpFunc{lerpOneFloat32AVX2, lerpOneFloat32AVX512}, lerpFewFloat32AVX2, [2]lerpsFunc{lerpManyFloat32AVX2, lerpManyFloat32AVX512},
		[2]validFunc{lerpValidFloat32AVX2, lerpValidFloat32AVX512},
		[2]tapsFunc{tapsOneFloat32AVX2, tapsOneFloat32AVX512}, tapsOneBlockFloat32AVX512, [2]fewFunc{tapsFewFloat32AVX2, tapsFewFloat32AVX512}, tapsFewBlockFloat32AVX512, [2]tapsFunc{tapsManyFloat32AVX2, tapsManyFloat32AVX512},
		[2]columnsFunc{columnsFloat32AVX2, columnsFloat32AVX512},
	}
)

// kernelsFor is the assembly for T, nil if there is none.
func kernelsFor[T narrow]() *assembly {
	var z T
	switch any(z).(type) {
	case uint8:
		return &assemblyUint8
	case uint16:
		return &assemblyUint16
	case int16:
		return &assemblyInt16
	case float32:
		return &assemblyFloat32
	}
	return nil
}

func bytesOf[T narrow](s []T) (p *byte, size int) {
	return (*byte)(unsafe.Pointer(unsafe.SliceData(s))), int(unsafe.Sizeof(s[0]))
}

// floatPositions is positionsGo.
func floatPositions(set Set, g *grid, x int, off []int32, fx, fy []float32) {
	n := len(off) &^ 7
	if set == Portable || n == 0 {
		positionsGo(g, x, off, fx, fy)
		return
	}
	if set == AVX512 {
		positionsAVX512(&g.m[0], x, &off[0], &fx[0], &fy[0], n)
	} else {
		positionsAVX2(&g.m[0], x, &off[0], &fx[0], &fy[0], n)
	}
	positionsGo(g, x+n, off[n:], fx[n:], fy[n:])
}

// lerp is lerpGo. Under a set other than Portable it reads up to four samples
// beyond the last that is needed of a row.
func lerp[T narrow](set Set, dst []float32, pix []T, stride, bands int, off []int32, fx, fy []float32) {
	k := kernelsFor[T]()
	n := len(off)
	if set == Portable || k == nil || n == 0 {
		lerpGo(dst, pix, stride, bands, off, fx, fy)
		return
	}
	p, size := bytesOf(pix)
	switch {
	case bands == 1:
		if n &^= set.lanes() - 1; n > 0 {
			k.lerpOne[set-1](&dst[0], p, stride*size, &off[0], &fx[0], &fy[0], n)
		}
	case bands <= 4:
		// The last pixel's vector would be written past the end.
		if n = max(0, n-3/bands); n > 0 {
			k.lerpFew(&dst[0], p, stride*size, bands, &off[0], &fx[0], &fy[0], n)
		}
	case bands >= 8 || set == AVX512:
		k.lerpMany[set-1](&dst[0], p, stride*size, bands, &off[0], &fx[0], &fy[0], n)
	default:
		n = 0
	}
	lerpGo(dst[n*bands:], pix, stride, bands, off[n:], fx[n:], fy[n:])
}

// lerpValid is lerpValidGo.
func lerpValid[T narrow](set Set, dst []float32, pix []T, stride, bands int, off, own []int32, fx, fy, nodata []float32) {
	k := kernelsFor[T]()
	if set == Portable || k == nil || bands < 8 && set < AVX512 {
		lerpValidGo(dst, pix, stride, bands, off, own, fx, fy, nodata)
		return
	}
	p, size := bytesOf(pix)
	k.lerpValid[set-1](&dst[0], p, stride*size, bands, &off[0], &own[0], &fx[0], &fy[0], &nodata[0], len(off))
}

// taps is tapsGo. Under a set other than Portable it reads up to eight samples
// beyond the last that is needed of a row, and uses tmp, nx·bands values and 20
// more.
func taps[T narrow](set Set, tmp, dst []float32, pix []T, stride, bands int, off []int32, wx, wy []float32, nx, ny int) {
	k := kernelsFor[T]()
	n := len(off)
	if set == Portable || k == nil || n == 0 || bands == 1 && n < set.lanes() || bands > 4 && bands < 8 && set < AVX512 {
		tapsGo(dst, pix, stride, bands, off, wx, wy, nx, ny)
		return
	}
	p, size := bytesOf(pix)
	switch {
	case bands == 1:
		run := func(from, n int) {
			if k.oneBlock != nil && nx == 4 && ny == 4 && set == AVX512 {
				k.oneBlock(&dst[from], p, stride*size, &off[from], &wx[from], &wy[from], n)
			} else {
				k.tapsOne[set-1](&dst[from], p, stride*size, 1, &off[from], &wx[from], &wy[from], nx, ny, n)
			}
		}
		whole := n &^ (set.lanes() - 1)
		run(0, whole)
		if whole < n { // what is left, and some once more
			run(n-set.lanes(), set.lanes())
		}
	case bands <= 4:
		run := func(dst []float32, from, n int) {
			if nx == 4 && ny == 4 && set == AVX512 {
				k.fewBlock(&dst[0], p, stride*size, bands, &off[from], &wx[from], &wy[from], n)
			} else {
				k.tapsFew[set-1](&dst[0], p, stride*size, bands, &off[from], &wx[from], &wy[from], &tmp[0], nx, ny, n)
			}
		}
		// The last pixel's vector would be written past the end.
		whole := n - (3 / bands)
		if whole > 0 {
			run(dst, 0, whole)
		}
		if whole < n {
			last := tmp[len(tmp)-4:]
			run(last, n-1, 1)
			copy(dst[(n-1)*bands:n*bands], last)
		}
	default:
		k.tapsMany[set-1](&dst[0], p, stride*size, bands, &off[0], &wx[0], &wy[0], nx, ny, n)
	}
}

// columns is columnsGo.
func columns[T narrow](set Set, dst []float32, pix []T, stride int, w []float32) {
	n := 0
	if k := kernelsFor[T](); set != Portable && k != nil && len(w) > 0 {
		if n = len(dst) &^ (4*set.lanes() - 1); n > 0 {
			p, size := bytesOf(pix)
			k.columns[set-1](&dst[0], p, stride*size, &w[0], len(w), n)
		}
	}
	columnsGo(dst[n:], pix[n:], stride, w)
}

// scale is scaleGo.
func scale(set Set, v []float32, mul, add []float64) {
	n := 0
	if set != Portable {
		if n = len(v) &^ 7; n > 0 {
			scaleAVX2(&v[0], &mul[0], &add[0], n)
		}
	}
	scaleGo(v[n:], mul[n:], add[n:])
}

var packFuncs = [2]struct {
	uint8, uint16, int16 func(dst *byte, v *float32, n int)
}{
	{packUint8AVX2, packUint16AVX2, packInt16AVX2},
	{packUint8AVX512, packUint16AVX512, packInt16AVX512},
}

// pack is packGo.
func pack[T uint8 | int8 | uint16 | int16](set Set, dst []T, v []float32) {
	for set > Portable {
		if n := len(v) &^ (4*set.lanes() - 1); n > 0 {
			f := &packFuncs[set-1]
			p := (*byte)(unsafe.Pointer(unsafe.SliceData(dst)))
			switch any(dst[0]).(type) {
			case uint8:
				f.uint8(p, &v[0], n)
			case uint16:
				f.uint16(p, &v[0], n)
			case int16:
				f.int16(p, &v[0], n)
			default:
				n = 0
			}
			dst, v = dst[n:], v[n:]
		}
		set-- // for what is less than a step of this one
	}
	packGo(dst, v)
}

// finite is finiteGo.
func finite(set Set, v []float32) bool {
	n := 0
	if set != Portable {
		if n = len(v) &^ 7; n > 0 && !finiteAVX2(&v[0], n) {
			return false
		}
	}
	return finiteGo(v[n:])
}

// unusable is unusableGo.
func unusable(set Set, v []float32) (nans, all int) {
	if n := len(v) &^ 7; set != Portable && n > 0 {
		nans, all = unusableAVX2(&v[0], n)
		v = v[n:]
	}
	a, b := unusableGo(v)
	return nans + a, all + b
}

var weightsFuncs = [2][5]func(w, frac, table *float32, reach, inv, f float32, taps, n int){
	{ast.Linear: weightsLinearAVX2, ast.Cubic: weightsCubicAVX2, ast.Lanczos: weightsLanczosAVX2, ast.Area: weightsAreaAVX2},
	{ast.Linear: weightsLinearAVX512, ast.Cubic: weightsCubicAVX512, ast.Lanczos: weightsLanczosAVX512, ast.Area: weightsAreaAVX512},
}

// weights is weightsGo.
func weights(set Set, p *profile, w, frac []float32) {
	n := 0
	if set != Portable {
		n = len(frac) &^ (set.lanes() - 1)
		switch {
		case n == 0:
		case p.keys() && set == AVX512:
			keysAVX512(&w[0], &frac[0], n)
		case p.keys():
			keysAVX2(&w[0], &frac[0], n)
		default:
			var table *float32
			if p.interp == ast.Lanczos {
				table = &lanczosTable()[0]
			}
			weightsFuncs[set-1][p.interp](&w[0], &frac[0], table, p.reach, p.inv, p.f, p.n, n)
		}
	}
	if n < len(frac) {
		weightsGo(p, w[n:], frac[n:])
	}
}

// fold is foldGo. Under a set other than Portable it reads up to three values
// beyond the last that is needed.
func fold(set Set, dst, row []float32, bands int, off []int32, wx []float32, nx int) {
	n := len(off)
	switch {
	case bands == 1 || bands > 4:
		taps(set, nil, dst, row, 0, bands, off, wx, unit[:], nx, 1)
	case set == Portable || n == 0:
		foldGo(dst, row, bands, off, wx, nx)
	default:
		whole := n - (3 / bands)
		if whole > 0 {
			foldAVX2(&dst[0], &row[0], bands, &off[0], &wx[0], nx, whole)
		}
		if whole < n {
			var last [4]float32
			foldAVX2(&last[0], &row[0], bands, &off[n-1], &wx[n-1], nx, 1)
			copy(dst[(n-1)*bands:n*bands], last[:])
		}
	}
}
