package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"github.com/rewarp/rewarp/ast"
	"github.com/rewarp/rewarp/ast/asttest"
	"github.com/rewarp/rewarp/rewrite"
	"github.com/rewarp/rewarp/rules"
)

// sharing is a tree in which two nodes have two parents each.
const sharing = `{"version": 1,
	"defs": {
		"half": {"op": "warp", "transform": {"scale": 0.5}, "input": {"ref": "raster"}},
		"raster": {"op": "load", "uri": "a.tif", "size": [64, 48], "bands": 1, "dtype": "uint8"}},
	"tree": {"op": "concat", "inputs": [
		{"op": "crop", "window": [0, 0, 32, 24], "input": {"op": "warp", "transform": {"scale": 2}, "input": {"ref": "half"}}},
		{"ref": "half"},
		{"op": "crop", "window": [5, 5, 37, 29], "input": {"ref": "raster"}}]}}`

func TestColor(t *testing.T) {
	t.Setenv("COLUMNS", "")
	golden(t, "dump-tree3-color.txt", must(t, "dump", "--color", "always", tree("tree3")))
	t.Setenv("COLUMNS", "130")
	golden(t, "dump-tree3-side.txt", must(t, "dump", "--color", "always", tree("tree3")))
	t.Setenv("COLUMNS", "60")
	golden(t, "dump-shared-color.txt", mustWith(t, sharing, "dump", "--color", "always", "-"))
	t.Setenv("COLUMNS", "")
	golden(t, "dump-tree2-step.txt", must(t, "dump", "--step", tree("tree2")))
	mustFail(t, statusUsage, runWith(t, "", "dump", "--step", "--format", "dot", tree("tree2")), "--step")
	mustFail(t, statusUsage, runWith(t, "", "dump", "--color", "alway", tree("tree2")), `did you mean "always"?`)
}

// Without a terminal there are no colours, no marks and no broken lines.
func TestPlain(t *testing.T) {
	t.Setenv("COLUMNS", "40")
	plain := must(t, "dump", tree("tree3"))
	if plain != must(t, "dump", "--color", "never", tree("tree3")) || strings.Contains(plain, "\x1b") {
		t.Errorf("it prints %q", plain)
	}
	golden(t, "dump-tree3.txt", plain)
}

func TestTerminalOf(t *testing.T) {
	var file bytes.Buffer
	for _, c := range []struct {
		color string
		env   map[string]string
		want  terminal
	}{
		{"auto", nil, terminal{}},
		{"auto", map[string]string{"COLUMNS": "99"}, terminal{}},
		{"never", nil, terminal{}},
		{"always", nil, terminal{color: true, marks: true}},
		{"always", map[string]string{"NO_COLOR": "1"}, terminal{color: true, marks: true}}, // the flag is nearer
		{"always", map[string]string{"COLUMNS": "99"}, terminal{color: true, marks: true, width: 99}},
		{"always", map[string]string{"COLUMNS": "wide"}, terminal{color: true, marks: true}},
	} {
		if got := terminalOf(&file, c.color, func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%s under %v is %+v, want %+v", c.color, c.env, got, c.want)
		}
	}
}

// On a terminal NO_COLOR takes colours away, and leaves the marks.
func TestNoColor(t *testing.T) {
	tty := openTerminal(t)
	for _, c := range []struct {
		color   string
		noColor string
		want    bool
	}{{"auto", "", true}, {"auto", "1", false}, {"never", "", false}, {"always", "1", true}} {
		got := terminalOf(tty, c.color, func(k string) string {
			return map[string]string{"NO_COLOR": c.noColor, "COLUMNS": "77"}[k]
		})
		if want := (terminal{color: c.want, marks: true, width: 77}); got != want {
			t.Errorf("%s with NO_COLOR=%q is %+v, want %+v", c.color, c.noColor, got, want)
		}
	}
	if got := terminalOf(tty, "auto", func(string) string { return "" }); got.width < 1 {
		t.Errorf("its width is %d", got.width)
	}
}

// openTerminal is a pseudo terminal.
func openTerminal(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo terminals:", err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func TestColumns(t *testing.T) {
	for _, c := range []struct {
		width, left, right int
		wl, wr             int
		ok                 bool
	}{
		{0, 10, 10, 0, 0, false},
		{80, 30, 40, 30, 40, true},  // both fit as they are
		{80, 40, 37, 40, 37, true},  // just
		{80, 40, 38, 0, 0, false},   // too much, and the terminal is narrow
		{119, 90, 90, 0, 0, false},  //
		{123, 90, 90, 60, 60, true}, // wide enough to break lines
		{124, 90, 90, 61, 60, true},
		{123, 30, 200, 30, 90, true}, // what one leaves the other gets
		{123, 200, 30, 90, 30, true},
	} {
		wl, wr, ok := columns(c.width, c.left, c.right)
		if wl != c.wl || wr != c.wr || ok != c.ok {
			t.Errorf("columns(%d, %d, %d) = %d, %d, %v, want %d, %d, %v", c.width, c.left, c.right, wl, wr, ok, c.wl, c.wr, c.ok)
		}
	}
}

// randomTrees are trees of every kind, with sharing.
func randomTrees(t *testing.T, n int, visit func(ast.Node)) {
	t.Helper()
	visit(parse(t, sharing))
	gen := asttest.NewGen(asttest.Options{})
	for i := range n {
		visit(gen.Tree(asttest.TreeSeed(7, i)))
	}
}

// Drawn plainly, a tree is the text that package ast writes; drawn narrowly, it
// loses nothing.
func TestTreeLines(t *testing.T) {
	squeeze := strings.NewReplacer(" ", "", "\n", "", "╽", "", "│", "")
	randomTrees(t, 300, func(n ast.Node) {
		var plain, narrow bytes.Buffer
		terminal{}.tree(&plain, n, nil)
		if want := ast.FormatText(n); plain.String() != want {
			t.Fatalf("it is drawn as\n%swant\n%s", plain.String(), want)
		}
		terminal{width: 70}.tree(&narrow, n, nil)
		if squeeze.Replace(narrow.String()) != squeeze.Replace(plain.String()) {
			t.Fatalf("broken, it is\n%s", narrow.String())
		}
		for _, l := range fit(treeLines(n), 70) {
			if bars, text := uniseg.StringWidth(l.bars), uniseg.StringWidth(l.text); bars+text > max(70, bars+24) {
				t.Fatalf("%q takes %d cells", l.bars+l.text, bars+text)
			}
		}
	})
}

func TestBreakText(t *testing.T) {
	for _, c := range []struct {
		text       string
		room       int
		part, more string
	}{
		{"Crop a=1,b=2", 20, "Crop a=1,b=2", ""},
		{"Crop a=1,b=2", 9, "Crop a=1,", "b=2"},
		{"Crop a=1,b=2", 8, "Crop", "a=1,b=2"},
		{"abcdefghij", 4, "abcd", "efghij"},
		{"日本語日本語", 5, "日本", "語日本語"},
		{"  abcdefghij", 6, "  abcd", "efghij"},
	} {
		if part, more := breakText(c.text, c.room); part != c.part || more != c.more {
			t.Errorf("breakText(%q, %d) = %q, %q, want %q, %q", c.text, c.room, part, more, c.part, c.more)
		}
	}
}

// Every node has one fate, and what is kept is the same on both sides.
func TestCompareTrees(t *testing.T) {
	p := rules.Default()
	randomTrees(t, 300, func(n ast.Node) {
		res, err := p.Optimize(n)
		if err != nil {
			t.Fatal(err)
		}
		c := compareTrees(n, res.Node)
		counts := [2]map[fate]int{{}, {}}
		for i, root := range []ast.Node{n, res.Node} {
			for _, m := range distinct(root) {
				counts[i][c.of[m]]++
			}
		}
		if counts[0][added] > 0 || counts[1][dropped] > 0 {
			t.Fatalf("%v of\n%s%s", counts, ast.FormatText(n), ast.FormatText(res.Node))
		}
		if !res.Changed && (counts[0][changed] > 0 || counts[0][dropped] > 0) {
			t.Fatalf("nothing changed, yet %v", counts)
		}
	})
}

// Played again, a trace ends where rewriting did, and every step on the way has
// the root's canvas.
func TestReplay(t *testing.T) {
	p, err := rules.New(rewrite.Trace())
	if err != nil {
		t.Fatal(err)
	}
	randomTrees(t, 300, func(n ast.Node) {
		res, err := p.Optimize(n)
		if err != nil {
			t.Fatal(err)
		}
		trees, err := replay(n, res)
		if err != nil {
			t.Fatalf("%v\n%s", err, ast.FormatText(n))
		}
		if len(trees) != len(res.Trace()) {
			t.Fatalf("%d trees after %d firings", len(trees), len(res.Trace()))
		}
		for i, m := range trees {
			if !ast.SameShape(m, n) {
				t.Fatalf("after firing %d the root is %s", i+1, ast.Label(m))
			}
		}
		if len(trees) == 0 {
			return
		}
		exact, err := replayTrace(n, res.Trace(), true)
		if err != nil || !ast.Equal(exact[len(exact)-1], res.Node) {
			if exact, err = replayTrace(n, res.Trace(), false); err != nil || !ast.Equal(exact[len(exact)-1], res.Node) {
				t.Errorf("it ends in another tree (%v)\n%s", err, ast.FormatText(n))
			}
		}
	})
}
