package tune

import (
	"context"
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// Reference computes a whole tree, whose metadata is known, independently of
// the variants that are compared with it: float64, NaN where invalid.
type Reference func(ctx context.Context, tree ast.Node) (*raster.Buffer, error)

// Option changes how Run measures.
type Option func(*tuner)

// WithReference says what the pixels should be: meaning computes what the tree
// means; steps, which may be nil, runs it node by node, rounding each, as a
// variant capped at ast.Exact does. Without it no variant is checked.
func WithReference(meaning, steps Reference) Option {
	return func(t *tuner) { t.meaning, t.steps = meaning, steps }
}

// WithWindows says which windows of the canvas a round computes. The default
// is the whole canvas up to a megapixel, else three windows of it.
func WithWindows(w ...image.Rectangle) Option { return func(t *tuner) { t.windows = w } }

// WithVariants tries further variants.
func WithVariants(v ...Variant) Option { return func(t *tuner) { t.extra = append(t.extra, v...) } }

// WithOnly tries these variants, beside the session as it is, and no others.
func WithOnly(v ...Variant) Option {
	return func(t *tuner) { t.only = append([]Variant{}, v...) }
}

// WithRounds sets how often each variant runs: at least n times, and until d
// has passed. The default is 9 times and 100 ms.
func WithRounds(n int, d time.Duration) Option {
	return func(t *tuner) { t.rounds, t.least = max(1, n), d }
}

// WithLimit bounds how long one variant may take over all its rounds; what is
// not done by then has failed. The default is 30 s.
func WithLimit(d time.Duration) Option { return func(t *tuner) { t.limit = d } }

// WithCold has every run read its sources anew. By default what the session
// caches stays from run to run.
func WithCold() Option { return func(t *tuner) { t.cold = true } }

// WithPlanOptions plans with these options.
func WithPlanOptions(o ...eval.PlanOption) Option {
	return func(t *tuner) { t.planOptions = append(t.planOptions, o...) }
}

// WithProgress calls f before each variant, and once at the end with an empty
// name. The total may grow.
func WithProgress(f func(done, total int, name string)) Option {
	return func(t *tuner) { t.progress = f }
}

// tuner is one call of Run.
type tuner struct {
	session        *eval.Session
	tree           ast.Node
	meaning, steps Reference
	windows        []image.Rectangle
	extra, only    []Variant
	rounds         int
	least, limit   time.Duration
	cold           bool
	planOptions    []eval.PlanOption
	progress       func(done, total int, name string)

	means, stepped []*raster.Buffer // by window
	unchecked      string           // why there is no reference
	peers          map[ast.Fidelity]*peer
	done, total    int
}

// peer is the first variant of a fidelity.
type peer struct {
	name   string
	pixels []*raster.Buffer
}

// Run measures variants of a session over a tree. The first is the session as
// it is; the others differ in one thing each (the kernels, the threads, the
// tiles, the fidelity, the block cache), never beyond what the session allows;
// the last takes together what paid. A variant that fails is a row that says
// why; Run itself fails only where the tree, or the context, does.
func Run(ctx context.Context, s *eval.Session, tree ast.Node, opts ...Option) (*Table, error) {
	t := &tuner{session: s, rounds: 9, least: 100 * time.Millisecond, limit: 30 * time.Second, peers: map[ast.Fidelity]*peer{},
		progress: func(int, int, string) {}}
	for _, o := range opts {
		o(t)
	}
	if tree == nil {
		return nil, errors.New("tune: no tree")
	}
	var err error
	if o := s.Opener(); !tree.Known() && o != nil {
		if tree, err = ast.Prepare(ctx, tree, o); err != nil {
			return nil, err
		}
	}
	t.tree = tree
	p, err := s.Plan(ctx, tree, t.planOptions...)
	if err != nil {
		return nil, err
	}
	if err := t.setWindows(p.Size()); err != nil {
		return nil, err
	}
	variants, err := t.variants(ctx, p)
	if err != nil {
		return nil, err
	}
	if err := t.refer(ctx); err != nil {
		return nil, err
	}
	table := &Table{CPU: CPU(), Shape: Shape(tree), Windows: t.windows, session: s, tree: tree, planOptions: t.planOptions}
	t.total = len(variants)
	for _, v := range variants {
		if err := t.row(ctx, table, v); err != nil {
			return nil, err
		}
	}
	if v, ok := table.combined(); ok && t.only == nil {
		t.total++
		if err := t.row(ctx, table, v); err != nil {
			return nil, err
		}
	}
	t.progress(t.total, t.total, "")
	return table, nil
}

func (t *tuner) row(ctx context.Context, table *Table, v Variant) error {
	t.progress(t.done, t.total, v.Name)
	r := t.measure(ctx, v)
	if err := ctx.Err(); err != nil {
		return err
	}
	t.done++
	if len(table.Rows) > 0 && table.Rows[0].Latency > 0 && r.Latency > 0 {
		r.SpeedUp = float64(table.Rows[0].Latency) / float64(r.Latency)
	} else if r.Latency > 0 {
		r.SpeedUp = 1
	}
	table.Rows = append(table.Rows, r)
	return nil
}

const (
	wholeCanvas = 1 << 20 // pixels
	sampleSide  = 512
)

func (t *tuner) setWindows(size geom.Size) error {
	canvas := image.Rect(0, 0, size.W, size.H)
	for _, w := range t.windows {
		if w.Empty() || !w.In(canvas) {
			return fmt.Errorf("tune: window [%d %d %d %d] is empty or exceeds the canvas %v", w.Min.X, w.Min.Y, w.Max.X, w.Max.Y, size)
		}
	}
	switch {
	case len(t.windows) > 0:
	case int64(size.W)*int64(size.H) <= wholeCanvas:
		t.windows = []image.Rectangle{canvas}
	default:
		w, h := min(size.W, sampleSide), min(size.H, sampleSide)
		for i := range 3 {
			at := image.Pt((size.W-w)*i/2, (size.H-h)*i/2)
			t.windows = append(t.windows, image.Rect(0, 0, w, h).Add(at))
		}
	}
	return nil
}

// refer computes what the windows should be. A reference that fails leaves the
// variants unchecked.
func (t *tuner) refer(ctx context.Context) error {
	if t.meaning == nil {
		t.unchecked = "no reference was given"
		return nil
	}
	t.progress(0, 1, "reference")
	for _, w := range t.windows {
		n, err := ast.NewCrop(t.tree, w)
		if err != nil {
			return err
		}
		b, err := t.meaning(ctx, n)
		if err == nil && (b == nil || b.Type != raster.Float64 || b.W != w.Dx() || b.H != w.Dy() || b.Bands != t.tree.NumBands()) {
			err = errors.New("it is not of the window's shape")
		}
		var s *raster.Buffer
		if err == nil && t.steps != nil {
			s, err = t.steps(ctx, n)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			t.means, t.stepped = nil, nil
			t.unchecked = fmt.Sprintf("the reference failed: %v", err)
			return nil
		}
		t.means = append(t.means, b)
		if t.steps != nil {
			t.stepped = append(t.stepped, s)
		}
	}
	return nil
}
