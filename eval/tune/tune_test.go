package tune_test

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/imagefile"
	"github.com/rewarp/rewarp/eval/oracle"
	"github.com/rewarp/rewarp/eval/tune"
)

const astro = "../../testdata/astro.tif"

// meaning is the reference evaluator.
func meaning(ctx context.Context, n ast.Node) (*raster.Buffer, error) {
	res, err := oracle.Reference(ctx, n, reader{}, oracle.Options{})
	if err != nil {
		return nil, err
	}
	return raster.FromSlice(res.Values, res.Size.W, res.Size.H, len(res.Bands))
}

func steps(ctx context.Context, n ast.Node) (*raster.Buffer, error) {
	res, err := oracle.Naive(ctx, n, reader{}, oracle.Options{})
	if err != nil {
		return nil, err
	}
	return raster.FromSlice(res.Values, res.Size.W, res.Size.H, len(res.Bands))
}

type reader struct{}

func (reader) ReadWindow(ctx context.Context, l *ast.Load, level int, w image.Rectangle, band int) (*raster.Buffer, error) {
	s, err := picture()
	if err != nil {
		return nil, err
	}
	dst := &raster.Buffer{}
	return dst, s.ReadWindow(ctx, level, w, []int{band}, dst)
}

var picture = sync.OnceValues(func() (eval.Source, error) { return imagefile.New().Open(context.Background(), astro) })

func session(t testing.TB, opts ...eval.Option) *eval.Session {
	t.Helper()
	s, err := eval.Open(context.Background(), append([]eval.Option{eval.WithOpener(imagefile.New()), eval.WithThreads(2)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// turned is a rotated piece of the picture.
func turned(t testing.TB, theta float64, w, h int) ast.Node {
	t.Helper()
	at := image.Pt(250-w, 80)
	n, err := ast.FromURI(astro, "").Crop(image.Rect(100, 100, 300, 300)).Warp(geom.Parts{Scale: [2]float64{0.9, 0.8}, Theta: theta, Offset: [2]float64{90, 20}}.Transform()).
		Crop(image.Rect(0, 0, w, h).Add(at)).Node()
	if err != nil {
		t.Fatal(err)
	}
	n, err = ast.Prepare(context.Background(), n, imagefile.New())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func run(t testing.TB, s *eval.Session, n ast.Node, opts ...tune.Option) *tune.Table {
	t.Helper()
	opts = append([]tune.Option{tune.WithReference(meaning, steps), tune.WithRounds(3, 0)}, opts...)
	table, err := tune.Run(context.Background(), s, n, opts...)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestRun(t *testing.T) {
	before := runtime.NumGoroutine()
	s := session(t)
	n := turned(t, 0.3, 90, 70)
	broken := errors.New("no such rule")
	blank := eval.WithOptimizer(func(_ context.Context, n ast.Node, _ ast.Fidelity) (ast.Node, error) {
		return ast.NewFill(n.Size(), ast.NumberedBands(n.NumBands(), raster.Uint8), 7)
	})
	var seen []string
	table := run(t, s, n, tune.WithVariants(
		tune.Variant{Name: "blank", Extra: []eval.Option{blank}},
		tune.Variant{Name: "no memory", Extra: []eval.Option{eval.WithMemoryLimit(1)}},
		tune.Variant{Name: "broken", Extra: []eval.Option{eval.WithOptimizer(func(context.Context, ast.Node, ast.Fidelity) (ast.Node, error) { return nil, broken })}},
		tune.Variant{Name: "too many", Threads: 99},
	), tune.WithProgress(func(done, total int, name string) {
		if done > total {
			t.Errorf("%d of %d", done, total)
		}
		seen = append(seen, name)
	}))
	t.Logf("%s\n%s", table.CPU, table)
	if seen[0] != "reference" || seen[1] != tune.Unchanged || seen[len(seen)-1] != "" || len(seen) < len(table.Rows)+2 {
		t.Errorf("progress %q", seen)
	}
	for _, r := range table.Rows {
		status, why := tune.OK, ""
		switch r.Name {
		case "blank":
			status, why = tune.Wrong, "differs"
		case "no memory":
			status, why = tune.Failed, "memory limit of 1 bytes"
		case "broken":
			status, why = tune.Failed, "no such rule"
		case "too many":
			status, why = tune.Failed, "99 threads, the session has 2"
		}
		if r.Status != status || !strings.Contains(r.Why, why) {
			t.Errorf("%s is %s: %s", r.Name, r.Status, r.Why)
		}
		if r.Status == tune.OK && (r.Latency <= 0 || r.SpeedUp <= 0 || r.Memory < 90*70*3 || r.MaxError <= 0 || r.MeanError > r.MaxError || r.Rounds < 3) {
			t.Errorf("%+v", r)
		}
		p, err := table.Plan(context.Background(), r.Name)
		if (err != nil) != (status != tune.OK) {
			t.Errorf("%s: %v", r.Name, err)
		} else if err == nil {
			if p.Session().Threads() != r.Threads || p.Session().Kernels().String() != r.Kernels || p.Fidelity().String() != r.Fidelity {
				t.Errorf("the session of %s has %d threads, %v, %v", r.Name, p.Session().Threads(), p.Session().Kernels(), p.Fidelity())
			}
			if _, err := p.Run(context.Background()); err != nil {
				t.Error(err)
			}
			p.Session().Close()
		}
		if _, err := table.Choice(r.Name); (err != nil) != (status != tune.OK) {
			t.Errorf("%s as a choice: %v", r.Name, err)
		}
	}
	for _, name := range []string{"threads-1", "tile-64", "exact", "no-cache"} {
		if _, err := table.Row(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := table.Plan(context.Background(), "nothing"); err == nil || !strings.Contains(err.Error(), "there are session,") {
		t.Errorf("got %v", err)
	}
	text := table.String()
	if lines := strings.Count(text, "\n"); lines != len(table.Rows)+1 || !strings.Contains(text, "no such rule") {
		t.Errorf("it prints\n%s", text)
	}
	var back struct {
		Variants []struct {
			Name   string
			Status string
			Max    *float64 `json:"max_error"`
		}
	}
	data, err := json.Marshal(table)
	if err != nil || json.Unmarshal(data, &back) != nil || len(back.Variants) != len(table.Rows) || back.Variants[0].Max == nil {
		t.Errorf("%v %s", err, data)
	}
	s.Close()
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

func TestNoReference(t *testing.T) {
	s := session(t)
	failing := func(context.Context, ast.Node) (*raster.Buffer, error) { return nil, errors.New("too large") }
	n := turned(t, 0.3, 30, 20)
	table := run(t, s, n, tune.WithReference(failing, nil), tune.WithOnly())
	if r := table.Rows[0]; r.Status != tune.Unchecked || r.Why != "the reference failed: too large" || !math.IsNaN(r.MaxError) || len(table.Rows) != 1 {
		t.Errorf("%+v", r)
	}
	if _, err := table.Best(); err != nil {
		t.Error(err)
	}
	if _, err := table.Best(tune.WithMaxError(1)); err == nil {
		t.Error("an unchecked variant is within a bound on errors")
	}
	if _, err := json.Marshal(table); err != nil {
		t.Error(err)
	}
	wrong := func(ctx context.Context, n ast.Node) (*raster.Buffer, error) {
		b, err := meaning(ctx, n)
		if err == nil {
			b.Set(0, 0, 0, math.NaN())
		}
		return b, err
	}
	table = run(t, s, n, tune.WithReference(wrong, nil), tune.WithOnly(tune.Variant{Name: "geometric", Fidelity: "geometric"}))
	if r := table.Rows[1]; r.Status != tune.Wrong || !strings.Contains(r.Why, "1 samples are valid") {
		t.Errorf("%+v", r)
	}
}

func TestStops(t *testing.T) {
	s := session(t)
	n := turned(t, 0.3, 30, 20)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := tune.Run(ctx, s, n, tune.WithProgress(func(done, _ int, _ string) {
		if done == 1 {
			cancel()
		}
	}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled tuner: %v", err)
	}
	table := run(t, s, n, tune.WithOnly(), tune.WithLimit(time.Nanosecond))
	if r := table.Rows[0]; r.Status != tune.Failed || r.Why != "it was stopped after 1ns" {
		t.Errorf("%+v", r)
	}
	if _, err := table.Best(); err == nil {
		t.Error("a failed variant is the best")
	}
	if _, err := tune.Run(context.Background(), s, n, tune.WithWindows(image.Rect(0, 0, 31, 1))); err == nil {
		t.Error("a window beyond the canvas")
	}
	if _, err := tune.Run(context.Background(), s, nil); err == nil {
		t.Error("no tree")
	}
	if _, err := tune.Run(context.Background(), s, n, tune.WithVariants(tune.Variant{Name: "exact"})); err == nil {
		t.Error("two variants of one name")
	}
}

// TestBest picks from rows that are made up.
func TestBest(t *testing.T) {
	row := func(name string, status tune.Status, ms float64, maxError float64, threads int) tune.Row {
		return tune.Row{Variant: tune.Variant{Name: name}, Status: status, Latency: time.Duration(ms * 1e6), Spread: 1e5,
			MaxError: maxError, Threads: threads, Memory: int64(threads) << 20}
	}
	table := &tune.Table{Rows: []tune.Row{
		row("session", tune.OK, 10, 0.01, 2),
		row("wrong", tune.Wrong, 1, 0, 1),
		row("failed", tune.Failed, 0, 0, 1),
		row("coarse", tune.OK, 2, 0.2, 2),
		row("one", tune.OK, 8, 0.01, 1),
		row("fine", tune.OK, 9, 1e-6, 2),
	}}
	for _, c := range []struct {
		want string
		opts []tune.BestOption
	}{
		{"coarse", nil},
		{"one", []tune.BestOption{tune.WithMaxError(0.05)}},
		{"fine", []tune.BestOption{tune.WithMaxError(1e-5)}},
		{"one", []tune.BestOption{tune.WithThreads(1)}},
		{"one", []tune.BestOption{tune.WithMaxMemory(1 << 20)}},
	} {
		if r, err := table.Best(c.opts...); err != nil || r.Name != c.want {
			t.Errorf("%s, %v, want %s", r.Name, err, c.want)
		}
	}
	if _, err := table.Best(tune.WithMaxError(1e-9)); err == nil {
		t.Error("nothing is that exact")
	}
	table.Rows[3].Latency = 9700000
	table.Rows[4].Latency = 9800000
	table.Rows[5].Latency = 9900000
	if r, _ := table.Best(); r.Name != "session" {
		t.Errorf("noise leads to %s", r.Name)
	}
}

func TestSaveLoad(t *testing.T) {
	s := session(t)
	n, other := turned(t, 0.3, 90, 70), turned(t, 0.3, 30, 70)
	path := filepath.Join(t.TempDir(), "choices.json")
	if _, err := tune.Load(path, n); err == nil {
		t.Error("loaded from nothing")
	}
	table := run(t, s, n, tune.WithOnly(tune.Variant{Name: "small", Threads: 1, Tile: geom.Size{W: 32, H: 16}, Kernels: "portable", Fidelity: "exact", NoCache: true}))
	c, err := table.Choice("small")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := c
	elsewhere.CPU, elsewhere.Variant = "another", tune.Variant{Name: "another"}
	for range 2 {
		if err := tune.Save(path, elsewhere, c); err != nil {
			t.Fatal(err)
		}
	}
	// A tree of the same shape, at another place and angle, finds it.
	alike := turned(t, 0.31, 89, 71)
	got, err := tune.Load(path, alike)
	if err != nil || got.Variant.Name != "small" || got.Variant.Tile != (geom.Size{W: 32, H: 16}) {
		t.Fatalf("%+v, %v", got, err)
	}
	p, err := got.Plan(context.Background(), s, alike, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Session().Close()
	if p.Session().Threads() != 1 || p.Session().Kernels() != eval.Portable || p.Fidelity() != ast.Exact || s.Threads() != 2 {
		t.Errorf("%d threads, %v, %v", p.Session().Threads(), p.Session().Kernels(), p.Fidelity())
	}
	if _, err := p.Run(context.Background()); err != nil {
		t.Error(err)
	}
	if _, err := tune.Load(path, other); !errors.Is(err, tune.ErrNoChoice) {
		t.Errorf("a tree of another shape: %v", err)
	}

	extra := tune.Variant{Name: "extra", Extra: []eval.Option{eval.WithMaxOpen(1)}}
	c, err = run(t, s, n, tune.WithOnly(extra)).Choice("extra")
	if err != nil || !c.Extra {
		t.Fatal(c, err)
	}
	if _, err := c.Plan(context.Background(), s, n, nil); err == nil || !strings.Contains(err.Error(), `"extra" has options that are not saved`) {
		t.Errorf("got %v", err)
	}
	p, err = c.Plan(context.Background(), s, n, []tune.Variant{extra})
	if err != nil {
		t.Fatal(err)
	}
	p.Session().Close()
}
