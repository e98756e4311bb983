package ours

import (
	"context"
	"fmt"
	"image"
	"runtime"
	"time"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/bench/internal/peer"
	"github.com/rewarp/rewarp/bench/internal/workload"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/gdalio"
)

// Worker sets cases up on one session.
type Worker struct {
	session *eval.Session
	threads int
}

// NewWorker opens the session.
func NewWorker(threads int) (*Worker, error) {
	s, err := rewarp.Open(context.Background(), eval.WithThreads(threads))
	return &Worker{session: s, threads: threads}, err
}

// Versions names what runs.
func (w *Worker) Versions() string {
	return fmt.Sprintf("rewarp (%s, GDAL %s, kernels %v)", runtime.Version(), gdalio.Version(), w.session.Kernels())
}

// Setup makes a case ready.
func (w *Worker) Setup(c workload.Case) (*peer.Job, error) {
	switch c.Kind {
	case workload.Engine:
		return engine(c)
	case workload.Curve:
		return curve(c)
	case workload.Throughput:
		return throughput(c)
	case workload.Session:
		return w.sessions(c)
	case workload.Wrap:
		return wrap()
	}
	return w.pixels(c)
}

// pixels runs the case's plan into one buffer, over and over. Where files are
// to be opened anew, the tree is built and planned anew as well.
func (w *Worker) pixels(c workload.Case) (*peer.Job, error) {
	ctx := context.Background()
	var src *raster.Buffer
	if c.Source != nil {
		var err error
		if src, err = c.Source.Read(); err != nil {
			return nil, err
		}
	}
	n, err := treeOf(&c, src)
	if err != nil {
		return nil, err
	}
	plan, err := w.session.Plan(ctx, n)
	if err != nil {
		return nil, err
	}
	sampling := "as the tree says"
	switch {
	case c.Kind == workload.Overview:
		sampling = "the overview as stored"
	case c.Interp != "":
		sampling = c.Interp
		if c.Reduce {
			sampling += ", stretched"
		}
		sampling += ", validity per band"
	}
	dst := &raster.Buffer{}
	j := &peer.Job{Sampling: sampling, Work: peer.Same, Result: func(at [4]int) (*raster.Buffer, error) { return cut(dst, at) }}
	j.Op = func(int) error { return plan.RunInto(ctx, dst) }
	j.Close = func() {
		for _, f := range filesOf(plan.Tree()) {
			_ = w.session.Forget(f)
		}
	}
	switch {
	case c.Kind == workload.Window:
		j.Sampling = "none"
		j.Op = func(i int) error { return w.window(ctx, &c, plan, i, dst) }
	case c.Reopen:
		j.Op = func(int) error { return w.fresh(ctx, &c, dst) }
	case c.Kind == workload.Tree && c.What == "cold":
		j.Op = func(int) error { return w.fresh(ctx, &c, dst) }
	}
	return j, nil
}

// fresh builds the tree, opens what it reads, plans it and runs it.
func (w *Worker) fresh(ctx context.Context, c *workload.Case, dst *raster.Buffer) error {
	n, err := treeOf(c, nil)
	if err != nil {
		return err
	}
	for _, f := range filesOf(n) {
		if err := w.session.Forget(f); err != nil {
			return err
		}
	}
	p, err := w.session.Plan(ctx, n)
	if err != nil {
		return err
	}
	return p.RunInto(ctx, dst)
}

func filesOf(n ast.Node) (files []string) {
	for _, l := range ast.All[*ast.Load](n) {
		files = append(files, l.URI())
	}
	return files
}

func (w *Worker) window(ctx context.Context, c *workload.Case, plan *eval.Plan, i int, dst *raster.Buffer) error {
	at := c.Windows[i%len(c.Windows)]
	r := image.Rect(at[0], at[1], at[2], at[3])
	if !c.Reopen {
		return plan.Window(ctx, r, dst)
	}
	if err := w.session.Forget(c.Files[0]); err != nil {
		return err
	}
	n, err := ast.FromURI(c.Files[0], "").Node()
	if err != nil {
		return err
	}
	p, err := w.session.Plan(ctx, n)
	if err != nil {
		return err
	}
	return p.Window(ctx, r, dst)
}

// cut copies a window out of an output.
func cut(b *raster.Buffer, at [4]int) (*raster.Buffer, error) {
	r := image.Rect(at[0], at[1], at[2], at[3])
	if !r.In(b.Bounds()) {
		return nil, fmt.Errorf("window %v of an output of %d×%d", r, b.W, b.H)
	}
	out := raster.New(b.Type, r.Dx(), r.Dy(), b.Bands)
	pixel := b.Bands * b.Type.Size()
	for y := range out.H {
		from := ((r.Min.Y+y)*b.W + r.Min.X) * pixel
		copy(out.Bytes()[y*out.W*pixel:(y+1)*out.W*pixel], b.Bytes()[from:])
	}
	return out, nil
}

// sessions is a tile of 128 pixels from a file, the first tree, with the set-up
// in different places.
func (w *Worker) sessions(c workload.Case) (*peer.Job, error) {
	ctx := context.Background()
	n, err := rewarp.ReadTree(c.Tree)
	if err != nil {
		return nil, err
	}
	p, err := w.session.Plan(ctx, n)
	if err != nil {
		return nil, err
	}
	dst := &raster.Buffer{}
	j := &peer.Job{Work: peer.Same}
	switch c.What {
	case "pixel":
		j.Op = func(int) error { return p.Window(ctx, image.Rect(50, 50, 51, 51), dst) }
	case "outside":
		j.Op = func(int) error { return p.RunInto(ctx, dst) }
	case "lazy":
		j.Op = func(int) error { return planned(ctx, w.session, n, dst) }
	case "inside":
		j.Op = func(int) error {
			s, err := rewarp.Open(ctx, eval.WithThreads(w.threads))
			if err != nil {
				return err
			}
			defer s.Close()
			return planned(ctx, s, n, dst)
		}
	}
	return j, nil
}

// planned plans a tree for one run.
func planned(ctx context.Context, s *eval.Session, n ast.Node, dst *raster.Buffer) error {
	p, err := s.Plan(ctx, n)
	if err != nil {
		return err
	}
	return p.RunInto(ctx, dst)
}

// timed is the time that f takes.
func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}
