//go:build cgo

package eval_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/oracle"
	"github.com/rewarp/rewarp/gdalio"
)

// stored is a tree of testdata with its values.
type stored struct {
	Name, Tree, Values string
	Size               [2]int
	Bands              int
	node               ast.Node
	values             []float64
}

func storedTrees(t testing.TB) []stored {
	t.Helper()
	if gdalio.Version() == "" {
		t.Skip("this build has no GDAL")
	}
	var all []stored
	for _, set := range []string{"oracle", "oracle-rich"} {
		folder := filepath.Join("../testdata", set)
		data, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		var entries []stored
		if err := json.Unmarshal(data, &entries); err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			e.Name = set + "/" + e.Tree
			data, err := os.ReadFile(filepath.Join(folder, e.Tree))
			if err != nil {
				t.Fatal(err)
			}
			if e.node, err = ast.ParseJSON(data, ast.BaseFolder(folder)); err != nil {
				t.Fatal(err)
			}
			if e.node, err = ast.Prepare(context.Background(), e.node, gdalio.New()); err != nil {
				t.Fatal(err)
			}
			if data, err = os.ReadFile(filepath.Join(folder, e.Values)); err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(data); i += 4 {
				e.values = append(e.values, float64(math.Float32frombits(binary.LittleEndian.Uint32(data[i:]))))
			}
			all = append(all, e)
		}
	}
	return all
}

// TestStored runs trees as they stand and compares with values that were
// computed independently: equal masks, and values within 2e-5 of their range.
func TestStored(t *testing.T) {
	ctx := context.Background()
	trees := storedTrees(t)
	for _, opts := range [][]eval.Option{
		nil,
		{eval.WithTileSize(7, 5), eval.WithThreads(2)},
		{eval.WithMemoryLimit(1 << 20), eval.WithKernels(eval.Portable)},
	} {
		s := open(t, append(opts, eval.WithOpener(gdalio.New()))...)
		for _, e := range trees {
			t.Run(e.Name, func(t *testing.T) {
				plan, err := s.Plan(ctx, e.node, eval.WithType(raster.Float32), eval.WithMaxFidelity(ast.Geometric))
				if err != nil {
					t.Fatal(err)
				}
				got, err := plan.Run(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if got.W != e.Size[0] || got.H != e.Size[1] || got.Bands != e.Bands {
					t.Fatalf("got %d×%d×%d, want %v×%d", got.W, got.H, got.Bands, e.Size, e.Bands)
				}
				same(t, got, e.values, 2e-5)
			})
		}
	}
}

// TestStoredExact compares the exact cap with naive evaluation, bit for bit
// where the type is an integer.
func TestStoredExact(t *testing.T) {
	ctx := context.Background()
	s := open(t, eval.WithOpener(gdalio.New()), eval.WithMaxFidelity(ast.Exact), eval.WithTileSize(16, 16))
	files := eval.NewLeafReader(gdalio.New())
	defer files.Close()
	for _, e := range storedTrees(t) {
		t.Run(e.Name, func(t *testing.T) {
			want, err := oracle.Naive(ctx, e.node, files, oracle.Options{})
			if err != nil {
				t.Fatal(err)
			}
			plan, err := s.Plan(ctx, e.node)
			if err != nil {
				t.Fatal(err)
			}
			got, err := plan.Run(ctx)
			if err != nil {
				t.Fatal(err)
			}
			tolerance := 0.0
			if got.Type.IsFloat() {
				tolerance = 1e-5
			}
			same(t, got, want.Values, tolerance)
		})
	}
}
