package main

import (
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/eval"
)

// start serves a folder with the test image in it.
func start(t *testing.T) (url string) {
	t.Helper()
	folder := t.TempDir()
	data, err := os.ReadFile("../../testdata/astro.tif")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "astro.tif"), data, 0o666); err != nil {
		t.Fatal(err)
	}
	opener := eval.Restrict(rewarp.NewOpener(), eval.Policy{Folders: []string{folder}})
	session, err := rewarp.Open(t.Context(), eval.WithOpener(opener), eval.WithMemoryLimit(256<<20))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	server := httptest.NewServer(NewHandler(session, folder))
	t.Cleanup(server.Close)
	return server.URL + "/render"
}

const tree = `{"version": 1, "tree": {"op": "crop", "window": [0, 0, %d, 64], "input": {"op": "warp", "transform": {"scale": %g}, "input": {"op": "load", "uri": "%s"}}}}`

func post(t *testing.T, url, body string) *http.Response {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Body.Close() })
	return r
}

// A tree is rendered, and its plan is compiled once.
func TestRender(t *testing.T) {
	url := start(t)
	for i, want := range []string{"compiled", "cached"} {
		r := post(t, url, fmt.Sprintf(tree, 96, 0.5, "astro.tif"))
		if r.StatusCode != http.StatusOK || r.Header.Get("X-Plan") != want {
			t.Fatalf("request %d: %s, plan %s, want %s", i, r.Status, r.Header.Get("X-Plan"), want)
		}
		if p, err := png.Decode(r.Body); err != nil || p.Bounds().Dx() != 96 || p.Bounds().Dy() != 64 {
			t.Errorf("request %d: %v", i, err)
		}
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			r, err := http.Post(url, "application/json", strings.NewReader(fmt.Sprintf(tree, 32+i%4, 0.5, "astro.tif")))
			if err != nil {
				t.Error(err)
				return
			}
			defer r.Body.Close()
			if r.StatusCode != http.StatusOK {
				t.Error(r.Status)
			}
		})
	}
	wg.Wait()
}

// What a stranger must not do is refused, and says nothing of the machine.
func TestRefused(t *testing.T) {
	url := start(t)
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"no tree":        {"hello", http.StatusBadRequest},
		"outside":        {fmt.Sprintf(tree, 64, 1.0, "/etc/passwd"), http.StatusForbidden},
		"up and out":     {fmt.Sprintf(tree, 64, 1.0, "../x.tif"), http.StatusForbidden},
		"network":        {fmt.Sprintf(tree, 64, 1.0, "/vsicurl/http://localhost/x.tif"), http.StatusForbidden},
		"missing":        {fmt.Sprintf(tree, 64, 1.0, "none.tif"), http.StatusUnprocessableEntity},
		"huge":           {fmt.Sprintf(strings.Replace(tree, ", 64]", ", 100000]", 1), 100000, 500.0, "astro.tif"), http.StatusUnprocessableEntity},
		"too long":       {strings.Repeat(" ", maxTreeBytes+1), http.StatusRequestEntityTooLarge},
		"too many bands": {`{"version": 1, "tree": {"op": "fill", "size": [4, 4], "bands": 2, "dtype": "uint8", "value": 1}}`, http.StatusUnprocessableEntity},
	} {
		r := post(t, url, c.body)
		if r.StatusCode != c.status {
			t.Errorf("%s: %s, want %d", name, r.Status, c.status)
		}
	}
	if r, err := http.Get(url); err != nil || r.StatusCode != http.StatusMethodNotAllowed {
		t.Error("GET", r.Status, err)
	}
}

// The cache keeps what was used last.
func TestPlanCache(t *testing.T) {
	session, err := rewarp.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	c := newPlanCache(2)
	compiled := 0
	get := func(value float64) {
		t.Helper()
		n := fill(t, value)
		if _, _, err := c.get(n, func() (*eval.Plan, error) { compiled++; return session.Plan(t.Context(), n) }); err != nil {
			t.Fatal(err)
		}
	}
	for _, v := range []float64{1, 2, 1, 3, 1, 2} { // 3 puts 2 out, and then 2 puts 3 out
		get(v)
	}
	if compiled != 4 || len(c.all) != 2 || c.used.Len() != 2 {
		t.Errorf("compiled %d, kept %d", compiled, c.used.Len())
	}
}
