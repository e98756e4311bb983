package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

func TestGridLayout(t *testing.T) {
	// The assembly reads the grid's fields by these offsets.
	var g grid
	for _, f := range []struct {
		name string
		got  uintptr
		want uintptr
	}{
		{"by", unsafe.Offsetof(g.by), 72}, {"ey", unsafe.Offsetof(g.ey), 80}, {"hy", unsafe.Offsetof(g.hy), 88},
		{"sx", unsafe.Offsetof(g.sx), 96}, {"sy", unsafe.Offsetof(g.sy), 104}, {"bands", unsafe.Offsetof(g.bands), 112},
		{"stride", unsafe.Offsetof(g.stride), 120}, {"base", unsafe.Offsetof(g.base), 128},
		{"x0", unsafe.Offsetof(g.x0), 136}, {"y1", unsafe.Offsetof(g.y1), 160}, {"limit", unsafe.Offsetof(g.limit), 168},
	} {
		if f.got != f.want {
			t.Errorf("%s at %d, assembly expects %d", f.name, f.got, f.want)
		}
	}
	if chunk != 256 {
		t.Errorf("chunk is %d, assembly expects 256", chunk)
	}
}

// noise is random samples over most of T's range.
func noise[T narrow](rng *rand.Rand, n int) []T {
	v := make([]T, n)
	for i := range v {
		switch any(v[i]).(type) {
		case float32:
			v[i] = T((rng.Float64() - 0.5) * 1000)
		default:
			v[i] = T(int64(rng.Uint64()))
		}
	}
	return v
}

// testTwins runs every stage for T under each set and under Portable, and
// wants the same bits.
func testTwins[T narrow](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	same := func(name string, set Set, got, want []float32) {
		t.Helper()
		for i := range want {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
				t.Fatalf("%s, %v: value %d is %v, portable %v", name, set, i, got[i], want[i])
			}
		}
	}
	for _, bands := range []int{1, 2, 3, 4, 5, 7, 8, 9, 13, 16, 17, 33} {
		for _, n := range []int{1, 7, 8, 15, 16, 33, 100, 256} {
			const w, h = 37, 23
			stride := w * bands
			pix := noise[T](rng, stride*h)
			wide := noise[float32](rng, stride*h)
			off := make([]int32, n)
			fx, fy := make([]float32, n), make([]float32, n)
			wx, wy := make([]float32, 8*chunk), make([]float32, 8*chunk)
			for i := range off {
				off[i] = int32((rng.IntN(h-9)*w + rng.IntN(w-8)) * bands)
				fx[i], fy[i] = rng.Float32(), rng.Float32()
			}
			tmp := make([]float32, 4*8+20)
			// Samples that are invalid in every way.
			holed := slices.Clone(pix)
			own := slices.Clone(off)
			nodata := noise[float32](rng, 2*(bands+nodataPad))
			for i := range own {
				own[i] += int32(rng.IntN(2)*bands + rng.IntN(2)*stride)
			}
			for range len(holed) / 5 {
				k := rng.IntN(len(holed))
				nodata[k%bands] = 3
				nodata[bands+nodataPad+k%bands] = float32(math.NaN())
				holed[k] = 3
				if f, ok := any(holed).([]float32); ok {
					f[rng.IntN(len(f))] = []float32{float32(math.NaN()), float32(math.Inf(-1))}[rng.IntN(2)]
				}
			}
			for i := range wx {
				wx[i], wy[i] = rng.Float32()-0.2, rng.Float32()-0.2
			}
			// One value more than is written, which must stay.
			run := func(f func(dst []float32)) []float32 {
				d := make([]float32, n*bands+1)
				d[n*bands] = 42
				f(d[:n*bands])
				if d[n*bands] != 42 {
					t.Fatalf("wrote past the end")
				}
				return d
			}
			nx, ny := 1+rng.IntN(8), 1+rng.IntN(8)
			if rng.IntN(3) == 0 { // what has kernels of its own
				nx, ny = 4, 4
			}
			for set := AVX2; set <= Best(); set++ {
				same("lerp", set,
					run(func(d []float32) { lerp(set, d, pix, stride, bands, off, fx, fy) }),
					run(func(d []float32) { lerpGo(d, pix, stride, bands, off, fx, fy) }))
				same("taps", set,
					run(func(d []float32) { taps(set, tmp, d, pix, stride, bands, off, wx, wy, nx, ny) }),
					run(func(d []float32) { tapsGo(d, pix, stride, bands, off, wx, wy, nx, ny) }))
				same("lerpValid", set,
					run(func(d []float32) { lerpValid(set, d, holed, stride, bands, off, own, fx, fy, nodata) }),
					run(func(d []float32) { lerpValidGo(d, holed, stride, bands, off, own, fx, fy, nodata) }))
				same("fold", set,
					run(func(d []float32) { fold(set, d, wide, bands, off, wx, nx) }),
					run(func(d []float32) { foldGo(d, wide, bands, off, wx, nx) }))
				same("columns", set,
					run(func(d []float32) { columns(set, d[:min(n*bands, stride)], pix, stride, wx[:ny]) }),
					run(func(d []float32) { columnsGo(d[:min(n*bands, stride)], pix, stride, wx[:ny]) }))
				in := noise[float32](rng, n*bands)
				mul, add := make([]float64, n*bands), make([]float64, n*bands)
				for i := range mul {
					mul[i], add[i] = rng.Float64()-0.5, 500*rng.Float64()
				}
				same("scale", set,
					run(func(d []float32) { copy(d, in); scale(set, d, mul, add) }),
					run(func(d []float32) { copy(d, in); scaleGo(d, mul, add) }))
			}
		}
	}
}

func TestTwins(t *testing.T) {
	t.Run("uint8", testTwins[uint8])
	t.Run("int8", testTwins[int8])
	t.Run("uint16", testTwins[uint16])
	t.Run("int16", testTwins[int16])
	t.Run("float32", testTwins[float32])
}

func TestPositionsTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		g := grid{sx: 0.5, sy: 0.5 * rng.Float64(), bands: float64(1 + rng.IntN(13)), stride: float64(1 + rng.IntN(5000)), base: -float64(rng.IntN(9000))}
		g.m = randomInverse(rng, 60, 60)
		g.row(rng.IntN(1000))
		x, n := rng.IntN(5000)-1000, 1+rng.IntN(chunk)
		var off, wantOff [chunk]int32
		var fx, fy, wantX, wantY [chunk]float32
		positionsGo(&g, x, wantOff[:n], wantX[:n], wantY[:n])
		for set := AVX2; set <= Best(); set++ {
			offsets(set, &g, x, off[:n])
			if !slices.Equal(off[:n], wantOff[:n]) {
				t.Fatalf("%v: offsets differ", set)
			}
			positions(set, &g, x, off[:n], fx[:n], fy[:n])
			for i := range n {
				if off[i] != wantOff[i] || fx[i] != wantX[i] || fy[i] != wantY[i] {
					t.Fatalf("%v, %d of %d: %d, %v, %v, want %d, %v, %v", set, i, n, off[i], fx[i], fy[i], wantOff[i], wantX[i], wantY[i])
				}
			}
		}
	}
}

func TestProjectTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	some := 0
	for range 300 {
		g := grid{sx: 0.5, sy: 0.5 * rng.Float64(), bands: float64(1 + rng.IntN(13)), stride: float64(1 + rng.IntN(5000)), base: -float64(rng.IntN(9000))}
		g.m = randomInverse(rng, 60, 60)
		g.m[6], g.m[7] = (rng.Float64()-.5)*0.03, (rng.Float64()-.5)*0.03
		g.x1, g.y1, g.limit = 60, 60, 1
		if rng.IntN(2) == 0 {
			g.limit = math.Inf(1)
		}
		g.row(rng.IntN(100))
		x, n := rng.IntN(500)-250, 1+rng.IntN(chunk)
		var off, wantOff, ok, wantOK [chunk]int32
		var fx, fy, wantX, wantY [chunk]float32
		projectGo(&g, x, wantOff[:n], wantX[:n], wantY[:n], wantOK[:n])
		for set := AVX2; set <= Best(); set++ {
			project(set, &g, x, off[:n], fx[:n], fy[:n], ok[:n])
			for i := range n {
				if ok[i] != wantOK[i] || ok[i] != 0 && (off[i] != wantOff[i] || fx[i] != wantX[i] || fy[i] != wantY[i]) {
					t.Fatalf("%v, %d of %d: %d, %v, %v, %v, want %d, %v, %v, %v", set, i, n, off[i], fx[i], fy[i], ok[i], wantOff[i], wantX[i], wantY[i], wantOK[i])
				}
			}
		}
		for _, ok := range wantOK[:n] {
			some -= int(ok)
		}
	}
	if some < 100 {
		t.Errorf("only %d pixels were ok", some)
	}
}

func TestWeightsTwin(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 5))
	for _, k := range []ast.Interpolation{ast.Linear, ast.Cubic, ast.Lanczos, ast.Area} {
		for range 50 {
			p := newProfile(k, max(1, rng.Float64()*6-2))
			n := 1 + rng.IntN(chunk)
			frac := make([]float32, n)
			for i := range frac {
				frac[i] = rng.Float32()
			}
			want, got := make([]float32, p.n*chunk), make([]float32, p.n*chunk)
			weightsGo(&p, want, frac)
			for set := AVX2; set <= Best(); set++ {
				weights(set, &p, got, frac)
				if !slices.Equal(got, want) {
					t.Fatalf("%v differs for %v", set, p)
				}
			}
			exact := make([]float32, p.n)
			for i, f := range frac {
				p.exact(exact, 1, float64(f)+p.shift+10)
				for c, w := range exact {
					if math.Abs(float64(w-want[c*chunk+i])) > 1e-6 {
						t.Fatalf("%v at %v: tap %d weighs %v, want %v", p, f, c, want[c*chunk+i], w)
					}
				}
			}
		}
	}
}

func testPack[T uint8 | int8 | uint16 | int16](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	v := make([]float32, 1000)
	for i := range v {
		switch v[i] = float32(rng.NormFloat64()) * 30000; rng.IntN(4) {
		case 0:
			v[i] = float32(rng.IntN(600)-300) / 2
		case 1:
			v[i] = float32(rng.NormFloat64())
		}
	}
	for _, n := range []int{1, 31, 32, 33, 64, 1000} {
		want, got := make([]T, n), make([]T, n)
		packGo(want, v[:n])
		for set := AVX2; set <= Best(); set++ {
			pack(set, got, v[:n])
			if !slices.Equal(got, want) {
				t.Fatalf("%v: %v, portable %v", set, got, want)
			}
		}
	}
}

func TestPackTwin(t *testing.T) {
	t.Run("uint8", testPack[uint8])
	t.Run("int8", testPack[int8])
	t.Run("uint16", testPack[uint16])
	t.Run("int16", testPack[int16])
}

func TestFiniteTwin(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for n := 1; n < 70; n++ {
			for at := -1; at < n; at++ {
				v := make([]float32, n)
				if at >= 0 {
					v[at] = float32(bad)
				}
				for set := Portable; set <= Best(); set++ {
					if got := finite(set, v); got != (at < 0) {
						t.Fatalf("%v: %v at %d of %d: %v", set, bad, at, n, got)
					}
				}
			}
		}
	}
}

func testScatter[T raster.Sample](t *testing.T) {
	for _, bands := range []int{1, 2, 3, 4, 5, 8, 13} {
		for _, n := range []int{0, 1, 5, 300} {
			step := bands + 2
			src := make([]T, n*bands)
			for i := range src {
				src[i] = T(i%100 + 1)
			}
			dst := make([]T, n*step)
			scatter(dst, step, src, bands)
			for i, v := range dst {
				want := T(0)
				if i%step < bands {
					want = src[i/step*bands+i%step]
				}
				if v != want {
					t.Fatalf("%d bands: sample %d is %v, want %v", bands, i, v, want)
				}
			}
		}
	}
}

func TestScatter(t *testing.T) {
	t.Run("uint8", testScatter[uint8])
	t.Run("uint16", testScatter[uint16])
	t.Run("float32", testScatter[float32])
	t.Run("float64", testScatter[float64])
}

func TestReplicate(t *testing.T) {
	for _, size := range []int{1, 2, 3, 4, 8} {
		for _, n := range []int{1, 2, 9} {
			step := size + 3
			dst := make([]byte, n*step)
			for i := range size {
				dst[i] = byte(i + 1)
			}
			replicate(dst, step, size, n)
			for i, v := range dst {
				want := i%step + 1
				if want > size {
					want = 0
				}
				if int(v) != want {
					t.Fatalf("byte %d of pixels of %d is %d, want %d", i, size, v, want)
				}
			}
		}
	}
}

func TestUnusable(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 7))
	odd := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	for n := range 60 {
		v := noise[float32](rng, n)
		nans, all := 0, 0
		for i := range v {
			if k := rng.IntN(6); k < len(odd) {
				v[i] = odd[k]
				all++
				if k == 0 {
					nans++
				}
			}
		}
		for set := Portable; set <= Best(); set++ {
			if a, b := unusable(set, v); a != nans || b != all {
				t.Fatalf("%v: %d, %d of %d, want %d, %d", set, a, b, n, nans, all)
			}
		}
	}
}
