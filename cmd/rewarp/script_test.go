package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write writes a file of the current folder.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

const firstTree = `load("astro.tif", "r|g|b").scale(0.5)[0:128, 0:128]`

// A tree is the same from a tree file, a script, an expression of one and
// standard input, for every command that takes one.
func TestScriptTrees(t *testing.T) {
	folder, err := filepath.Abs(testdata)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	script := filepath.Join(elsewhere, "first.star")
	write(t, script, "# the first tree\ndef half(t):\n    print(\"halving\")\n    return t.scale(0.5)\n\ntree = half(load(\""+filepath.ToSlash(filepath.Join(folder, "astro.tif"))+"\", \"r|g|b\"))[0:128, 0:128]\n")
	t.Chdir(folder)
	want := must(t, "dump", "trees/tree1.json")
	if got := must(t, "dump", "-e", firstTree); got != want {
		t.Errorf("-e gives\n%s\nthe tree file\n%s", got, want)
	}
	if got := must(t, "dump", "--expression="+firstTree); got != want {
		t.Errorf("--expression gives\n%s", got)
	}
	for _, head := range []string{"", "# a comment\n\n"} {
		if got := mustWith(t, head+firstTree, "dump", "-"); got != want {
			t.Errorf("standard input gives\n%s", got)
		}
	}
	if got := mustWith(t, `(crop [0 0 128 128] (warp scale=0.5 (load astro.tif channels=r|g|b)))`, "dump", "-"); got != want {
		t.Errorf("an expression on standard input gives\n%s", got)
	}
	r := runWith(t, "", "dump", script)
	if r.status != statusOK || r.out != want || r.err != "halving\n" {
		t.Errorf("the script gives status %d, %q\n%s", r.status, r.err, r.out)
	}
	out := filepath.Join(elsewhere, "out.tif")
	must(t, "eval", "-e", firstTree, "-o", out)
	must(t, "explain", "-e", firstTree)
	must(t, "bench", "-e", firstTree, "--count", "2")
	mustWith(t, firstTree, "bench", "-", "--count", "2")
	if r := runWith(t, "", "bench", script, "--count", "2"); r.status != statusOK {
		t.Errorf("bench of a script: %s", r.err)
	}
}

func TestScriptErrors(t *testing.T) {
	t.Chdir(testdata)
	bad := filepath.Join(t.TempDir(), "bad.star")
	write(t, bad, "t = load(\"astro.tif\", size=(8, 8), dtype=\"uint8\")\nt.crop(window=[0, 0, 9, 9])\n")
	for _, c := range []struct {
		status int
		args   []string
		want   []string
	}{
		{statusFailed, []string{"dump", bad}, []string{"bad.star:2:", "exceeds canvas 8×8"}},
		{statusFailed, []string{"dump", filepath.Join(t.TempDir(), "none.star")}, []string{"none.star", "check the name"}},
		{statusFailed, []string{"dump", t.TempDir() + "/"}, []string{"is a folder"}},
		{statusFailed, []string{"dump", "-e", "load('x.tif')"}, []string{"expression:1:", "relative ones start at the current folder"}},
		{statusFailed, []string{"dump", "-e", ""}, []string{"makes no tree"}},
		{statusUsage, []string{"dump", "-e", firstTree, "more"}, []string{`unexpected argument "more" beside -e`}},
		{statusUsage, []string{"dump"}, []string{"missing TREE", "-e 'EXPRESSION'"}},
		{statusUsage, []string{"dump", "-e"}, []string{"-e needs a value: EXPRESSION"}},
	} {
		mustFail(t, c.status, runWith(t, "", c.args...), c.want...)
	}
}

// dropWhole is a rule in a script.
const dropWhole = `
rule("drop-whole-crop", "exact", ["crop", "warp"], lambda n: n.input if n.dsize == n.input.dsize and n.bands == None else "it cuts",
    doc = "Crop(Warp(x)) → Warp(x) where nothing is cut")
`

// Rules of a script fire, verified, wherever rules do.
func TestScriptRules(t *testing.T) {
	rules := filepath.Join(t.TempDir(), "rules.star")
	wrong := filepath.Join(t.TempDir(), "wrong.star")
	write(t, rules, dropWhole)
	write(t, wrong, `rule("drop-crops", "exact", ["crop"], lambda n: n.inputs[0])`)
	t.Chdir(testdata)
	const whole = `load("astro.tif").scale(0.3).crop(window=[0, 0, 154, 154])`

	if out := must(t, "rules", "--rules", rules, "--json"); !strings.Contains(out, "drop-whole-crop") {
		t.Errorf("rules does not list it:\n%s", out)
	}
	if out := must(t, "explain", "--rules", rules, "-e", whole); !strings.Contains(out, "1. drop-whole-crop (script, exact)") {
		t.Errorf("it does not fire first:\n%s", out)
	}
	if out := must(t, "explain", "--rules", rules, "--no-rule", "drop-whole-crop", "-e", whole); strings.Contains(out, "drop-whole-crop") {
		t.Errorf("it fires though disabled:\n%s", out)
	}
	if out := must(t, "explain", "--rules", rules, "--why-not", "drop-whole-crop", "-e", firstTree); !strings.Contains(out, "it cuts") {
		t.Errorf("why not says\n%s", out)
	}
	must(t, "eval", "--rules", rules, "-e", whole, "-o", filepath.Join(t.TempDir(), "out.tif"))
	mustFail(t, statusFailed, runWith(t, "", "dump", "--rules", wrong, "-e", firstTree), "drop-crops", "canvas")
	mustFail(t, statusFailed, runWith(t, "", "eval", "--rules", wrong, "-e", firstTree, "-o", filepath.Join(t.TempDir(), "o.tif")), "drop-crops")
	mustFail(t, statusUsage, runWith(t, "", "explain", "-e", whole, "--why-not", "fuse-warp"), `did you mean "fuse-warps"`)
	mustFail(t, statusUsage, runWith(t, "", "dump", "-e", whole, "--no-rule", "nothing-such"), "no such rule")

	out := must(t, "check", "--rules", rules, "--rule", "drop-whole-crop", "--trees", "40", "--seed", "5", "--json")
	var report struct{ Firings int }
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if report.Firings == 0 {
		t.Errorf("it never fired:\n%s", out)
	}
	r := runWith(t, "", "check", "--rules", wrong, "--rule", "drop-crops", "--trees", "200", "--failures", "1")
	if r.status != statusFailed || !strings.Contains(r.out, "drop-crops") {
		t.Errorf("the kit finds nothing wrong: status %d, %s\n%s", r.status, r.err, r.out)
	}
}
