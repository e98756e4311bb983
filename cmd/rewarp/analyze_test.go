package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAnalyze(t *testing.T) {
	var x explanation
	if err := json.Unmarshal([]byte(must(t, "explain", "--analyze", "--json", tree("tree3"))), &x); err != nil {
		t.Fatal(err)
	}
	a := x.Analysis
	if a == nil || len(a.Rasters) != 1 || a.Measured.Tiles == 0 || a.Measured.Seconds <= 0 || a.Measured.Kernels == "" {
		t.Fatalf("it says %+v", a)
	}
	r := a.Rasters[0]
	if r.Level != 0 || r.Reads == 0 || r.Samples < r.Estimated || r.Estimated == 0 || r.Bytes != a.Measured.Bytes || len(r.Windows) == 0 {
		t.Errorf("of the raster it says %+v", r)
	}
	if !strings.HasPrefix(x.Summary, "11 firings: samples read ") {
		t.Errorf("the summary is %q", x.Summary)
	}
	text := must(t, "explain", "--analyze", tree("tree3"))
	for _, want := range []string{"\nrun in ", "estimated", "measured", "astro.tif level 0"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, " \n") {
		t.Errorf("lines end in blanks:\n%s", text)
	}
}

// Every node of the tree that was run has its estimate beside what was measured,
// or says in whose step it ran.
func TestAnalyzeNodes(t *testing.T) {
	for _, c := range []struct {
		args  []string
		nodes string // id, path, step and in whose step it is
	}{
		{[]string{tree("tree1")}, "1  fused in 3; 2 crop fused in 3; 3 crop/overview read; 0  copy; "},
		{[]string{tree("tree3")}, "1  sample; 2 warp fused in 1; 3 warp/dequantize fused in 4; 4 warp/dequantize/crop read; "},
		{[]string{"--max-fidelity", "exact", tree("tree2")}, "1  copy; 2 crop dequantize; 3 crop/dequantize sample; 4 crop/dequantize/warp read; "},
	} {
		var x explanation
		if err := json.Unmarshal([]byte(must(t, append([]string{"explain", "--analyze", "--json"}, c.args...)...)), &x); err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		decoded := int64(0)
		for _, n := range x.Analysis.Nodes {
			fmt.Fprintf(&text, "%d %s %s", n.ID, n.Path, n.Step)
			if n.FusedIn > 0 {
				fmt.Fprintf(&text, " in %d", n.FusedIn)
			} else if n.Calls == 0 || n.Computed == 0 || n.Moved == 0 || n.Seconds <= 0 || n.Samples == 0 || n.Bytes == 0 {
				t.Errorf("%v: of %s was measured %+v", c.args, n.Node, n)
			} else if n.Step != "read" && (n.Samples != n.Computed || n.Bytes != n.Moved) || n.Blocks != n.Decoded {
				t.Errorf("%v: %s was to take %d samples, %d blocks and %d bytes, and took %d, %d and %d", c.args, n.Node,
					n.Samples, n.Blocks, n.Bytes, n.Computed, n.Decoded, n.Moved)
			}
			text.WriteString("; ")
			decoded += n.Decoded
		}
		if text.String() != c.nodes {
			t.Errorf("%v: the nodes are\n%s\nwant\n%s", c.args, &text, c.nodes)
		}
		if decoded != x.Analysis.Measured.Blocks {
			t.Errorf("%v: the nodes decoded %d blocks, the run %d", c.args, decoded, x.Analysis.Measured.Blocks)
		}
	}
}

// The page of explain --analyze has the same table.
func TestAnalyzePage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.html")
	text := must(t, "explain", "--analyze", "--html", file, tree("tree3"))
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"1 Warp 64×32", "2 Dequantize 109×91", "4 Load 512×512 astro.tif", "in 1", "in 4", "5,406 / 5,406"} {
		if !strings.Contains(text, s) || !strings.Contains(string(page), ">"+s+"<") {
			t.Errorf("%q is missing in the table or on the page:\n%s", s, text)
		}
	}
	if strings.Contains(explainPage(t, "", tree("tree3")), "What it took") {
		t.Error("the page of a tree that was not run says what it took")
	}
}
