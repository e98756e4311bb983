//go:build cgo

package oracle_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/oracle"
	"github.com/rewarp/rewarp/gdalio"
)

func gdalFiles(t testing.TB) *eval.LeafReader {
	t.Helper()
	if gdalio.Version() == "" {
		t.Skip("this build has no GDAL")
	}
	r := eval.NewLeafReader(gdalio.New())
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func readTree(t testing.TB, folder, name string) ast.Node {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	n, err := ast.ParseJSON(data, ast.BaseFolder(folder))
	if err != nil {
		t.Fatal(err)
	}
	if n, err = ast.Prepare(context.Background(), n, gdalio.New()); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestReferenceStored compares with values that were computed independently:
// equal masks, and values within 2e-5 of their range.
func TestReferenceStored(t *testing.T) {
	f := gdalFiles(t)
	for _, set := range []string{"oracle", "oracle-rich"} {
		folder := filepath.Join("../../testdata", set)
		data, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		var entries []struct {
			Tree, Values string
			Size         [2]int
			Bands, Valid int
		}
		if err := json.Unmarshal(data, &entries); err != nil {
			t.Fatal(err)
		}
		var worst float64
		var worstTree string
		for _, e := range entries {
			t.Run(set+"/"+e.Tree, func(t *testing.T) {
				n := readTree(t, folder, e.Tree)
				got, err := oracle.Reference(context.Background(), n, f, oracle.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if got.Size.W != e.Size[0] || got.Size.H != e.Size[1] || len(got.Bands) != e.Bands {
					t.Fatalf("got %v of %d bands, want %v of %d", got.Size, len(got.Bands), e.Size, e.Bands)
				}
				diff := compareStored(t, got, filepath.Join(folder, e.Values))
				if diff > worst {
					worst, worstTree = diff, e.Tree
				}
			})
		}
		t.Logf("%s: worst difference %.3g of the range, in %s", set, worst, worstTree)
	}
}

// compareStored returns the largest difference as a part of the value range.
func compareStored(t *testing.T, got *oracle.Result, path string) float64 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(data) != 4*len(got.Values) {
		t.Fatalf("%d stored bytes for %d values", len(data), len(got.Values))
	}
	lo, hi, worst := math.Inf(1), math.Inf(-1), 0.0
	masks, at := 0, 0
	for i, g := range got.Values {
		w := float64(math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:])))
		if math.IsNaN(g) != math.IsNaN(w) {
			if masks == 0 {
				at = i
			}
			masks++
			continue
		}
		if !math.IsNaN(w) {
			lo, hi = min(lo, w), max(hi, w)
			if d := math.Abs(g - w); d > worst {
				worst, at = d, i
			}
		}
	}
	if hi > lo {
		worst /= hi - lo
	}
	if masks > 0 || worst > 2e-5 {
		b := len(got.Bands)
		p := at / b
		w := math.Float32frombits(binary.LittleEndian.Uint32(data[4*at:]))
		t.Errorf("%d masks differ, values by up to %.3g of the range %.5g; first at (%d, %d) band %d: %v, want %v",
			masks, worst, hi-lo, p%got.Size.W, p/got.Size.W, at%b, got.Values[at], w)
	}
	return worst
}
