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
	about   string
	args    []string
	machine bool // what it prints depends on the machine, and is not compared
}{
	{"What a load knows of a raster, without reading a pixel.", []string{"info", "astro.tif"}, false},
	{"A tree before and after rewriting.", []string{"dump", "trees/tree3.json"}, false},
	{"The same from an expression, with the strictest cap.", []string{"dump", "--after", "--max-fidelity", "exact", "-e", `load("astro.tif").scale(0.5)[0:128, 0:128]`}, false},
	{"As a tree file.", []string{"dump", "--after", "--format", "json", "trees/tree1.json"}, false},
	{"Every rule that fired, and what it saved.", []string{"explain", "trees/tree1.json"}, false},
	{"Why a rule did not fire.", []string{"explain", "--why-not", "substitute-overview", "trees/tree2.json"}, false},
	{"Estimates beside what was measured.", []string{"explain", "--analyze", "trees/tree2.json"}, true},
	{"Rewrite, run, write.", []string{"eval", "trees/tree3.json", "-o", "{tmp}/out.tif", "--json"}, true},
	{"How long it takes.", []string{"bench", "trees/tree3.json", "--count", "5"}, true},
	{"What runs a tree fastest here.", []string{"tune", "trees/tree1.json", "--rounds", "3"}, true},
	{"Random trees, rewritten and run, held to every law.", []string{"check", "--trees", "20", "--max-fidelity", "geometric"}, true},
	{"The rules that may fire at a cap.", []string{"rules", "--max-fidelity", "exact"}, false},
	{"As a VRT.", []string{"export", "trees/tree1.json"}, false},
	{"As a command line.", []string{"export", "trees/tree1.json", "--format", "command", "--raster", "out.tif"}, false},
	{"From a command line.", []string{"import", "--", "gdal_translate", "-srcwin", "10", "20", "64", "32", "-b", "2", "astro.tif", "out.tif"}, false},
	{"A rule to start from.", []string{"new-rule", "join-twins", "--dir", "{tmp}/jointwins"}, false},
	{"The manual pages.", []string{"man", "{tmp}/man1"}, false},
	{"What is missing or slow on this machine.", []string{"doctor", "astro.tif"}, true},
	{"The versions.", []string{"version"}, true},
	{"A mistake is one line that says what to do.", []string{"dump", "trees/tree9.json"}, false},
	{"", []string{"explain", "--why-not", "fuze-warps", "trees/tree1.json"}, false},
}

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
	measured := map[string]bool{}
	b.WriteString("# Transcripts\n\n<!-- Written by `make docs`. -->\n\nEach command, in the folder `testdata`. " +
		"Times, rates and what depends on the machine differ from run to run.\n")
	was, _ := os.ReadFile(page)
	for _, c := range transcripts {
		var args, shown []string
		for _, a := range c.args {
			args = append(args, strings.ReplaceAll(a, "{tmp}", tmp))
			shown = append(shown, quoted(strings.ReplaceAll(a, "{tmp}", "/tmp")))
		}
		r := runWith(t, "", args...)
		out := strings.ReplaceAll(r.out+r.err, tmp, "/tmp")
		head := fmt.Sprintf("\n## rewarp %s\n\n%s\n", c.args[0], c.about)
		if c.about == "" {
			head = ""
		}
		fmt.Fprintf(&b, "%s\n```text\n$ rewarp %s\n%s```\n", head, strings.Join(shown, " "), out)
		if c.machine {
			measured[strings.Join(shown, " ")] = true
		}
	}
	if *update {
		if err := os.WriteFile(page, b.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(masked(string(was), measured), masked(b.String(), measured)); diff != "" {
		t.Errorf("docs/transcripts.md is out of date (make docs):\n%s", diff)
	}
}

func quoted(arg string) string {
	if strings.ContainsAny(arg, " ()[]\"|") {
		return "'" + arg + "'"
	}
	return arg
}

var transcript = regexp.MustCompile("(?s)```text\n\\$ rewarp ([^\n]*)\n(.*?)```")

// masked leaves out what the commands that measure print.
func masked(page string, measured map[string]bool) string {
	return transcript.ReplaceAllStringFunc(page, func(s string) string {
		if m := transcript.FindStringSubmatch(s); measured[m[1]] {
			return "$ rewarp " + m[1] + "\n"
		}
		return s
	})
}
