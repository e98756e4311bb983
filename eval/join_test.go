package eval_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// about finds a note.
func about(notes []eval.Note, what string) string {
	for _, n := range notes {
		if n.About == what {
			return n.Text
		}
	}
	return ""
}

func as(_ context.Context, n ast.Node, _ ast.Fidelity) (ast.Node, error) { return n, nil }

func TestJoinRules(t *testing.T) {
	before := runtime.NumGoroutine()
	d, e := &dial{name: "test-join", value: 50}, &dial{name: "test-join-one", value: 60}
	m := picture(256, 256, 3)
	count := 0
	counting := func(_ context.Context, n ast.Node, _ ast.Fidelity) (ast.Node, error) { count++; return n, nil }
	a := opened(t, eval.WithThreads(1), eval.WithMemoryLimit(8<<20), eval.WithTileSize(64, 128), eval.WithMaxOpen(9),
		eval.WithSetting(d, 7), eval.WithOptimizer(counting))
	b := opened(t, eval.WithThreads(2), eval.WithMemoryLimit(4<<20), eval.WithTileSize(128, 32), eval.WithMaxOpen(3),
		eval.WithSetting(d, 5), eval.WithSetting(e, 4), eval.WithOptimizer(as), eval.WithOpener(m),
		eval.WithMaxFidelity(ast.Exact), eval.WithKernels(eval.Portable))
	s, err := eval.Join(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if s.Threads() != 1 || s.MaxFidelity() != ast.Exact || s.Kernels() != eval.Portable {
		t.Errorf("%d threads, %v, %v", s.Threads(), s.MaxFidelity(), s.Kernels())
	}
	want := map[string]string{
		"threads":      "1, of session 1; another has 2",
		"memory limit": "4.0 MiB, of session 2; another has 8.0 MiB",
		"block cache":  "1.0 MiB, of session 2; another has 2.0 MiB",
		"open sources": "3, of session 2; another has 9",
		"fidelity":     "exact, of session 2; another has resolution",
		"tiles":        "64×32; session 1 has 64×128",
		"test-join":    "5 turns; another session asks for 7 turns",
		"optimizer":    "that of session 1; session 2 has another",
	}
	notes := s.Notes()
	for what, text := range want {
		if got := about(notes, what); got != text {
			t.Errorf("%s: %q, want %q", what, got, text)
		}
	}
	if eval.Portable != a.Kernels() && about(notes, "kernels") == "" {
		t.Error("no note on kernels")
	}
	// It outlives the sessions that it joins, and their settings stay claimed.
	a.Close()
	b.Close()
	d.want(t, 5, "the joined session is open")
	p := plan(t, s, load(t, "picture"))
	if _, err := p.Run(context.Background()); err != nil || count != 1 || p.Fidelity() != ast.Exact {
		t.Errorf("%v, rewritten %d times, at %v", err, count, p.Fidelity())
	}
	s.Close()
	d.want(t, 50, "all closed")
	e.want(t, 60, "all closed")
	if m.opened.Load() != m.closed.Load() {
		t.Error("a source is open")
	}
	noLeak(t, before)
	if _, err := eval.Join(a); !errors.Is(err, eval.ErrClosed) {
		t.Errorf("joining a closed session: %v", err)
	}
	if _, err := eval.Join(); err == nil {
		t.Error("joined nothing")
	}
}

func TestJoinAgreeing(t *testing.T) {
	m := picture(64, 64, 1)
	opts := []eval.Option{eval.WithOpener(m), eval.WithThreads(1), eval.WithOptimizer(as), eval.WithStrict()}
	s, err := eval.Join(open(t, opts...), open(t, opts...))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if n := s.Notes(); len(n) > 0 {
		t.Errorf("notes on sessions that agree: %v", n)
	}
}

func TestJoinRefuses(t *testing.T) {
	d := &dial{name: "test-refuse", value: 50}
	a := open(t, eval.WithOpener(picture(64, 64, 1)), eval.WithSetting(d, 20))
	b := open(t, eval.WithOpener(picture(64, 64, 1)))
	if _, err := eval.Join(a, b); err == nil || !strings.Contains(err.Error(), "session 1 reads rasters through *eval_test.memory and session 2") {
		t.Errorf("two openers: %v", err)
	}
	strict := open(t, eval.WithStrict(), eval.WithThreads(1), eval.WithMemoryLimit(5<<20))
	_, err := eval.Join(strict, a)
	var refused *eval.StrictError
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "memory limit: 5.0 MiB, of session 1") {
		t.Errorf("a strict session: %v", err)
	}
	d.want(t, 20, "nothing was joined")
}

// TestJoinPolicies: a raster is opened only where both policies allow it.
func TestJoinPolicies(t *testing.T) {
	dir := t.TempDir()
	m := picture(64, 64, 1)
	img, _ := m.Image("picture")
	images := map[string]*asttest.Image{}
	for _, name := range []string{"a/x", "a/b/x", "b/x"} {
		images[filepath.Join(dir, name)] = img
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	m.Images = asttest.NewImages(images)
	narrow := func(folders ...string) *eval.Session {
		for i := range folders {
			folders[i] = filepath.Join(dir, folders[i])
		}
		return open(t, eval.WithOpener(eval.Restrict(m, eval.Policy{Folders: folders})))
	}
	s, err := eval.Join(open(t, eval.WithOpener(m)), narrow("a", "b"), narrow("a/b", "c"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if text := about(s.Notes(), "policy"); !strings.Contains(text, "2 in all") {
		t.Errorf("note %q", text)
	}
	for name, allowed := range map[string]bool{"a/b/x": true, "a/x": false, "b/x": false, "c/x": false} {
		_, err := s.Plan(context.Background(), load(t, filepath.Join(dir, name)))
		var refused *eval.PolicyError
		if allowed != (err == nil) || !allowed && !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMixed runs plans of different sessions in one loop, and one plan under a
// stricter session.
func TestMixed(t *testing.T) {
	m := picture(300, 200, 3)
	tree := turned(t, load(t, "picture"), geom.Size{W: 128, H: 128}, ast.DefaultSampling)
	loose := open(t, eval.WithOpener(m), eval.WithThreads(2))
	strict := open(t, eval.WithOpener(m), eval.WithThreads(1), eval.WithMaxFidelity(ast.Exact), eval.WithMemoryLimit(1<<20))
	p := plan(t, loose, tree, eval.WithType(raster.Float64))
	q, err := p.Under(context.Background(), strict)
	if err != nil {
		t.Fatal(err)
	}
	if q.Session() != strict || q.Fidelity() != ast.Exact || q.Type() != raster.Float64 {
		t.Errorf("%v, %v", q.Fidelity(), q.Type())
	}
	want, err := plan(t, strict, tree, eval.WithType(raster.Float64)).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var a, b raster.Buffer
	for range 10 {
		if err := errors.Join(p.RunInto(context.Background(), &a), q.RunInto(context.Background(), &b)); err != nil {
			t.Fatal(err)
		}
		equal(t, &a, first)
		equal(t, &b, want)
	}
	// Going back, a plan keeps its cap; a policy holds for a plan that comes
	// from elsewhere.
	if r, err := q.Under(context.Background(), loose); err != nil || r.Fidelity() != ast.Exact {
		t.Errorf("%v", err)
	}
	var refused *eval.PolicyError
	none := open(t, eval.WithOpener(eval.Restrict(m, eval.Policy{})))
	if _, err := p.Under(context.Background(), none); !errors.As(err, &refused) {
		t.Errorf("a plan under a policy that forbids its raster: %v", err)
	}
}

func TestWith(t *testing.T) {
	m := picture(64, 64, 1)
	d := &dial{name: "test-with", value: 9}
	s := open(t, eval.WithOpener(m), eval.WithThreads(2), eval.WithSetting(d, 5))
	o, err := s.With(context.Background(), eval.WithThreads(1), eval.WithSetting(d, 3))
	if err != nil {
		t.Fatal(err)
	}
	d.want(t, 3, "a session like another")
	if text := about(s.Notes(), "test-with"); !strings.Contains(text, "5 turns asked for, 3 turns in force") {
		t.Errorf("note %q", text)
	}
	if _, err := plan(t, o, load(t, "picture")).Run(context.Background()); err != nil || o.Threads() != 1 || s.Threads() != 2 {
		t.Errorf("%v, %d and %d threads", err, o.Threads(), s.Threads())
	}
	if o.Held() < 64*64 {
		t.Errorf("%d bytes are held", o.Held())
	}
	o.Close()
	d.want(t, 5, "closed")
}
