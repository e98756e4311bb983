package rewrite_test

import (
	"errors"
	"image"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/rewrite"
)

func load(t testing.TB, name string, w, h int) ast.Node {
	t.Helper()
	l, err := ast.NewLoadMeta(name, "", ast.Meta{Size: geom.Size{W: w, H: h}, Bands: ast.NumberedBands(2, raster.Uint8)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func crop(t testing.TB, n ast.Node, x0, y0, x1, y1 int) ast.Node {
	t.Helper()
	c, err := ast.NewCrop(n, image.Rect(x0, y0, x1, y1))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func scale(t testing.TB, n ast.Node, s float64) ast.Node {
	t.Helper()
	w, err := ast.NewWarp(n, geom.Scale(s, s), geom.Size{}, ast.DefaultSampling, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// fuse is a right rule, and counts how often it is asked.
func fuse(asked *atomic.Int64) *rewrite.Func {
	return rewrite.On("fuse", ast.Exact, func(c *rewrite.Context, n *ast.Crop) (ast.Node, error) {
		if asked != nil {
			asked.Add(1)
		}
		in, ok := n.Input(0).(*ast.Crop)
		if !ok {
			return c.No(n, "no crop below")
		}
		return c.Crop(in.Input(0), n.Window().Add(in.Window().Min), nil), nil
	}).WithDoc("Crop(Crop(x)) → Crop(x)")
}

func pipeline(t testing.TB, r []rewrite.Rule, opts ...rewrite.Option) *rewrite.Pipeline {
	t.Helper()
	p, err := rewrite.New([]rewrite.Pass{{Name: "only", Rules: r}}, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestOptimizeTwiceIsFree(t *testing.T) {
	var asked atomic.Int64
	p := pipeline(t, []rewrite.Rule{fuse(&asked)})
	n := crop(t, crop(t, crop(t, load(t, "a", 9, 9), 1, 1, 8, 8), 1, 1, 6, 6), 0, 0, 2, 2)
	r, err := p.Optimize(n)
	if err != nil || !r.Changed || r.Fired != 2 {
		t.Fatalf("changed %v, fired %d, %v", r.Changed, r.Fired, err)
	}
	first := asked.Load()
	for what, n := range map[string]ast.Node{"the same tree": n, "its result": r.Node} {
		again, err := p.Optimize(n)
		if err != nil || again.Node != r.Node || again.Fired != 0 || again.Changed != (n != r.Node) {
			t.Errorf("%s: node %p want %p, changed %v, fired %d, %v", what, again.Node, r.Node, again.Changed, again.Fired, err)
		}
		if asked.Load() != first {
			t.Errorf("%s: rules were asked again", what)
		}
		if allocs := testing.AllocsPerRun(100, func() { _, _ = p.Optimize(n) }); allocs != 0 {
			t.Errorf("%s: %v allocations", what, allocs)
		}
	}
	// A new node over the result costs only that node.
	if _, err := p.Optimize(scale(t, r.Node, 2)); err != nil || asked.Load() != first {
		t.Errorf("a node over a canonical tree: %d questions, %v", asked.Load()-first, err)
	}
	// Another pipeline has not seen it.
	if r, _ := pipeline(t, []rewrite.Rule{fuse(&asked)}).Optimize(n); r.Fired != 2 {
		t.Errorf("another pipeline fired %d times, want 2", r.Fired)
	}
}

func TestNothingIsRememberedUnderTraceVerifyOrError(t *testing.T) {
	n := crop(t, crop(t, load(t, "a", 9, 9), 1, 1, 8, 8), 1, 1, 6, 6)
	for name, opt := range map[string]rewrite.Option{"trace": rewrite.Trace(), "verify": rewrite.Verify()} {
		p := pipeline(t, []rewrite.Rule{fuse(nil)}, opt)
		for range 2 {
			if r, err := p.Optimize(n); err != nil || r.Fired != 1 {
				t.Errorf("%s: fired %d, want 1 each time, %v", name, r.Fired, err)
			}
		}
	}
	broken := true
	p := pipeline(t, []rewrite.Rule{rewrite.On("r", ast.Exact, func(c *rewrite.Context, n *ast.Crop) (ast.Node, error) {
		if broken {
			return nil, errors.New("broken")
		}
		return n, nil
	})})
	_, err := p.Optimize(scale(t, n, 2))
	var re *rewrite.RuleError
	if !errors.As(err, &re) || re.Rule != "r" {
		t.Fatalf("error %v", err)
	}
	broken = false
	if _, err := p.Optimize(scale(t, n, 2)); err != nil {
		t.Errorf("after an error: %v", err)
	}
}

func TestTrace(t *testing.T) {
	p := pipeline(t, []rewrite.Rule{fuse(nil)}, rewrite.Trace())
	inner := crop(t, crop(t, load(t, "a", 9, 9), 1, 1, 8, 8), 1, 1, 6, 6)
	r, err := p.Optimize(scale(t, inner, 2))
	if err != nil || len(r.Trace()) != 1 {
		t.Fatalf("%d firings, %v", len(r.Trace()), err)
	}
	f := r.Trace()[0]
	if f.Rule.Name() != "fuse" || f.Pass != "only" || f.Path != "warp" || f.Before != inner || f.After.Size() != inner.Size() {
		t.Errorf("firing %+v", f)
	}
	if f.CostBefore.Bytes <= f.CostAfter.Bytes || f.CostAfter.Read != 50 {
		t.Errorf("cost %v before, %v after", f.CostBefore, f.CostAfter)
	}
}

func TestPingPongIsNamed(t *testing.T) {
	there := rewrite.On("there", ast.Exact, func(c *rewrite.Context, n *ast.Warp) (ast.Node, error) {
		return ast.TrustedPad(n, 0, 0, 0, 0), nil
	})
	back := rewrite.OnShape("back", ast.Exact, func(c *rewrite.Context, n *ast.Pad, in *ast.Warp) (ast.Node, error) {
		return in, nil
	})
	n := scale(t, load(t, "a", 9, 9), 2)
	_, err := pipeline(t, []rewrite.Rule{there, back}).Optimize(n)
	var b *rewrite.BudgetError
	if !errors.As(err, &b) || len(b.Rules) != 2 {
		t.Fatalf("error %v", err)
	}
	for _, name := range []string{"there", "back"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("error %q does not name %s", err, name)
		}
	}
	if r, err := pipeline(t, []rewrite.Rule{there, back}, rewrite.Budget(5)).Optimize(n); !errors.As(err, &b) || b.Firings != 5 {
		t.Errorf("budget 5: %v, %v", r.Fired, err)
	}
}

func TestVerifyNamesTheLaw(t *testing.T) {
	a, b := load(t, "a", 9, 9), load(t, "b", 9, 9)
	deq := func(n ast.Node, hi float64) ast.Node {
		d, err := ast.NewDequantize(n, ast.Quantization{OrigType: raster.Float32, OrigMax: hi, QuantMax: 255})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for law, c := range map[string]struct{ before, after ast.Node }{
		"canvas":       {crop(t, a, 0, 0, 4, 4), crop(t, a, 0, 0, 4, 5)},
		"bands":        {a, deq(a, 1)},
		"leaf":         {a, b},
		"quantization": {deq(a, 1), deq(a, 2)},
		"leaf-map":     {crop(t, a, 0, 0, 4, 4), crop(t, a, 1, 0, 5, 4)},
		"domain":       {crop(t, scale(t, crop(t, a, 0, 0, 4, 9), 2), 0, 0, 8, 8), crop(t, scale(t, a, 2), 0, 0, 8, 8)},
		"steps":        {scale(t, scale(t, a, 2), 3), scale(t, a, 6)},
	} {
		if law == "domain" { // the same canvas, but it was padded
			before, _ := ast.NewPad(crop(t, a, 0, 0, 4, 9), 0, 0, 5, 0)
			c.before, c.after = before, a
		}
		before, after := c.before, c.after
		done := false
		r := rewrite.On("wrong", ast.Exact, func(_ *rewrite.Context, n ast.Node) (ast.Node, error) {
			if n == before && !done {
				done = true
				return after, nil
			}
			return n, nil
		})
		_, err := pipeline(t, []rewrite.Rule{r}, rewrite.Verify()).Optimize(before)
		var v *rewrite.VerifyError
		if !errors.As(err, &v) || v.Law != law {
			t.Errorf("law %s: error %v", law, err)
		}
		if law == "bands" && !strings.HasSuffix(err.Error(), "breaks the bands law: 1 uint8, 2 uint8 became 1 float32, 2 float32") {
			t.Errorf("it says %q", err)
		}
	}
}

func TestVerifierIsAsked(t *testing.T) {
	no := errors.New("no")
	p := pipeline(t, []rewrite.Rule{fuse(nil)}, rewrite.Verify(func(r rewrite.Rule, before, after ast.Node) error { return no }))
	if _, err := p.Optimize(crop(t, crop(t, load(t, "a", 9, 9), 1, 1, 8, 8), 1, 1, 6, 6)); !errors.Is(err, no) {
		t.Errorf("error %v", err)
	}
}

func TestOptions(t *testing.T) {
	loose := rewrite.On("loose", ast.Resolution, func(c *rewrite.Context, n *ast.Warp) (ast.Node, error) { return n, nil })
	rules := []rewrite.Rule{fuse(nil), loose}
	n := crop(t, crop(t, load(t, "a", 9, 9), 1, 1, 8, 8), 1, 1, 6, 6)
	enabled := func(p *rewrite.Pipeline) string {
		var names []string
		for _, r := range p.Rules() {
			if r.Enabled {
				names = append(names, r.Rule.Name())
			}
		}
		return strings.Join(names, " ")
	}
	for _, c := range []struct {
		name string
		opts []rewrite.Option
		want string
	}{
		{"all", nil, "fuse loose"},
		{"capped", []rewrite.Option{rewrite.MaxFidelity(ast.Geometric)}, "fuse"},
		{"without", []rewrite.Option{rewrite.Without("fuse")}, "loose"},
		{"only", []rewrite.Option{rewrite.Only("loose")}, "loose"},
		{"replaced", []rewrite.Option{rewrite.Replace("fuse", loose)}, "loose loose"},
	} {
		if got := enabled(pipeline(t, rules, c.opts...)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	if r, _ := pipeline(t, rules, rewrite.Without("fuse")).Optimize(n); r.Changed {
		t.Error("a disabled rule fired")
	}
	for name, opt := range map[string]rewrite.Option{
		"without": rewrite.Without("nobody"), "only": rewrite.Only("nobody"), "replace": rewrite.Replace("nobody", loose), "budget": rewrite.Budget(-1),
	} {
		if _, err := rewrite.New([]rewrite.Pass{{Rules: rules}}, opt); err == nil {
			t.Errorf("%s: a name that no rule has is accepted", name)
		}
	}
	if _, err := rewrite.New([]rewrite.Pass{{Rules: append(rules, loose)}}); err == nil {
		t.Error("two rules of one name are accepted")
	}
}

// TestRulesOfACompiledPipelineStay: what is done to the list of rules that a
// pipeline was made of changes neither what it lists nor what is made of it.
func TestRulesOfACompiledPipelineStay(t *testing.T) {
	rules := []rewrite.Rule{fuse(new(atomic.Int64))}
	p := pipeline(t, rules)
	name := rules[0].Name()
	rules[0] = rewrite.On("other", ast.Exact, func(_ *rewrite.Context, n *ast.Crop) (ast.Node, error) { return n, nil })
	q, err := p.With(rewrite.Budget(100))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []*rewrite.Pipeline{p, q} {
		if got := p.Rules()[0].Rule.Name(); got != name {
			t.Errorf("the pipeline lists %q, expected %q", got, name)
		}
	}
	n := crop(t, crop(t, load(t, "a.tif", 9, 9), 1, 1, 9, 9), 1, 1, 8, 8)
	if r, err := q.Optimize(n); err != nil || r.Fired != 1 {
		t.Errorf("%d firings, expected 1; %v", r.Fired, err)
	}
}

func TestUnknownMetadata(t *testing.T) {
	l, err := ast.NewLoad("nowhere.tif", "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline(t, nil).Optimize(l); err == nil || !strings.Contains(err.Error(), "nowhere.tif") {
		t.Errorf("error %v", err)
	}
}

// TestOnGrid: a rule of a grid pass sees a warp only where no warp of the same
// sampling stands above it.
func TestOnGrid(t *testing.T) {
	a := load(t, "a", 9, 9)
	inner := scale(t, a, 2)
	nearest, err := ast.NewWarp(inner, geom.Scale(3, 3), geom.Size{}, ast.Sampling{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	both, err := ast.NewConcat(scale(t, inner, 3), nearest)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		tree ast.Node
		seen bool
	}{
		{"the root", inner, true},
		{"below a crop", crop(t, inner, 0, 0, 2, 2), true},
		{"below a warp of the same sampling", scale(t, inner, 3), false},
		{"below a barrier", nearest, true},
		{"below one of each", both, true},
	} {
		seen := false
		r := rewrite.On("look", ast.Exact, func(_ *rewrite.Context, n *ast.Warp) (ast.Node, error) {
			seen = seen || n == inner
			return n, nil
		})
		p, err := rewrite.New([]rewrite.Pass{{Traversal: rewrite.OnGrid, Rules: []rewrite.Rule{r}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Optimize(c.tree); err != nil || seen != c.seen {
			t.Errorf("%s: seen %v, want %v, %v", c.name, seen, c.seen, err)
		}
	}
}

func TestSharedNodesStayShared(t *testing.T) {
	shared := crop(t, crop(t, load(t, "a", 9, 9), 1, 1, 8, 8), 1, 1, 6, 6)
	n, err := ast.NewConcat(shared, scale(t, shared, 1), shared)
	if err != nil {
		t.Fatal(err)
	}
	r, err := pipeline(t, []rewrite.Rule{fuse(nil)}).Optimize(n)
	if err != nil || r.Fired != 1 || r.Node.Input(0) != r.Node.Input(2) || r.Node.Input(1).Input(0) != r.Node.Input(0) {
		t.Errorf("fired %d times, want once; %v", r.Fired, err)
	}
}

func TestConcurrentOptimize(t *testing.T) {
	p := pipeline(t, []rewrite.Rule{fuse(nil)})
	shared := crop(t, crop(t, load(t, "a", 99, 99), 1, 1, 80, 80), 1, 1, 60, 60)
	var trees []ast.Node
	for i := range 50 {
		trees = append(trees, crop(t, scale(t, shared, float64(i+2)), 0, 0, 5, 5))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for _, n := range trees {
				r, err := p.Optimize(n)
				if err != nil || r.Node.Input(0).Input(0).Input(0).Kind() != ast.KindLoad {
					t.Errorf("%v, %v", r.Node, err)
				}
			}
		})
	}
	wg.Wait()
}

func TestWhyNot(t *testing.T) {
	p := pipeline(t, []rewrite.Rule{fuse(nil)})
	a := load(t, "a", 9, 9)
	reasons, err := p.WhyNot(crop(t, scale(t, crop(t, crop(t, a, 0, 0, 8, 8), 0, 0, 4, 4), 2), 0, 0, 3, 3), "fuse")
	if err != nil || len(reasons) != 3 {
		t.Fatalf("%v, %v", reasons, err)
	}
	for i, want := range []string{"no crop below", "it would fire here", "no crop below"} {
		if reasons[i].Text != want {
			t.Errorf("reason %d is %q, want %q", i, reasons[i].Text, want)
		}
	}
	if reasons[1].Path != "crop/warp" {
		t.Errorf("path %q", reasons[1].Path)
	}
	if _, err := p.WhyNot(a, "nobody"); err == nil {
		t.Error("an unknown rule is accepted")
	}
}
