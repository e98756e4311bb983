package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rewarp/rewarp"
)

//go:generate go test . -run ^TestTranscripts$ -count=1 -args -update docs/transcripts.md

// transcripts are the commands of docs/transcripts.md, run in testdata.
var transcripts = []struct {
	about string // nothing: below the one before
	args  []string
	kind  printed
	lines int // how many of them the page shows, 0: all
}{
	{"What a load knows of a raster, without reading a pixel.", []string{"info", "astro.tif"}, fixed, 0},
	{"A tree before and after rewriting. On a terminal it is in colour, side by side where it is wide enough.", []string{"dump", "trees/tree3.json"}, fixed, 0},
	{"The same from an expression, with the strictest cap.", []string{"dump", "--after", "--max-fidelity", "exact", "-e", `load("astro.tif").scale(0.5)[0:128, 0:128]`}, fixed, 0},
	{"Firing by firing; with `--format svg` as a [film](img/film.svg).", []string{"dump", "--step", "trees/tree1.json"}, fixed, 0},
	{"As a tree file.", []string{"dump", "--after", "--format", "json", "trees/tree1.json"}, fixed, 0},
	{"For graphviz; a picture of its own is `--format svg`, a page `--format html`.", []string{"dump", "--after", "--format", "dot", "trees/tree1.json"}, fixed, 0},
	{"For pages that know Mermaid.", []string{"dump", "--after", "--format", "mermaid", "trees/tree1.json"}, fixed, 0},
	{"Every rule that fired, and what it saved.", []string{"explain", "trees/tree1.json"}, fixed, 0},
	{"Why a rule did not fire.", []string{"explain", "--why-not", "substitute-overview", "trees/tree2.json"}, fixed, 0},
	{"Estimates beside what was measured: in all, of each raster, of each node.", []string{"explain", "--analyze", "trees/tree2.json"}, numbers, 0},
	{"On a page of its own.", []string{"explain", "--html", "{tmp}/page.html", "trees/tree3.json"}, fixed, 0},
	{"Rewrite, run, write.", []string{"eval", "trees/tree3.json", "-o", "{tmp}/out.tif", "--json"}, numbers, 0},
	{"What the tree means, computed slowly by the reference evaluator.", []string{"eval", "trees/tree3.json", "-o", "{tmp}/reference.tif", "--reference"}, fixed, 0},
	{"How long it takes.", []string{"bench", "trees/tree3.json", "--count", "5"}, numbers, 0},
	{"What runs a tree fastest here.", []string{"tune", "trees/tree1.json", "--rounds", "3"}, machine, 0},
	{"Random trees, rewritten and run, held to every law.", []string{"check", "--trees", "20", "--max-fidelity", "geometric"}, numbers, 0},
	{"One rule alone.", []string{"check", "--trees", "20", "--rule", "crop-into-warp"}, numbers, 4},
	{"The rules that may fire at a cap.", []string{"rules", "--max-fidelity", "exact"}, fixed, 0},
	{"As a VRT.", []string{"export", "trees/tree1.json"}, fixed, 0},
	{"As a command line.", []string{"export", "trees/tree2.json", "--format", "command", "--vrt", "{tmp}/tree2.vrt", "--raster", "out.tif"}, fixed, 0},
	{"As delayed_image's nesting.", []string{"export", "trees/tree1.json", "--format", "nesting"}, fixed, 12},
	{"What a format has no words for is said, node by node.", []string{"export", "trees/tree3.json"}, fixed, 0},
	{"From a command line.", []string{"import", "--", "gdal_translate", "-srcwin", "10", "20", "64", "32", "-b", "2", "astro.tif", "out.tif"}, fixed, 0},
	{"From a VRT.", []string{"import", "{tmp}/tree2.vrt"}, fixed, 0},
	{"A rule to start from.", []string{"new-rule", "join-twins", "--dir", "{tmp}/jointwins"}, fixed, 0},
	{"The JSON Schema of tree files, for editors.", []string{"schema"}, fixed, 9},
	{"For a shell: `source <(rewarp completion bash)`.", []string{"completion", "bash"}, fixed, 1},
	{"The manual pages.", []string{"man", "{tmp}/man1", "--json"}, fixed, 6},
	{"What is missing or slow on this machine.", []string{"doctor", "astro.tif"}, machine, 0},
	{"The versions.", []string{"version"}, machine, 0},
	{"A mistake is one line that says what to do.", []string{"dump", "trees/tree9.json"}, fixed, 0},
	{"", []string{"dump", "--befor", "trees/tree1.json"}, fixed, 0},
	{"", []string{"explain", "--why-not", "fuze-warps", "trees/tree1.json"}, fixed, 0},
	{"", []string{"eval", "-o", "{tmp}/out.tif", "-e", `load("astro.tif").scal(0.5)`}, fixed, 0},
}

// printed is what of an output is the same in every run.
type printed int

const (
	fixed   printed = iota
	numbers         // all but its numbers and their units
	machine         // nothing: it says what the machine is like
)

// TestTranscripts compares docs/transcripts.md with what the commands print.
func TestTranscripts(t *testing.T) {
	if !rewarp.HasGDAL() {
		t.Skip("the page was written with GDAL")
	}
	page, err := filepath.Abs("../../docs/transcripts.md")
	if err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	t.Chdir(testdata)
	var b bytes.Buffer
	kinds := map[string]printed{}
	last := ""
	b.WriteString("# Transcripts\n\n<!-- Written by `make docs`. -->\n\nEach command, in the folder `testdata`. " +
		"Times, rates and what depends on the machine differ from run to run.\n")
	was, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range transcripts {
		var args, shown []string
		for _, a := range c.args {
			args = append(args, strings.ReplaceAll(a, "{tmp}", tmp))
			shown = append(shown, quoted(strings.ReplaceAll(a, "{tmp}", "/tmp")))
		}
		command := strings.Join(shown, " ")
		r := runWith(t, "", args...)
		out := strings.ReplaceAll(r.out+r.err, tmp, "/tmp")
		if c.lines > 0 {
			command += fmt.Sprintf(" | head -%d", c.lines)
			out = strings.Join(strings.SplitAfterN(out, "\n", c.lines+1)[:c.lines], "")
		}
		if c.args[0] != last {
			fmt.Fprintf(&b, "\n## rewarp %s\n", c.args[0])
		}
		last = c.args[0]
		if c.about != "" {
			fmt.Fprintf(&b, "\n%s\n", c.about)
		}
		fmt.Fprintf(&b, "\n```text\n$ rewarp %s\n%s```\n", command, out)
		kinds[command] = c.kind
	}
	if *update {
		if err := os.WriteFile(page, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(masked(string(was), kinds), masked(b.String(), kinds)); diff != "" {
		t.Errorf("docs/transcripts.md is out of date (make docs):\n%s", diff)
	}
}

// Every command has a transcript.
func TestTranscriptsAreAll(t *testing.T) {
	for _, c := range (&app{}).root().Commands() {
		found := c.Name() == "help"
		for _, tr := range transcripts {
			found = found || tr.args[0] == c.Name()
		}
		if !found {
			t.Errorf("docs/transcripts.md does not show %s", c.Name())
		}
	}
}

func quoted(arg string) string {
	if strings.ContainsAny(arg, " ()[]\"|") {
		return "'" + arg + "'"
	}
	return arg
}

var (
	transcript = regexp.MustCompile("(?s)```text\n\\$ rewarp ([^\n]*)\n(.*?)```")
	measured   = regexp.MustCompile(`[-+]?\d[\d,.]*(e[-+]?\d+)?( ?(ns|µs|ms|s|m|B|kB|MB|GB|Mpx/s)\b)?|portable|avx2|avx512|threads?|tiles?|reads?\b`)
	blank      = regexp.MustCompile(`[ -]{2,}`)
)

// masked leaves out what differs from run to run.
func masked(page string, kinds map[string]printed) string {
	return transcript.ReplaceAllStringFunc(page, func(s string) string {
		m := transcript.FindStringSubmatch(s)
		switch kinds[m[1]] {
		case machine:
			return "$ rewarp " + m[1] + "\n"
		case numbers:
			return "$ rewarp " + m[1] + "\n" + blank.ReplaceAllString(measured.ReplaceAllString(m[2], "#"), " ")
		}
		return s
	})
}
