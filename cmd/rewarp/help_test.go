package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHelpAndVersion(t *testing.T) {
	if out := must(t, "--help"); strings.Count(out, "\n  rewarp ") != 1 {
		t.Errorf("the usage has more than one line:\n%s", out)
	}
	if got, want := must(t, "help", "dump"), must(t, "dump", "--help"); got != want {
		t.Errorf("help dump prints\n%s\nwant\n%s", got, want)
	}
	if got, want := must(t, "--version"), must(t, "version"); got != want {
		t.Errorf("--version prints %q, version %q", got, want)
	}
	mustFail(t, statusUsage, runWith(t, "", "help", "dmp"), `unknown command "dmp"`, `did you mean "dump"?`)
	mustFail(t, statusUsage, runWith(t, "", "completion"), "missing SHELL", "bash, fish")
	mustFail(t, statusUsage, runWith(t, "", "completion", "bsh"), `SHELL "bsh"`, `did you mean "bash"?`)
}

// What is wrong with the value of a flag is said without the parser's words.
func TestFlagValues(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"eval", tree("tree1"), "-o", "x.tif", "--threads", "two"}, `--threads "two": expected a whole number (`},
		{[]string{"check", "--seed", "-1"}, `--seed "-1": expected a whole number of 0 or more (`},
		{[]string{"check", "--trees", "99999999999999999999"}, `--trees "99999999999999999999": expected a smaller number (`},
		{[]string{"tune", tree("tree1"), "--max-error", "x"}, `--max-error "x": expected a number (`},
		{[]string{"eval", tree("tree1"), "-o"}, "-o needs a value: FILE ("},
		{[]string{"eval", tree("tree1"), "--channels"}, "--channels needs a value: SPEC ("},
		{[]string{"dump", "-q"}, "unknown flag -q ("},
		{[]string{"explain", tree("tree1"), "--why-not", "fuse-warps", "--analyze"}, "--analyze and --why-not exclude each other"},
	} {
		mustFail(t, statusUsage, runWith(t, "", c.args...), c.want)
	}
}

// A file of another kind in the place of a tree is met with what to do.
func TestNoTree(t *testing.T) {
	vrt := filepath.Join(t.TempDir(), "a.vrt")
	if err := os.WriteFile(vrt, []byte("<VRTDataset/>\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	mustFail(t, statusFailed, runWith(t, "", "dump", filepath.Join(testdata, "astro.tif")), "rewarp info shows a raster")
	mustFail(t, statusFailed, runWith(t, "", "dump", vrt), "rewarp import makes a tree of a VRT")
	mustFail(t, statusFailed, runWith(t, "", "import", tree("tree1")), "tree1.json is a tree file already")
	mustFail(t, statusFailed, runWith(t, "", "tune", tree("tree1"), "--load", "nothere.json"), "nothere.json: ", "rewarp tune --save writes one")
}

func TestWrap(t *testing.T) {
	const text = "  one two three four five six seven\nshort\n"
	if got := (terminal{}).wrap(text); got != text {
		t.Errorf("without a width, %q", got)
	}
	want := "  one two three four five\n    six seven\nshort\n"
	if got := (terminal{width: 27}).wrap(text); got != want {
		t.Errorf("in 27 cells, %q, want %q", got, want)
	}
}
