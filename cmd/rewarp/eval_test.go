package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
)

// readRaster reads a whole raster back.
func readRaster(t *testing.T, path string) *raster.Buffer {
	t.Helper()
	s, err := rewarp.NewOpener().Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	m := s.Meta()
	var bands []int
	for i := range m.Bands {
		bands = append(bands, i)
	}
	dst := &raster.Buffer{}
	if err := s.ReadWindow(context.Background(), 0, m.Size.Bounds(), bands, dst); err != nil {
		t.Fatal(err)
	}
	return dst
}

func describeRaster(t *testing.T, path string) ast.Meta {
	t.Helper()
	m, err := rewarp.NewOpener().Describe(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func samePixels(t *testing.T, a, b *raster.Buffer) {
	t.Helper()
	if a.Type != b.Type || a.W != b.W || a.H != b.H || a.Bands != b.Bands {
		t.Fatalf("%d×%d×%d of %v and %d×%d×%d of %v", a.W, a.H, a.Bands, a.Type, b.W, b.H, b.Bands, b.Type)
	}
	n := 0
	for y := range a.H {
		for x := range a.W {
			for k := range a.Bands {
				v, ok := a.At(x, y, k)
				w, valid := b.At(x, y, k)
				if ok == valid && (!ok || v == w) {
					continue
				}
				if n++; n <= 3 {
					t.Errorf("(%d, %d) band %d: %v %v and %v %v", x, y, k, v, ok, w, valid)
				}
			}
		}
	}
	if n > 3 {
		t.Errorf("%d samples differ", n)
	}
}

// oracleTree is an entry of a manifest.
type oracleTree struct {
	Tree, Values string
	Size         [2]int
	Bands        int
	folder       string
}

func oracleTrees(t *testing.T) []oracleTree {
	t.Helper()
	var all []oracleTree
	for _, set := range []string{"oracle", "oracle-rich"} {
		folder := filepath.Join(testdata, set)
		data, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		var some []oracleTree
		if err := json.Unmarshal(data, &some); err != nil {
			t.Fatal(err)
		}
		for _, o := range some {
			o.folder = folder
			all = append(all, o)
		}
	}
	if len(all) != 120 {
		t.Fatalf("%d trees", len(all))
	}
	return all
}

// TestOracle evaluates the stored trees from the command line, as float32: the
// files hold the stored values within 2e-5 of their range, and equal masks.
func TestOracle(t *testing.T) {
	for _, how := range [][]string{{"--reference"}, {"--max-fidelity", "geometric"}} {
		t.Run(how[len(how)-1], func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out.tif")
			for _, o := range oracleTrees(t) {
				path := filepath.Join(o.folder, o.Tree)
				must(t, append([]string{"eval", path, "-o", out, "--dtype", "float32"}, how...)...)
				got := readRaster(t, out)
				if got.W != o.Size[0] || got.H != o.Size[1] || got.Bands != o.Bands || got.Type != raster.Float32 {
					t.Errorf("%s: %d×%d×%d of %v, want %v×%d of float32", path, got.W, got.H, got.Bands, got.Type, o.Size, o.Bands)
					continue
				}
				compare(t, path, raster.Samples[float32](got), storedValues(t, filepath.Join(o.folder, o.Values)))
			}
		})
	}
}

func storedValues(t *testing.T, path string) []float32 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	values := make([]float32, len(data)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return values
}

func compare(t *testing.T, name string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d values, want %d", name, len(got), len(want))
		return
	}
	valid := slices.DeleteFunc(slices.Clone(want), func(v float32) bool { return v != v })
	limit := 0.0
	if len(valid) > 0 {
		lo, hi := float64(slices.Min(valid)), float64(slices.Max(valid))
		const ulp = 0x1p-23 // where the range is less than what float32 resolves
		limit = max(2e-5*(hi-lo), ulp*max(-lo, hi))
	}
	masks, values, worst := 0, 0, 0.0
	for i, v := range want {
		d := math.Abs(float64(got[i]) - float64(v))
		switch {
		case (got[i] != got[i]) != (v != v):
			masks++
		case v == v && d > limit:
			values++
			worst = max(worst, d)
		}
	}
	if masks+values > 0 {
		t.Errorf("%s: %d masks and %d values differ, values by up to %v, more than %v", name, masks, values, worst, limit)
	}
}

// TestExact runs the stored trees at the exact cap and naively: the files are
// the same, for integers to the bit.
func TestExact(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	exact, naive := filepath.Join(dir, "exact.tif"), filepath.Join(dir, "naive.tif")
	for _, o := range oracleTrees(t) {
		path := filepath.Join(o.folder, o.Tree)
		must(t, "eval", path, "-o", exact, "--max-fidelity", "exact")
		must(t, "eval", path, "-o", naive, "--naive")
		a, b := readRaster(t, exact), readRaster(t, naive)
		if a.Type.IsFloat() {
			if a.Type == raster.Float32 && b.Type == raster.Float32 {
				compare(t, path, raster.Samples[float32](a), raster.Samples[float32](b))
			}
			continue
		}
		samePixels(t, a, b)
		if t.Failed() {
			t.Fatal(path)
		}
	}
}

// The results do not depend on the number of threads.
func TestThreads(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"tree1", "tree2", "tree3"} {
		one, four := filepath.Join(dir, "1.tif"), filepath.Join(dir, "4.tif")
		must(t, "eval", tree(name), "-o", one, "--threads", "1")
		must(t, "eval", tree(name), "-o", four, "--threads", "4")
		samePixels(t, readRaster(t, one), readRaster(t, four))
	}
}

// A raster has its place, names and nodata value, and where it has no nodata
// value and invalid pixels, a mask.
func TestCarriedOver(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out.tif")
	i16 := filepath.Join(testdata, "oracle", "src", "i16.tif")
	abs, err := filepath.Abs(i16)
	if err != nil {
		t.Fatal(err)
	}
	mustWith(t, `{"version": 1, "tree": {"op": "pad", "left": 3, "top": 0, "right": 0, "bottom": 0, "input": `+load(abs)+`}}`, "eval", "-", "-o", out)
	m := describeRaster(t, out)
	source := describeRaster(t, i16)
	if m.HasMask || !m.Bands[0].HasNoData || m.Bands[0].NoData != source.Bands[0].NoData || m.Bands[0].Type != raster.Int16 {
		t.Errorf("of int16 with nodata, %+v came out", m)
	}

	astro, err := filepath.Abs(filepath.Join(testdata, "astro.tif"))
	if err != nil {
		t.Fatal(err)
	}
	padded := `{"version": 1, "tree": {"op": "pad", "left": 3, "top": 0, "right": 0, "bottom": 0, "input": {"op": "load", "uri": "` + astro + `", "channels": "one|two|three"}}}`
	mustWith(t, padded, "eval", "-", "-o", out)
	m = describeRaster(t, out)
	if !m.HasMask || m.Bands[0].HasNoData || m.Bands[1].Name != "two" {
		t.Errorf("of uint8 with invalid pixels, %+v came out", m)
	}
	b := readRaster(t, out)
	if _, ok := b.At(2, 5, 0); ok {
		t.Error("a pixel of the pad is valid")
	}
	if _, ok := b.At(3, 5, 0); !ok {
		t.Error("a pixel inside the pad is invalid")
	}
	mustWith(t, padded, "eval", "-", "-o", filepath.Join(dir, "out.png"))
	if m := describeRaster(t, filepath.Join(dir, "out.png")); len(m.Bands) != 4 || !m.HasMask {
		t.Errorf("the PNG has %+v", m)
	}
	must(t, "eval", tree("tree1"), "-o", out)
	if m := describeRaster(t, out); m.HasMask || m.Bands[0].HasNoData {
		t.Errorf("without an invalid pixel, %+v came out", m)
	}
}
