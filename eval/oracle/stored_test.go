//go:build cgo

package oracle_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"image"
	"math"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/oracle"
	"github.com/rewarp/rewarp/gdalio"
)

// files reads loads through an opener, each opened once.
type files struct {
	eval.Opener
	mu   sync.Mutex
	open map[string]eval.Source
}

func (f *files) ReadWindow(ctx context.Context, load *ast.Load, level int, window image.Rectangle, band int) (*raster.Buffer, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	src := f.open[load.URI()]
	if src == nil {
		var err error
		if src, err = f.Open(ctx, load.URI()); err != nil {
			return nil, err
		}
		f.open[load.URI()] = src
	}
	var pix raster.Buffer
	if err := src.ReadWindow(ctx, level, window, []int{band}, &pix); err != nil {
		return nil, err
	}
	return &pix, nil
}

func (f *files) close() {
	for _, s := range f.open {
		s.Close()
	}
}

func gdalFiles(t testing.TB) *files {
	t.Helper()
	if gdalio.Version() == "" {
		t.Skip("this build has no GDAL")
	}
	f := &files{Opener: gdalio.New(), open: map[string]eval.Source{}}
	t.Cleanup(f.close)
	return f
}

func readTree(t testing.TB, f *files, folder, name string) ast.Node {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	n, err := ast.ParseJSON(data, ast.BaseFolder(folder))
	if err != nil {
		t.Fatal(err)
	}
	if n, err = ast.Prepare(context.Background(), n, f); err != nil {
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
				n := readTree(t, f, folder, e.Tree)
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
