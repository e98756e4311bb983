package ours

import (
	"fmt"
	"testing"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/bench/internal/report"
	"github.com/rewarp/rewarp/bench/internal/workload"
	"github.com/rewarp/rewarp/rewrite"
)

func TestBuildersAreTheTreeFiles(t *testing.T) {
	for i := 1; i <= 3; i++ {
		file, code, err := Prepared(fmt.Sprintf("../../../testdata/trees/tree%d.json", i))
		if err != nil {
			t.Fatal(err)
		}
		// The uri and the names of bands differ, nothing else.
		if file.Size() != code.Size() || file.NumBands() != code.NumBands() {
			t.Errorf("tree %d: %v of %d bands, expected %v of %d", i, code.Size(), code.NumBands(), file.Size(), file.NumBands())
		}
		var ops [2][]string
		for j, n := range []ast.Node{file, code} {
			ast.Inspect(n, func(n ast.Node) bool { ops[j] = append(ops[j], n.Op()); return true })
		}
		if fmt.Sprint(ops[0]) != fmt.Sprint(ops[1]) {
			t.Errorf("tree %d: %v, expected %v", i, ops[1], ops[0])
		}
	}
}

// TestCases runs every quick case in memory, and the three trees, once and
// compares with the truth.
func TestCases(t *testing.T) {
	if testing.Short() {
		t.Skip("makes images of some megabytes")
	}
	s := workload.Settings{Quick: true, Dir: t.TempDir(), Trees: "../../../testdata/trees"}
	w, err := NewWorker(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range workload.Cases(s) {
		if c.Truth == "" || c.Files != nil {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			if err := s.Make(t.Context(), []workload.Case{c}, func(string) {}); err != nil {
				t.Fatal(err)
			}
			job, err := w.Setup(c)
			if err != nil {
				t.Fatal(err)
			}
			if err := job.Op(0); err != nil {
				t.Fatal(err)
			}
			got, err := job.Result(c.Probe())
			if err != nil {
				t.Fatal(err)
			}
			truth, err := Truth(t.Context(), &c)
			if err != nil {
				t.Fatal(err)
			}
			if d := report.Compare(truth, got, c.Range); d.Max > 1.0/255 || d.Mean > 2e-4 || d.Mask != 0 {
				t.Errorf("%+v", *d)
			}
		})
	}
}

func TestBatchesTimeTheOperationAlone(t *testing.T) {
	made, run := 0, 0
	rule := rewrite.On("wait", ast.Exact, func(_ *rewrite.Context, n *ast.Load) (ast.Node, error) {
		run++
		time.Sleep(10 * time.Microsecond)
		return n, nil
	})
	p, err := rewrite.New([]rewrite.Pass{{Name: "wait", Rules: []rewrite.Rule{rule}}})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	d, err := batches(func() (ast.Node, error) {
		made++
		time.Sleep(10 * time.Microsecond)
		return astro("astro.tif", 3)
	}, p)(1500)
	if wall := time.Since(began); err != nil || made != 1500 || run != 1500 || d < 15*time.Millisecond || d > wall-15*time.Millisecond {
		t.Errorf("%d made, %d run in %v of %v: %v", made, run, d, wall, err)
	}
}

func TestManyHasTheNodes(t *testing.T) {
	for _, shape := range []string{"wide", "deep"} {
		n, err := Many(shape, 1000)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		if err := ast.Walk(n, func(ast.Node) error { count++; return nil }); err != nil {
			t.Fatal(err)
		}
		if count < 990 || count > 1010 {
			t.Errorf("%s has %d nodes", shape, count)
		}
	}
}
