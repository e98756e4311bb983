package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp"
	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/rules"
)

func TestDump(t *testing.T) {
	for _, name := range []string{"tree1", "tree2", "tree3"} {
		golden(t, "dump-"+name+".txt", must(t, "dump", tree(name)))
	}
	golden(t, "dump-tree1.dot", must(t, "dump", tree("tree1"), "--format", "dot"))
	golden(t, "dump-tree1.mmd", must(t, "dump", tree("tree1"), "--format", "mermaid"))
	golden(t, "dump-tree1-exact.txt", must(t, "dump", tree("tree1"), "--max-fidelity", "exact"))
	golden(t, "dump-tree2-no-rule.txt", must(t, "dump", tree("tree2"), "--no-rule", "drop-crop", "--no-rule", "fuse-crops", "--after"))
	golden(t, "explain-tree3.txt", must(t, "explain", tree("tree3")))
	golden(t, "why-not-tree2.txt", must(t, "explain", "--why-not", "substitute-overview", tree("tree2")))
}

func parse(t *testing.T, text string) ast.Node {
	t.Helper()
	n, err := ast.ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return n
}

// The third tree's composite and polygon, as an independent program computed
// them.
func TestThirdTree(t *testing.T) {
	n := parse(t, must(t, "dump", "--after", "--format", "json", tree("tree3")))
	w, ok := n.(*ast.Warp)
	if !ok {
		t.Fatalf("the root is %s", n.Op())
	}
	maps, _ := ast.Leaves(w)
	want := [6]float64{0.5192649729, 0.2726003336, -0.9438706838, -0.1725409491, 0.5177115169, -0.3422101753}
	for i, v := range want {
		if got := maps[0].Transform[i]; math.Abs(got-v) > 1e-9 {
			t.Errorf("entry %d of the composite is %v, want %v", i, got, v)
		}
	}
	polygon := [][2]float64{{0.091862, 0}, {64, 0}, {64, 32}, {16.085879, 32}, {0.204140, 1.838046}}
	got := ast.ValidPolygon(w)
	if len(got) != len(polygon) {
		t.Fatalf("the polygon is %v", got)
	}
	for i, p := range polygon {
		if math.Hypot(got[i][0]-p[0], got[i][1]-p[1]) > 1e-6 {
			t.Errorf("vertex %d is %v, want %v", i, got[i], p)
		}
	}
}

// What dump writes is a tree file: reading and writing it again changes
// nothing, and neither does rewriting it again.
func TestDumpIsATree(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(testdata, "oracle*", "t*.json"))
	if err != nil || len(files) == 0 {
		t.Fatal("no trees", err)
	}
	for _, name := range append(files[:len(files):len(files)], tree("tree1"), tree("tree2"), tree("tree3")) {
		before := must(t, "dump", "--before", "--format", "json", name)
		if again := mustWith(t, before, "dump", "--before", "--format", "json", "-"); again != before {
			t.Errorf("%s is not the same there and back:\n%s%s", name, before, again)
		}
		direct, err := rewarp.ReadTree(name)
		if err != nil {
			t.Fatal(err)
		}
		if prepared, err := ast.Prepare(t.Context(), direct, rewarp.NewOpener()); err != nil || !ast.Equal(prepared, parse(t, before)) {
			t.Errorf("%s: dump shows another tree (%v)", name, err)
		}
		after := must(t, "dump", "--after", "--format", "json", name)
		if again := mustWith(t, after, "dump", "--after", "--format", "json", "-"); again != after {
			t.Errorf("%s: rewriting the rewritten tree changes it:\n%s%s", name, after, again)
		}
		var both struct {
			Before, After json.RawMessage
			Changed       bool
			Firings       int
		}
		if err := json.Unmarshal([]byte(must(t, "dump", "--format", "json", name)), &both); err != nil {
			t.Fatal(err)
		}
		if !ast.Equal(parse(t, string(both.Before)), parse(t, before)) || !ast.Equal(parse(t, string(both.After)), parse(t, after)) {
			t.Errorf("%s: both trees are not what --before and --after show", name)
		}
		if both.Changed != (both.Firings > 0) {
			t.Errorf("%s: changed is %v after %d firings", name, both.Changed, both.Firings)
		}
	}
}

// A tree that carries its metadata is rewritten with no file at hand.
func TestDumpWithoutFiles(t *testing.T) {
	text := `{"version": 1, "tree": {"op": "warp", "transform": {"scale": 0.25}, "input":
		{"op": "load", "uri": "gone.tif", "size": [400, 300], "bands": 1, "dtype": "uint8", "overviews": [[200, 150], [100, 75]]}}}`
	out := mustWith(t, text, "dump", "--after", "-")
	if !strings.Contains(out, "Overview dsize=(100,75),overview=2") || !strings.Contains(out, "fname=gone.tif") {
		t.Errorf("it shows\n%s", out)
	}
	out = mustWith(t, ast.FormatExpr(parse(t, text)), "dump", "--before", "--format", "json", "-")
	if !ast.Equal(parse(t, out), parse(t, text)) {
		t.Errorf("as an expression it reads as\n%s", out)
	}
}

// Uris resolve from wherever dump writes to.
func TestDumpOutput(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "after.json")
	must(t, "dump", "--after", "--format", "json", tree("tree1"), "-o", file)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := parse(t, string(data)); filepath.IsAbs(ast.All[*ast.Load](n)[0].URI()) {
		t.Errorf("the uri is absolute:\n%s", data)
	}
	must(t, "eval", file, "-o", filepath.Join(dir, "a.tif"))
	piped := must(t, "dump", "--after", "--format", "json", tree("tree1"))
	mustWith(t, piped, "eval", "-", "-o", filepath.Join(dir, "b.tif"))
	samePixels(t, readRaster(t, filepath.Join(dir, "a.tif")), readRaster(t, filepath.Join(dir, "b.tif")))
	onlyFiles(t, dir, "a.tif", "after.json", "b.tif")
}

func TestRulesListed(t *testing.T) {
	out := must(t, "rules")
	exact := must(t, "rules", "--max-fidelity", "exact")
	for _, r := range rules.Default().Rules() {
		name := r.Rule.Name()
		if !strings.Contains(out, name+" ") || r.Rule.Doc() == "" || !strings.Contains(out, r.Rule.Doc()) {
			t.Errorf("rules does not list %s with its documentation", name)
		}
		if strings.Contains(exact, name+" ") != (r.Rule.Fidelity() == ast.Exact) {
			t.Errorf("%s is %v; is it listed at exact: %v", name, r.Rule.Fidelity(), strings.Contains(exact, name))
		}
	}
}

// docs/rules.md is generated; make docs writes it.
func TestRulesPage(t *testing.T) {
	want := must(t, "rules", "--format", "markdown")
	got, err := os.ReadFile("../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("docs/rules.md is out of date: run make docs")
	}
}

func TestInfo(t *testing.T) {
	path := filepath.Join(testdata, "astro.tif")
	out := must(t, "info", path)
	for _, s := range []string{"512×512", "uint8", "256×256, 128×128, 64×64"} {
		if !strings.Contains(out, s) {
			t.Errorf("info does not say %s:\n%s", s, out)
		}
	}
	n := parse(t, `{"version": 1, "tree": `+must(t, "info", "--json", path)+`}`)
	if l, ok := n.(*ast.Load); !ok || !l.Known() || l.NumOverviews() != 3 {
		t.Errorf("info --json is %s", ast.FormatExpr(n))
	}
	mustFail(t, statusFailed, runWith(t, "", "info", "nothere.tif"), "o such file")
	mustFail(t, statusFailed, runWith(t, "", "info", tree("tree1")), "tree1.json")
}

func TestBench(t *testing.T) {
	out := must(t, "bench", "--count", "2", tree("tree2"))
	for _, s := range []string{"build", "prepare", "optimize", "re-optimize", "plan", "first run", "repeated run"} {
		if !strings.Contains(out, s) {
			t.Errorf("bench does not tell about %s:\n%s", s, out)
		}
	}
}

func TestCheck(t *testing.T) {
	r := runWith(t, "", "check", "--trees", "20", "--max-fidelity", "geometric", "--rule", "fuse-warps")
	if !strings.Contains(r.out, "law") || r.status != statusOK {
		t.Errorf("check: status %d, %s%s", r.status, r.out, r.err)
	}
}
