package rewarp_test

import (
	"context"
	"testing"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/tune"
)

// TestTune: every variant of ours keeps to the reference, on two of
// the trees that everyone runs.
func TestTune(t *testing.T) {
	ctx := context.Background()
	s, err := rewarp.Open(ctx, eval.WithThreads(2))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	names := []string{"tree1", "tree2"}
	if testing.Short() {
		names = names[:1]
	}
	for _, name := range names {
		tree, err := rewarp.ReadTree("testdata/trees/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		table, err := rewarp.Tune(ctx, s, tree, tune.WithRounds(1, 0), tune.WithVariants(rewarp.GDALVariants(s)...))
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range table.Rows {
			if r.Status != tune.OK {
				t.Errorf("%s: %s is %s: %s", name, r.Name, r.Status, r.Why)
			}
		}
		if exact, err := table.Best(tune.WithMaxError(1)); err != nil || exact.Name == "exact" {
			t.Errorf("%s: the best is %s, %v", name, exact.Name, err)
		}
	}
}
