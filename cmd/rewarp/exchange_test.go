package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rewarp/rewarp"
)

// A tree goes out and comes back with the same pixels, from folder to folder.
func TestExchange(t *testing.T) {
	if !rewarp.HasGDAL() {
		t.Skip("it evaluates a VRT")
	}
	dir := t.TempDir()
	pixels := func(args ...string) []byte {
		t.Helper()
		out := filepath.Join(t.TempDir(), "out.png") // pixels and no names
		must(t, append([]string{"eval", "-o", out}, args...)...)
		data, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	want := pixels(tree("tree1"))
	file := filepath.Join(dir, "tree1.vrt")
	must(t, "export", tree("tree1"), "-o", file)
	back := filepath.Join(t.TempDir(), "back.json")
	if r := runWith(t, "", "import", file, "-o", back); r.status != statusOK {
		t.Fatal(r.err)
	}
	if !bytes.Equal(pixels(back), want) {
		t.Error("the imported VRT has other pixels")
	}
	if !bytes.Equal(pixels("-e", `load("`+filepath.ToSlash(file)+`")`), want) {
		t.Error("GDAL reads other pixels from the VRT")
	}
	line := must(t, "export", tree("tree1"), "--format", "command", "--raster", "out.tif")
	if !strings.HasPrefix(line, "gdal_translate ") || !strings.HasSuffix(line, " out.tif\n") {
		t.Errorf("the command line is %s", line)
	}
	nesting := must(t, "export", tree("tree1"), "--format", "nesting", "--before")
	if r := runWith(t, nesting, "import", "-"); r.status != statusOK || !strings.Contains(r.out, `"op": "warp"`) {
		t.Errorf("nesting() comes back as status %d, %s\n%s", r.status, r.err, r.out)
	}
}

func TestImportCommand(t *testing.T) {
	t.Chdir(testdata)
	r := runWith(t, "", "import", "--json", "--", "gdal_translate", "-srcwin", "10", "20", "64", "32", "-b", "2", "astro.tif", "out.tif")
	if r.status != statusOK {
		t.Fatal(r.err)
	}
	var out struct {
		Tree  struct{ Tree json.RawMessage }
		Notes []noteJSON
	}
	if err := json.Unmarshal([]byte(r.out), &out); err != nil || !strings.Contains(string(out.Tree.Tree), "crop") {
		t.Errorf("%v in\n%s", err, r.out)
	}
}

// What cannot be expressed is said, node by node.
func TestExchangeErrors(t *testing.T) {
	t.Chdir(testdata)
	const projective = `load("astro.tif").warp(matrix=[1, 0, 0, 0, 1, 0, 0.001, 0, 1])`
	mustFail(t, statusFailed, runWith(t, "", "export", "-e", projective), "VRT cannot express this tree: warp: a projective transform")
	mustFail(t, statusFailed, runWith(t, "", "export", "trees/tree3.json"), "warp: its domain, or an inner canvas, cuts away")
	mustFail(t, statusFailed, runWith(t, "", "export", "trees/tree3.json", "--format", "nesting"), "has no form in delayed_image", "--before")
	if text := must(t, "export", "trees/tree3.json", "--format", "nesting", "--before"); !strings.Contains(text, `"DelayedDequantize"`) {
		t.Errorf("the tree as it stands is written as\n%s", text)
	}
	mustFail(t, statusFailed, runWith(t, "", "import", "--", "gdalwarp", "-t_srs", "EPSG:4326", "astro.tif", "o.tif"), "a tree cannot express this gdalwarp: ", "t_srs")
	mustFail(t, statusFailed, runWith(t, "hello", "import", "-"), "neither a VRT nor JSON")
	mustFail(t, statusFailed, runWith(t, "", "import", "none.vrt"), "none.vrt")
	mustFail(t, statusUsage, runWith(t, "", "import"), "missing FILE")
	mustFail(t, statusUsage, runWith(t, "", "import", "a", "b"), "gdal_translate or gdalwarp")
	mustFail(t, statusUsage, runWith(t, "", "export", "-e", projective, "--format", "xml"), "expected one of")
}
