package rewritetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval/oracle"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rewrite/rewritetest"
)

func pipeline(t *testing.T, rules ...rewrite.Rule) *rewrite.Pipeline {
	t.Helper()
	p, err := rewrite.New([]rewrite.Pass{{Name: "pass", Rules: rules}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// fuseCrops is a right rule.
var fuseCrops = rewrite.On("fuse-crops", ast.Exact, func(c *rewrite.Context, n *ast.Crop) (ast.Node, error) {
	in, ok := n.Input(0).(*ast.Crop)
	if !ok {
		return n, nil
	}
	var picks []int
	for i := range n.NumBands() {
		picks = append(picks, in.Pick(n.Pick(i)))
	}
	return c.Crop(in.Input(0), n.Window().Add(in.Window().Min), picks), nil
})

// fusePads and dropNoOps are right rules too.
var fusePads = rewrite.On("fuse-pads", ast.Exact, func(c *rewrite.Context, n *ast.Pad) (ast.Node, error) {
	in, ok := n.Input(0).(*ast.Pad)
	if !ok {
		return n, nil
	}
	l, t, r, b := n.Margins()
	il, it, ir, ib := in.Margins()
	return c.Pad(in.Input(0), l+il, t+it, r+ir, b+ib), nil
})

var dropNoOps = rewrite.On("drop-no-ops", ast.Exact, func(_ *rewrite.Context, w *ast.Warp) (ast.Node, error) {
	if w.IsNoOp() {
		return w.Input(0), nil
	}
	return w, nil
})

func TestRightRulesPass(t *testing.T) {
	rewritetest.Check(t, fuseCrops, rewritetest.Trees(600))
	rewritetest.Check(t, dropNoOps, rewritetest.Among(pipeline(t, fusePads, dropNoOps)), rewritetest.Trees(600))
}

func TestCampaignOfRightRules(t *testing.T) {
	images := asttest.Standard()
	run := func(evaluate func(context.Context, ast.Node, oracle.Reader, oracle.Options) (*oracle.Result, error)) func(context.Context, ast.Node) (*raster.Buffer, error) {
		return func(ctx context.Context, n ast.Node) (*raster.Buffer, error) {
			r, err := evaluate(ctx, n, images, oracle.Options{})
			if err != nil {
				return nil, err
			}
			return r.Buffer(raster.Float64), nil
		}
	}
	calls := 0
	r, err := rewritetest.Campaign(context.Background(), rewritetest.Config{
		Pipeline: pipeline(t, fusePads, dropNoOps), Trees: 300, Seed: 5, MaxFidelity: ast.Resolution,
		Executors: []rewritetest.Executor{
			{Name: "reference", Fidelity: ast.Geometric, Run: run(oracle.Reference)},
			{Name: "again", Fidelity: ast.Geometric, Run: run(oracle.Reference)},
			{Name: "naive", Fidelity: ast.Exact, Run: run(oracle.Naive)},
		},
		Progress: func(done, total int) { calls++ },
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Broken() != 0 || r.Trees != 300 || calls == 0 {
		t.Errorf("%d trees, progress told %d times\n%v", r.Trees, calls, r)
	}
	checked := map[rewritetest.Law]int{}
	for _, l := range r.Laws {
		checked[l.Law] = l.Checked
	}
	for _, l := range rewritetest.Laws() {
		if l != rewritetest.Context && l != rewritetest.CustomTrait && checked[l] == 0 {
			t.Errorf("law %s was never checked", l)
		}
	}
}

// Pipelines that verify or trace keep every law too, though nodes remember
// nothing of them.
func TestCampaignOfVerifiedPipelines(t *testing.T) {
	for name, option := range map[string]rewrite.Option{"verify": rewrite.Verify(), "trace": rewrite.Trace()} {
		p, err := pipeline(t, fuseCrops, fusePads, dropNoOps).With(option)
		if err != nil {
			t.Fatal(err)
		}
		r, err := rewritetest.Campaign(context.Background(), rewritetest.Config{
			Pipeline: p, Trees: 100, Seed: 3, MaxFidelity: ast.Geometric, Draw: asttest.Options{MaxDepth: 5},
		})
		if err != nil {
			t.Fatal(err)
		}
		if r.Broken() > 0 || r.Firings == 0 {
			t.Errorf("%s: %v", name, r)
		}
	}
}

// A rule whose second run differs is caught under verification as well.
func TestForgetfulRuleIsCaughtUnderVerify(t *testing.T) {
	var calls atomic.Int64
	moody := rewrite.On("moody", ast.Exact, func(c *rewrite.Context, n *ast.Pad) (ast.Node, error) {
		if calls.Add(1)%5 > 0 {
			return n, nil
		}
		return fusePads.Apply(c, n)
	})
	p, err := pipeline(t, moody).With(rewrite.Verify())
	if err != nil {
		t.Fatal(err)
	}
	r, err := rewritetest.Campaign(context.Background(), rewritetest.Config{
		Pipeline: p, Trees: 400, Seed: 1, Workers: 1, Draw: asttest.Options{Kinds: []ast.Kind{ast.KindPad}, MaxDepth: 3},
	})
	if err != nil {
		t.Fatal(err)
	}
	broken := map[rewritetest.Law]int{}
	for _, l := range r.Laws {
		broken[l.Law] = l.Broken
	}
	if broken[rewritetest.Idempotent]+broken[rewritetest.Deterministic] == 0 {
		t.Errorf("%v", r)
	}
}

// A campaign finds the rule at fault in a whole pipeline, and the report says
// so for people and for machines.
func TestCampaignNamesTheRule(t *testing.T) {
	var wrong rewrite.Rule
	for _, f := range faults {
		if f.fault == "drops the clip" {
			wrong = f.rule
		}
	}
	r, err := rewritetest.Campaign(context.Background(), rewritetest.Config{
		Pipeline: pipeline(t, fusePads, wrong, dropNoOps), Trees: 400, Seed: 1, MaxFidelity: ast.Geometric, Failures: 3,
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failures) == 0 || len(r.Failures) > 3 {
		t.Fatalf("%d failures are kept\n%v", len(r.Failures), r)
	}
	for _, f := range r.Failures {
		if f.Rule != wrong.Name() || asttest.Count(f.Tree) > 6 {
			t.Errorf("%v", f)
		}
		if gen := asttest.NewGen(asttest.Options{}); !ast.Equal(gen.Tree(f.Seed), f.Drawn) {
			t.Errorf("seed %d draws another tree", f.Seed)
		}
	}
	if text := r.String(); !strings.Contains(text, wrong.Name()) || !strings.Contains(text, "(warp") {
		t.Errorf("the text does not show the failure:\n%s", text)
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Broken   int
		Failures []struct {
			Law, Rule, Expr string
			Tree            json.RawMessage
		}
	}
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if back.Broken != r.Broken() || len(back.Failures) != len(r.Failures) {
		t.Fatalf("JSON has %d broken, %d failures: %s", back.Broken, len(back.Failures), data)
	}
	n, err := ast.ParseJSON(back.Failures[0].Tree, ast.CustomDecoder(asttest.Decode))
	if err != nil || !ast.Equal(n, r.Failures[0].Tree) {
		t.Errorf("the tree in the report is not the failing one: %v", err)
	}
}

// Two rules that undo each other are named together.
func TestPingPongIsCaught(t *testing.T) { t.Run("two rules that undo each other", testPingPong) }

func testPingPong(t *testing.T) {
	out := rewrite.On("dequantize-out", ast.Exact, func(c *rewrite.Context, p *ast.Pad) (ast.Node, error) {
		d, ok := p.Input(0).(*ast.Dequantize)
		if !ok {
			return p, nil
		}
		l, t, r, b := p.Margins()
		return c.Dequantize(c.Pad(d.Input(0), l, t, r, b), d.Quantization()), nil
	})
	in := rewrite.On("dequantize-in", ast.Exact, func(c *rewrite.Context, d *ast.Dequantize) (ast.Node, error) {
		p, ok := d.Input(0).(*ast.Pad)
		if !ok {
			return d, nil
		}
		l, t, r, b := p.Margins()
		return c.Pad(c.Dequantize(p.Input(0), d.Quantization()), l, t, r, b), nil
	})
	p := pipeline(t, out, in)
	r, err := rewritetest.Campaign(context.Background(), rewritetest.Config{Pipeline: p, Trees: 200, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failures) == 0 {
		t.Fatal("not caught")
	}
	f := r.Failures[0]
	t.Log(f)
	if f.Law != rewritetest.Terminates || !strings.Contains(f.Rule, "dequantize-in") || !strings.Contains(f.Rule, "dequantize-out") || asttest.Count(f.Tree) != 3 {
		t.Errorf("%v", f)
	}
}

// A budget that is too small for the work is told from rules that never end.
func TestSmallBudgetIsCaught(t *testing.T) {
	p, err := pipeline(t, fuseCrops).With(rewrite.Budget(2))
	if err != nil {
		t.Fatal(err)
	}
	deep := asttest.Options{Kinds: []ast.Kind{ast.KindCrop}, MaxDepth: 8}
	r, err := rewritetest.Campaign(context.Background(), rewritetest.Config{Pipeline: p, Trees: 100, Draw: deep})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failures) == 0 || r.Failures[0].Law != rewritetest.Budget {
		t.Errorf("%v", r)
	}
}

func TestExecutorsAreHeldToTheirOracle(t *testing.T) {
	images := asttest.Standard()
	wrong := func(law func(*oracle.Result)) func(context.Context, ast.Node) (*raster.Buffer, error) {
		return func(ctx context.Context, n ast.Node) (*raster.Buffer, error) {
			r, err := oracle.Reference(ctx, n, images, oracle.Options{})
			if err != nil {
				return nil, err
			}
			law(r)
			return r.Buffer(raster.Float64), nil
		}
	}
	right := func(*oracle.Result) {}
	for _, f := range []struct {
		law       rewritetest.Law
		executors []rewritetest.Executor
	}{
		{rewritetest.Executed, []rewritetest.Executor{
			{Name: "bright", Fidelity: ast.Geometric, Run: wrong(func(r *oracle.Result) { r.Values[0] *= 1.01 })},
		}},
		{rewritetest.ExecutedExact, []rewritetest.Executor{
			{Name: "unrounded", Fidelity: ast.Exact, Run: wrong(right)},
		}},
		{rewritetest.Tiling, []rewritetest.Executor{
			{Name: "whole", Fidelity: ast.Geometric, Run: wrong(right)},
			{Name: "tiles", Fidelity: ast.Geometric, Run: wrong(func(r *oracle.Result) { r.Values[0] *= 1 + 1e-9 })},
		}},
		{rewritetest.Executed, []rewritetest.Executor{
			{Name: "broken", Fidelity: ast.Geometric, Run: func(context.Context, ast.Node) (*raster.Buffer, error) {
				return nil, errors.New("no")
			}},
		}},
	} {
		r, err := rewritetest.Campaign(context.Background(), rewritetest.Config{
			Pipeline: pipeline(t, fuseCrops), Trees: 60, Executors: f.executors, Failures: 1, Draw: asttest.Options{MaxDepth: 3},
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Failures) == 0 || r.Failures[0].Law != f.law {
			t.Errorf("%v: %v", f.executors[0], r)
		}
	}
}

func TestCampaignStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := rewritetest.Campaign(ctx, rewritetest.Config{Pipeline: pipeline(t, fuseCrops)}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled campaign returns %v", err)
	}
	if _, err := rewritetest.Campaign(context.Background(), rewritetest.Config{Pipeline: pipeline(t, fuseCrops), Rule: "nothing"}); err == nil {
		t.Error("an unknown rule is no error")
	}
	if _, err := rewritetest.Campaign(context.Background(), rewritetest.Config{}); err == nil {
		t.Error("no pipeline is no error")
	}
}

// What was found does not depend on how many goroutines looked.
func TestCampaignIsDeterministic(t *testing.T) {
	var reports []string
	for _, workers := range []int{1, 3} {
		r, err := rewritetest.Campaign(context.Background(), rewritetest.Config{
			Pipeline: pipeline(t, fusePads, faults[1].rule), Trees: 80, Seed: 3, MaxFidelity: ast.Geometric, Workers: workers, Failures: 2,
		})
		if err != nil {
			t.Fatal(err)
		}
		r.Elapsed, r.Geometric.Sum, r.CostBefore, r.CostAfter = 0, 0, rewrite.Cost{}, rewrite.Cost{}
		reports = append(reports, r.String())
	}
	if reports[0] != reports[1] {
		t.Errorf("one worker:\n%s\nthree:\n%s", reports[0], reports[1])
	}
}

// The search finds what a bad order misses: a rule that blocks a better one.
func TestOptimalityFindsGaps(t *testing.T) {
	hide := rewrite.On("hide-crop", ast.Exact, func(c *rewrite.Context, n *ast.Crop) (ast.Node, error) {
		in, ok := n.Input(0).(*ast.Crop)
		if !ok {
			return n, nil
		}
		return c.Crop(c.Overview(in, 0), n.Window(), n.Picks()), nil
	})
	crops := asttest.Options{Kinds: []ast.Kind{ast.KindCrop}, MaxDepth: 2, URIs: []string{"odd", "classes"}, Leaves: []ast.Kind{ast.KindLoad}}
	r, err := rewritetest.Optimality(context.Background(), rewritetest.OptimalityConfig{
		Pipeline: pipeline(t, hide, fuseCrops), Trees: 40, Draw: crops,
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Trees != 40 || len(r.Gaps) == 0 || r.Worst <= 1 || !strings.Contains(r.String(), "another order") {
		t.Errorf("%v", r)
	}
	if r, err = rewritetest.Optimality(context.Background(), rewritetest.OptimalityConfig{
		Pipeline: pipeline(t, fuseCrops), Trees: 40, Draw: crops,
	}); err != nil || r.Reached != 40 {
		t.Errorf("%v %v", r, err)
	}
}
