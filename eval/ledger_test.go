package eval_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/geom"
	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
)

// dial is a setting of a process that consists of the test.
type dial struct {
	name    string
	mu      sync.Mutex
	value   int64
	applied int
	fail    error
	panics  bool
}

func (d *dial) Name() string { return d.name }

func (d *dial) Capture() (func() error, error) {
	was := d.get()
	return func() error { d.set(was); return nil }, nil
}

func (d *dial) Apply(v int64) error {
	if d.panics {
		panic("no such dial")
	}
	if d.fail != nil {
		return d.fail
	}
	d.applied++
	d.set(v)
	return nil
}

func (d *dial) Format(v int64) string { return fmt.Sprint(v, " turns") }

func (d *dial) set(v int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.value = v
}

func (d *dial) get() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.value
}

func (d *dial) want(t *testing.T, v int64, when string) {
	t.Helper()
	if got := d.get(); got != v {
		t.Errorf("%s: %s is at %d, want %d", when, d.name, got, v)
	}
}

func opened(t testing.TB, opts ...eval.Option) *eval.Session {
	t.Helper()
	s, err := eval.Open(context.Background(), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestLedgerOrders closes nested sessions in every order.
func TestLedgerOrders(t *testing.T) {
	for _, order := range [][]int{{2, 1, 0}, {0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {0, 2, 1}, {2, 0, 1}} {
		d := &dial{name: "test-order", value: 100}
		values := []int64{30, 10, 20}
		var sessions []*eval.Session
		for _, v := range values {
			sessions = append(sessions, opened(t, eval.WithSetting(d, v)))
		}
		d.want(t, 10, "three open")
		open := map[int]bool{0: true, 1: true, 2: true}
		for _, i := range order {
			if err := sessions[i].Close(); err != nil {
				t.Fatal(err)
			}
			if err := sessions[i].Close(); err != nil { // does nothing
				t.Fatal(err)
			}
			delete(open, i)
			want := int64(100)
			for k := range open {
				want = min(want, values[k])
			}
			d.want(t, want, fmt.Sprint("closing in the order ", order))
		}
	}
}

// TestLedgerMany opens and closes from many goroutines.
func TestLedgerMany(t *testing.T) {
	d, e := &dial{name: "test-many", value: 7}, &dial{name: "test-many-too", value: 8}
	var wg sync.WaitGroup
	for g := range 8 {
		r := rand.New(rand.NewPCG(1, uint64(g)))
		wg.Go(func() {
			for range 30 {
				v := r.Int64N(50) + 1
				s, err := eval.Open(context.Background(), eval.WithThreads(1), eval.WithSetting(d, v), eval.WithSetting(e, 60-v))
				if err != nil {
					t.Error(err)
					return
				}
				if got := d.get(); got > v {
					t.Errorf("%d is in force, an open session asks for %d", got, v)
				}
				s.Notes()
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	d.want(t, 7, "all closed")
	e.want(t, 8, "all closed")
}

// TestLedgerUnchanged: nothing is set that no option asks for, and what fails
// leaves nothing behind.
func TestLedgerUnchanged(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d := &dial{name: "test-unchanged", value: 5}
	bad := &dial{name: "test-bad", value: 6, fail: errors.New("stuck")}
	worse := &dial{name: "test-worse", value: 7, panics: true}
	before := runtime.NumGoroutine()
	for what, open := range map[string]func() (*eval.Session, error){
		"cancelled": func() (*eval.Session, error) { return eval.Open(ctx, eval.WithSetting(d, 1)) },
		"refused": func() (*eval.Session, error) {
			return eval.Open(t.Context(), eval.WithSetting(d, 1), eval.WithThreads(0))
		},
		"stuck setting": func() (*eval.Session, error) {
			return eval.Open(t.Context(), eval.WithSetting(d, 1), eval.WithSetting(bad, 1))
		},
		"panics": func() (*eval.Session, error) {
			return eval.Open(t.Context(), eval.WithSetting(d, 1), eval.WithSetting(worse, 1))
		},
		"refused opener": func() (*eval.Session, error) {
			return eval.Open(t.Context(), eval.WithSetting(d, 1), eval.WithOpener(&checked{err: errors.New("library too old")}))
		},
		"strict": func() (*eval.Session, error) {
			return eval.Open(t.Context(), eval.WithSetting(d, 1), eval.WithStrict(), eval.WithOpener(&checked{notes: []string{"half a library"}}))
		},
	} {
		if s, err := open(); err == nil {
			t.Errorf("%s: opened", what)
			s.Close()
		}
		d.want(t, 5, what)
	}
	noLeak(t, before)
	// A failed session does not disturb one that is open.
	s := opened(t, eval.WithSetting(d, 3))
	if _, err := eval.Open(t.Context(), eval.WithSetting(d, 1), eval.WithSetting(bad, 1)); err == nil || !strings.Contains(err.Error(), "test-bad to 1 turns: stuck") {
		t.Errorf("got %v", err)
	}
	d.want(t, 3, "another failed")
	s.Close()
	d.want(t, 5, "closed")
	opened(t).Close()
	if bad.applied+worse.applied != 0 {
		t.Error("a setting was applied")
	}
}

// checked is an opener that depends on the machine.
type checked struct {
	*memory
	notes []string
	err   error
}

func (c *checked) Check(context.Context) ([]string, error) { return c.notes, c.err }

// crash is what a service does that opens a session and panics.
func crash(t *testing.T, d *dial, m *memory, inRun bool) {
	defer func() { recover() }()
	s := opened(t, eval.WithOpener(m), eval.WithThreads(3), eval.WithTileSize(16, 16), eval.WithSetting(d, 1))
	defer s.Close()
	d.want(t, 1, "open")
	p := plan(t, s, load(t, "picture"))
	_ = p.Stream(context.Background(), func(image.Rectangle, *raster.Buffer) error {
		if inRun {
			panic("in the callback")
		}
		return nil
	})
	panic("after the run")
}

func TestCrashedSessions(t *testing.T) {
	before := runtime.NumGoroutine()
	d := &dial{name: "test-crash", value: 9}
	m := picture(128, 128, 1)
	for _, inRun := range []bool{true, false} {
		crash(t, d, m, inRun)
		d.want(t, 9, "after a crash")
	}

	// What panics in a worker becomes the run's error.
	in, err := ast.Prepare(context.Background(), load(t, "picture"), m)
	if err != nil {
		t.Fatal(err)
	}
	node, err := newPanics(in)
	if err != nil {
		t.Fatal(err)
	}
	s := opened(t, eval.WithOpener(m), eval.WithThreads(3), eval.WithTileSize(16, 16), eval.WithSetting(d, 1))
	inner := opened(t, eval.WithOpener(m), eval.WithSetting(d, 2))
	if _, err := plan(t, s, node).Run(context.Background()); err == nil {
		t.Error("a node that panics gave pixels")
	}
	p := plan(t, s, in)
	var pe *eval.PanicError
	_, err = p.Run(context.Background(), eval.WithProgress(func(int64, int64) { panic(errors.New("bar broke")) }))
	if !errors.As(err, &pe) || !strings.Contains(err.Error(), "bar broke") || len(pe.Stack) == 0 {
		t.Errorf("a progress function that panics: %v", err)
	}
	s.Forget("picture")
	m.fail = func(string, image.Rectangle) error { panic("torn tape") }
	if _, err := p.Run(context.Background()); !errors.As(err, &pe) || !strings.Contains(err.Error(), `"picture": panicked: torn tape`) {
		t.Errorf("a source that panics: %v", err)
	}
	m.fail = nil
	for range 20 { // no thread is lost
		if _, err := p.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	d.want(t, 2, "the inner session is open")
	inner.Close()
	d.want(t, 9, "all closed")
	if o, c := m.opened.Load(), m.closed.Load(); o != c {
		t.Errorf("%d sources opened, %d closed", o, c)
	}
	noLeak(t, before)
}

func TestCancelledSessions(t *testing.T) {
	before := runtime.NumGoroutine()
	d := &dial{name: "test-cancel", value: 9}
	m := picture(256, 256, 1)
	m.block = make(chan struct{})
	ctx, cancel := context.WithCancel(context.Background())
	outer := opened(t, eval.WithOpener(m), eval.WithThreads(2), eval.WithSetting(d, 4))
	inner, err := eval.Open(ctx, eval.WithOpener(m), eval.WithThreads(2), eval.WithSetting(d, 3))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, s := range []*eval.Session{outer, inner} {
		p := plan(t, s, turned(t, load(t, "picture"), geom.Size{W: 200, H: 200}, ast.DefaultSampling))
		wg.Go(func() {
			if _, err := p.Run(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("a cancelled run: %v", err)
			}
		})
	}
	for m.reads.Load() == 0 {
		runtime.Gosched()
	}
	cancel()
	wg.Wait()
	d.want(t, 3, "cancelled, still open")
	outer.Close()
	inner.Close()
	d.want(t, 9, "closed")
	if o, c := m.opened.Load(), m.closed.Load(); o != c {
		t.Errorf("%d sources opened, %d closed", o, c)
	}
	noLeak(t, before)
}
