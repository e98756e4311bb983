package hostile_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/rewarp/rewarp/ast/raster"
	"github.com/rewarp/rewarp/eval"
	"github.com/rewarp/rewarp/eval/imagefile"
	"github.com/rewarp/rewarp/gdalio"
	"github.com/rewarp/rewarp/internal/hostile"
)

const folder = "../../testdata/hostile"

var bg = context.Background()

// TestFolder holds the folder to what the generator makes, but for bytes, which
// depend on the compressor.
func TestFolder(t *testing.T) {
	want := map[string]bool{}
	total := 0
	for _, f := range hostile.Files() {
		want[f.Name] = true
		total += len(f.Data)
	}
	if total > 200<<10 {
		t.Errorf("%d bytes", total)
	}
	have, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range have {
		if !want[f.Name()] {
			t.Errorf("%s is not made by the generator", f.Name())
		}
		delete(want, f.Name())
	}
	for name := range want {
		t.Errorf("%s is missing: go generate ./internal/hostile", name)
	}
}

// readers are the openers, with the outcome that a file should have.
var readers = []struct {
	name   string
	opener eval.Opener
	want   func(hostile.File) hostile.Outcome
}{
	{"gdalio", gdalio.New(), func(f hostile.File) hostile.Outcome { return f.GDAL }},
	{"imagefile", imagefile.New(), func(f hostile.File) hostile.Outcome { return f.Plain }},
}

// TestReaders reads every file, in a folder where it could do harm.
func TestReaders(t *testing.T) {
	quiet(t)
	for _, r := range readers {
		if r.name == "gdalio" && gdalio.Version() == "" {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			leaves := leaks(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for _, f := range hostile.Files() {
				got, err := read(r.opener, filepath.Join(folder, f.Name))
				if want := r.want(f); got != want {
					t.Errorf("%s: outcome %d, want %d (%v)", f.Name, got, want, err)
				}
				if err != nil {
					clear(t, f.Name, err)
				}
			}
			runtime.ReadMemStats(&after)
			if grown := after.TotalAlloc - before.TotalAlloc; grown > 200<<20 {
				t.Errorf("%d MiB were allocated", grown>>20)
			}
			leaves()
		})
	}
}

// read describes, opens and reads at most 64 × 64 pixels.
func read(o eval.Opener, uri string) (hostile.Outcome, error) {
	ctx, cancel := context.WithTimeout(bg, 20*time.Second)
	defer cancel()
	if _, err := o.Describe(ctx, uri); err != nil {
		return hostile.NoOpen, err
	}
	s, err := o.Open(ctx, uri)
	if err != nil {
		return hostile.NoOpen, err
	}
	defer s.Close()
	m := s.Meta()
	w := image.Rect(0, 0, min(m.Size.W, 64), min(m.Size.H, 64))
	if err := s.ReadWindow(ctx, 0, w, []int{0}, &raster.Buffer{}); err != nil {
		return hostile.NoRead, err
	}
	return hostile.Reads, nil
}

// clear asks for one line, of bounded length, that names the file.
func clear(t *testing.T, name string, err error) {
	t.Helper()
	text := err.Error()
	switch {
	case strings.ContainsAny(text, "\n\x00"), len(text) > 600:
		t.Errorf("%s: error of %d bytes on %d lines: %.200q", name, len(text), strings.Count(text, "\n")+1, text)
	case !strings.Contains(text, name):
		t.Errorf("%s: the error does not name it: %s", name, text)
	case strings.Contains(text, "runtime error"), strings.Contains(text, "goroutine "):
		t.Errorf("%s: %s", name, text)
	case errors.Is(err, context.DeadlineExceeded):
		t.Errorf("%s: took until the deadline: %s", name, text)
	}
}

// quiet keeps requests to this machine off any proxy, and ends them early.
func quiet(t *testing.T) {
	t.Setenv("NO_PROXY", "*")
	t.Setenv("no_proxy", "*")
}

// leaks returns a check that no more goroutines are left than there were.
func leaks(t *testing.T) (check func()) {
	t.Helper()
	before := runtime.NumGoroutine()
	return func() {
		t.Helper()
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		stacks := make([]byte, 1<<16)
		stacks = stacks[:runtime.Stack(stacks, true)]
		t.Errorf("%d goroutines were left:\n%s", runtime.NumGoroutine()-before, stacks)
	}
}

// peak is the largest resident size of this process so far, in bytes.
func peak() int64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			return kib << 10
		}
	}
	return 0
}
