package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// TestSteps holds fixed-point positions against those in float64: offsets are
// the same, and fractions close, whatever part of a block is asked for.
func TestSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 6))
	fixed := 0
	for k := range 2000 {
		g := grid{sx: -edgeTolerance, sy: -edgeTolerance, bands: float64(1 + rng.IntN(13)), stride: float64(1 + rng.IntN(5000)), base: -float64(rng.IntN(9000))}
		g.m = randomInverse(rng, 60, 60)
		switch k % 4 {
		case 0:
			g.sx, g.sy = 0.5, 0.5*rng.Float64()
		case 1: // on edges, and next to them
			g.m = geom.Scale(float64(1+rng.IntN(8))/4, float64(1+rng.IntN(8))/4)
			g.m[2], g.m[5] = float64(rng.IntN(3))*3e-7, float64(rng.IntN(50))
		case 2: // far away
			g.m[2] = math.Exp2(rng.Float64() * 28)
			g.m[5] = -g.m[2]
		}
		var s steps
		s.set(g.m[0], g.m[3])
		g.steps = &s
		g.row(rng.IntN(1000))
		x, n := rng.IntN(5000)-1000, 1+rng.IntN(2*chunk)
		if rng.IntN(2) == 0 {
			x &^= chunk - 1
		}
		off, wantOff := make([]int32, n), make([]int32, n)
		fx, fy, wantX, wantY := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
		partX, partY := make([]float32, n), make([]float32, n)
		positionsGo(&g, x, wantOff, wantX, wantY)
		near := math.Abs(g.m[2]) < 1e5 // offsets beyond have more than 32 bits
		for set := Portable; set <= Best(); set++ {
			offsets(set, &g, x, off)
			if near && !slices.Equal(off, wantOff) {
				t.Fatalf("%v: offsets differ for %v", set, g.m)
			}
			positions(set, &g, x, off, fx, fy)
			if near && !slices.Equal(off, wantOff) {
				t.Fatalf("%v: offsets of positions differ for %v", set, g.m)
			}
			for i := range n {
				if math.Abs(float64(fx[i]-wantX[i])) > 3e-7 || math.Abs(float64(fy[i]-wantY[i])) > 3e-7 {
					t.Fatalf("%v, %d of %d: %v, %v, want %v, %v", set, i, n, fx[i], fy[i], wantX[i], wantY[i])
				}
			}
			a := rng.IntN(n)
			positions(set, &g, x, off[:a], partX[:a], partY[:a])
			positions(set, &g, x+a, off[a:], partX[a:], partY[a:])
			if !slices.Equal(partX, fx) || !slices.Equal(partY, fy) {
				t.Fatalf("%v: fractions depend on where a row is cut", set)
			}
			if set > Portable {
				positions(Portable, &g, x, off, partX, partY)
				if !slices.Equal(partX, fx) || !slices.Equal(partY, fy) {
					t.Fatalf("%v: fractions differ from portable ones", set)
				}
			}
		}
		if !slices.Equal(fx, wantX) {
			fixed++
		}
	}
	if fixed < 300 {
		t.Errorf("only %d rows in fixed point", fixed)
	}
}

func testPick[T raster.Sample](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 7))
	for bands := 1; bands <= 33; bands++ {
		for _, n := range []int{1, 2, 15, 16, 17, 33, 256} {
			pix := make([]T, 100*bands+16)
			for i := range pix {
				pix[i] = T(rng.IntN(128))
			}
			off := make([]int32, n)
			for i := range off {
				off[i] = int32(rng.IntN(100) * bands)
			}
			for _, step := range []int{bands, bands + 1} {
				want, got := make([]T, n*step+1), make([]T, n*step+1)
				want[n*step], got[n*step] = 42, 42
				pickGo(want, step, pix, bands, off)
				for i, o := range off {
					if !slices.Equal(want[i*step:][:bands], pix[o:][:bands]) {
						t.Fatalf("%d bands: pixel %d is wrong", bands, i)
					}
				}
				for set := AVX2; set <= Best(); set++ {
					pick(set, got, step, pix, bands, off)
					if !slices.Equal(got, want) {
						t.Fatalf("%v, %d bands, %d pixels: pick differs", set, bands, n)
					}
				}
			}
		}
	}
}

func testConvert[T narrow](t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	var scratch Scratch
	for _, bands := range []int{1, 2, 3, 4, 13, 300, 1100} {
		for _, n := range []int{1, 16, 33, 256} {
			pix := noise[T](rng, 20*bands+16)
			off := make([]int32, n)
			for i := range off {
				off[i] = int32(rng.IntN(20) * bands)
			}
			want, got := make([]float32, n*bands), make([]float32, n*bands)
			convertGo(want, pix, bands, off)
			for set := AVX2; set <= Best(); set++ {
				convert(set, &scratch, got, pix, bands, off)
				if !slices.Equal(got, want) {
					t.Fatalf("%v, %d bands, %d pixels: convert differs", set, bands, n)
				}
			}
		}
	}
}

func TestConvertTwin(t *testing.T) {
	t.Run("uint8", testConvert[uint8])
	t.Run("int8", testConvert[int8])
	t.Run("uint16", testConvert[uint16])
	t.Run("int16", testConvert[int16])
	t.Run("float32", testConvert[float32])
}

func TestPickTwin(t *testing.T) {
	t.Run("uint8", testPick[uint8])
	t.Run("int16", testPick[int16])
	t.Run("float32", testPick[float32])
	t.Run("float64", testPick[float64])
}

// TestAhead holds what is fetched ahead against where the samples lie that a
// row further down needs.
func TestAhead(t *testing.T) {
	for _, m := range []geom.Transform{turned(1.25), {0.8, -0.3, 500, 0.3, 0.8, 20, 1e-5, 2e-5, 1}} {
		g := grid{m: m, bands: 3, stride: 6144, steps: &steps{}}
		const x, y, n = 700, 600, 100
		at := func(y int) [2]int {
			u, v := m.Apply(x+0.5, float64(y)+0.5)
			return [2]int{int(u), int(v)}
		}
		p, q := at(y), at(y+aheadRows)
		found := []ahead{aheadAt(&g, 3, x, y, n)}
		if m.IsAffine() {
			found = append(found, newAhead(&g, 3))
		}
		for _, a := range found {
			near := false
			for k := range 9 {
				near = near || a.delta == (q[0]-p[0]+k%3-1)*3+(q[1]-p[1]+k/3-1)*6144
			}
			if !near || a.step < 1 || a.step > 3 {
				t.Errorf("%v: %+v, from %v to %v", m, a, p, q)
			}
		}
	}
	if a := newAhead(&grid{m: geom.Identity, bands: 4, stride: 100}, 4); a != (ahead{}) {
		t.Errorf("a row that is read in order is fetched ahead: %+v", a)
	}
}
