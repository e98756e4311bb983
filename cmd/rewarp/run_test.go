package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

const testdata = "../../testdata"

func tree(name string) string { return filepath.Join(testdata, "trees", name+".json") }

// result is what a command did.
type result struct {
	out, err string
	status   int
}

func runWith(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	status := run(ctx, args, strings.NewReader(stdin), &out, &errs)
	return result{out.String(), errs.String(), status}
}

// must runs a command that has to work, and returns what it prints.
func must(t *testing.T, args ...string) string {
	t.Helper()
	return mustWith(t, "", args...)
}

func mustWith(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	r := runWith(t, stdin, args...)
	if r.status != statusOK || r.err != "" {
		t.Fatalf("rewarp %s: status %d, %s", strings.Join(args, " "), r.status, r.err)
	}
	return r.out
}

// mustFail runs a command that has to fail with one line that holds the texts.
func mustFail(t *testing.T, status int, r result, texts ...string) {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d; it printed %q", r.status, status, r.err)
	}
	if !strings.HasPrefix(r.err, "rewarp: ") || strings.Count(r.err, "\n") != 1 || !strings.HasSuffix(r.err, "\n") {
		t.Errorf("standard error is %q, want one line that begins with rewarp:", r.err)
	}
	for _, s := range texts {
		if !strings.Contains(r.err, s) {
			t.Errorf("the error %q does not say %q", r.err, s)
		}
	}
	if strings.Contains(r.err, "internal error") {
		t.Errorf("it panicked: %s", r.err)
	}
}

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs, run go test ./cmd/rewarp -update if it should (-want +got):\n%s", path, d)
	}
}

func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		want []string
	}{
		{"", []string{"which command?", "dump", "eval"}},
		{"dmup", []string{`unknown command "dmup"`, `did you mean "dump"?`}},
		{"xyzzy", []string{`unknown command "xyzzy"`, "see rewarp --help"}},
		{"dump", []string{"missing TREE", "see rewarp dump --help"}},
		{"dump a b", []string{`unexpected argument "b"`}},
		{"dump --fromat json a", []string{"unknown flag --fromat", `did you mean "--format"?`}},
		{"dump --format jsn a", []string{`--format "jsn"`, "text, json, dot, mermaid", `did you mean "json"?`}},
		{"dump --max-fidelity geometrc a", []string{`did you mean "geometric"?`}},
		{"dump --no-rule fuse-warp a", []string{"no such rule", `did you mean "fuse-warps"?`}},
		{"explain --why-not fuze-warps a", []string{`did you mean "fuse-warps"?`}},
		{"eval a", []string{"-o FILE is missing"}},
		{"eval a -o -", []string{"not to standard output"}},
		{"eval a -o", []string{"-o"}},
		{"eval a -o b.tif --dtype uint9", []string{`did you mean "uint8"?`}},
		{"eval a -o b.tif --reference --naive", []string{"exclude each other"}},
		{"eval a -o b.tif --threads 0", []string{"--threads 0"}},
		{"eval a -o b.tif --threads x", []string{`--threads "x"`}},
		{"eval a -o b.tif --co COMPRESS", []string{"KEY=VALUE"}},
		{"eval a -o b.tif --stretch 2,1", []string{"the lower first"}},
		{"eval a -o b.tif --stretch auto --dtype int16", []string{"--stretch writes uint8"}},
		{"bench a --count 0", []string{"--count 0"}},
		{"check --trees 0", []string{"--trees"}},
		{"check --rule drop-crp", []string{`did you mean "drop-crop"?`}},
		{"rules extra", []string{`unexpected argument "extra"`}},
		{"info", []string{"missing FILE"}},
		{"version --jsn", []string{`did you mean "--json"?`}},
	} {
		t.Run(c.args, func(t *testing.T) { mustFail(t, statusUsage, runWith(t, "", strings.Fields(c.args)...), c.want...) })
	}
}

func TestHelp(t *testing.T) {
	for _, c := range []string{"", "dump", "explain", "eval", "rules", "info", "bench", "check", "schema", "completion", "version"} {
		out := must(t, strings.Fields(c+" --help")...)
		if !strings.Contains(out, "Usage:") {
			t.Errorf("rewarp %s --help prints %q", c, out)
		}
	}
}

// Whoever reads the output of a command can parse it.
func TestJSON(t *testing.T) {
	for _, c := range [][]string{
		{"dump", "--format", "json", tree("tree3")},
		{"dump", "--json", "--after", tree("tree3")},
		{"explain", "--json", tree("tree3")},
		{"explain", "--json", "--why-not", "fuse-warps", tree("tree2")},
		{"rules", "--json"},
		{"info", "--json", filepath.Join(testdata, "astro.tif")},
		{"bench", "--json", "--count", "1", tree("tree1")},
		{"check", "--json", "--trees", "3"},
		{"eval", "--json", tree("tree1"), "-o", filepath.Join(t.TempDir(), "x.tif")},
		{"schema"},
		{"version", "--json"},
	} {
		if out := must(t, c...); !json.Valid([]byte(out)) {
			t.Errorf("rewarp %s does not print JSON: %s", strings.Join(c, " "), out)
		}
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, os.ErrClosed }

// Output that cannot be written is a failure.
func TestOutputFails(t *testing.T) {
	for _, args := range [][]string{{"dump", tree("tree1")}, {"rules"}, {"version", "--json"}, {"schema"}} {
		var errs bytes.Buffer
		status := run(context.Background(), args, strings.NewReader(""), fullDisk{}, &errs)
		mustFail(t, statusFailed, result{"", errs.String(), status}, "writing the output")
	}
}

type panics struct{}

func (panics) Write([]byte) (int, error) { panic("boom\nat two") }

func TestPanic(t *testing.T) {
	var errs bytes.Buffer
	status := run(context.Background(), []string{"version"}, strings.NewReader(""), panics{}, &errs)
	if got := errs.String(); status != statusFailed || !strings.HasPrefix(got, "rewarp: internal error: boom at two") || strings.Count(got, "\n") != 1 {
		t.Errorf("a panic gives status %d and %q", status, got)
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	dir := t.TempDir()
	var out, errs bytes.Buffer
	status := run(ctx, []string{"eval", tree("tree1"), "-o", filepath.Join(dir, "x.tif")}, strings.NewReader(""), &out, &errs)
	mustFail(t, statusFailed, result{"", errs.String(), status}, "interrupted")
	onlyFiles(t, dir)
}

// onlyFiles checks that nothing but the named files is in a folder.
func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if d := cmp.Diff(append([]string{}, names...), got); d != "" {
		t.Errorf("files left (-want +got):\n%s", d)
	}
}

func TestCompletion(t *testing.T) {
	if out := must(t, "completion", "bash"); !strings.Contains(out, "rewarp") {
		t.Error("no completion script for bash")
	}
	if r := runWith(t, "", "__complete", "dump", "--max-fidelity", ""); !strings.Contains(r.out, "geometric\n") {
		t.Errorf("--max-fidelity completes to %q", r.out)
	}
}
