package kernel

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
)

// randomSource fills a buffer with noise over the type's range (0 to 1000 in
// float and 32-bit types), with labels instead where few values matter.
func randomSource(rng *rand.Rand, t raster.DataType, w, h, bands int, labels bool) *raster.Buffer {
	b := raster.New(t, w, h, bands)
	lo, hi := t.Range()
	if t.IsFloat() || t.Size() == 4 {
		lo, hi = 0, 1000
		if t == raster.Int32 || t == raster.Float32 {
			lo = -1000
		}
	}
	for y := range h {
		for x := range w {
			for k := range bands {
				v := lo + rng.Float64()*(hi-lo)
				if labels {
					v = float64(rng.IntN(4))
				}
				b.Set(x, y, k, v)
			}
		}
	}
	return b
}

// randomJob is a job over a random source. Its window is the whole canvas, or the
// part of it that is stored.
func randomJob(rng *rand.Rand) *Job {
	pick := func(n int) bool { return rng.IntN(n) == 0 }
	types := []raster.DataType{raster.Uint8, raster.Uint8, raster.Uint16, raster.Int16, raster.Int16, raster.Float32, raster.Float32, raster.Float64, raster.Int8, raster.Uint32, raster.Int32}
	bands := []int{1, 1, 2, 3, 3, 4, 5, 13}
	st, n := types[rng.IntN(len(types))], bands[rng.IntN(len(bands))]
	sampling := ast.Sampling{
		Interp:    ast.Interpolation(rng.IntN(6)),
		Antialias: pick(2),
	}
	if pick(3) {
		sampling.Border = ast.Border{Mode: ast.BorderMode(rng.IntN(5)), Value: []float64{7, 7, 0.3, -1e3}[rng.IntN(4)]}
	}
	sampling = sampling.Normalize()
	w, h := 1+rng.IntN(70), 1+rng.IntN(50)
	j := &Job{
		Src:      randomSource(rng, st, w, h, n, sampling.Interp == ast.Mode || pick(8)),
		Canvas:   geom.Size{W: w, H: h},
		Sampling: sampling,
	}
	j.Inv = randomInverse(rng, w, h)
	if pick(3) {
		j.NoData = make([][]float64, n)
		for b := range n {
			v, _ := j.Src.At(rng.IntN(w), rng.IntN(h), b)
			j.NoData[b] = []float64{v}
			if pick(3) {
				j.NoData[b] = append(j.NoData[b], []float64{7, 0.3, -1e3}[rng.IntN(3)])
			}
			for range rng.IntN(w * h) {
				j.Src.Set(rng.IntN(w), rng.IntN(h), b, v)
			}
		}
	}
	if st.IsFloat() && pick(3) {
		for range rng.IntN(w * h) {
			j.Src.Set(rng.IntN(w), rng.IntN(h), rng.IntN(n), []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[rng.IntN(3)])
		}
	}
	if pick(4) {
		if !st.IsFloat() {
			j.Src.EnsureMask()
			for range rng.IntN(w * h * n) {
				j.Src.Mask[rng.IntN(len(j.Src.Mask))] = 0
			}
		}
	}
	if pick(4) {
		at := image.Pt(rng.IntN(w), rng.IntN(h))
		window(j, image.Rectangle{at, image.Pt(at.X+1+rng.IntN(w-at.X), at.Y+1+rng.IntN(h-at.Y))})
	}
	dt := st
	if pick(2) {
		j.Mul, j.Add = make([]float64, n), make([]float64, n)
		for b := range n {
			j.Mul[b], j.Add[b] = rng.Float64()*2-1, rng.Float64()*20-10
		}
		dt = raster.Float32
	}
	if pick(3) {
		dt = raster.Uint8 + raster.DataType(rng.IntN(8))
	}
	across, down := 60, 40
	switch {
	case pick(20):
		across, down = 600, 8 // several chunks
	case pick(25):
		j.Inv = farInverse(rng, w, h)
		across, down = 6, 5
	}
	j.Rect = image.Rect(0, 0, 1+rng.IntN(across), 1+rng.IntN(down)).Add(image.Pt(rng.IntN(30)-15, rng.IntN(30)-15))
	if pick(3) {
		j.Domain = geom.NewDomain(
			geom.HalfPlane{Row: [3]float64{1, rng.Float64() - .5, -float64(j.Rect.Min.X) - 5}, Closed: true},
			geom.HalfPlane{Row: [3]float64{rng.Float64() - .5, -1, float64(j.Rect.Max.Y) - 5}})
	}
	j.DstBand = rng.IntN(2)
	j.DstOrigin = j.Rect.Min.Sub(image.Pt(rng.IntN(3), rng.IntN(3)))
	j.Dst = raster.New(dt, j.Rect.Max.X-j.DstOrigin.X+rng.IntN(3), j.Rect.Max.Y-j.DstOrigin.Y+rng.IntN(3), n+j.DstBand+rng.IntN(2))
	if !dt.IsFloat() && !pick(5) {
		j.Dst.EnsureMask()
		if pick(2) {
			j.Fill = make([]float64, n)
			for b := range n {
				j.Fill[b] = float64(b + 40)
			}
		}
	}
	return j
}

func randomInverse(rng *rand.Rand, w, h int) geom.Transform {
	center := geom.Translate(float64(w)/2, float64(h)/2)
	s := math.Exp2(rng.Float64()*5 - 2.5)
	shift := geom.Translate(math.Floor(rng.Float64()*40-40), math.Floor(rng.Float64()*40-40))
	switch rng.IntN(8) {
	case 0:
		return geom.Translate(float64(rng.IntN(20)-5), float64(rng.IntN(20)-5))
	case 1: // flips and quarter turns
		k := float64(rng.IntN(2)*2 - 1)
		if rng.IntN(2) == 0 {
			return geom.Affine(k, 0, float64(rng.IntN(60)), 0, -1, float64(rng.IntN(60)))
		}
		return geom.Affine(0, k, float64(rng.IntN(60)), -1, 0, float64(rng.IntN(60)))
	case 2: // ties everywhere
		return geom.Scale(0.5, 0.25).Mul(shift)
	case 3:
		return center.Mul(geom.Scale(s, s*(0.5+rng.Float64()))).Mul(shift)
	case 4: // projective, part of it past the horizon now and then
		t := center.Mul(geom.Rotate(rng.Float64() * 6)).Mul(geom.Scale(s, s)).Mul(shift)
		t[6], t[7] = (rng.Float64()-.5)*0.03, (rng.Float64()-.5)*0.03
		return t
	case 5: // an upscale, which has many inner pixels
		return center.Mul(geom.Rotate(rng.Float64() * 6)).Mul(geom.Scale(0.3, 0.4)).Mul(shift)
	default:
		return center.Mul(geom.Rotate(rng.Float64() * 6)).Mul(geom.Scale(s, s*(0.5+rng.Float64()))).Mul(shift)
	}
}

// farInverse reduces by so much, along one axis or both, that all of the source
// lies under one kernel, and many times where the border repeats it.
func farInverse(rng *rand.Rand, w, h int) geom.Transform {
	far := func() float64 { return math.Exp2(rng.Float64()*5 + 11) }
	x, y := far(), far()
	switch rng.IntN(3) {
	case 0:
		x = 1
	case 1:
		y = 1
	}
	t := geom.Translate(float64(w)/2, float64(h)/2).Mul(geom.Scale(x, y))
	if rng.IntN(2) == 0 {
		t = t.Mul(geom.Rotate(rng.Float64() * 6))
	}
	return t.Mul(geom.Translate(rng.Float64()*40-40, rng.Float64()*40-40))
}

func (j *Job) describe() string {
	return fmt.Sprintf("%v×%d %v at %v → %v×%d, rect %v, %v, inv %v, nodata %v, mul %v, mask %v/%v, domain %d",
		j.Src.Type, j.Src.Bands, j.Canvas, j.Origin, j.Dst.Type, j.Dst.Bands, j.Rect, j.Sampling, j.Inv, j.NoData, j.Mul,
		j.Src.Mask != nil, j.Dst.Mask != nil, j.Domain.Len())
}

// withOutput is the job with an output of its own.
func withOutput(j *Job) *Job {
	k := *j
	k.Dst = j.Dst.Clone()
	for i := range k.Dst.Bytes() {
		k.Dst.Bytes()[i] = 0xA5
	}
	for i := range k.Dst.Mask {
		k.Dst.Mask[i] = 0x5A
	}
	return &k
}

// full asks for every seed; without it a test runs some of them, so that the
// package is tested in seconds. FuzzRun goes through seeds without end.
var full = os.Getenv("REWARP_FULL") != ""

// seeds is how many random jobs a test runs, of n.
func seeds(n int) int {
	switch {
	case testing.Short():
		return n / 50
	case !full:
		return n / 10
	}
	return n
}

// TestPrecise holds a Precise run against the definition, exactly but for the
// order of summation.
func TestPrecise(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds(3000)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		j := withOutput(randomJob(rng))
		j.Precise = true
		invalid := j.Run(Portable, nil)
		if err := against(j, newReference(j).all(), invalid, 1e-9, 0); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, j.describe())
		}
	}
}

// TestFast holds the fast paths of every set against the definition.
func TestFast(t *testing.T) {
	t.Parallel()
	for seed := range uint64(seeds(1500)) {
		testFast(t, seed)
	}
}

func testFast(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 2))
	j := randomJob(rng)
	want := newReference(j).all()
	for set := Portable; set <= Best(); set++ {
		k := withOutput(j)
		invalid := k.Run(set, nil)
		if err := against(k, want, invalid, 1e-5, 0.005); err != nil {
			t.Fatalf("%v, seed %d: %v\n%s", set, seed, err, j.describe())
		}
	}
}

// FuzzRun is TestFast and TestTiles for any seed.
func FuzzRun(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		testFast(t, seed)
		testTiles(t, seed)
	})
}

// against compares a job's output with the samples that it should have:
// validity exactly, floats within tol of the range of the values, and integers
// equal but for a share of them that may be one off.
func against(j *Job, samples []sample, invalid int, tol, share float64) error {
	scale := 1.0
	for i := range j.Src.Len() {
		v, ok := j.Src.At(i/j.Src.Bands%j.Src.W, i/j.Src.Bands/j.Src.W, i%j.Src.Bands)
		if ok && !math.IsInf(v, 0) {
			scale = max(scale, math.Abs(v))
		}
	}
	want, off, count := 0, 0, 0
	for y := j.Rect.Min.Y; y < j.Rect.Max.Y; y++ {
		for x := j.Rect.Min.X; x < j.Rect.Max.X; x++ {
			for b := range j.Src.Bands {
				v, ok := samples[0].v, samples[0].ok
				samples = samples[1:]
				got, gotOK := j.Dst.At(x-j.DstOrigin.X, y-j.DstOrigin.Y, j.DstBand+b)
				if ok && v != v && gotOK {
					continue // not computed by the reference
				}
				count++
				where := fmt.Sprintf("pixel (%d, %d) band %d", x, y, b)
				if !ok {
					want++
					v = 0
					if j.Fill != nil {
						v = j.Fill[b]
					}
				}
				if j.Dst.Type.IsFloat() {
					if ok != gotOK {
						return fmt.Errorf("%s: valid %v, want %v (%v)", where, gotOK, ok, v)
					}
					limit := tol * scale
					if j.Dst.Type == raster.Float32 {
						limit = max(limit, 1e-7*math.Abs(v))
					}
					if ok && !(math.Abs(got-v) <= limit) {
						return fmt.Errorf("%s: %v, want %v", where, got, v)
					}
					continue
				}
				if j.Dst.Mask != nil && ok != gotOK {
					return fmt.Errorf("%s: valid %v, want %v", where, gotOK, ok)
				}
				d := math.Abs(got - j.Dst.Type.Round(v))
				if d > 1 && !(j.Dst.Type.Size() == 4 && d < tol*scale) || d > 0 && (share == 0 || !ok) {
					return fmt.Errorf("%s: %v, want %v (%v)", where, got, j.Dst.Type.Round(v), v)
				}
				if d > 0 {
					off++
				}
			}
		}
	}
	if invalid != want {
		return fmt.Errorf("%d invalid samples, want %d", invalid, want)
	}
	if float64(off) > share*float64(count)+3 {
		return fmt.Errorf("%d of %d samples are one off", off, count)
	}
	return nil
}
